"""Pydantic AI's local tool search, by its own toolset and index."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

TITLE = "pydantic-ai"
REQUIREMENTS = ("pydantic-ai-slim==2.68.0",)


def build(tools: list[dict[str, Any]]) -> Any:
    from pydantic_ai.exceptions import ModelRetry
    from pydantic_ai.tools import ToolDefinition
    from pydantic_ai.toolsets import FunctionToolset
    from pydantic_ai.toolsets._tool_search import ToolSearchToolset

    corpus = [
        ToolDefinition(
            name=tool["name"],
            description=tool.get("description"),
            parameters_json_schema=tool.get("inputSchema") or {},
        )
        for tool in tools
    ]
    toolset = ToolSearchToolset(FunctionToolset())
    target = SimpleNamespace(corpus=corpus, discovered_tool_names=set())

    def search(query: str, limit: int) -> list[str]:
        toolset.max_results = limit
        try:
            found = toolset._run_keywords_search([query], target)
        except ModelRetry:  # no term in the query
            return []
        return [match["name"] for match in found["discovered_tools"]]

    return search
