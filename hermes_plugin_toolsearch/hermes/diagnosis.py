"""What the doctor finds inside a Hermes."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from ..commands.doctor import Finding, Level
from ..commands.view import View
from ..config import DEFAULT_NAMES
from . import host, providers, seams, surroundings

TESTED = ((0, 13), (0, 22))
"""The first and the last release, major and minor, that the tests run on."""

_FORMS = {
    "none": "without a tool search of its own",
    "first": "with the first form of its own tool search, which this plugin replaces",
    "tiered": "with tiers of its own, which this plugin completes",
}


def findings(timeout: float) -> Iterator[Finding]:
    """Everything about the host, its servers, and the session that ``hermes chat`` would start."""
    yield _host()
    yield from _plugin()
    view = surroundings.view(timeout=timeout)
    yield from _seams()
    yield from _configuration(view)
    yield from _provider(view)
    yield from _bridge(view)
    yield from _servers(view)


def _host() -> Finding:
    version = surroundings.version()
    numbers = tuple(int(part) if part.isdigit() else 0 for part in version.split(".")[:2])
    text = f"Hermes {version}, {_FORMS[host.native()]}"
    if TESTED[0] <= numbers <= TESTED[1]:
        return Finding("ok", "host", text)
    return Finding("note", "host", f"{text}; this plugin is tested on 0.13 to 0.22", "make test HOSTS=all")


def _plugin() -> Iterator[Finding]:
    from hermes_cli.plugins import discover_plugins, get_plugin_manager

    discover_plugins()
    ours = [plugin for plugin in get_plugin_manager().list_plugins() if plugin.get("name") == "toolsearch"]
    for plugin in ours:
        where = plugin.get("source") or "unknown source"
        if plugin.get("error") and not plugin.get("enabled") and "not enabled" not in str(plugin["error"]):
            fix = str(plugin["error"]).partition("install with: ")[2]
            yield Finding("problem", "loading", f"from {where}: {plugin['error']}", fix or "hermes logs")
        else:
            yield Finding("ok", "loading", f"found as a plugin ({where})")
    if len(ours) > 1:
        yield Finding(
            "note", "loading", "there are several plugins of this name", "pip uninstall hermes-plugin-toolsearch"
        )
    if not ours:
        yield Finding(
            "problem",
            "loading",
            "Hermes does not find the plugin",
            f"{sys.executable} -m pip install hermes-plugin-toolsearch",
        )


def _seams() -> Iterator[Finding]:
    import run_agent  # noqa: F401 - the seams are on its class

    seams.install_on_agent()
    held = sorted(seam for seam, state in seams.STATUS.items() if state == "installed")
    yield Finding("ok" if held else "problem", "seams", f"{len(held)} hold: {', '.join(held)}")
    for seam, state in sorted(seams.STATUS.items()):
        if state != "installed":
            failed = seam.startswith("failed: ")
            yield Finding("problem" if failed else "note", "seams", f"{seam}: {state}", "hermes logs" if failed else "")


def _configuration(view: View) -> Iterator[Finding]:
    for notice in view.notices:
        key = f"tools.tool_search.{notice.key}" if notice.key else "tools.tool_search"
        used = f"{notice.used:g}" if isinstance(notice.used, float) else notice.used
        fix = "hermes config edit" if used is None else f"hermes config set {key} {used}"
        yield Finding("note", "config", str(notice), fix)
    if not view.notices:
        yield Finding("ok", "config", "every key of tools.tool_search is used as it was read")
    if not view.context_length:
        fix = "hermes config set model.context_length TOKENS"
        yield Finding("note", "config", "the model's context length is not known; the listing gets 10,000 tokens", fix)
    for pattern in view.config.pin:
        if not any(
            view.config.__class__(pin=(pattern,)).pinned(definition["function"]["name"], server)
            for server, definitions in view.by_server.items()
            for definition in definitions
        ):
            fix = f"hermes toolsearch unpin {pattern}"
            yield Finding("note", "config", f"the pin {pattern} keeps no tool of this session visible", fix)


def _provider(view: View) -> Iterator[Finding]:
    provider = view.provider
    assert isinstance(provider, providers.Provider)
    wanted, used = provider.bridge_names(), view.config.names(provider.bridge_names())
    label = provider.name or provider.hostname or "the provider"
    if wanted.search != DEFAULT_NAMES.search and used.search == DEFAULT_NAMES.search:
        fix = f"hermes config set tools.tool_search.bridge_names.search {wanted.search}"
        yield Finding("problem", "provider", f"{label} reserves the name {used.search} and refuses every request", fix)
    elif used != DEFAULT_NAMES:
        names = f"{used.search}, {used.describe}, {used.call}"
        yield Finding("ok", "provider", f"the bridge is declared as {names} for {label}")
    else:
        yield Finding("ok", "provider", f"{label} takes the bridge's names")
    if limit := provider.description_max_chars():
        yield Finding("ok", "provider", f"descriptions are kept within its {limit:,} characters")


def _bridge(view: View) -> Iterator[Finding]:
    assembly = view.assembly
    foreign = host.foreign_bridge_tool()
    if foreign:
        yield Finding("problem", "bridge", f"{foreign}; nothing is deferred", "hermes plugins list")
    elif "is disabled" in assembly.reason:
        fix = f"hermes tools enable {host.TOOLSET}"
        yield Finding(
            "problem", "bridge", f"{assembly.reason}; a bridge without all its tools would strand others", fix
        )
    elif assembly.activated:
        yield Finding("ok", "bridge", assembly.summary())
    else:
        yield Finding("ok", "bridge", f"nothing is deferred: {assembly.reason}")
    for problem in assembly.partition.problems:
        yield Finding("note", "tools", f"{problem.name or 'a tool'}: {problem.reason}", "tell its server's authors")


def _servers(view: View) -> Iterator[Finding]:
    for server in view.servers:
        if server.state == "connected":
            continue
        level: Level = "note" if server.state == "disabled" else "problem"
        fix = f"hermes mcp test {server.name}" if level == "problem" else f"hermes config edit  # {server.reason}"
        yield Finding(level, "server", f"{server.name} is not there: {server.reason}", fix)
    connected = sum(server.state == "connected" for server in view.servers)
    yield Finding("ok", "servers", f"{connected} of {len(view.servers)} connected")
