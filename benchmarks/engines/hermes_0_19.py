"""Hermes Agent 0.19.0's own search (the same file in 0.16 to 0.19)."""

from __future__ import annotations

from typing import Any

from benchmarks.engines import hermes

TITLE = "Hermes 0.19"
REQUIREMENTS = ("hermes-agent==0.19.0",)
ENVIRONMENT = "hermes-0.19"
prepare = hermes.register
assemble = hermes.assemble


def build(definitions: list[dict[str, Any]]) -> Any:
    from tools.tool_search import build_catalog, search_catalog

    catalog = build_catalog(definitions)
    return lambda query, limit: [entry.name for entry in search_catalog(catalog, query, limit)]


def answer(definitions: list[dict[str, Any]]) -> Any:
    from tools.tool_search import dispatch_tool_search

    return lambda query, limit=None: dispatch_tool_search(
        {"query": query} | ({"limit": limit} if limit else {}), current_tool_defs=definitions
    )


def describe(definitions: list[dict[str, Any]]) -> Any:
    from tools.tool_search import dispatch_tool_describe

    return lambda name: dispatch_tool_describe({"name": name}, current_tool_defs=definitions)
