"""How long assembly and search take, and how they grow, from 34 to 100,000 tools.

    python -m benchmarks.speed [--sizes A,B] [--engines A,B] [--seconds N]

Writes the section "speed" of docs/benchmarks.md and its plot. Sizes that are not asked for keep the figures of the
run before.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
from typing import Any

from benchmarks import common, data
from benchmarks.common import UnavailableError
from benchmarks.cost.deployments import FIVE
from benchmarks.engines import OURS, adapter
from benchmarks.speed import startup
from benchmarks.speed.varied import varied

ENGINES = (OURS, "hermes_0_19", "hermes_0_22", "rank_bm25_okapi", "bm25s_lucene", "fastmcp_bm25")
SIZES = (34, 300, 2_932, 13_595, 20_027, 100_000)
AT = (2_932, 20_027, 100_000)
"""The sizes whose ratios the tables show."""
QUERIES = 200
ROUNDS = 5
"""How often the small sizes are measured, the engines in turn, since a machine has its moods; medians are shown."""

MEASURES = {
    "assembly_first_in_process": "assembly of one tool, the first in a process",
    "assembly_cold": "assembly, cold",
    "assembly_warm": "assembly, warm",
    "deep_look": "look for changes deep in schemas, once a turn",
    "assembly_changed": "assembly, one server changed",
    "first_search": "first search, with the index",
    "changed_search": "first search, one server changed",
    "search": "search, median",
    "search_p99": "search, 99th percentile",
    "tool_search": "whole `tool_search`, median",
    "tool_search_p99": "whole `tool_search`, 99th percentile",
}


def catalog(size: int) -> tuple[list[dict[str, Any]], list[str]]:
    """Tools under the names that Hermes gives MCP tools, and queries to ask of them."""
    pool = [q["query"] for n in ("pool_agent_keywords", "pool_agent_paraphrase") for q in data.judged(n).queries()]
    if size <= 2_932:
        return data.captured(list(FIVE)) if size == 34 else data.captured()[:size], pool
    titles = [query["query"] for query in data.judged("aws_cli_titles").queries()[:QUERIES]]
    google, aws = _named(data.large("google_discovery")), _named(data.large("aws_botocore"))
    by_size = {len(google): google, len(aws): aws}
    return by_size.get(size) or varied(aws + google, size), titles


def _named(tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    slug = re.compile(r"[^A-Za-z0-9_]")
    return [tool | {"name": f"mcp__{slug.sub('_', tool['server'])}__{tool['name']}"[:128]} for tool in tools]


def measure(size: int, engines: list[str], seconds: float) -> dict[str, Any]:
    tools, queries = catalog(size)
    folder = data.WORK / "speed"
    folder.mkdir(parents=True, exist_ok=True)
    tools_path, job, out = folder / "tools.jsonl", folder / "job.json", folder / "out.json"
    tools_path.write_text("".join(json.dumps(tool) + "\n" for tool in tools))
    job.write_text(json.dumps({"tools": str(tools_path), "queries": queries[:QUERIES], "seconds": seconds}))
    rounds: dict[str, list[dict[str, float]]] = {}
    for _ in range(ROUNDS if size <= 2_932 else 1):
        for engine in engines:
            try:
                common.run_engine(engine, "speed/run.py", job, out)
                rounds.setdefault(engine, []).append(json.loads(out.read_text()))
                print(f"{size:7} {engine:20} {rounds[engine][-1]['search']:.3f} ms", file=sys.stderr, flush=True)
            except UnavailableError as reason:
                print(f"{size:7} {engine:20} {reason}", file=sys.stderr, flush=True)
    return {
        engine: {key: statistics.median(each[key] for each in runs) for key in runs[0]}
        for engine, runs in rounds.items()
    }


def exponents(results: dict[int, dict[str, Any]], engine: str, measure: str) -> float | None:
    """The fitted growth of a measure from 300 tools on; None with fewer than three sizes."""
    points = [
        (size, row[engine][measure]) for size, row in results.items() if size >= 300 and measure in row.get(engine, {})
    ]
    if len(points) < 3:
        return None
    sizes, values = zip(*points, strict=True)
    return common.growth(list(sizes), list(values))


def report(results: dict[int, dict[str, Any]]) -> str:
    """The section's Markdown."""
    engines = [engine for engine in ENGINES if any(engine in row for row in results.values())]
    ours = adapter(OURS).TITLE
    sections = [
        f"Machine: {common.machine()}. Processor time of the asking thread, all engines of a size in one run. "
        "34, 300 and 2,932 tools are captured ones, "
        "13,595 and 20,027 the Google and AWS APIs, 100,000 those varied. *Search* is the engine alone over its index; "
        "*whole `tool_search`* is all that a host does for one call: Hermes classifies and indexes every tool again, "
        "this project partitions the definitions and finds the index it has. This project's first assembly in a "
        "process loads the vocabulary that it counts tokens with, unless its listing is on disk. Figures are ratios "
        f"to this project in the same run (2.0 = takes twice as long as {ours}); the first column of figures is its "
        "own time in milliseconds, for orientation.",
        "![Time of a warm search and of an assembly over the number of tools](plots/speed.svg)",
    ]
    for size in (size for size in AT if OURS in results.get(size, {})):
        row = results[size]
        rows = []
        for measure, title in MEASURES.items():
            own = row[OURS].get(measure)
            if own is None:
                continue
            ratios = [f"{row[e][measure] / own:,.1f}" if measure in row.get(e, {}) else "" for e in engines[1:]]
            rows.append([title, f"{own:.3g} ms", *ratios])
        sections.append(f"**{size:,} tools**")
        sections.append(common.table(["", "this project", *(adapter(e).TITLE for e in engines[1:])], rows))
        sections.append(_restart(row[OURS]))
    sections.append("**Growth**: fitted exponent from 300 tools on (1 = with the number of tools, 0 = not at all)")
    rows = [
        [title, *("" if (b := exponents(results, e, measure)) is None else f"{b:.2f}" for e in engines)]
        for measure, title in MEASURES.items()
    ]
    sections.append(common.table(["", *(adapter(e).TITLE for e in engines)], rows))
    sections.append("**Memory**: bytes a tool that the index adds, and the peak of the process over its start")
    rows = [
        [f"{size:,} tools", *(_memory(row.get(engine), size) for engine in engines)]
        for size, row in results.items()
        if size >= 2_932
    ]
    sections.append(common.table(["", *(adapter(e).TITLE for e in engines)], rows))
    return "\n\n".join(sections)


