"""Does memory stay bounded in a gateway that runs for weeks? `python -m benchmarks.speed.soak`.

Sixteen threads assemble and search catalogs that change all the time: other servers each time, one of them with a
changed tool. Prints the resident memory after the first tenth and at the end; the second should not exceed the first
by more than noise.
"""

from __future__ import annotations

import argparse
import gc
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from hermes_plugin_toolsearch import retrieval
from hermes_plugin_toolsearch.assembly import assemble
from hermes_plugin_toolsearch.config import ToolSearchConfig

from ..data import captured, definitions


def resident_megabytes() -> float:
    """What this process holds in memory now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


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
    lock, done, early = threading.Lock(), 0, 0.0

    def one(number: int) -> None:
        nonlocal done, early
        generator = random.Random(number)
        tools = [tool for name in generator.sample(sorted(servers), 4) for tool in servers[name]]
        changed = generator.randrange(len(tools))
        function = dict(tools[changed]["function"], description=f"Changed for the {number}th time.")
        tools[changed] = {"type": "function", "function": function}
        made = assemble(tools, config=config, context_length=200_000, stays_visible=lambda name: False)
        retrieval.search(made.partition.catalog, "create an issue about a broken build", 5)
        with lock:
            done += 1
            if done == options.rounds // 10:
                gc.collect()
                early = resident_megabytes()

    with ThreadPoolExecutor(options.threads) as pool:
        for future in [pool.submit(one, number) for number in range(options.rounds)]:
            future.result()
    gc.collect()
    late = resident_megabytes()
    print(
        f"{options.rounds} rounds in {options.threads} threads: {early:.0f} MB after a tenth, {late:.0f} MB at the end"
    )


if __name__ == "__main__":
    main()
