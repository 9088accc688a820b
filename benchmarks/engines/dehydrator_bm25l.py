"""dehydrator's BM25 tool index, without its optional remote re-ranker."""

from __future__ import annotations

from typing import Any

TITLE = "dehydrator"
REQUIREMENTS = ("dehydrator==0.3.1",)


def build(tools: list[dict[str, Any]]) -> Any:
    from dehydrator import ToolIndex

    index = ToolIndex.from_mcp(tools, top_k=10)

    def search(query: str, limit: int) -> list[str]:
        index._top_k = limit
        return index.search(query)

    return search
