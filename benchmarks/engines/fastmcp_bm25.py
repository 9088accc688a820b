"""The BM25 search transform of FastMCP."""

from __future__ import annotations

import asyncio
from typing import Any

TITLE = "fastmcp"
REQUIREMENTS = ("fastmcp==4.2.3",)


def build(tools: list[dict[str, Any]]) -> Any:
    from fastmcp.server.transforms.search.bm25 import BM25SearchTransform, _catalog_hash
    from fastmcp.tools.base import Tool

    made = [
        Tool(name=tool["name"], description=tool.get("description"), parameters=tool.get("inputSchema") or {})
        for tool in tools
    ]
    transform = BM25SearchTransform(max_results=10)
    loop = asyncio.new_event_loop()
    assert _catalog_hash is not None  # each search hashes the whole catalog: that is part of what it costs

    def search(query: str, limit: int) -> list[str]:
        transform._max_results = limit
        return [tool.name for tool in loop.run_until_complete(transform._search(made, query))]

    return search
