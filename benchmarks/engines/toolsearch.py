"""The project itself. Its search also gives a confidence, as a second value."""

from __future__ import annotations

from typing import Any

TITLE = "toolsearch (this project)"
REQUIREMENTS = ("hermes-plugin-toolsearch",)


def catalog_of(tools: list[dict[str, Any]]) -> Any:
    from hermes_plugin_toolsearch.catalog import build_catalog, make_entry

    entries = []
    for tool in tools:
        function = {"name": tool["name"], "description": tool.get("description"), "parameters": tool.get("inputSchema")}
        entry, _ = make_entry(function, server=tool.get("server"))
        if entry is not None:
            entries.append(entry)
    return build_catalog(entries)


def build(tools: list[dict[str, Any]]) -> Any:
    from hermes_plugin_toolsearch.retrieval import search

    catalog = catalog_of(tools)

    def ranked(query: str, limit: int) -> tuple[list[str], float]:
        results = search(catalog, query, limit)
        return [hit.entry.name for hit in results.hits], results.confidence

    return ranked
