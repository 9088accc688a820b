"""Run one engine over tools and queries, inside the engine's own environment.

    python -P benchmarks/engines/run.py ENGINE --tools F --queries F --out F.jsonl [--seconds N] [--parts F]

Rankings go to ``--out``, ``{"id", "names", "confidence"}`` a line, timings to the same path with ``.json``. The queries
are asked in a random order, so that those answered when ``--seconds`` of processor time are used up are a fair sample.
``--parts`` names a JSON list of ``{"without": [tool names], "ids": [query ids]}``: each part of the queries is asked
of a catalog from which some tools were taken away.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import logging
import platform
import random
import statistics
import sys
import time
import warnings
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # only for the adapters: it has a ``tools`` folder, as Hermes does
from benchmarks import engines  # noqa: E402
from benchmarks.data import read_lines  # noqa: E402


def version(adapter: Any) -> str:
    """Installed version of the engine's package."""
    return importlib.metadata.version(adapter.REQUIREMENTS[0].partition("==")[0])


def rank(adapter: Any, tools: list[Any], queries: list[Any], out: Any, seconds: float) -> tuple[float, list[float]]:
    """Write the rankings of the queries, ten names each; seconds to build, and of every search."""
    given = engines.prepared(adapter, tools)
    started = time.perf_counter()
    search = adapter.build(given)
    built = time.perf_counter() - started
    if hasattr(adapter, "settle"):
        adapter.settle(given)
    spent = []
    deadline = time.process_time() + seconds
    for query in queries:
        started = time.perf_counter()
        found = search(query["query"], 10)
        spent.append(time.perf_counter() - started)
        names, confidence = found if isinstance(found, tuple) else (found, None)
        out.write(json.dumps({"id": query["id"], "names": list(names), "confidence": confidence}) + "\n")
        if time.process_time() > deadline:
            break
    return built, spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("engine")
    for option in ("--tools", "--queries", "--out"):
        parser.add_argument(option, type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--parts", type=Path)
    arguments = parser.parse_args()
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")

    adapter = engines.adapter(arguments.engine)
    sys.path.remove(str(ROOT))
    tools, queries = read_lines(arguments.tools), read_lines(arguments.queries)
    random.Random(20261130).shuffle(queries)
    parts = [{"without": [], "ids": [query["id"] for query in queries]}]
    if arguments.parts:
        parts = json.loads(arguments.parts.read_text())
    by_id = {query["id"]: query for query in queries}
    builds, spent = [], []
    with arguments.out.open("w") as out:
        for part in parts:
            gone = set(part["without"])
            left = [tool for tool in tools if tool["name"] not in gone]
            built, times = rank(adapter, left, [by_id[i] for i in part["ids"]], out, arguments.seconds)
            builds.append(built)
            spent += times
    timings = {
        "engine": arguments.engine,
        "version": version(adapter),
        "python": platform.python_version(),
        "build_ms": 1000 * builds[0],
        "complete": len(spent) == sum(len(part["ids"]) for part in parts),
        "query_ms": 1000 * statistics.median(spent),
    }
    arguments.out.with_suffix(".json").write_text(json.dumps(timings))


if __name__ == "__main__":
    main()
