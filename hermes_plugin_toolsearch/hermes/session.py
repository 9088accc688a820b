"""What one session was granted, and what this plugin keeps for it.

``Session.scope()`` is the one predicate of this project: search, describe, call, direct call, listing and every
error text answer from it, and it is derived anew from the live agent's own toolsets each time it is asked.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from ..assembly import Assembly, assemble
from ..catalog import Catalog, Definition, MissingServer
from ..config import ToolSearchConfig
from ..names import Scope
from ..repeats import Repeats
from . import absence, host, providers

_current: ContextVar[Session | None] = ContextVar("toolsearch_session", default=None)
_raw_read: ContextVar[bool] = ContextVar("toolsearch_raw_read", default=False)
_resolving = threading.RLock()

ATTRIBUTE = "_toolsearch_session"


@dataclass(slots=True)
class Published:
    """The tools array that an agent holds because we put it there, and the assembly it came from."""

    tools: list[Definition]
    assembly: Assembly


class Session:
    """One agent's tool search: it lives on the agent, so it ends with it and is never another's."""

    def __init__(self, agent: Any) -> None:
        self.agent = agent
        self.repeats = Repeats()
        self.published: Published | None = None
        self.off = False
        self.max_chars: int | None = None  # learned from a provider's refusal
        self.told: Catalog | None = None  # the catalog that the model was last told of, if not by its array
        self.settled: list[Definition] | None = None  # the array as the last settling left it
        self._memory = absence.Memory()
        self._notes: list[str] = []

    @property
    def config(self) -> ToolSearchConfig:
        """The configuration in force."""
        return host.user_config()[0]

    @property
    def context_length(self) -> int | None:
        """The context length, in tokens, of the model that this agent really uses."""
        length = getattr(getattr(self.agent, "context_compressor", None), "context_length", 0)
        return int(length) if isinstance(length, int | float) and length > 0 else None

    def definitions(self) -> list[Definition]:
        """The definitions of this agent's toolsets before anything is deferred."""
        enabled = getattr(self.agent, "enabled_toolsets", None)
        disabled = getattr(self.agent, "disabled_toolsets", None)
        return raw_definitions(enabled, disabled)

    def assembly(self) -> Assembly:
        """What this agent's model should see now."""
        if host.native() == "tiered":
            from . import tiered

            return tiered.assembly(self)
        config = self.config
        provider = providers.Provider.of(self.agent)
        surface = host.Surface(config, getattr(self.agent, "enabled_toolsets", None))
        return assemble(
            self.definitions(),
            config=config,
            context_length=self.context_length,
            stays_visible=surface.stays_visible,
            server_of=surface.server_of,
            names=config.names(provider.bridge_names()),
            max_chars=self.max_chars or config.description_max_chars or provider.description_max_chars(),
            bridge_problem=self._bridge_problem(),
        )

    def scope(self, assembly: Assembly | None = None) -> Scope:
        """Everything that this session may call at this moment.

        Deferred is what its toolsets grant and the bridge hides; visible is what its tools array really holds, with
        what memory providers and context engines appended to it.
        """
        assembly = assembly or self.assembly()
        names, catalog = assembly.names, assembly.partition.catalog
        self.remember(catalog)
        visible: dict[str, Definition] = {}
        for definition in getattr(self.agent, "tools", None) or ():
            name = definition["function"]["name"]
            if name not in names.as_set() and name not in catalog.by_name:
                visible[name] = definition

        def absent(name: str) -> str | None:
            return self._memory.why_absent(name, catalog, self.missing_servers())

        return Scope(catalog, visible, names, host.is_known, absent)

    def has_tool(self, name: str) -> bool:
        """Whether a real tool of this session is called ``name``, deferred or not; the bridge is none."""
        scope = self.scope()
        return name in scope.visible or name in scope.deferred.by_name

    def remember(self, catalog: Catalog) -> None:
        """Take note of what the session has now, so that a tool that goes can be told from one that never was."""
        self._memory.remember(catalog)

    def missing_servers(self) -> list[MissingServer]:
        """Servers of this session's grant that are configured and not connected, and why."""
        return absence.missing_servers(
            getattr(self.agent, "enabled_toolsets", None), getattr(self.agent, "disabled_toolsets", None)
        )

    def tell(self, note: str, catalog: Catalog) -> None:
        """Have the turn that begins tell the model ``note``, after which it knows of ``catalog``."""
        self._notes.append(note)
        self.told = catalog

    def notes_for(self, history: Iterable[Any]) -> str:
        """What this turn should tell the model: news once, and the listing that its array has no room for.

        Hosts from 0.19 keep what a turn was told in the conversation, so the listing is in ``history`` after the
        first time, until a compaction drops it. Earlier ones forget it after the turn, and it is told again.
        """
        notes, self._notes = self._notes, []
        overflow = self.published.assembly.overflow if self.published is not None else ""
        if overflow and not any(
            overflow in value
            for message in history
            if isinstance(message, dict)
            for value in message.values()
            if isinstance(value, str)
        ):
            notes.append(f"[tool search] {overflow}")
        return "\n".join(notes)

    def _bridge_problem(self) -> str | None:
        if self.off:
            return "switched off for this session"
        disabled = getattr(self.agent, "disabled_toolsets", None) or ()
        if host.TOOLSET in disabled:
            return f"the toolset {host.TOOLSET} is disabled"
        return host.foreign_bridge_tool()


def session_of(agent: Any) -> Session:
    """The session of ``agent``; made when first asked for."""
    session = agent.__dict__.get(ATTRIBUTE)
    if not isinstance(session, Session) or session.agent is not agent:
        session = Session(agent)
        agent.__dict__[ATTRIBUTE] = session
    return session


def current() -> Session | None:
    """The session whose turn is running in this context, worker threads of its tools included."""
    return _current.get()


@contextmanager
def running(session: Session) -> Iterator[None]:
    """Make ``session`` the current one."""
    token = _current.set(session)
    try:
        yield
    finally:
        _current.reset(token)


def reading_raw() -> bool:
    """Whether the host is being asked for its definitions as they are, so that assembly must not happen."""
    return _raw_read.get()


def raw_definitions(enabled: Any, disabled: Any) -> list[Definition]:
    """The host's definitions for these toolsets, nothing deferred, and nothing process-global changed by the read.

    Each resolution leaves its tool names in ``model_tools._last_resolved_tool_names``, from which ``execute_code``
    takes its sandbox tools where a caller names none; a read of the catalog must not decide that.
    """
    import model_tools

    resolve: Callable[..., Any] = model_tools.get_tool_definitions
    options: Mapping[str, Any] = {"skip_tool_search_assembly": True}
    if host.native() == "none":
        # Its memo cannot tell a raw read from an assembled one, so the read goes past the memo.
        resolve, options = model_tools._compute_tool_definitions, {}
    token = _raw_read.set(True)
    try:
        with _resolving:
            before = model_tools._last_resolved_tool_names
            try:
                return list(resolve(enabled, disabled, quiet_mode=True, **options) or ())
            finally:
                model_tools._last_resolved_tool_names = before
    finally:
        _raw_read.reset(token)
