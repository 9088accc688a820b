"""What a person sees of the bridge while a model uses it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..config import DEFAULT_NAMES
from .session import session_of

CALL_LABEL = "a connected tool"
"""Shown while a bridge call streams in and its target is not known yet."""


def tool_gen_started(original: Callable[..., Any], agent: Any, name: Any, *args: Any, **kwargs: Any) -> Any:
    """Announce a call that is being written: never as ``tool_call``, which means nothing to a person."""
    published = session_of(agent).published
    names = published.assembly.names if published else DEFAULT_NAMES
    if published and name in (names.call, DEFAULT_NAMES.call):
        name = CALL_LABEL
    return original(agent, name, *args, **kwargs)
