"""Ask one host for its tools array and its answers, inside its own environment.

    python -P benchmarks/cost/hosts.py ENGINE JOB.json OUT.json

The job is ``{"tools", "queries": [text], "names": [tool names], "context", "wide"}``; the result has ``array``,
``search`` and ``wide`` (the answers with the host's own limit and with ``wide`` hits) by query, ``describe`` by name.
"""

import json
import logging
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # only for the adapters: it has a ``tools`` folder, as Hermes does
from benchmarks import engines  # noqa: E402
from benchmarks.data import definitions  # noqa: E402
from benchmarks.engines import hermes  # noqa: E402


def main(engine: str, job_path: str, out_path: str) -> None:
    logging.disable(logging.WARNING)
    adapter = engines.adapter(engine)
    sys.path.remove(str(ROOT))
    job = json.loads(Path(job_path).read_text())
    given = definitions(job["tools"]) if engine == engines.OURS else hermes.register(job["tools"])
    search, describe = adapter.answer(given), adapter.describe(given)
    result = {
        "array": adapter.assemble(given, job["context"]),
        "search": {query: search(query) for query in job["queries"]},
        "wide": {query: search(query, job["wide"]) for query in job["queries"]},
        "describe": {name: describe(name) for name in job["names"]},
    }
    Path(out_path).write_text(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:4])