def _restart(own: dict[str, float]) -> str:
    parts = [
        f"{kind}: {own[f'{kind}_loaded'] / own[f'{kind}_made']:.0%} of the {own[f'{kind}_made']:,.0f} ms of "
        "making and saving"
        for kind in ("assembly", "index", "vectors")
        if f"{kind}_loaded" in own
    ]
    return f"After a restart, from the disk cache: {'; '.join(parts)}."


def _memory(row: dict[str, float] | None, size: int) -> str:
    return "" if row is None else f"{row['index_bytes'] / size:,.0f} B / {row['peak_bytes'] / 2**20:,.0f} MiB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--seconds", type=float, default=5, help="of processor time, for each repeated measurement")
    arguments = parser.parse_args()
    kept = data.WORK / "speed.json"
    before = json.loads(kept.read_text())["sizes"] if kept.exists() else {}
    results = {int(size): row for size, row in before.items()} | {
        int(size): measure(int(size), arguments.engines.split(","), arguments.seconds)
        for size in arguments.sizes.split(",")
    }
    results = dict(sorted(results.items()))
    titles = {engine: adapter(engine).TITLE for engine in ENGINES}
    saved = common.save("speed", {"sizes": results, "titles": titles})
    common.plot("speed", saved)
    common.write_section("speed", f"{report(results)}\n\n{startup.report()}")


if __name__ == "__main__":
    main()
