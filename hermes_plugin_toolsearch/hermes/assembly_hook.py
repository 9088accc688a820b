"""How the tools array reaches :mod:`..assembly`: when the host makes one, and at the start of each turn.

What the host makes when it builds an agent is only a first draft: it knows neither the session's toolsets nor the
context length of its model. Before the first request, and whenever the host has rebuilt the array since,
:func:`settle` puts the exact one in its place; in between, the array keeps its bytes, because the request prefix is
what a provider caches.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from .. import changes
from ..assembly import NOTHING_TO_DEFER, Assembly, assemble
from ..catalog import Definition
from ..config import ToolSearchConfig
from ..partition import refresh
from . import arrays, host, seams
from .direct import ValidNames
from .host import log
from .session import Published, Session, reading_raw, running, session_of


def install() -> None:
    """Take over the last step of ``model_tools.get_tool_definitions``, on hosts without tiers of their own.

    To 0.15 that is the schema sanitizer, imported late by a single caller. 0.16 to 0.19 ask their own
    ``tools.tool_search``, whose public names are rebound in place, so that whoever holds the module has ours too.
    """
    if host.native() == "none":
        import tools.schema_sanitizer

        from . import native_names

        seams.wrap(tools.schema_sanitizer, "sanitize_tool_schemas", _sanitize_and_assemble, seam="schema_sanitizer")
        sys.modules.setdefault("tools.tool_search", native_names)
    else:
        import tools.tool_search as native

        from . import native_names

        for name in native_names.__all__:
            setattr(native, name, getattr(native_names, name))
        seams.STATUS["tools.tool_search"] = "installed"


def draft(
    definitions: list[Definition], context_length: int | None, config: ToolSearchConfig | None = None
) -> Assembly:
    """The array for a session that is only being built, from the configuration alone."""
    seams.install_on_agent()
    config = config or host.user_config()[0]
    surface = host.Surface(config)
    return assemble(
        definitions,
        config=config,
        context_length=context_length,
        stays_visible=surface.stays_visible,
        server_of=surface.server_of,
        names=config.names(),
        bridge_problem=host.foreign_bridge_tool(),
    )


def _sanitize_and_assemble(sanitize: Callable[..., list[Definition]], *args: Any, **kwargs: Any) -> list[Definition]:
    definitions = sanitize(*args, **kwargs)
    if reading_raw():
        return definitions
    try:
        return draft(definitions, None).tool_defs
    except Exception:
        seams.fall_back("assembling the tools array")
        return definitions


def run_conversation(original: Callable[..., Any], agent: Any, *args: Any, **kwargs: Any) -> Any:
    """Run one turn with its session current, on the array that belongs to it."""
    session = session_of(agent)
    with running(session):
        try:
            settle(session)
        except Exception:
            seams.fall_back("settling the tools array")
        return original(agent, *args, **kwargs)


def settle(session: Session) -> None:
    """Give the agent the tools array that belongs to it, unless it holds one that must keep its bytes.

    An array that we published stays as it is while its terms hold and what is visible in it is what the host has
    now, be it that the host has made its own anew: a changed catalog is then announced in the turn that begins, or
    published under ``catalog_changes: rebuild``. Where other tools became visible, or the provider, the context
    length or a switch is another, the array is made anew.
    """
    if host.native() == "tiered":
        from . import tiered

        tiered.settle(session)
        return
    refresh(session.definitions())
    _settle(session, session.assembly())
    session.settled = _tools(session)
    arrays.keep(session)


def settle_again(session: Session) -> None:
    """Settle once more where the host has changed the array since: some look for new servers as a turn begins."""
    try:
        if host.native() == "tiered":
            from . import tiered

            tiered.notice_bridge(session)
        elif session.settled != _tools(session):
            settle(session)
    except Exception:
        seams.fall_back("settling the tools array again")


def _settle(session: Session, assembly: Assembly) -> None:
    earlier = arrays.recall(session) if session.published is None else None
    held, told = (earlier.published, earlier.told) if earlier else (session.published, session.told)
    session.remember(assembly.partition.catalog)
    tools = _tools(session)
    names = assembly.names.as_set()
    if held is not None and held.assembly.activated and _same_terms(held.assembly, assembly):
        known = held.assembly.partition.catalog if told is None else told  # an empty catalog is false
        change = changes.between(known, assembly.partition.catalog)
        keeps = change is None or session.config.catalog_changes == "announce"
        if keeps and _without(names, tools) == _without(names, held.tools):
            if tools != held.tools or held is not session.published:
                _hand_over(session, held.tools, bridged=True)
                session.published, session.told = held, told
            if change is not None:
                session.tell(change.note(assembly.names), assembly.partition.catalog)
                log.info("tool search: %s", change.summary())
            return
    if assembly.activated or len(_without(names, tools)) < len(tools):  # otherwise it is the host's, byte for byte
        publish(session, assembly)


def _tools(session: Session) -> list[Definition]:
    return list(getattr(session.agent, "tools", None) or ())


def _without(names: frozenset[str], tools: list[Definition]) -> list[Definition]:
    return [definition for definition in tools if definition["function"]["name"] not in names]


def _hand_over(session: Session, tools: list[Definition], *, bridged: bool) -> None:
    names = [definition["function"]["name"] for definition in tools]
    session.agent.tools = tools
    session.agent.valid_tool_names = ValidNames(session, names) if bridged else set(names)


def republish(session: Session) -> None:
    """Make the array anew for the provider and the limits that ``session`` has now."""
    if host.native() == "tiered":
        from . import tiered

        tiered.publish(session)
    else:
        publish(session, session.assembly())


def publish(session: Session, assembly: Assembly) -> None:
    """Put ``assembly``'s array, and what others appended to the host's, in the agent's hands."""
    held = session.published
    expected = [*assembly.tool_defs, *_appended(_tools(session), assembly, held)]
    _hand_over(session, expected, bridged=assembly.activated)
    if held is None or held.assembly.summary() != assembly.summary():
        log.info("%s", assembly.summary())
        for problem in assembly.partition.problems:
            log.warning("tool search: %s: %s", problem.name or "a tool", problem.reason)
    session.published, session.told = Published(expected, assembly), None


def _same_terms(held: Assembly, live: Assembly) -> bool:
    """Whether a held array may stay: same names, same budget, and a bridge that still may exist."""
    if held.names != live.names:
        return False
    if not live.activated:
        return live.reason == NOTHING_TO_DEFER  # every server is gone for now; the bridge says so
    return held.threshold_tokens == live.threshold_tokens


def _appended(tools: list[Definition], assembly: Assembly, held: Published | None) -> list[Definition]:
    """What memory providers and context engines put behind the host's own tools: never part of the catalog."""
    from_host = {definition["function"]["name"] for definition in assembly.tool_defs} | assembly.names.as_set()
    if held is not None:
        from_host |= {definition["function"]["name"] for definition in held.assembly.tool_defs}
    return [
        definition
        for definition in tools
        if definition["function"]["name"] not in from_host
        and definition["function"]["name"] not in assembly.partition.catalog.by_name
        and not host.is_known(definition["function"]["name"])
    ]
