"""Reading ``tools.tool_search``: what is used, and what is said where that is not what was written."""

from __future__ import annotations

from typing import Any

import pytest

from hermes_plugin_toolsearch.config import KEYS, BridgeNames, ToolSearchConfig, read_config


def test_nothing_written_gives_the_documented_defaults() -> None:
    """The defaults are those of the documentation."""
    config, notices = read_config(None)
    assert notices == ()
    assert (config.enabled, config.threshold_pct, config.search_default_limit) == ("auto", 5.0, 5)
    assert (config.max_search_limit, config.listing, config.listing_max_tokens) == (20, "auto", 20_000)
    assert (config.activation_pct, config.pin, config.defer) == (0.0, (), ())


def test_every_field_is_a_documented_key() -> None:
    """No key without documentation and no documentation without a key."""
    assert {key.name for key in KEYS} == set(ToolSearchConfig.__slots__)


@pytest.mark.parametrize(("raw", "enabled"), [(True, "auto"), (False, "off"), ({"enabled": False}, "off")])
def test_booleans_switch(raw: Any, enabled: str) -> None:
    """True and false stand for the whole mapping; YAML's bare ``off`` arrives as false (G1)."""
    assert read_config(raw)[0].enabled == enabled


@pytest.mark.parametrize(
    ("key", "written", "used"),
    [
        ("threshold_pct", 120, 100.0),
        ("threshold_pct", -1, 0.0),
        ("listing_max_tokens", 10, 200),
        ("listing_max_tokens", 10**9, 60_000),
        ("max_search_limit", 500, 50),
        ("activation_pct", "10", 10.0),
    ],
)
def test_numbers_out_of_range_are_clamped(key: str, written: Any, used: Any) -> None:
    """A number out of its range becomes the nearest in it, and a number in quotes is a number."""
    config, notices = read_config({key: written})
    assert getattr(config, key) == used
    assert len(notices) == (0 if float(written) == used else 1)


@pytest.mark.parametrize(
    ("key", "written"),
    [
        ("enabled", "sometimes"),
        ("threshold_pct", "many"),
        ("threshold_pct", float("nan")),
        ("listing_max_tokens", True),
        ("pin", {"github": True}),
        ("listing_trust", "full"),
        ("bridge_names", {"search": "x", "describe": "x"}),
    ],
)
def test_a_wrong_type_falls_back_and_is_named_with_key_read_and_used(key: str, written: Any) -> None:
    """The notice says which key, what was read and what is used instead (G12)."""
    config, notices = read_config({key: written})
    assert getattr(config, key) == getattr(ToolSearchConfig(), key)
    assert [notice.key for notice in notices] == [key]
    assert notices[0].read is written
    assert f"tools.tool_search.{key}" in str(notices[0])


def test_unknown_keys_are_ignored_and_named() -> None:
    """A misspelt key changes nothing and is pointed out."""
    config, notices = read_config({"listnig": "off"})
    assert config == ToolSearchConfig()
    assert [notice.key for notice in notices] == ["listnig"]


def test_the_default_limit_never_exceeds_the_maximum() -> None:
    """A maximum below the default limit lowers it without a complaint nobody asked for (E10)."""
    assert read_config({"max_search_limit": 3})[0].search_default_limit == 3
    assert read_config({"max_search_limit": 3})[1] == ()
    assert len(read_config({"max_search_limit": 3, "search_default_limit": 9})[1]) == 1


def test_a_host_with_defaults_of_its_own_keeps_them_until_the_user_writes_another() -> None:
    """Defaults can differ by host; an explicit value wins over them."""
    host = ToolSearchConfig(listing_max_tokens=4_000)
    assert read_config({}, host)[0].listing_max_tokens == 4_000
    assert read_config({"listing_max_tokens": 8_000}, host)[0].listing_max_tokens == 8_000


def test_pins_name_tools_globs_and_servers() -> None:
    """A pin is a name, a glob over names, or a server (G4)."""
    config = read_config({"pin": ["weather_now", "mcp__github__*", "mcp-linear"]})[0]
    assert config.pinned("weather_now", "weather")
    assert config.pinned("mcp__github__create_issue", "github")
    assert config.pinned("mcp__linear__anything", "linear")
    assert not config.pinned("mcp__gitlab__create_issue", "gitlab")


def test_trust_is_by_label_before_glob() -> None:
    """An exact label beats a glob, a longer glob a shorter one, and an unlisted server is shown in full."""
    config = read_config({"listing_trust": {"*": "counts", "git*": "names", "github": "full"}})[0]
    assert [config.trust(server) for server in ("github", "gitlab", "linear")] == ["full", "names", "counts"]
    assert read_config(None)[0].trust("anything") == "full"


def test_bridge_names_by_hand_win_over_the_providers() -> None:
    """What the user names wins, the rest stays as the provider needs it (A14)."""
    config = read_config({"bridge_names": {"call": "run_it"}})[0]
    assert config.names(BridgeNames(search="find_tools")) == BridgeNames(search="find_tools", call="run_it")
