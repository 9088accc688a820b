"""The benchmarks' own logic: statistics, sections of the report, the policy that prices a search."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks import common
from benchmarks.cost.__main__ import break_even, session
from benchmarks.cost.policy import Call, Host, Need, Prices, Run, hit_tells_enough, listed_names, run
from benchmarks.engines import ENGINES, adapter, toolsearch
from benchmarks.retrieval.unanswerable import curve, flagged_at, parts_of
from benchmarks.speed.varied import varied


def count(text: str) -> int:
    """A token a character."""
    return len(text)


def test_recall_is_the_mean_share_of_needs_with_a_hit():
    """A query of two needs, one of which is met within five names, has recall 0.5 at five."""
    queries = [{"id": "q", "groups": [["a", "b"], ["c"]], "relevant": ["a", "b", "c"]}]
    found = common.measures({"q": ["x", "b", "y", "z", "w", "c"]}, queries)
    assert {name: float(values[0]) for name, values in found.items()} == {
        "r1": 0.0,
        "r5": 0.5,
        "r10": 1.0,
        "mrr": 0.5,
        "unanswered": 0.0,
    }


def test_an_empty_ranking_counts_as_unanswered():
    """A query without any name has no recall and is counted as unanswered."""
    found = common.measures({"q": []}, [{"id": "q", "groups": [["a"]], "relevant": ["a"]}])
    assert (float(found["r10"][0]), float(found["unanswered"][0])) == (0.0, 1.0)


def test_the_interval_of_a_constant_difference_is_that_difference():
    """Resampling equal differences cannot spread them."""
    assert common.interval(np.full(40, 0.25), resamples=500) == (0.25, 0.25)


def test_the_interval_covers_the_mean_and_narrows_with_more_queries():
    """A bootstrap interval holds the mean; four times the queries halve its width, roughly."""
    few, many = np.tile([0.0, 1.0], 50), np.tile([0.0, 1.0], 200)
    low, high = common.interval(few)
    lower, higher = common.interval(many)
    assert low < 0.5 < high
    assert 0.35 < (higher - lower) / (high - low) < 0.65


def test_growth_is_the_exponent_of_a_power_law():
    """Times that grow with the square of the size have exponent two."""
    assert common.growth([10, 100, 1000], [3.0, 300.0, 30000.0]) == pytest.approx(2.0)


def test_a_section_is_replaced_between_its_markers_only(tmp_path):
    """Text outside the markers stays, and writing twice gives the same bytes."""
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- speed:begin -->\nold\n<!-- speed:end -->\nafter\n")
    common.write_section("speed", "new", path=page)
    common.write_section("speed", "new", path=page)
    assert page.read_text() == "before\n<!-- speed:begin -->\nnew\n<!-- speed:end -->\nafter\n"


def test_a_page_without_the_section_is_refused(tmp_path):
    """A report that has nowhere to go is an error, not lost silently."""
    page = tmp_path / "page.md"
    page.write_text("nothing")
    with pytest.raises(ValueError, match="speed"):
        common.write_section("speed", "new", path=page)


def test_every_adapter_can_be_read_without_its_engine():
    """An adapter's title and pinned requirements are known before anything is installed."""
    unpinned = [name for name in ENGINES[1:] if "==" not in adapter(name).REQUIREMENTS[0]]
    assert unpinned == []
    assert len({adapter(name).TITLE for name in ENGINES}) == len(ENGINES)


def test_this_project_ranks_through_its_adapter():
    """The adapter gives names, best first, and a confidence between 0 and 1."""
    tools = [
        {"name": "mcp__git__commit", "description": "Record changes", "server": "git"},
        {"name": "mcp__mail__send", "description": "Send a message", "server": "mail"},
    ]
    names, confidence = toolsearch.build(toolsearch.prepare(tools))("send a message", 5)
    assert names[0] == "mcp__mail__send"
    assert 0.0 <= confidence <= 1.0


def test_queries_of_several_servers_lose_the_servers_of_their_tools():
    """Where a catalog has several servers, the whole servers of the relevant tools are taken away."""
    tools = [{"name": "a1", "server": "a"}, {"name": "a2", "server": "a"}, {"name": "b1", "server": "b"}]
    queries = [{"id": "1", "relevant": ["a1"]}, {"id": "2", "relevant": ["a2"]}, {"id": "3", "relevant": ["b1"]}]
    assert parts_of(tools, queries) == [{"without": ["a1", "a2"], "ids": ["1", "2"]}, {"without": ["b1"], "ids": ["3"]}]


def test_queries_of_one_server_lose_their_tools_only():
    """Where a catalog has one server, the rest of it stays."""
    tools = [{"name": f"t{i}"} for i in range(30)]
    queries = [{"id": str(i), "relevant": [f"t{i}"]} for i in range(20)]
    parts = parts_of(tools, queries)
    assert sorted(len(part["without"]) for part in parts) == [2] * 10
    assert all({f"t{i}" for i in part["ids"]} == set(part["without"]) for part in parts)


def test_the_curve_is_read_at_the_allowed_share_of_wrong_flags():
    """With half of the unanswerable below every answerable query, half can be flagged for free."""
    points = curve(np.array([0.5, 0.6, 0.7, 0.8]), np.array([0.1, 0.2, 0.9, 0.9]))
    assert flagged_at(points, 0.0) == 0.5
    assert points[-1] == (1.0, 1.0)


