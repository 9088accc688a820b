"""The project itself. Its search also gives a confidence, as a second value."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

TITLE = "toolsearch (this project)"
REQUIREMENTS = ("hermes-plugin-toolsearch",)


def prepare(tools: list[dict[str, Any]]) -> Any:
    """The catalog, which a session has from its assembly."""
    from hermes_plugin_toolsearch.catalog import build_catalog, make_entry

    entries = []
    for tool in tools:
        function = {"name": tool["name"], "description": tool.get("description"), "parameters": tool.get("inputSchema")}
        entry, _ = make_entry(function, server=tool.get("server"))
        if entry is not None:
            entries.append(entry)
    return build_catalog(entries)


def settle(catalog: Any) -> None:
    """Have now what a session makes in the background: the vectors of its tools."""
    from hermes_plugin_toolsearch.vectors import STORE

    STORE.make(catalog)


def deep_look(given: list[dict[str, Any]]) -> None:
    """Look for changes in place anywhere in the definitions, as a session does once a turn."""
    from hermes_plugin_toolsearch.partition import refresh

    refresh(given)


def from_disk(given: list[dict[str, Any]], catalog: Any, timed: Any) -> dict[str, float]:
    """Milliseconds to make and save what stands in the disk cache, and to have it back after a restart."""
    from hermes_plugin_toolsearch import catalog as entries
    from hermes_plugin_toolsearch import listing, partition, store, tokens
    from hermes_plugin_toolsearch.retrieval import index
    from hermes_plugin_toolsearch.vectors import VectorStore

    def assembled() -> None:
        entries._made.clear()  # forgotten, as by a restart, the vocabulary too
        partition._partitions = ()
        tokens._counter = None
        for cache in (entries._catalogs, listing._listings, listing._blocks, tokens._counts):
            cache.clear()
        assemble(given, 200_000)

    def indexed() -> None:
        index._indexes = ()  # the parts go with the indexes that use them
        index.index_of(catalog)

    with tempfile.TemporaryDirectory() as folder:
        store.folder = lambda: Path(folder)
        works = {"assembly": assembled, "index": indexed, "vectors": lambda: VectorStore().make(catalog)}
        spent = {f"{name}_{how}": timed(work)[0] for name, work in works.items() for how in ("made", "loaded")}
        store.folder = lambda: None
    return spent


def build(catalog: Any) -> Any:
    from hermes_plugin_toolsearch.retrieval import search

    def ranked(query: str, limit: int) -> tuple[list[str], float]:
        results = search(catalog, query, limit)
        return [hit.entry.name for hit in results.hits], results.confidence

    return ranked


def assemble(definitions: list[dict[str, Any]], context_length: int) -> list[Any]:
    """The tools array that a host would send; every one of ``definitions`` may be deferred."""
    from hermes_plugin_toolsearch.assembly import assemble
    from hermes_plugin_toolsearch.config import ToolSearchConfig

    config = ToolSearchConfig()
    return assemble(definitions, config=config, context_length=context_length, stays_visible=lambda _: False).tool_defs


def answer(definitions: list[dict[str, Any]]) -> Any:
    from hermes_plugin_toolsearch.answers import search_answer
    from hermes_plugin_toolsearch.config import DEFAULT_NAMES, ToolSearchConfig
    from hermes_plugin_toolsearch.partition import partition

    def search(query: str, limit: int | None = None) -> str:
        catalog = partition(definitions, stays_visible=lambda _: False).catalog
        arguments = {"query": query} | ({"limit": limit} if limit else {})
        return json.dumps(search_answer(arguments, catalog, ToolSearchConfig(), DEFAULT_NAMES), ensure_ascii=False)

    return search


def describe(definitions: list[dict[str, Any]]) -> Any:
    from hermes_plugin_toolsearch.answers import describe_answer
    from hermes_plugin_toolsearch.config import DEFAULT_NAMES
    from hermes_plugin_toolsearch.names import Scope
    from hermes_plugin_toolsearch.partition import partition

    scope = Scope(partition(definitions, stays_visible=lambda _: False).catalog)
    return lambda name: json.dumps(describe_answer({"name": name}, scope, DEFAULT_NAMES), ensure_ascii=False)
