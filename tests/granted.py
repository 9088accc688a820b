"""A small granted scope that the tests of names, calls and arguments share: tools with awkward names and parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hermes_plugin_toolsearch.catalog import Entry, make_entry
from hermes_plugin_toolsearch.config import DEFAULT_NAMES, BridgeNames
from hermes_plugin_toolsearch.names import Scope
from hermes_plugin_toolsearch.partition import partition

STRING = {"type": "string"}
OBJECT = {"type": "object"}


def tool(name: str, properties: Mapping[str, Any] | None = None, required: Iterable[str] = (), **more: Any) -> Any:
    """Give the definition of a tool."""
    parameters = {"type": "object", "properties": dict(properties or {}), "required": list(required), **more}
    return {"type": "function", "function": {"name": name, "description": "", "parameters": parameters}}


def entry(schema: Mapping[str, Any], name: str = "mcp__server__tool") -> Entry:
    """Give the catalog's entry of a tool with this schema."""
    made, _ = make_entry({"name": name, "parameters": schema})
    assert made is not None
    return made


def scope_of(
    *definitions: Any,
    visible: Iterable[str] = (),
    known: Iterable[str] = (),
    bridge: BridgeNames = DEFAULT_NAMES,
    servers: Mapping[str, str] | None = None,
    absent: Mapping[str, str] | None = None,
) -> Scope:
    """Give the scope of a session with these tools, of which the ``visible`` ones are not deferred."""
    shown = frozenset(visible)
    parted = partition(definitions, stays_visible=shown.__contains__, server_of=(servers or {}).get)
    return Scope(
        parted.catalog,
        {definition["function"]["name"]: definition for definition in parted.visible},
        bridge,
        frozenset(known).__contains__,
        (absent or {}).get,
    )


GITHUB = tool("mcp__github__create_issue", {"owner": STRING, "title": STRING, "body": STRING}, ["owner", "title"])
GITLAB = tool("mcp__gitlab__create_issue", {"project": STRING, "title": STRING}, ["project", "title"])
TEAMS = tool("mcp__linear__list_teams")
NOTE = tool("mcp__obsidian_graph__get_note", {"path": STRING}, ["path"])
USER = tool("mcp__crm__create_user", {"name": STRING, "email": STRING, "id": STRING}, ["name"])
META = tool("mcp__unreal__call_tool", {"tool_name": STRING, "arguments": OBJECT}, ["tool_name"])
PARAMS = tool("mcp__lark__send", {"params": OBJECT, "data": OBJECT}, ["params"])
BATCH = tool("mcp__phone__dial", {"calls": {"type": "array", "items": STRING}}, ["calls"])
TERMINAL = tool("terminal", {"command": STRING}, ["command"])

SCOPE = scope_of(
    GITHUB, GITLAB, TEAMS, NOTE, USER, META, PARAMS, BATCH, TERMINAL, visible=["terminal"], known=["mcp__bank__pay"]
)
