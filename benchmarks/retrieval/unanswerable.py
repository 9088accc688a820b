"""Queries that nothing answers any more: how many are flagged, at what price for those that something answers.

Every query is asked once of the whole catalog and once of a catalog from which the servers of its relevant tools were
taken away. In a set of a single server that would leave nothing; there the relevant tools themselves are taken away,
for a tenth of the queries at a time, so that the rest of the catalog stays. Other tools may then still serve the need,
and flagging such a query counts as right all the same.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from benchmarks import common, data
from benchmarks.common import UnavailableError
from benchmarks.engines import OURS, adapter

FLAGGING = (OURS, "hermes_0_19", "hermes_0_22")
"""This project, and the hosts, which can only say "nothing found"."""

MOST_QUERIES = 200
MOST_TOOLS = 5_000
"""For the hosts, which index the catalog again for every part of the queries."""
PARTS = 10
ALLOWED = 0.10


def parts_of(tools: list[dict[str, Any]], queries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """``{"without": tool names, "ids": query ids}`` for groups of queries that lose the same tools."""
    server_of = {tool["name"]: tool.get("server") for tool in tools}
    of_server: dict[Any, list[str]] = {}
    for name, server in server_of.items():
        of_server.setdefault(server, []).append(name)
    parts: dict[Any, dict[str, list[str]]] = {}
    for position, query in enumerate(queries):
        if len(of_server) > 1:
            lost = sorted({str(server_of[name]) for name in query["relevant"]})
            part = parts.setdefault(tuple(lost), {"without": [n for s in lost for n in of_server[s]], "ids": []})
        else:
            part = parts.setdefault(position % PARTS, {"without": [], "ids": []})
            part["without"] += query["relevant"]
        part["ids"].append(query["id"])
    return list(parts.values())


def confidences(rankings: list[dict[str, Any]]) -> np.ndarray:
    """The confidence of each answer; an engine that gives none is sure of whatever it found."""
    return np.array(
        [(1.0 if row["confidence"] is None else row["confidence"]) if row["names"] else 0.0 for row in rankings]
    )


def curve(answerable: np.ndarray, unanswerable: np.ndarray) -> list[tuple[float, float]]:
    """(share of answerable flagged, share of unanswerable flagged) for every threshold of confidence, rising."""
    thresholds = np.unique(np.concatenate((answerable, unanswerable, [np.inf])))
    points = [(float((answerable < t).mean()), float((unanswerable < t).mean())) for t in thresholds]
    kept = [0, *(i for i in range(1, len(points)) if points[i] != points[i - 1])]
    return [points[i] for i in kept]


def flagged_at(points: list[tuple[float, float]], allowed: float) -> float:
    """The largest share of unanswerable queries flagged while at most ``allowed`` of the answerable ones are."""
    return max((caught for wrong, caught in points if wrong <= allowed), default=0.0)


def measure(judged: data.Judged) -> dict[str, Any]:
    """The curve of this project and the single points of the hosts, on the first queries of a seeded order."""
    queries = judged.queries()
    chosen = np.random.default_rng(20261130).permutation(len(queries))[:MOST_QUERIES]
    queries = [queries[i] for i in sorted(chosen)]
    folder = data.WORK / "unanswerable" / f"{judged.name}-{len(queries)}"
    folder.mkdir(parents=True, exist_ok=True)
    asked, parts = folder / "queries.jsonl", folder / "parts.json"
    asked.write_text("".join(json.dumps(query) + "\n" for query in queries))
    tools = judged.tools()
    parts.write_text(json.dumps(parts_of(tools, queries)))
    files = ("--tools", judged.tools_path, "--queries", asked)
    result: dict[str, Any] = {"queries": len(queries), "points": {}}
    for engine in FLAGGING:
        with_tools, without = folder / f"{engine}.with.jsonl", folder / f"{engine}.without.jsonl"
        if engine != OURS and len(tools) > MOST_TOOLS:
            result["points"][engine] = f"over {MOST_TOOLS:,} tools"
            continue
        try:
            if engine == OURS or not without.exists():
                common.run_engine(engine, "engines/run.py", *files, "--out", with_tools)
                common.run_engine(engine, "engines/run.py", *files, "--out", without, "--parts", parts)
        except UnavailableError as reason:
            result["points"][engine] = str(reason)
            continue
        sure = [confidences(data.read_lines(path)) for path in (with_tools, without)]
        if engine == OURS:
            result["curve"] = curve(*sure)
        else:
            result["points"][engine] = [float((values == 0).mean()) for values in sure]
    return result


def report(sets: dict[str, Any]) -> str:
    """The section's Markdown."""
    rows = []
    for name, result in sets.items():
        cells = [name, str(result["queries"]), f"{flagged_at(result['curve'], ALLOWED):.2f}"]
        for engine in FLAGGING[1:]:
            point = result["points"][engine]
            cells.append("-" if isinstance(point, str) else f"{point[1]:.2f} (wrongly {point[0]:.2f})")
        rows.append(cells)
    flagged = f"flagged while at most {ALLOWED:.0%} of the answerable are"
    head = ["set", "queries", flagged, *(adapter(engine).TITLE for engine in FLAGGING[1:])]
    return "\n\n".join(
        (
            "Each query asked again of a catalog without the servers of its relevant tools (in sets of one server: "
            "without the relevant tools). Flagged are answers whose confidence is below a threshold, or that are "
            "empty; the hosts' own search can only be empty.",
            common.table(head, rows),
            "![Share of unanswerable queries flagged over share of answerable ones flagged](plots/unanswerable.svg)",
        )
    )
