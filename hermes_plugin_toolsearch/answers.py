"""What search and describe answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .catalog import Catalog, Entry, MissingServer
from .config import BridgeNames, ToolSearchConfig
from .names import Scope, Unresolved
from .reading import MAX_NAMES, MAX_QUERIES, as_mapping, texts
from .schema import inline_refs, signature
from .summary import plain_text

if TYPE_CHECKING:
    from .retrieval import Results

DESCRIPTION_CHARS = 300
"""How much of a tool's own description a search hit carries."""


def search_answer(
    arguments: object,
    catalog: Catalog,
    config: ToolSearchConfig,
    names: BridgeNames,
    *,
    missing: Sequence[MissingServer] = (),
) -> dict[str, Any]:
    """What the search tool answers: ``{"matches": [{"name", "server", "description", "signature"}], "confidence"}``.

    An unsure answer carries a ``note`` and the connected ``sources`` with their counts; several queries give
    ``results`` and share one ``tools`` mapping. Bad arguments give ``{"error": text}``.
    """
    from .retrieval import search  # numpy: 60 ms, and a session that never searches need not pay them

    raw = as_mapping(arguments, "query")
    queries = texts(raw.get("queries"), MAX_QUERIES) or texts(raw.get("query"), 1)
    if not queries:
        return {"error": f'A search needs a query, for example {names.search}({{"query": "create github issue"}}).'}
    limit = _limit(raw.get("limit"), config)
    answers = [(query, search(catalog, query, limit, semantic=config.semantic)) for query in queries]
    if len(answers) == 1:
        query, results = answers[0]
        answer: dict[str, Any] = {"matches": [_record(hit.entry) for hit in results.hits]}
        return answer | _honesty(query, results, catalog, names, missing)
    tools = {hit.entry.name: _record(hit.entry) for _, results in answers for hit in results.hits}
    return {
        "results": [
            {"query": query, "matches": [hit.entry.name for hit in results.hits]}
            | _honesty(query, results, catalog, names, missing)
            for query, results in answers
        ],
        "tools": tools,
    }


def describe_answer(arguments: object, scope: Scope, names: BridgeNames) -> dict[str, Any]:
    """What the describe tool answers: ``{"name", "description", "parameters"}`` with local references inlined.

    Several names give ``{"tools": [...], "not_found": [{"name", "error"}]}``. Describing runs nothing.
    """
    raw = as_mapping(arguments, "name")
    wanted = texts(raw.get("names"), MAX_NAMES) or texts(raw.get("name"), 1)
    if not wanted:
        return {"error": f'Name the tool to describe, for example {names.describe}({{"name": "the_tool"}}).'}
    found: list[dict[str, Any]] = []
    unknown: list[dict[str, Any]] = []
    for name in wanted:
        resolved = scope.resolve(name)
        if isinstance(resolved, Unresolved):
            unknown.append({"name": name, "error": resolved.text})
        else:
            found.append(_description(resolved.entry))
    if len(wanted) == 1:
        return found[0] if found else {"error": unknown[0]["error"]}
    return {"tools": found, "not_found": unknown} if unknown else {"tools": found}


def _record(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "server": entry.server,
        "description": plain_text(entry.description, DESCRIPTION_CHARS),
        "signature": signature(entry),
    }


def _description(entry: Entry) -> dict[str, Any]:
    return {"name": entry.name, "description": entry.description, "parameters": inline_refs(entry.parameters)}


def _honesty(
    query: str,
    results: Results,
    catalog: Catalog,
    names: BridgeNames,
    missing: Sequence[MissingServer],
) -> dict[str, Any]:
    """How sure the hits are, and what to add when they may not be what was asked for."""
    from .retrieval import UNSURE

    unsure = results.confidence < UNSURE
    extra: dict[str, Any] = {"confidence": round(results.confidence, 2)}
    lowered = query.lower()
    absent = {server.server: server.reason for server in missing if unsure or server.server.lower() in lowered}
    if unsure:
        from .languages import is_foreign

        language = " Tools are described in English: search in English." if is_foreign(query) else ""
        unknown = f" No tool mentions: {', '.join(results.unknown[:5])}." if results.unknown else ""
        extra["note"] = (
            f"None of these is a sure match.{unknown}{language} That does not mean the capability is missing: search "
            "once more for the service and the action in other words, or for an exact tool name; "
            f"{names.describe} shows what a tool takes."
        )
        extra["sources"] = {group.server: len(group.entries) for group in catalog.groups}
    if absent:
        extra["unavailable"] = absent
    return extra


def _limit(value: object, config: ToolSearchConfig) -> int:
    try:
        asked = int(float(value)) if isinstance(value, str | int | float) else 0
    except (ValueError, OverflowError):
        asked = 0
    return min(asked, config.max_search_limit) if asked > 0 else config.search_default_limit
