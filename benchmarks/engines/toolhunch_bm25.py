"""toolhunch's BM25 retriever; its other stages ask a remote decision or embedding model."""

from __future__ import annotations

import asyncio
from typing import Any

TITLE = "toolhunch"
REQUIREMENTS = ("toolhunch==0.3.0",)
PYTHON = 12


def build(tools: list[dict[str, Any]]) -> Any:
    from toolhunch import BM25Retriever, ToolCard, ToolCatalog

    catalog = ToolCatalog(
        ToolCard(
            name=tool["name"],
            description=tool.get("description") or "",
            parameters=tool.get("inputSchema"),
            source=tool.get("server"),
        )
        for tool in tools
    )
    retriever = BM25Retriever()
    loop = asyncio.new_event_loop()

    def search(query: str, limit: int) -> list[str]:
        found = loop.run_until_complete(retriever.retrieve([query], catalog, k=limit))
        return [match.card.name for match in found.matches]

    return search
