"""Tool search for Hermes Agent: MCP and plugin tools behind three bridge tools."""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0"


def register(ctx: Any) -> None:
    """Enter Hermes: ``ctx`` is its plugin context. Runs once, before or in the middle of the host's own imports.

    Raises ImportError, with the command that installs it, where a dependency is missing; Hermes goes on without us.
    """
    from . import requirements

    requirements.check()
    from .hermes import plugin

    plugin.register(ctx)
