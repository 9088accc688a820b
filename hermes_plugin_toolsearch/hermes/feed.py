"""What a person sees of the bridge while a model uses it.

The calls reach the host's feeds under their real names; here are only the words for what is left: lookups, a call that
is still being written, and names that the host's one-line format would cut down to ``mcp__githu``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from ..catalog import split_name
from ..config import DEFAULT_NAMES
from . import host, seams
from .session import session_of

CALL_LABEL = "a connected tool"
"""Shown while a bridge call streams in and its target is not known yet."""

LABELS = {DEFAULT_NAMES.search: "find tool", DEFAULT_NAMES.describe: "read tool", DEFAULT_NAMES.call: "refused"}
"""What the one-line feed calls the bridge; a bridge call that gets there by its own name was refused."""

VERBS = {DEFAULT_NAMES.search: "Searching tools", DEFAULT_NAMES.describe: "Reading tool details"}
"""What the host's friendly labels, where it has them, say of the lookups."""

_SHOWN = 9  # letters of a name in the host's one-line format


def install() -> None:
    """Give the host the words for the bridge, wherever it already holds the function that prints them."""
    from agent import display

    getattr(display, "_TOOL_VERBS", {}).update(VERBS)
    inner = "_get_cute_tool_message"  # looked up late, where the host has it
    if hasattr(display, inner):
        seams.wrap(display, inner, tool_line, seam="display.tool_line")
        return
    original = display.get_cute_tool_message
    seams.wrap(display, "get_cute_tool_message", tool_line, seam="display.tool_line")
    for module in [sys.modules.get(name) for name in ("run_agent", "agent.tool_executor", "cli")]:
        for name in ("get_cute_tool_message", "_get_cute_tool_message_impl"):
            if getattr(module, name, None) is original:
                setattr(module, name, display.get_cute_tool_message)


def tool_line(original: Callable[..., str], name: Any, *args: Any, **kwargs: Any) -> str:
    """Print the line of a finished call with its server and tool in full, a lookup's with what it found."""
    line = original(name, *args, **kwargs)
    try:
        label, more = _label(str(name)), ""
        if name == DEFAULT_NAMES.search:
            more = _found(kwargs.get("result"))
        if label is None:
            return line
        from agent.display import get_tool_emoji

        head = f"⚡ {str(name)[:_SHOWN]:{_SHOWN}} "
        return line.replace(head, f"{get_tool_emoji(name)} {label:{_SHOWN}} ", 1) + more
    except Exception:
        seams.fall_back("labelling a tool call")
        return line


def tool_gen_started(original: Callable[..., Any], agent: Any, name: Any, *args: Any, **kwargs: Any) -> Any:
    """Announce a call that is being written: never as ``tool_call``, which means nothing to a person."""
    published = session_of(agent).published
    if published is not None and published.assembly.activated and name == published.assembly.names.call:
        name = CALL_LABEL
    return original(agent, name, *args, **kwargs)


def _label(name: str) -> str | None:
    if name in LABELS:
        return LABELS[name]
    toolset = host.toolset_of(name) or ""
    if not toolset.startswith("mcp-"):
        return None
    server, tool = split_name(name, toolset.removeprefix("mcp-"))
    return f"{server} · {tool}"


def _found(result: Any) -> str:
    """How many tools a search found, for the end of its line; nothing where it was refused."""
    try:
        answer = json.loads(result)
    except (TypeError, ValueError):
        return ""
    matches = answer.get("matches", answer.get("tools")) if isinstance(answer, dict) else None
    return f" · {len(matches)} found" if matches is not None else ""
