"""Time one engine over one catalog, inside the engine's own environment.

    python -P benchmarks/speed/run.py ENGINE JOB.json OUT.json

The job is ``{"tools": path, "queries": [text], "seconds"}``. All times are processor time of the asking thread, in
milliseconds, so that other work on the machine counts little; ``seconds`` bounds each repeated measurement. Memory is
in bytes.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import resource
import statistics
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # only for the adapters: it has a ``tools`` folder, as Hermes does
from benchmarks import engines  # noqa: E402
from benchmarks.data import definitions, read_lines  # noqa: E402
from benchmarks.engines import hermes  # noqa: E402

CONTEXT = 200_000


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Milliseconds of processor time, and what ``work`` gave."""
    started = time.thread_time()
    result = work()
    return 1000 * (time.thread_time() - started), result


def repeated(works: list[Callable[[], Any]], seconds: float) -> list[float]:
    """Milliseconds of each of ``works``, of at least three and of as many as fit into ``seconds``."""
    spent: list[float] = []
    for work in works:
        spent.append(timed(work)[0])
        if len(spent) >= 3 and sum(spent) > 1000 * seconds:
            break
    return spent


def resident() -> int:
    """Bytes of memory that this process holds now."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def with_a_changed_server(tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same tools, those of one server of middling size with another description."""
    sizes = Counter(tool["server"] for tool in tools).most_common()
    changed = sizes[len(sizes) // 2][0]
    return [
        tool | {"description": f"{tool.get('description') or ''} Changed."} if tool["server"] == changed else tool
        for tool in tools
    ]


def assembly(adapter: Any, given: list[Any], changed: list[Any], seconds: float) -> dict[str, float]:
    """A first assembly in the process, one of the whole catalog, the same again, and one after a change."""
    first, _ = timed(lambda: adapter.assemble(given[:1], CONTEXT))
    cold, _ = timed(lambda: adapter.assemble(given, CONTEXT))
    warm = repeated([lambda: adapter.assemble(given, CONTEXT)] * 20, seconds)
    after, _ = timed(lambda: adapter.assemble(changed, CONTEXT))
    return {
        "assembly_first_in_process": first,
        "assembly_cold": cold,
        "assembly_warm": statistics.median(warm),
        "assembly_changed": after,
    }


def whole_search(adapter: Any, given: list[Any], queries: list[str], seconds: float) -> dict[str, float]:
    """All that a host does for one search call, its answer included, once the session is warm."""
    answer = adapter.answer(given)
    answer(queries[0])
    spent = repeated([lambda query=query: answer(query) for query in queries], seconds)
    return {"tool_search": statistics.median(spent), "tool_search_p99": _p99(spent)}


def search(adapter: Any, given: Any, changed: Any, queries: list[str], seconds: float) -> dict[str, float]:
    """The engine alone: indexing and first search, searches after that, and the first one after a change."""
    before = resident()
    first, ask = timed(lambda: _built(adapter, given, queries[0]))
    held = resident() - before
    if hasattr(adapter, "settle"):
        adapter.settle(given)
    spent = repeated([lambda query=query: ask(query, 5) for query in queries], seconds)
    after, _ = timed(lambda: _built(adapter, changed, queries[0]))
    return {
        "first_search": first,
        "search": statistics.median(spent),
        "search_p99": _p99(spent),
        "changed_search": after,
        "index_bytes": held,
    }


def _built(adapter: Any, given: Any, query: str) -> Any:
    ask = adapter.build(given)
    ask(query, 5)
    return ask


def _p99(values: list[float]) -> float:
    return sorted(values)[min(len(values) - 1, int(0.99 * len(values)))]


def main(engine: str, job_path: str, out_path: str) -> None:
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    adapter = engines.adapter(engine)
    sys.path.remove(str(ROOT))
    job = json.loads(Path(job_path).read_text())
    tools = read_lines(Path(job["tools"]))
    changed = with_a_changed_server(tools)
    seconds, queries = job["seconds"], job["queries"]
    adapter.build(engines.prepared(adapter, tools[:2]))("warm up the imports", 5)
    start = resident()
    result: dict[str, Any] = {}
    if hasattr(adapter, "assemble"):
        given = definitions(tools) if engine == engines.OURS else hermes.register(tools)
        after = definitions(changed) if engine == engines.OURS else hermes.register(changed)
        result |= assembly(adapter, given, after, seconds)
    if hasattr(adapter, "deep_look"):
        result["deep_look"] = statistics.median(repeated([lambda: adapter.deep_look(given)] * 5, seconds))
    prepared = engines.prepared(adapter, tools), engines.prepared(adapter, changed)
    result |= search(adapter, *prepared, queries, seconds)
    if hasattr(adapter, "answer"):
        result |= whole_search(adapter, given, queries, seconds)
    result["peak_bytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - start
    if hasattr(adapter, "from_disk"):
        result |= adapter.from_disk(given, prepared[0], timed)
    Path(out_path).write_text(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:4])
