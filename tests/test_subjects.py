"""A few words on what a server is about."""

import random

import pytest

from hermes_plugin_toolsearch.subjects import Subjects, subjects_of


def test_words_are_what_the_tools_act_on() -> None:
    """Actions, stop words and the server's own name say nothing; names in any style are taken apart."""
    subjects = subjects_of(["list_zones", "getZone", "purge-cache", "DNSRecordCreate", "acme_ping_v2"], "acme")
    assert {"zone", "purge", "cache", "dns", "record", "ping"} == set(subjects.tools)


def test_a_word_is_spelled_as_it_is_mostly_written() -> None:
    """Singular and plural are one word, shown in the more frequent form."""
    subjects = subjects_of(["list_zones", "get_zones", "get_zone", "list_policies", "status_get"], "acme")
    assert {"zone": "zones", "policy": "policies", "status": "status"} == subjects.spelling | {"status": "status"}


def test_every_part_of_a_server_has_its_turn() -> None:
    """A part with few tools is named before a second word for the largest part (F8)."""
    names = [f"workers_script_{number}" for number in "abcdefgh"] + ["zones_purge", "zones_pause", "radar_bgp"]
    words = subjects_of(names, "acme").words(3, {})
    assert ["script", "zones", "bgp"] == words


def test_a_word_that_every_server_uses_counts_less() -> None:
    """What tells a server from the others comes first (F8)."""
    names = ["user_list_all", "user_ban", "user_mute", "user_warn", "ledger_open", "ledger_close", "ledger_post"]
    subjects = subjects_of(names, "acme")
    assert ["user", "ledger"] == subjects.words(2, {"user": 1, "ledger": 1})
    assert ["ledger", "user"] == subjects.words(2, {"user": 9, "ledger": 1})


def test_usage_counts_servers() -> None:
    """A word is counted once for each server, however many of its tools carry it."""
    servers = [subjects_of(["user_a", "user_b", "invoice_x"], "one"), subjects_of(["users_ban"], "two")]
    assert {"user": 2, "invoice": 1, "ban": 1} == Subjects.usage(servers)


def test_words_do_not_depend_on_the_order_of_the_tools() -> None:
    """The same tools in any order give the same words (F2)."""
    names = [
        f"{action}_{thing}" for action in ("list", "get") for thing in ("zone", "worker", "queue", "bucket", "pool")
    ]
    seen = set()
    for seed in range(10):
        random.Random(seed).shuffle(names)
        seen.add(tuple(subjects_of(names, "acme").words(4, {})))
    assert {("bucket", "pool", "queue", "worker")} == seen


@pytest.mark.parametrize("names", [[], ["get", "list_all"], ["x1", "a_b_c"]])
def test_a_server_may_have_nothing_to_say(names: list[str]) -> None:
    """Names that hold only actions, stop words and fragments give no words."""
    assert [] == subjects_of(names, "acme").words(8, {})
