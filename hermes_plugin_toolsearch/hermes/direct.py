"""A deferred tool called by its real name, without the bridge."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ..config import DEFAULT_NAMES
from ..names import Resolved
from . import seams

if TYPE_CHECKING:
    from .session import Session


class ValidNames(set[str]):
    """The names an agent may call: it holds the visible ones, and it contains the deferred ones too.

    The host asks "is this name valid?" before every call, and of the names that a skill requires; it lists the names
    in its error for an unknown one, and hands them to the sandbox of ``execute_code``. Thousands of deferred names
    must be valid and must not be listed, so membership and iteration differ here on purpose. The name of a tool whose
    server is away is valid too: its call gets there, and is answered with the reason.
    """

    def __init__(self, session: Session, names: Iterable[str]) -> None:
        super().__init__(names)
        self._session = session

    def __contains__(self, name: object) -> bool:
        if super().__contains__(name):
            return True
        return isinstance(name, str) and (name in DEFAULT_NAMES.as_set() or answered(self._session, name))

    def __reduce__(self) -> tuple[Any, ...]:
        return set, (list(self),)


class Admitted(set[str]):
    """The names that a host holds for an agent, and a few more that are valid without being listed in its errors."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__(names)
        self.more: set[str] = set()

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self.more

    def __reduce__(self) -> tuple[Any, ...]:
        return set, (list(self),)


def admitting(agent: Any) -> Admitted:
    """The agent's valid names, able to take in more: before the host looks at them, since it looks at one object."""
    if not isinstance(agent.valid_tool_names, Admitted):
        agent.valid_tool_names = Admitted(agent.valid_tool_names)
    return agent.valid_tool_names


def admit(agent: Any, name: str) -> None:
    """Let ``agent`` call ``name``, which it was granted, without a word of it in the host's list of valid names."""
    if name not in agent.valid_tool_names:
        admitting(agent).more.add(name)


def repair_tool_call(original: Callable[..., Any], agent: Any, name: Any, *args: Any, **kwargs: Any) -> Any:
    """Resolve a name that the host does not know among what the session was granted, then let the host try."""
    from .session import current

    session = current()
    try:
        if session is not None and session.published is not None and isinstance(name, str):
            resolved = session.scope().resolve(name)
            if isinstance(resolved, Resolved):
                admit(agent, resolved.entry.name)
                return resolved.entry.name
    except Exception:
        seams.fall_back("resolving a tool name")
    return original(agent, name, *args, **kwargs)


def answered(session: Session, name: str) -> bool:
    """Whether a call of ``name`` is carried out, or answered with the reason why it cannot be."""
    try:
        scope = session.scope()
        return name in scope.deferred.by_name or scope.absent(name) is not None
    except Exception:
        seams.fall_back("looking up a tool name")
        return False