def bridge(listing: str) -> list[dict[str, object]]:
    """A tools array with a search tool whose description holds ``listing``."""
    return [{"type": "function", "function": {"name": "tool_search", "description": listing}}]


def test_names_are_read_from_a_listing_under_a_heading():
    """A heading's star stands before the names below it; a server that is not listed names nothing."""
    text = "Search.\nmcp__git__* (2):\n- git_add: Adds, commits\n- git_log: Shows\nmcp__big__* (9 tools, not listed)"
    names = listed_names(bridge(text))
    assert {"mcp__git__git_add", "mcp__git__git_log"} <= names
    assert not any(name.startswith("mcp__big__") for name in names)


def test_names_are_read_from_a_list_of_full_names():
    """Names between commas are read as they are."""
    assert {"mcp__a__x", "mcp__a__y"} <= listed_names(bridge("a tools (2):\nmcp__a__x, mcp__a__y"))


NEED = Need("make it", {"mcp__a__make": {"properties": {"what": {"type": "string"}}, "required": ["what"]}})


def host(array: list[dict[str, object]], **answers: dict[str, str]) -> Host:
    """A host with that array and those answers by query."""
    described = {"mcp__a__make": "schema"}
    return Host(array, answers.get("search", {}), answers.get("wide", {}), described)


def test_a_tool_in_the_array_takes_one_call():
    """Eager tools are called at once."""
    eager = host([{"type": "function", "function": {"name": "mcp__a__make", "description": ""}}])
    assert run(eager, frozenset(), NEED, count, arguments=0) == Run((Call(7, 12),), True)


def test_a_listed_tool_is_described_before_it_is_called():
    """An exact name in the listing saves the search, not the schema."""
    found = run(host(bridge("")), frozenset({"mcp__a__make"}), NEED, count, arguments=0)
    assert (len(found.calls), found.calls[1].added) == (2, len("schema"))


def test_a_hit_with_a_signature_needs_no_describe():
    """Search, then call."""
    answer = json.dumps({"matches": [{"name": "mcp__a__make", "signature": "make(what: string)"}]})
    found = run(host(bridge(""), search={"make it": answer}), frozenset(), NEED, count, arguments=0)
    assert (len(found.calls), found.found) == (2, True)


def test_a_miss_is_searched_once_more_and_then_given_up():
    """Two searches without the tool end the run; the model's last call reads the second answer."""
    empty = {"make it": json.dumps({"matches": []})}
    found = run(host(bridge(""), search=empty, wide=empty), frozenset(), NEED, count, arguments=0)
    assert (len(found.calls), found.found) == (3, False)


@pytest.mark.parametrize(
    ("record", "enough"),
    [
        ({"signature": "make(what: string, how?: object)"}, True),
        ({"signature": "make(what: object)"}, False),
        ({"description": "Makes"}, False),
    ],
)
def test_a_signature_tells_enough_unless_a_required_object_is_open(record, enough):
    """A hit suffices if it shows what every required parameter takes."""
    answer = json.dumps({"matches": [{"name": "t"} | record]})
    assert hit_tells_enough(answer, "t", {}) is enough


@pytest.mark.parametrize(("kind", "enough"), [({"type": "string"}, True), ({"type": "string", "enum": ["a"]}, False)])
def test_required_names_alone_tell_enough_for_plain_values(kind, enough):
    """Names of required parameters suffice where these are plain and free."""
    answer = json.dumps({"results": [{"matches": ["t"]}], "tools": {"t": {"required": ["what"]}}})
    assert hit_tells_enough(answer, "t", {"properties": {"what": kind}, "required": ["what"]}) is enough


def test_each_call_reads_all_that_came_before_it():
    """Two calls over a prefix of 100 read it twice, and what the first one wrote once."""
    assert Run((Call(10, 5), Call(20, 5)), True).read(100) == 110 + 135


def test_caching_prices_only_what_is_new_in_full():
    """With the prefix in the cache, the first call pays a tenth of it and the write of what is new."""
    prices = Prices(written=0, cache_read=0.1, cache_write=1.25)
    calls = Run((Call(10, 5), Call(20, 5)), True)
    assert calls.price(100, prices, cached=100) == pytest.approx(10 + 12.5 + 11 + 25 * 1.25)
    assert calls.price(100, prices, cached=None) == 245


def test_the_break_even_is_the_first_count_of_needs_at_which_eager_is_cheaper():
    """A large eager list never is; a small one is as soon as searching costs more than its cached reads."""
    small, large = {"array": 3_000, "price_cached": 1_600.0}, {"array": 900_000, "price_cached": 92_000.0}
    deferred = {"array": 1_000, "price_cached": 2_900.0}
    assert break_even(large, deferred) is None
    needs = break_even(small, deferred)
    assert needs is not None
    assert session(small, needs) < session(deferred, needs)
    assert session(small, needs - 1) >= session(deferred, needs - 1)


def test_varied_tools_are_of_the_asked_number_and_all_different():
    """A catalog larger than the real ones is made by varying them, name and text."""
    real = [{"name": f"t{i}", "description": "Lists the things", "server": "s"} for i in range(3)]
    made = varied(real, 10)
    assert len({tool["name"] for tool in made}) == 10
    assert len({tool["description"] for tool in made}) >= 4
    assert made == varied(real, 10)
