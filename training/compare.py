"""Compare the shipped vectors with their teacher: ``python compare.py --work DIR [--sets A,B]``.

Recall at 1 and 5 on the judged sets beside the repository, for words alone and for words fused with the meaning that
either encoder gives. Needs the packages of ``requirements.txt`` and this project; the teacher takes minutes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from teach import Teacher

from benchmarks import common, data
from benchmarks.engines import toolsearch
from hermes_plugin_toolsearch import semantic, vectors
from hermes_plugin_toolsearch.retrieval import search

SETS = ("pool_agent_keywords", "pool_agent_paraphrase", "azure_mcp", "github_rest_gtc")


class Slow:
    """The teacher with the face of an encoder."""

    version, dims = 0, 384

    def __init__(self, folder: Path) -> None:
        self._teacher = Teacher(folder)

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        return self._teacher.encode([text or " " for text in texts]).astype(np.float32)


def recalls(judged: data.Judged, mode: str) -> str:
    catalog = toolsearch.prepare(judged.tools())
    found = [0.0, 0.0]
    queries = judged.queries()
    for query in queries:
        names = [hit.entry.name for hit in search(catalog, query["query"], 5, semantic=mode).hits]
        found = [sum_ + common.hits_at(names, query["groups"], k) for sum_, k in zip(found, (1, 5), strict=True)]
    return " / ".join(f"{sum_ / len(queries):.3f}" for sum_ in found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True, help="folder that sources.py filled")
    parser.add_argument("--sets", default=",".join(SETS))
    arguments = parser.parse_args()
    rows = {name: [recalls(data.judged(name), mode) for mode in ("off", "on")] for name in arguments.sets.split(",")}
    slow = Slow(arguments.work / "teacher")
    semantic.encoder = lambda: slow
    vectors.STORE = vectors.VectorStore(lambda: slow)
    for name, row in rows.items():
        row.append(recalls(data.judged(name), "on"))
    print(
        common.table(
            ["recall@1 / @5", "words", "and shipped vectors", "and the teacher"], [[n, *r] for n, r in rows.items()]
        )
    )


if __name__ == "__main__":
    main()
