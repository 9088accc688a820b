"""Compare this project's retrieval with every engine of ``benchmarks.engines`` on every judged set.

    python -m benchmarks.retrieval [--sets A,B] [--engines A,B] [--seconds N] [--fresh]

Writes the section "retrieval" of docs/benchmarks.md and its plots. Rankings of a peer are deterministic and are kept
in ``.benchmarks/rankings`` under the hash of what they depend on; ``--fresh`` runs everything again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import common, data
from benchmarks.common import UnavailableError
from benchmarks.engines import ENGINES, OURS, PEERS, adapter
from benchmarks.retrieval import unanswerable
from benchmarks.retrieval.public_sets import BUILDERS, public

RUN = "engines/run.py"


def judged_set(name: str) -> data.Judged:
    return public(name) if name in BUILDERS else data.judged(name)


def key_of(engine: str, judged: data.Judged) -> str:
    """Hash of all that a peer's rankings depend on; this project's are never kept."""
    digest = hashlib.sha256(json.dumps(adapter(engine).REQUIREMENTS).encode())
    source = Path(adapter(engine).__file__)
    for path in (judged.tools_path, judged.queries_path, source):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def rankings(engine: str, judged: data.Judged, seconds: float, *, fresh: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """``{query id: names}`` and the timings of one engine on one set.

    Raises:
        UnavailableError: the engine cannot run here.

    """
    out = data.WORK / "rankings" / judged.name / f"{engine}.jsonl"
    out.parent.mkdir(parents=True, exist_ok=True)
    kept, key = out.with_suffix(".key"), f"{key_of(engine, judged)} {seconds:.0f}"
    if fresh or engine == OURS or not kept.exists() or not _serves(kept.read_text(), key, out):
        kept.unlink(missing_ok=True)
        files = ("--tools", judged.tools_path, "--queries", judged.queries_path, "--out", out)
        common.run_engine(engine, RUN, *files, "--seconds", str(seconds))
        kept.write_text(key)
    found = {row["id"]: row["names"] for row in data.read_lines(out)}
    return found, json.loads(out.with_suffix(".json").read_text())


def _serves(kept: str, wanted: str, out: Path) -> bool:
    """Whether kept rankings are of the same inputs, and complete or cut at no less time than is wanted."""
    (key, seconds), (wanted_key, wanted_seconds) = kept.split(), wanted.split()
    complete = json.loads(out.with_suffix(".json").read_text())["complete"]
    return key == wanted_key and (complete or float(seconds) >= float(wanted_seconds))


def compare(judged: data.Judged, engines: list[str], seconds: float, *, fresh: bool) -> dict[str, Any]:
    """Means, timings and, for every peer, the interval of its difference to this project."""
    queries = judged.queries()
    result: dict[str, Any] = {"tools": len(judged.tools()), "queries": len(queries), "engines": {}}
    per_query: dict[str, dict[str, np.ndarray]] = {}
    asked: dict[str, list[dict[str, Any]]] = {}
    for engine in engines:
        try:
            found, timings = rankings(engine, judged, seconds, fresh=fresh)
        except UnavailableError as reason:
            result["engines"][engine] = {"unavailable": str(reason)}
            print(f"{judged.name:24} {engine:24} {reason}", file=sys.stderr)
            continue
        asked[engine] = [query for query in queries if query["id"] in found]
        per_query[engine] = common.measures(found, asked[engine])
        means = {measure: float(values.mean()) for measure, values in per_query[engine].items()}
        result["engines"][engine] = {**means, **timings, "asked": len(asked[engine])}
        print(f"{judged.name:24} {engine:24} {means['r5']:.3f} of {len(asked[engine])}", file=sys.stderr, flush=True)
    ids = [query["id"] for query in queries]
    for peer in per_query.keys() - {OURS} if OURS in per_query else ():
        answered = {query["id"] for query in asked[peer]}
        same = np.array([i in answered for i in ids])
        result["engines"][peer]["ahead"] = {
            measure: (float(gain.mean()), *common.interval(gain))
            for measure in ("r1", "r5", "r10", "mrr")
            for gain in [per_query[OURS][measure][same] - per_query[peer][measure]]
        }
    return result


def report(sets: dict[str, Any]) -> str:
    """The section's Markdown."""
    sections = [
        f"Machine: {common.machine()}. Versions: {_versions(sets)}.",
        "Recall at k is the mean share of a query's needs with a right tool among the first k; MRR counts the first "
        "right tool within ten; *unanswered* is the share of queries without any result; *ms* is the median of one "
        "search over a catalog that the engine has already indexed, on a machine that other work shares. The last "
        "column is what this project's recall@5 is ahead, with the 95 % interval of the paired difference (bootstrap "
        "over the queries). An engine that was still searching after the processor time allowed was asked a "
        "random part of the queries, whose number stands behind its name; differences are over the same queries.",
        "![Recall at five of every engine on every set](plots/retrieval.svg)",
    ]
    sections.append(_summary(sets))
    for name, result in sets.items():
        sections.append(f"**{name}**: {result['tools']:,} tools, {result['queries']:,} queries")
        rows = []
        for engine, row in result["engines"].items():
            title = adapter(engine).TITLE
            if "unavailable" in row:
                rows.append([title, *["-"] * 6, row["unavailable"]])
                continue
            part = f" ({row['asked']} queries)" if row["asked"] < result["queries"] else ""
            ahead = "{:+.3f} ({:+.3f} to {:+.3f})".format(*row["ahead"]["r5"]) if "ahead" in row else ""
            figures = [f"{row[m]:.3f}" for m in ("r1", "r5", "r10", "mrr")]
            rows.append([title + part, *figures, f"{row['unanswered']:.2f}", _ms(row["query_ms"]), ahead])
        sections.append(common.table(["engine", "@1", "@5", "@10", "MRR", "unanswered", "ms", "ahead @5"], rows))
    return "\n\n".join(sections)


