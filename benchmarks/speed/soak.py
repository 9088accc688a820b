"""Does memory stay bounded in a gateway that runs for weeks? `python -m benchmarks.speed.soak`.

Sixteen threads assemble and search catalogs that change all the time: other servers each time, one of them with a
changed tool. After a tenth of the rounds and at the end the same few catalogs are assembled and searched, so that the
caches hold the same, and the memory is read: what is allocated (glibc's count of it), and what the process holds,
which the allocator's own fragments are part of.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import random
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from hermes_plugin_toolsearch import retrieval, vectors
from hermes_plugin_toolsearch.assembly import assemble
from hermes_plugin_toolsearch.config import ToolSearchConfig

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


def main() -> None:
    """Run the soak and print what it found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=10_000)
    parser.add_argument("--threads", type=int, default=16)
    options = parser.parse_args()
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
        with ThreadPoolExecutor(options.threads) as pool:
            list(pool.map(one, numbers))
        list(map(one, SAME))
        while vectors.STORE.at_work:
            time.sleep(0.1)
        return memory()

    tenth = options.rounds // 10
    early, late = run(range(tenth)), run(range(tenth, options.rounds))
    print(
        f"{options.rounds:,} rounds in {options.threads} threads, after a tenth and at the end: "
        f"{early[0]:.0f} and {late[0]:.0f} MB allocated, {early[1]:.0f} and {late[1]:.0f} MB held"
    )


if __name__ == "__main__":
    main()
