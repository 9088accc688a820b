"""The configured MCP servers: connecting them for a command, and what state each is in."""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for commands alone
    from ..commands.view import Server

_MODULES = ("tools.mcp_tool", "tools.mcp_tool_discovery", "tools.mcp_tool_lifecycle")
"""Where the host keeps what it can do with MCP servers: one module to 0.20, several from 0.22."""

_STOP = 3.0  # seconds; a server that hangs is not waited for


def function(name: str) -> Callable[..., Any] | None:
    """The host's function ``name``, or None in a Hermes without MCP."""
    for module in _MODULES:
        with suppress(ImportError):
            found = getattr(importlib.import_module(module), name, None)
            if callable(found):
                return found  # type: ignore[no-any-return]
    return None


def connect(timeout: float, say: Callable[[str], None]) -> bool:
    """Connect what is configured as the host does; whether that ended within ``timeout`` seconds.

    ``say`` is told now and then how far it is. Servers that are late stay behind: what is connected counts.
    """
    discover = function("discover_mcp_tools")
    if discover is None:
        return True
    work = threading.Thread(target=_quietly, args=(discover,), name="toolsearch-connect", daemon=True)
    work.start()
    end = time.monotonic() + timeout
    while work.is_alive() and time.monotonic() < end:
        work.join(0.5)
        states = _status()
        ready = sum(bool(state.get("connected")) for state in states)
        say(f"Connecting MCP servers: {ready} of {len(states)}")
    return not work.is_alive()


def disconnect() -> None:
    """End the servers that :func:`connect` started; one that does not end in time is left to the process' end."""
    stop = function("shutdown_mcp_servers")
    if stop is not None:
        work = threading.Thread(target=_quietly, args=(stop,), name="toolsearch-disconnect", daemon=True)
        work.start()
        work.join(_STOP)


def states(*, in_time: bool = True, timeout: float = 0) -> tuple[Server, ...]:
    """Every configured server and its state; ``in_time`` is what :func:`connect` said."""
    return tuple(_server(state, in_time, timeout) for state in _status())


def _server(state: dict[str, Any], in_time: bool, timeout: float) -> Server:
    from ..commands.view import Server

    name, status = str(state["name"]), state.get("status")
    if state.get("connected") or status == "lazy":
        return Server(name, "connected")
    if state.get("disabled") or state.get("enabled") is False:
        return Server(name, "disabled", "enabled: false in mcp_servers")
    if not in_time and not state.get("error"):
        return Server(name, "waiting", f"no answer within {timeout:g} s")
    return Server(name, "failed", str(state.get("error") or "it did not connect"))


def _status() -> list[dict[str, Any]]:
    ask = function("get_mcp_status")
    return list(ask() or ()) if ask is not None else []


def _quietly(work: Callable[[], Any]) -> None:
    with suppress(Exception):  # the state of each server says what went wrong
        work()
