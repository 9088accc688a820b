"""A subagent that inherits its parent's toolsets inherits the deferred ones too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import host, seams
from .session import session_of


def dispatch_delegate_task(original: Callable[..., Any], agent: Any, *args: Any, **kwargs: Any) -> Any:
    """Delegate with the parent's toolsets spelled out where the parent has all of them.

    The host reads the toolsets of an unrestricted parent off its visible tools. Behind a bridge the MCP toolsets are
    not among those, and the child would lose them.
    """
    toolsets = None
    try:
        if getattr(agent, "enabled_toolsets", None) is None:
            toolsets = _toolsets(agent)
    except Exception:
        seams.fall_back("working out what a subagent inherits")
    if not toolsets:
        return original(agent, *args, **kwargs)
    agent.enabled_toolsets = toolsets
    try:
        return original(agent, *args, **kwargs)
    finally:
        agent.enabled_toolsets = None


def _toolsets(agent: Any) -> list[str]:
    scope = session_of(agent).scope()
    names = {*scope.visible, *scope.deferred.by_name}
    return sorted({toolset for name in names if (toolset := host.toolset_of(name)) is not None})
