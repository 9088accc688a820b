"""Why a tool is not there: its server went, did not start, or offers it no longer."""

from __future__ import annotations

from collections.abc import Iterable

from ..catalog import Catalog, MissingServer, split_name
from . import host, servers

_STATES = {
    "failed": "configured, but it failed to start",
    "connecting": "configured and still connecting",
    "disabled": "disabled in the configuration",
}


def states() -> dict[str, str]:
    """Each configured MCP server and its state in words; empty for one whose tools can be called."""
    ask = servers.function("get_mcp_status")
    found = {}
    for status in (ask() if ask is not None else None) or ():
        ready = status.get("connected") or status.get("status") == "lazy"
        state = _STATES.get(str(status.get("status")), "configured, but not connected")
        found[str(status["name"])] = "" if ready else state
    return found


def missing_servers(enabled: Iterable[str] | None, disabled: Iterable[str] | None) -> list[MissingServer]:
    """The configured MCP servers that a session with these toolsets would have, and that are not connected."""
    granted = None if enabled is None else set(enabled)
    denied = set(disabled or ())
    missing = []
    for name, state in states().items():
        aliases = {name, f"mcp-{name}"}
        if state and not aliases & denied and (granted is None or granted & (aliases | {"all", "*"})):
            missing.append(MissingServer(name, f"{state}; its tools are not available"))
    return missing


class Memory:
    """The tools that one session had at any time, to tell one that is gone from one that never was."""

    def __init__(self) -> None:
        self._servers: dict[str, str] = {}
        self._latest = ""

    def remember(self, catalog: Catalog) -> None:
        """Take note of what the session has now."""
        if catalog.fingerprint != self._latest:
            self._latest = catalog.fingerprint
            self._servers.update({entry.name: entry.server for entry in catalog.entries})

    def why_absent(self, name: str, live: Catalog, missing: Iterable[MissingServer]) -> str | None:
        """Of a tool that ``live`` does not have: the state of its server; None where nothing is known of the name.

        A tool that the session had is remembered. Another is known by its server's part of the name, where that
        server is ``missing`` from the session: a resumed conversation may call it.
        """
        server = self._servers.get(name)
        if server is None:
            at = (item for item in missing if split_name(name, item.server)[1] != name)
            return next((f"its server {item.server} is {item.reason.partition(';')[0]}" for item in at), None)
        if not name.startswith("mcp_"):
            return None if host.is_known(name) else "it is no longer registered"
        state = states().get(server)
        if state:
            return f"its server {server} is {state}"
        if state == "" or any(group.server == server for group in live.groups):
            # Still registered: it is the session's toolsets that no longer have it.
            return None if host.is_known(name) else f"its server {server} is connected and no longer offers it"
        return f"its server {server} is neither connected nor configured any more"
