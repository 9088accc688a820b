"""Catalogs and judged queries from files, and what is measured on them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from hermes_plugin_toolsearch.evaluation import (
    Query,
    Ranking,
    UnreadableFileError,
    rank_queries,
    read_catalog,
    read_queries,
    recall,
    reciprocal_rank,
    report,
)
from hermes_plugin_toolsearch.retrieval import search

SCHEMA = {"type": "object", "properties": {"title": {"type": "string"}}}
MCP = {"name": "create_issue", "description": "Create an issue", "inputSchema": SCHEMA}
BARE = {"name": "create_issue", "description": "Create an issue", "parameters": SCHEMA}
OPENAI = {"type": "function", "function": BARE}


def ranking(names: list[str], *groups: set[str], seconds: float = 0.001) -> Ranking:
    """A ranking of a query with these needs."""
    return Ranking(Query("q", "text", tuple(map(frozenset, groups))), tuple(names), seconds, 1.0)


@pytest.mark.parametrize(
    "content",
    [
        json.dumps([MCP]),
        json.dumps([BARE]),
        json.dumps([OPENAI]),
        json.dumps({"tools": [MCP]}),
        json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": [MCP]}}),
        json.dumps(MCP),
        json.dumps(MCP) + "\n\n" + json.dumps({**OPENAI, "function": {**BARE, "name": "other"}}) + "\n",
    ],
    ids=["mcp list", "function list", "openai list", "tools", "answer to tools/list", "one tool", "lines"],
)
@pytest.mark.parametrize("packed", [False, True])
def test_tools_are_read_in_every_usual_form(tmp_path: Path, content: str, packed: bool) -> None:
    """MCP tools and OpenAI definitions, JSON and JSON lines, plain and gzipped, give the same entry."""
    path = tmp_path / "tools"
    path.write_bytes(gzip.compress(content.encode()) if packed else content.encode())
    catalog, problems = read_catalog(path)
    entry = catalog.by_name["create_issue"]
    assert ("Create an issue", SCHEMA, ()) == (entry.description, entry.parameters, problems)


def test_the_server_is_taken_from_the_file(tmp_path: Path) -> None:
    """A server beside a tool, or beside the list it is in, is its label."""
    path = tmp_path / "tools.json"
    path.write_text(json.dumps([{"server": "github", "tools": [MCP]}, {**BARE, "name": "t", "server": "other"}]))
    assert ["github", "other"] == [group.server for group in read_catalog(path)[0].groups]


def test_tools_that_cannot_be_called_are_reported(tmp_path: Path) -> None:
    """A name that no provider accepts is left out, with the reason; a repeated name counts once."""
    path = tmp_path / "tools.json"
    path.write_text(json.dumps([MCP, MCP, {**MCP, "name": "two words"}, "no tool"]))
    catalog, problems = read_catalog(path)
    assert (1, ["two words"]) == (len(catalog), [problem.name for problem in problems])


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"", "no tool"), (b'{"a": 1}\n{nope', "line 2"), (b"\x1f\x8b broken", "tools"), (b"\xff\xfe", "tools")],
)
def test_an_unreadable_file_is_named_with_the_reason(tmp_path: Path, content: bytes, reason: str) -> None:
    """Empty, broken and binary files end in one kind of error that names the file."""
    path = tmp_path / "tools"
    path.write_bytes(content)
    with pytest.raises(UnreadableFileError, match=reason) as caught:
        read_catalog(path)
    assert str(path) in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """A file that is not there is the same kind of error."""
    with pytest.raises(UnreadableFileError, match="absent"):
        read_catalog(tmp_path / "absent")


def test_queries_have_needs(tmp_path: Path) -> None:
    """``groups`` are needs; ``relevant`` alone is one need that any of its names serves; an id may be missing."""
    path = tmp_path / "queries.jsonl"
    lines = [
        {"id": "a", "query": "one", "relevant": ["x", "y"]},
        {"query": "two", "relevant": ["x", "y"], "groups": [["x"], ["y"]]},
        {"id": 3, "query": "none"},
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    assert (
        Query("a", "one", (frozenset("xy"),)),
        Query("2", "two", (frozenset("x"), frozenset("y"))),
        Query("3", "none", ()),
    ) == read_queries(path)


@pytest.mark.parametrize("record", [{"id": 1}, {"query": 5}, {"query": "x", "groups": ["name"]}, [1]])
def test_a_malformed_query_is_named(tmp_path: Path, record: Any) -> None:
    """A query without text or with names where lists of names belong is refused by its number."""
    path = tmp_path / "queries.json"
    path.write_text(json.dumps([{"query": "fine"}, record]))
    with pytest.raises(UnreadableFileError, match="query 2"):
        read_queries(path)


def test_recall_is_the_share_of_needs_with_a_hit() -> None:
    """Two of three needs met among the first two is 2/3, however many names would serve each."""
    found = ranking(["a", "x", "c"], {"a", "b"}, {"c"}, {"x", "y"})
    assert (1 / 3, 2 / 3, 1.0) == (recall(found, 1), recall(found, 2), recall(found, 3))


def test_reciprocal_rank_is_of_the_first_useful_name() -> None:
    """The third name being the first that serves gives 1/3, none 0."""
    assert (1 / 3, 0.0) == (reciprocal_rank(ranking(["x", "y", "a"], {"a"})), reciprocal_rank(ranking(["x"], {"a"})))


def test_a_report_leaves_unjudged_queries_out_of_recall() -> None:
    """A query that nothing is judged for counts for the time and the unanswered only (E13: a set without answers)."""
    found = [ranking(["a"], {"a"}, seconds=0.002), ranking([], seconds=0.004)]
    figures = report(read_nothing(), found)
    assert (2, {1: 1.0, 5: 1.0, 10: 1.0}, 1.0, 0.5, 3.0) == (
        figures.queries,
        figures.recall,
        figures.mrr,
        figures.unanswered,
        figures.median_ms,
    )


def read_nothing() -> Any:
    """An empty catalog."""
    from hermes_plugin_toolsearch.catalog import build_catalog

    return build_catalog([])


def test_queries_are_ranked_in_order(tmp_path: Path) -> None:
    """Each query gets its own ranking, in the order of the file, as deep as asked for."""
    path = tmp_path / "tools.json"
    path.write_text(
        json.dumps([{**MCP, "name": f"create_issue_{at}"} for at in range(5)] + [{**BARE, "name": "other"}])
    )
    queries = [Query(str(at), text, ()) for at, text in enumerate(["issue", "nothing at all", "other"])]
    rankings = rank_queries(read_catalog(path)[0], queries, search, depth=3)
    assert [("0", 3), ("1", 0), ("2", 1)] == [(found.query.id, len(found.names)) for found in rankings]
