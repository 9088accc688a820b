"""The three bridge tools, as the model is told of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .catalog import Catalog, Definition
from .config import BridgeNames


def definitions(names: BridgeNames, catalog: Catalog, listing: str) -> list[Definition]:
    """The definitions of search, describe and call, in this order.

    ``listing`` is the manifest of the deferred tools; it becomes part of the search tool's description, so that
    the model learns of the hidden tools in the same breath as of the way to reach them. ``arguments`` is open
    (``additionalProperties``): a decoder that is constrained to the schema could otherwise only write ``{}``.
    The plural forms (``queries``, ``names``, ``calls``) are understood but not declared: parallel tool calls do
    the same, and one way to call a tool is what small models handle.
    """
    count, servers = len(catalog), len(catalog.groups)
    search = (
        f"Find tools that are connected but not shown here: {_many(count, 'tool')} from {_many(servers, 'source')}. "
        f"Hits carry a signature; run one with {names.call}, read its full schema with {names.describe}."
    )
    if listing:
        search = f"{search}\n{listing}"
    return [
        _definition(
            names.search,
            search,
            {
                "query": {"type": "string", "description": "What the tool should do: service, action, object."},
                "limit": {"type": "integer", "description": "Most hits to return."},
            },
            ["query"],
        ),
        _definition(
            names.describe,
            f"Full description and parameter schema of one tool named by {names.search}.",
            {"name": {"type": "string", "description": "The tool's name."}},
            ["name"],
        ),
        _definition(
            names.call,
            f"Run a tool named by {names.search}, exactly as if it were called directly.",
            {
                "name": {"type": "string", "description": "The tool's name."},
                "arguments": {
                    "type": "object",
                    "description": "The tool's own arguments.",
                    "properties": {},
                    "additionalProperties": True,
                },
            },
            ["name", "arguments"],
        ),
    ]


def is_bridge_definition(definition: Definition, names: BridgeNames) -> bool:
    """Whether ``definition`` is one of ours, as opposed to a foreign tool under one of our names."""
    function = definition.get("function")
    if not isinstance(function, Mapping) or function.get("name") not in names.as_set():
        return False
    ours = {own["function"]["name"]: own["function"] for own in definitions(names, Catalog((), ""), "")}
    return bool(function.get("parameters") == ours[function["name"]]["parameters"])


def _definition(name: str, description: str, properties: Mapping[str, Any], required: list[str]) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {"type": "object", "properties": dict(properties), "required": required},
        },
    }


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
