"""How well tools are found: catalogs and judged queries from files, recall, reciprocal rank and latency."""

from __future__ import annotations

import gzip
import json
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .catalog import Catalog, Entry, Problem, build_catalog, make_entry

DEPTH = 10
"""How many names a ranking holds unless more are asked for."""


class UnreadableFileError(ValueError):
    """A file of tools or queries that is not what it should be; the message names the file, the line and the reason."""


@dataclass(frozen=True, slots=True)
class Query:
    """A judged query: ``groups`` are the names that serve one need each, in any order."""

    id: str
    text: str
    groups: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a search answered to one query: names, best first, after so many seconds."""

    query: Query
    names: tuple[str, ...]
    seconds: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Report:
    """Means over queries: of recall (share of a query's needs with a hit in the first k), of the reciprocal rank.

    ``unanswered`` is the share of queries without any hit, ``median_ms`` and ``p99_ms`` the time of one search.
    """

    queries: int
    tools: int
    recall: Mapping[int, float]
    mrr: float
    unanswered: float
    median_ms: float
    p99_ms: float


def read_catalog(path: Path) -> tuple[Catalog, tuple[Problem, ...]]:
    """The catalog in ``path`` and what could not be taken from it.

    Takes MCP tools (``{"name", "description", "inputSchema"}``), OpenAI definitions (with or without the outer
    ``{"type": "function"}``), a list of either, an object with such a list under ``tools``, or one tool a line; a
    ``server`` beside a tool or its list is its label. Files may be gzipped. Raises UnreadableFileError.
    """
    entries: dict[str, Entry] = {}
    problems = []
    for record, server in _tools(read_records(path)):
        inner = record.get("function")
        function = inner if isinstance(inner, Mapping) else record
        entry, problem = make_entry(
            {
                "name": function.get("name"),
                "description": function.get("description"),
                "parameters": function.get("parameters", function.get("inputSchema", function.get("input_schema"))),
            },
            server=record.get("server") or server,
        )
        if problem is not None:
            problems.append(problem)
        if entry is not None:
            entries.setdefault(entry.name, entry)
    if not entries:
        raise UnreadableFileError(f"{path}: no tool definition in it")
    return build_catalog(entries.values()), tuple(problems)


def read_queries(path: Path) -> tuple[Query, ...]:
    """The queries in ``path``: ``{"id", "query", "relevant": [names]}`` or with ``groups``, a list of such lists.

    Raises UnreadableFileError.
    """
    queries = []
    for number, record in enumerate(read_records(path), 1):
        text = record.get("query") if isinstance(record, Mapping) else None
        groups = (record.get("groups") or [record.get("relevant") or []]) if isinstance(record, Mapping) else []
        if not isinstance(text, str) or not isinstance(groups, list) or not all(isinstance(g, list) for g in groups):
            raise UnreadableFileError(f'{path}: query {number} needs "query" (text) and "relevant" (a list of names)')
        needs = tuple(frozenset(map(str, group)) for group in groups if group)
        queries.append(Query(str(record.get("id", number)), text, needs))
    if not queries:
        raise UnreadableFileError(f"{path}: no query in it")
    return tuple(queries)


def read_records(path: Path) -> list[Any]:
    """The JSON values in ``path``: the members of a list, one value, or one a line. Raises UnreadableFileError."""
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8-sig")
    except (OSError, EOFError, ValueError) as error:
        raise UnreadableFileError(f"{path}: {error}") from error
    try:
        value = json.loads(text)
    except ValueError:
        return list(_lines(path, text))
    return value if isinstance(value, list) else [value]


def _lines(path: Path, text: str) -> Iterator[Any]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield json.loads(line)
            except ValueError as error:
                raise UnreadableFileError(f"{path}, line {number}: {error}") from error


def _tools(records: Iterable[Any], server: str | None = None) -> Iterator[tuple[Mapping[str, Any], str | None]]:
    for record in records:
        if not isinstance(record, Mapping):
            continue
        if isinstance(record.get("tools"), list):
            yield from _tools(record["tools"], record.get("server") or server)
        elif isinstance(record.get("result"), Mapping):  # a whole answer to tools/list
            yield from _tools([record["result"]], server)
        else:
            yield record, server


def rank_queries(
    catalog: Catalog, queries: Iterable[Query], search: Callable[[Catalog, str, int], Any], *, depth: int = DEPTH
) -> list[Ranking]:
    """The rankings of ``queries``, each timed on its own, after one search that builds what is built only once."""
    queries = list(queries)
    if queries:
        search(catalog, queries[0].text, depth)
    rankings = []
    for query in queries:
        start = time.perf_counter()
        results = search(catalog, query.text, depth)
        seconds = time.perf_counter() - start
        names = tuple(hit.entry.name for hit in results.hits)
        rankings.append(Ranking(query, names, seconds, results.confidence))
    return rankings


def report(catalog: Catalog, rankings: Sequence[Ranking], *, at: Sequence[int] = (1, 5, 10)) -> Report:
    """The figures of ``rankings``; queries that nothing is judged for count for the time and the unanswered only."""
    judged = [ranking for ranking in rankings if ranking.query.groups]
    milliseconds = sorted(ranking.seconds * 1000 for ranking in rankings)
    return Report(
        queries=len(rankings),
        tools=len(catalog),
        recall={k: _mean(recall(ranking, k) for ranking in judged) for k in at},
        mrr=_mean(reciprocal_rank(ranking) for ranking in judged),
        unanswered=_mean(not ranking.names for ranking in rankings),
        median_ms=statistics.median(milliseconds) if milliseconds else 0.0,
        p99_ms=milliseconds[min(int(len(milliseconds) * 0.99), len(milliseconds) - 1)] if milliseconds else 0.0,
    )


def recall(ranking: Ranking, k: int) -> float:
    """The share of the query's needs that one of the first ``k`` names serves."""
    top = frozenset(ranking.names[:k])
    return _mean(bool(top & group) for group in ranking.query.groups)


def reciprocal_rank(ranking: Ranking) -> float:
    """One over the place of the first name that serves any need; 0 where none does."""
    wanted = frozenset[str]().union(*ranking.query.groups)
    return next((1 / place for place, name in enumerate(ranking.names, 1) if name in wanted), 0.0)


def _mean(values: Iterable[float]) -> float:
    values = list(values)
    return sum(values) / len(values) if values else 0.0
