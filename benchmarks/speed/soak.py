"""Does memory stay bounded in a gateway that runs for weeks? `python -m benchmarks.speed.soak`.

Sixteen threads assemble and search catalogs that change all the time: other servers each time, one of them with a
changed tool. After a tenth of the rounds and at the end the same few catalogs are assembled and searched, so that the
caches hold the same, and the memory is read: what is allocated (glibc's count of it), and what the process holds,
which the allocator's own fragments are part of. Two processes do so, one of them with ``MALLOC_ARENA_MAX=2``.

Writes the section "soak" of docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from hermes_plugin_toolsearch import retrieval, vectors
from hermes_plugin_toolsearch.assembly import assemble
from hermes_plugin_toolsearch.config import ToolSearchConfig

from .. import common
from ..data import captured, definitions

SAME = range(-64, 0)
"""The rounds that are repeated before each reading."""


class _MallInfo2(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
    )


def memory() -> tuple[float, float]:
    """Megabytes that are allocated now, and that the process holds. Raises AttributeError without glibc 2.33."""
    mallinfo2 = ctypes.CDLL(None).mallinfo2
    mallinfo2.restype = _MallInfo2
    gc.collect()
    info = mallinfo2()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return (info.uordblks + info.hblkhd) / 1e6, pages * 4096 / 1e6


def soak(rounds: int, threads: int) -> list[tuple[float, float]]:
    """The memory after a tenth of ``rounds`` and at the end."""
    servers: dict[str, list[dict[str, Any]]] = {}
    for tool in definitions(captured()):
        servers.setdefault(tool["function"]["name"].split("__")[1], []).append(tool)
    config = ToolSearchConfig()

    def one(number: int) -> None:
        generator = random.Random(number)
        tools = [tool for name in generator.sample(sorted(servers), 4) for tool in servers[name]]
        changed = generator.randrange(len(tools))
        function = dict(tools[changed]["function"], description=f"Changed for the {number}th time.")
        tools[changed] = {"type": "function", "function": function}
        made = assemble(tools, config=config, context_length=200_000, stays_visible=lambda name: False)
        retrieval.search(made.partition.catalog, "create an issue about a broken build", 5)

    def run(numbers: Iterable[int]) -> tuple[float, float]:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(one, numbers))
        list(map(one, SAME))
        while vectors.STORE.at_work:
            time.sleep(0.1)
        return memory()

    tenth = rounds // 10
    return [run(range(tenth)), run(range(tenth, rounds))]


def main() -> None:
    """Run the soak in both settings and write what it found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=10_000)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--alone", action="store_true", help="run once, in this process, and print the figures")
    options = parser.parse_args()
    if options.alone:
        print(json.dumps(soak(options.rounds, options.threads)))
        return
    command = [sys.executable, "-m", "benchmarks.speed.soak", "--alone"]
    command += ["--rounds", str(options.rounds), "--threads", str(options.threads)]
    settings = {"default": {}, "`MALLOC_ARENA_MAX=2`": {"MALLOC_ARENA_MAX": "2"}}
    processes = {
        name: subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **variables})
        for name, variables in settings.items()
    }
    rows = []
    for name, process in processes.items():
        (early, held), (late, held_late) = json.loads(process.communicate()[0])
        rows.append([name, f"{early:.0f} MB", f"{late:.0f} MB", f"{held:.0f} MB", f"{held_late:.0f} MB"])
    head = [
        "environment",
        f"allocated after {options.rounds // 10:,} rounds",
        f"after {options.rounds:,}",
        f"held by the process after {options.rounds // 10:,}",
        f"after {options.rounds:,}",
    ]
    common.write_section("soak", common.table(head, rows))


if __name__ == "__main__":
    main()
