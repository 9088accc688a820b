"""The usage log: what it holds, what it never holds, its bounds, and what it adds up to."""

from __future__ import annotations

import json
import multiprocessing
import stat

import pytest

from hermes_plugin_toolsearch import stats
from hermes_plugin_toolsearch.stats import Log, summarize


def append_many(home, word, count):
    """What one process of several does."""
    for number in range(count):
        Log(home).append("call", name=f"{word}{number}", via="bridge")


def test_events_come_back_in_order(tmp_path):
    """What was appended is read back with its fields, oldest first."""
    log = Log(tmp_path)
    log.append("search", hits=3, sure=True)
    log.append("call", name="a", via="bridge")

    read = list(log.events())

    assert [("search", 3), ("call", None)] == [(event["e"], event.get("hits")) for event in read]


def test_only_the_span_that_was_asked_for_counts(tmp_path, mocker):
    """``since`` leaves out what is older."""
    clock = mocker.patch.object(stats.time, "time", return_value=1000.0)
    log = Log(tmp_path)
    log.append("round")
    clock.return_value = 2000.0
    log.append("round")

    assert [2000.0] == [event["t"] for event in log.events(since=1500)]


def test_the_log_is_private(tmp_path):
    """Folder and file are the owner's alone."""
    log = Log(tmp_path)
    log.append("round")
    log.keep_tools({"s": {"a": 7}})

    assert 0o700 == stat.S_IMODE(log.folder.stat().st_mode)
    assert [0o600, 0o600] == [stat.S_IMODE(path.stat().st_mode) for path in (log.path, log.tools)]


def test_the_log_is_bounded(tmp_path, mocker):
    """However much is appended, at most two files of about the maximum are kept, and the newest event is among them."""
    mocker.patch.object(stats, "MAX_BYTES", 2000)
    log = Log(tmp_path)
    for number in range(500):
        log.append("call", name=f"tool{number}", via="bridge")

    assert {"usage.jsonl", "usage.1.jsonl"} == {path.name for path in log.folder.iterdir()}
    assert sum(path.stat().st_size for path in log.folder.iterdir()) < 2 * 2000 + 2 * 100
    assert "tool499" == list(log.events())[-1]["name"]


def test_an_oversized_event_is_left_out(tmp_path):
    """A line that could not be appended in one piece is not written at all."""
    log = Log(tmp_path)
    log.append("search", query="x" * stats.MAX_LINE)

    assert [] == list(log.events())


def test_processes_do_not_mix_their_lines(tmp_path):
    """Four processes that append at once lose nothing and tear no line."""
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=append_many, args=(tmp_path, word, 200)) for word in "abcd"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    lines = Log(tmp_path).path.read_text().splitlines()
    assert 800 == len({json.loads(line)["name"] for line in lines})


def test_a_damaged_line_is_passed_over(tmp_path):
    """A torn line, one of another shape and bytes that are no text do not hide the rest."""
    log = Log(tmp_path)
    log.append("round")
    with log.path.open("ab") as file:
        file.write(b'{"t": 1, "e"\n[1]\n{"t": "x"}\n\xff\xfe\n')
    log.append("round")

    assert 2 == len(list(log.events()))


def test_a_link_in_its_place_is_not_followed(tmp_path):
    """Nobody can have the log appended to another file."""
    log = Log(tmp_path)
    log.folder.mkdir()
    (tmp_path / "elsewhere").touch()
    log.path.symlink_to(tmp_path / "elsewhere")

    with pytest.raises(OSError, match=r"usage\.jsonl"):
        log.append("round")

    assert "" == (tmp_path / "elsewhere").read_text()


def test_the_funnel_adds_up():
    """Searches, sure and not, lookups, calls on both ways, corrections and refusals are counted apart."""
    events = [
        {"t": 1, "e": "search", "hits": 5, "sure": True},
        {"t": 2, "e": "search", "hits": 5, "sure": False, "query": "fly to the moon"},
        {"t": 3, "e": "search", "hits": 0, "sure": True},
        {"t": 4, "e": "describe", "names": ["a", "b"]},
        {"t": 5, "e": "call", "name": "a", "via": "bridge"},
        {"t": 6, "e": "correct", "name": "a"},
        {"t": 7, "e": "call", "name": "a", "via": "direct"},
        {"t": 8, "e": "refuse"},
        {"t": 9, "e": "round"},
    ]

    found = summarize(events, {"s": ["a", "b"], "t": ["c"]})

    assert (3, 2, 2) == (found.searches, found.unanswered, found.described)
    assert (1, 1, 1, 1, 1) == (found.called, found.direct, found.corrected, found.refused, found.rounds)
    assert {"a": 2} == found.calls
    assert {"s": ["b"], "t": ["c"]} == found.unused
    assert ("fly to the moon",) == found.queries
    assert 1 == found.first


def test_saved_tokens_are_those_of_measured_catalogs():
    """A request counts for what its own catalog saves; one whose catalog was not measured counts for nothing."""
    events = [
        {"t": 1, "e": "request", "c": "one"},
        {"t": 1, "e": "catalog", "c": "one", "before": 1000, "now": 100},
        {"t": 1, "e": "request", "c": "one"},
        {"t": 1, "e": "request", "c": "two"},
    ]

    found = summarize(events, {})

    assert (3, 2, 1800) == (found.requests, found.counted, found.saved)


def test_nothing_logged_gives_nothing(tmp_path):
    """A home without a log sums up to zero, and says that nothing began."""
    log = Log(tmp_path)

    assert (None, {}) == (summarize(log.events(), log.known_tools()).first, log.known_tools())
