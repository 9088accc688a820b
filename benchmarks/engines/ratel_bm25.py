"""Ratel's in-process engine with its default method, BM25."""

from __future__ import annotations

import asyncio
from typing import Any

TITLE = "ratel-ai"
REQUIREMENTS = ("ratel-ai==0.12.0",)


def build(tools: list[dict[str, Any]]) -> Any:
    from ratel_ai import ExecutableTool, ToolCatalog

    catalog = ToolCatalog()
    made = [
        ExecutableTool(
            id=tool["name"],
            name=tool["name"],
            description=tool.get("description") or "",
            input_schema=tool.get("inputSchema") or {},
            execute=lambda arguments: arguments,
        )
        for tool in tools
    ]

    async def register() -> None:
        await catalog.register(made)

    asyncio.run(register())
    return lambda query, limit: [hit.tool_id for hit in catalog.search(query, limit)]
