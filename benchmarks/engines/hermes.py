"""What the adapters of Hermes' own tool search share; it runs inside their packages."""

from __future__ import annotations

from typing import Any


def register(tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Register ``tools`` as MCP tools of their servers, as Hermes does, and return their OpenAI definitions."""
    from tools.registry import registry

    definitions = []
    for tool in tools:
        schema = {
            "name": tool["name"],
            "description": tool.get("description") or "",
            "parameters": tool.get("inputSchema") or {"type": "object", "properties": {}},
        }
        toolset = f"mcp-{tool.get('server') or 'pool'}"
        registry.register(name=tool["name"], toolset=toolset, schema=schema, handler=lambda *_, **__: "")
        definitions.append({"type": "function", "function": schema})
    return definitions


def assemble(definitions: list[dict[str, Any]], context_length: int) -> list[dict[str, Any]]:
    """The tools array that the host would send."""
    from tools.tool_search import assemble_tool_defs

    return assemble_tool_defs(definitions, context_length=context_length).tool_defs
