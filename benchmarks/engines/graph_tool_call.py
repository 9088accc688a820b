"""graph-tool-call: its tool graph with the relations it detects, in the mode that needs no model."""

from __future__ import annotations

from typing import Any

TITLE = "graph-tool-call"
REQUIREMENTS = ("graph-tool-call==0.47.0",)


def build(tools: list[dict[str, Any]]) -> Any:
    from graph_tool_call import ToolGraph

    graph = ToolGraph()
    graph.ingest_mcp_tools(tools)
    return lambda query, limit: [found.tool.name for found in graph.retrieve_with_scores(query, top_k=limit)]
