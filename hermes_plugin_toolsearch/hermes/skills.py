"""Skills that need a deferred tool, or its toolset, are offered like those that need a visible one.

A host offers a skill where the tools are valid that the skill requires, and remembers the text that it made for a set
of valid names. Behind a bridge, sessions of different servers have the same valid names: it is told all of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

from . import execution, host, seams
from .session import current, running, session_of

_NAME = "build_skills_system_prompt"


def install() -> None:
    """Wrap the host's function in the module that has it, and in the one that imported it."""
    from agent import prompt_builder

    seams.wrap(prompt_builder, _NAME, skills_prompt, seam=f"prompt_builder.{_NAME}")
    run_agent = sys.modules.get("run_agent")
    if _NAME in vars(run_agent):
        seams.wrap(run_agent, _NAME, skills_prompt, seam=f"run_agent.{_NAME}")


def build_system_prompt(original: Callable[..., Any], agent: Any, *args: Any, **kwargs: Any) -> Any:
    """Build the prompt with its session current, since a compaction by command happens outside of any turn."""
    with running(session_of(agent)):
        return original(agent, *args, **kwargs)


def skills_prompt(
    original: Callable[..., Any],
    available_tools: Iterable[str] | None = None,
    available_toolsets: Iterable[str] | None = None,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """The text on skills for a session's deferred tools too."""
    tools, toolsets = available_tools, available_toolsets
    try:
        session = current()
        if session is not None and execution.bridged(session):
            deferred = session.scope().deferred.by_name.keys()
            surface = host.Surface(session.config)
            known = {toolset for name in deferred if (toolset := surface.toolset_of(name)) is not None}
            tools = {*(tools or ()), *deferred}
            toolsets = {*(toolsets or ()), *known}
    except Exception:
        seams.fall_back("naming the deferred tools that skills may need")
        tools, toolsets = available_tools, available_toolsets
    return original(tools, toolsets, *args, **kwargs)