def _ms(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def _summary(sets: dict[str, Any]) -> str:
    """Recall at five of every engine on every set; in bold the best of those that answered every query."""
    rows = []
    best = {
        name: max(row["r5"] for row in result["engines"].values() if row.get("asked") == result["queries"])
        for name, result in sets.items()
    }
    for engine in ENGINES:
        cells = []
        for name, result in sets.items():
            row = result["engines"].get(engine, {})
            if "r5" not in row:
                cells.append("-")
            elif row["asked"] < result["queries"]:
                cells.append(f"({row['r5']:.2f})")
            else:
                cells.append(f"**{row['r5']:.3f}**" if row["r5"] == best[name] else f"{row['r5']:.3f}")
        rows.append([adapter(engine).TITLE, *cells])
    heading = "Recall@5; in brackets where an engine answered a part of the queries only:"
    return f"{heading}\n\n{common.table(['engine', *sets], rows)}"


def _versions(sets: dict[str, Any]) -> str:
    found = {
        adapter(engine).REQUIREMENTS[0].partition("==")[0]: row["version"]
        for result in sets.values()
        for engine, row in result["engines"].items()
        if "version" in row
    }
    return ", ".join(f"{package} {version}" for package, version in found.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join((*data.JUDGED, *BUILDERS)))
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--seconds", type=float, default=60, help="processor time for an engine's searches over a set")
    parser.add_argument("--fresh", action="store_true", help="run the peers again too")
    parser.add_argument("--no-report", action="store_true", help="only run; leave docs/benchmarks.md alone")
    arguments = parser.parse_args()
    engines = arguments.engines.split(",")
    sets, misses = {}, {}
    for name in arguments.sets.split(","):
        try:
            judged = judged_set(name)
        except UnavailableError as reason:
            print(reason, file=sys.stderr)
            continue
        sets[name] = compare(judged, engines, arguments.seconds, fresh=arguments.fresh)
        if OURS in engines:
            misses[name] = unanswerable.measure(judged)
    if not arguments.no_report:
        saved = common.save("retrieval", {"sets": sets, "unanswerable": misses, "titles": _titles()})
        common.plot("retrieval", saved)
        common.write_section("retrieval", report(sets))
        common.write_section("unanswerable", unanswerable.report(misses))


def _titles() -> dict[str, str]:
    return {engine: adapter(engine).TITLE for engine in (OURS, *PEERS)}


if __name__ == "__main__":
    main()
