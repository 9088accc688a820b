"""bm25s with its defaults: the Lucene form, its own tokenizer and English stop words."""

from __future__ import annotations

from typing import Any

from benchmarks.engines import plain

TITLE = "bm25s"
REQUIREMENTS = ("bm25s==0.3.16",)


def build(tools: list[dict[str, Any]]) -> Any:
    import bm25s

    index = bm25s.BM25()
    index.index(bm25s.tokenize([plain.text(tool) for tool in tools], show_progress=False), show_progress=False)

    def search(query: str, limit: int) -> list[str]:
        terms = bm25s.tokenize([query], show_progress=False, return_ids=False)
        found, scores = index.retrieve(terms, k=min(limit, len(tools)), show_progress=False)
        return [tools[i]["name"] for i, score in zip(found[0], scores[0], strict=True) if score > 0]

    return search
