"""turbomcp's keyword search; its semantic mode would download a model."""

from __future__ import annotations

from typing import Any

TITLE = "turbomcp"
REQUIREMENTS = ("turbomcp==0.3.0",)


def build(tools: list[dict[str, Any]]) -> Any:
    from turbomcp import TurboMCP

    registry = TurboMCP()
    for tool in tools:  # `register` takes Python functions only and reads the schema off the signature
        registry.tools[tool["name"]] = {
            "func": None,
            "description": tool.get("description") or "",
            "input_schema": tool.get("inputSchema") or {},
        }
    return lambda query, limit: [found["name"] for found in registry.search_tools(query, top_n=limit)["tools"]]
