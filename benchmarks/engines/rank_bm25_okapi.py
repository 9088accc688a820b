"""rank_bm25's BM25Okapi over plain texts."""

from __future__ import annotations

from typing import Any

from benchmarks.engines import plain

TITLE = "rank_bm25"
REQUIREMENTS = ("rank-bm25==0.2.2",)


def build(tools: list[dict[str, Any]]) -> Any:
    from rank_bm25 import BM25Okapi

    index = BM25Okapi([plain.words(plain.text(tool)) for tool in tools])

    def search(query: str, limit: int) -> list[str]:
        scores = index.get_scores(plain.words(query))
        best = (-scores).argsort(kind="stable")[:limit]
        return [tools[i]["name"] for i in best if scores[i] > 0]

    return search
