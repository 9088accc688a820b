"""Hosts that have the tiered tool search of their own: everything that is rebound there.

Such a host keeps its bridge, connectors, deferral list, metrics, argument shapes and result shapes. What it lacks is
put behind the names of its ``tools.tool_search``: our retrieval, our listing in exact tokens, pins, ``hermes.yaml``.
Each is a wrapper that falls back to the host's own function; a name that the host no longer has leaves that one
feature off. Arguments are checked by a middleware, which is a public surface. ``docs/hosts.md`` says of every name
why it is rebound and which change of the host would end that.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from fnmatch import fnmatchcase
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

from .. import changes
from ..assembly import TOLD_CHARS, Assembly
from ..cache import Cache
from ..calls import Invocation, Refusal
from ..catalog import Catalog, Definition, split_name
from ..config import DEFAULT_NAMES
from ..names import Resolved, Unresolved
from ..partition import Partition, partition, refresh
from ..reading import MAX_NAMES, as_mapping, texts
from ..schema import inline_refs
from . import arrays, assembly_hook, bridge_tools, execution, host, native_names, providers, seams, wire
from .host import log
from .session import Published, Session, current, session_of

if TYPE_CHECKING:
    from ..listing import Listing

_SWITCHED_OFF = "switched off for this session"
_NO_REFRESH = "_skip_mcp_refresh"
"""The host's own mark of an agent whose tools are not refreshed between turns."""

_rules_at_hand: ContextVar[_Rules | None] = ContextVar("toolsearch_rules", default=None)
_room: ContextVar[int | None] = ContextVar("toolsearch_room", default=None)
"""The most characters that a listing may have while one assembly is made."""


def install(ctx: Any) -> None:
    """Put what the host lacks behind the names of its own tool search, wherever those are looked up."""
    native = _native()
    for name, wrapper in _WRAPPERS.items():
        original = getattr(native, name, None)
        if original is None and name in _NOT_ON_ALL:
            continue
        if seams.wrap(native, name, wrapper, seam=f"tools.tool_search.{name}") and name in _HELD_ELSEWHERE:
            _replace_elsewhere(name, original, getattr(native, name))
    try:
        ctx.register_middleware("tool_execution", tool_execution)
        seams.STATUS["tool_execution"] = "installed"
    except Exception:
        seams.fall_back("registering the check of arguments")


def _native() -> ModuleType:
    import tools.tool_search as native

    return native  # type: ignore[no-any-return]


def _replace_elsewhere(name: str, original: Any, wrapped: Any) -> None:
    """Give ``wrapped`` to the host's modules that imported ``original`` by its name before us."""
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("tools.") and vars(module).get(name) is original:
            setattr(module, name, wrapped)


# Search


def search_catalog(original: Callable[..., Any], catalog: Any, query: Any, limit: int = 5, **kwargs: Any) -> Any:
    """The entries of the host's ``catalog`` that fit ``query`` best, connectors' included."""
    try:
        return native_names.search_catalog(catalog, query, limit)
    except Exception:
        seams.fall_back("searching the catalog")
        return original(catalog, query, limit, **kwargs)


def build_catalog(original: Callable[..., Any], tool_defs: Sequence[Definition]) -> Any:
    """The host's entries, with the terms that only its own search reads made when they are read.

    Stemming every tool's text is most of what a search costs there: 0.5 of 0.6 s over 2,948 tools.
    """
    try:
        make = _entry_class(_native().CatalogEntry, original)
        return [
            make(made.name, made.description, made.schema, made.source, made.source_name)
            for made in native_names.build_catalog(tool_defs)
        ]
    except Exception:
        seams.fall_back("building the catalog")
        return original(tool_defs)


@functools.cache
def _entry_class(base: Any, build: Callable[..., Any]) -> Any:
    class Entry(base):  # type: ignore[misc]
        @property
        def _tokens(self) -> Any:
            if "terms" not in self.__dict__:
                self.__dict__["terms"] = getattr(build([self.schema])[0], "_tokens", [])
            return self.__dict__["terms"]

        @_tokens.setter
        def _tokens(self, value: Any) -> None:
            """Nothing: what the base class would begin with is not what it would be built with."""

    return Entry


# Which tools are deferred


class _Rules:
    """What the user wrote of single tools, and what the registry knows of them, both as of one moment."""

    def __init__(self) -> None:
        self._config = host.user_config()[0]
        self._surface = host.Surface(self._config)

    def deferrable(self, name: str, judge: Callable[..., bool], more: tuple[Any, ...]) -> bool:
        """Whether ``name`` may be deferred: never a pinned tool, nor what a worker moves its own card with.

        What the host's own ``judge`` says of a name of a toolset is asked once: it asks the registry, which for 2,948
        tools takes 0.2 s, and every call of a tool asks.
        """
        toolset = self._surface.toolset_of(name)
        deferrable = _judged.get((judge, name, toolset, more), lambda: bool(judge(name, *more)))
        if not deferrable:
            listed = any(fnmatchcase(name, pattern) for pattern in self._config.defer)
            deferrable = listed and toolset is not None and name not in DEFAULT_NAMES.as_set()
        if not deferrable or host.is_workers_own(name):
            return False
        if not self._config.pin:
            return True
        return not self._config.pinned(name, split_name(name, self._surface.server_of(name))[0])


_judged: Cache[tuple[Any, ...], bool] = Cache(65_536)


def over_a_list(original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Judge every tool of a list by one reading of the rules, which takes a millisecond."""
    try:
        token = _rules_at_hand.set(_rules_at_hand.get() or _Rules())
    except Exception:
        seams.fall_back("reading the rules of single tools")
        return original(*args, **kwargs)
    try:
        return original(*args, **kwargs)
    finally:
        _rules_at_hand.reset(token)


def is_deferrable_tool_name(original: Callable[..., bool], name: str, *more: Any, **named: Any) -> bool:
    """Whether the host may defer ``name``, the user's rules considered."""
    try:
        rules = _rules_at_hand.get() or _Rules()
        return rules.deferrable(name, functools.partial(original, **named) if named else original, more)
    except Exception:
        seams.fall_back("looking up pins")
        return original(name, *more, **named)


def should_activate(original: Callable[..., bool], config: Any, tokens: int, length: int | None, **more: Any) -> bool:
    """Whether the host defers at all: below the user's ``activation_pct``, where it is set, it does not."""
    activate = original(config, tokens, length, **more)
    try:
        share = host.user_config()[0].activation_pct
        return activate and not (share > 0 and 0 < tokens < share / 100 * (length or 0))
    except Exception:
        seams.fall_back("reading activation_pct")
        return activate


def load_config(original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The host's configuration, with what stands in a ``hermes.yaml`` too; the first step of every assembly."""
    try:
        seams.install_on_agent()
        written = host.written_in_both()
        return original(*args, **kwargs) if written is None else _native().ToolSearchConfig.from_raw(written)
    except Exception:
        seams.fall_back("reading hermes.yaml")
        return original(*args, **kwargs)


# The listing


def build_catalog_listing_with_form(
    original: Callable[..., tuple[str | None, str]], deferrable: Sequence[Definition], *, max_tokens: int = 4000
) -> tuple[str | None, str]:
    """The listing within ``max_tokens``, counted exactly, in the host's ``(text, form)``; the host adds the framing.

    Servers that the host declares unavailable keep the lines that it writes of them.
    """
    try:
        surface = host.Surface(host.user_config()[0])
        parts = partition(deferrable, stays_visible=lambda name: False, server_of=surface.server_of)
        unavailable = (original([], max_tokens=max_tokens)[0] or "").partition("\n")[2]
        from .. import tokens

        room = _room.get() or host.user_config()[0].description_max_chars or None
        listing = _listing(parts.catalog, max_tokens - (tokens.count(unavailable) if unavailable else 0), room)
        text = "\n".join(part for part in (listing.text, unavailable) if part)
        return text or None, "none" if listing.form == "bare" else listing.form
    except Exception:
        seams.fall_back("making the listing")
        return original(deferrable, max_tokens=max_tokens)


def _listing(catalog: Catalog, budget: int, room: int | None) -> Listing:
    from ..listing import make_listing

    config = host.user_config()[0]
    return make_listing(catalog, budget=budget, mode=config.listing, max_chars=room, trust=config.trust)


# The session


def assembly(session: Session) -> Assembly:
    """What this session's model sees: the host's own array, and the catalog behind the bridge in it."""
    held = getattr(session.agent, "tools", None)
    tools = _assembled(session) if held is None else list(held)
    definitions = session.definitions()
    if not DEFAULT_NAMES.as_set() <= {_name(definition) for definition in tools}:
        reason = _SWITCHED_OFF if session.off else "the host put no bridge into the tools array"
        return Assembly(tools, Partition(tuple(definitions), Catalog((), "")), None, reason, DEFAULT_NAMES)
    from ..listing import Listing, listing_budget

    hidden = _native().scoped_deferrable_names(definitions)
    surface = host.Surface(session.config)
    parts = partition(definitions, stays_visible=lambda name: name not in hidden, server_of=surface.server_of)
    config = session.config
    budget = listing_budget(config.threshold_pct, config.listing_max_tokens, session.context_length)
    if not len(parts.catalog):
        return Assembly(tools, parts, Listing(2, "bare", "", 0, 0), "", DEFAULT_NAMES)
    told = _listing(parts.catalog, budget, TOLD_CHARS).text if _description_limit(session) else ""
    in_the_array = _bridge(tools)[DEFAULT_NAMES.search]["function"]["description"]
    overflow = "" if told in in_the_array else told
    listing = Listing(2, "bare", "", 0, budget) if overflow else _listing(parts.catalog, budget, None)
    return Assembly(tools, parts, listing, "", DEFAULT_NAMES, overflow)


def run_conversation(original: Callable[..., Any], agent: Any, *args: Any, **kwargs: Any) -> Any:
    """Run one turn with its session current, and remember the array as the turn left it."""
    try:
        return assembly_hook.run_conversation(original, agent, *args, **kwargs)
    finally:
        published = session_of(agent).published
        if published is not None:
            published.tools = list(getattr(agent, "tools", None) or ())


def settle(session: Session) -> None:
    """Follow the host's array: make its listing fit the session's own model, and tell what changed behind it.

    The bytes of the bridge's entries are the host's to keep. They are replaced before the first turn, when nothing is
    cached yet (an array that the host has stored for this session takes their place again), after the host has built
    its array anew, for a model of another context length, and under ``catalog_changes: rebuild``.
    """
    _take_up(session)
    _follow(session)
    arrays.keep(session)


def _take_up(session: Session) -> None:
    """Give an agent the bridge's entries that an earlier agent of this very session held: not every host keeps them."""
    earlier = arrays.recall(session) if session.published is None else None
    tools = list(getattr(session.agent, "tools", None) or ())
    if earlier is not None and earlier.published.assembly.activated and _bridge(tools):
        entries = _bridge(earlier.published.tools)
        session.agent.tools = tools = [entries.get(_name(definition), definition) for definition in tools]
        session.published, session.told = Published(tools, earlier.published.assembly), earlier.told


def _follow(session: Session) -> None:
    held = session.published
    refresh(session.definitions())
    _switch(session)
    live = assembly(session)
    session.remember(live.partition.catalog)
    if not live.activated:
        session.published, session.told = Published(live.tool_defs, live), None
        return
    if (
        held is None
        or not held.assembly.activated
        or _bridge(held.tools) != _bridge(live.tool_defs)
        or held.assembly.threshold_tokens != live.threshold_tokens
    ):
        publish(session)
        return
    known = held.assembly.partition.catalog if session.told is None else session.told  # an empty catalog is false
    change = changes.between(known, live.partition.catalog)
    if change is None:
        return
    log.info("tool search: %s", change.summary())
    if session.config.catalog_changes == "announce":
        session.tell(change.note(live.names), live.partition.catalog)
    else:
        publish(session)


def notice_bridge(session: Session) -> None:
    """Take note of a bridge that came into the array as the turn began, with a server that was late; its bytes stay."""
    held = session.published
    if held is not None and not held.assembly.activated and not session.off:
        made = assembly(session)
        session.published = Published(made.tool_defs, made)


def _switch(session: Session) -> None:
    """Take the bridge out of the array of a session that was switched off, and put it back when it is on again."""
    agent = session.agent
    tools = list(getattr(agent, "tools", None) or ())
    was_switched = session.published is not None and session.published.assembly.reason == _SWITCHED_OFF
    if session.off == was_switched or (session.off and not _bridge(tools)):
        return
    definitions = session.definitions()
    hidden = _native().scoped_deferrable_names(definitions)
    if session.off:
        shown = [definition for definition in definitions if _name(definition) in hidden]
        tools = [definition for definition in tools if _name(definition) not in DEFAULT_NAMES.as_set()] + shown
    else:
        bridge = _bridge(_assembled(session)).values()
        tools = [definition for definition in tools if _name(definition) not in hidden or not bridge] + [*bridge]
    agent.tools, agent.valid_tool_names = tools, {_name(definition) for definition in tools}
    # Between turns the host would fold its own array, bridge and all, into this one.
    if session.off:
        agent._skip_mcp_refresh_before = getattr(agent, _NO_REFRESH, False)
    setattr(agent, _NO_REFRESH, True if session.off else agent.__dict__.pop("_skip_mcp_refresh_before", False))


def publish(session: Session) -> None:
    """Put bridge entries made for this session's model in the place of those that the host made for any."""
    agent = session.agent
    fresh = _bridge(_assembled(session))
    tools = list(agent.tools)
    expected = [fresh.get(_name(definition), definition) for definition in tools]
    if expected != tools:
        agent.tools = expected
    made = assembly(session)
    log.info("%s", made.summary())
    session.published, session.told = Published(expected, made), None


def _assembled(session: Session) -> list[Definition]:
    """The array that the host makes for this session, within what its provider takes."""
    native = _native()
    limit = _description_limit(session)
    room = limit
    tools: list[Definition] = []
    for last in (False, False, False, True):  # a shorter listing may come with longer words of the host around it
        token = _room.set(1 if last else room)
        try:
            tools = native.assemble_tool_defs(
                session.definitions(), context_length=session.context_length, config=native.load_config()
            ).tool_defs
        finally:
            _room.reset(token)
        search = _bridge(tools).get(DEFAULT_NAMES.search, {}).get("function", {}).get("description", "")
        if not limit or not room or len(search) <= limit:
            break
        room = max(1, room - (len(search) - limit))
    return tools


def _description_limit(session: Session) -> int | None:
    """The most characters that a description may have at the session's provider, where that is known."""
    provider = providers.Provider.of(session.agent)
    return session.max_chars or session.config.description_max_chars or provider.description_max_chars()


def _bridge(tools: Sequence[Definition]) -> dict[str, Definition]:
    return {_name(item): item for item in tools if _name(item) in DEFAULT_NAMES.as_set()}


def _name(definition: Definition) -> str:
    return str((definition.get("function") or {}).get("name") or "")


# Calls


def opens(call: Any, parts: Sequence[Invocation | Refusal]) -> bool:
    """Whether the host carries out a bridge call by its real name at every step, as ``parts`` say that it is meant.

    It does where it also plans what may run in parallel by the real name, and reads in the call what we read in it.
    """
    from agent import tool_dispatch_helpers as planner

    if not hasattr(planner, "_peel_bridge_call"):
        return False
    arguments = call.function.arguments
    if "connectors__" in str(arguments):  # tools of hosted accounts, which no session of ours knows
        return True
    try:
        parsed = json.loads(arguments) if isinstance(arguments, str) else arguments
        if not isinstance(parsed, Mapping):
            return False
        name, inner, error = _native().resolve_underlying_call(parsed)
    except ValueError:
        return False
    return not error and [(name, inner)] == [
        (part.name, part.arguments) for part in parts if isinstance(part, Invocation)
    ]


def in_the_hosts_shape(session: Session, role: Literal["search", "describe"], arguments: Any) -> list[Any]:
    """What a lookup's ``arguments`` come to in the shape that the host declares, a call of the host for each.

    One query and several, one name and several mean the same to us; a host declares one of the two. A name that is
    to be described may be spelled otherwise. Whatever needs no change is passed on as it is.
    """
    one, several = {"search": ("query", "queries"), "describe": ("name", "names")}[role]
    declared = _bridge(session.agent.tools)[getattr(DEFAULT_NAMES, role)]["function"]["parameters"]["properties"]
    raw = dict(as_mapping(arguments, one))
    wanted, other = (several, one) if several in declared else (one, several)
    given = texts(raw.get(wanted, raw.get(other)), MAX_NAMES)
    values = [_registered(session, name) for name in given] if role == "describe" else given
    if (wanted in raw and values == given) or not (wanted in raw or other in raw):
        return [arguments]
    rest = {key: value for key, value in raw.items() if key not in (one, several)}
    shapes = [{several: values}] if wanted == several else [{one: value} for value in values]
    return [json.dumps({**rest, **shape}, ensure_ascii=False) for shape in shapes] or [arguments]


def _registered(session: Session, name: str) -> str:
    """The name of the deferred tool that ``name`` means, or what was written where it means none."""
    found = session.scope().resolve(name)
    return found.name if isinstance(found, Resolved) and found.kind == "deferred" else name


def without_references(original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The host's answer with the local references of a schema in it inlined: Gemini refuses a result that has some."""
    answer = original(*args, **kwargs)
    try:
        if not isinstance(answer, str) or '"$ref"' not in answer:
            return answer
        parsed = json.loads(answer)
        tools = parsed.get("tools")
        for part in (parsed, *(tools.values() if isinstance(tools, dict) else ())):
            if isinstance(part, dict) and isinstance(part.get("parameters"), dict):
                part["parameters"] = inline_refs(part["parameters"])
        return json.dumps(parsed, ensure_ascii=False)
    except Exception:
        seams.fall_back("inlining the references of a schema")
        return answer


def dispatch_tool_describe(original: Callable[..., Any], args: Any, **kwargs: Any) -> Any:
    """Describe tools; of a name that this session cannot reach the host would say "call it directly"."""
    answer = without_references(original, args, **kwargs)
    session = current()
    try:
        parsed = json.loads(answer)
        wrong = parsed.get("errors") or (
            {args["name"]: parsed["error"]} if args.get("name") and "error" in parsed else {}
        )
        if session is None or not wrong:
            return answer
        scope = session.scope()
        told = {name: found.text for name in wrong if isinstance(found := scope.resolve(name), Unresolved)}
        if "errors" in parsed:
            parsed["errors"] |= told
        else:
            parsed["error"] = told.get(args["name"], parsed["error"])
        return json.dumps(parsed, ensure_ascii=False)
    except Exception:
        seams.fall_back("saying why a tool cannot be described")
        return answer


def resolve_underlying_call(original: Callable[..., Any], args: Any) -> Any:
    """Resolve a bridge call; one that was refused before it got here is answered with our reason."""
    if isinstance(args, Mapping) and isinstance(args.get(bridge_tools.REFUSED), Mapping):
        return None, {}, native_names.sentence(args[bridge_tools.REFUSED])
    return original(args)


def tool_execution(*, tool_name: str, args: Any, next_call: Callable[..., Any], **context: Any) -> Any:
    """Middleware: check a deferred tool's arguments after every hook has had its say, and only then run it."""
    return execution.dispatch(lambda _, arguments: next_call(arguments), tool_name, args)


AGENT_SEAMS: dict[str, Callable[..., Any] | None] = {
    "run_conversation": run_conversation,
    "_repair_tool_call": wire.repair_tool_call,
    "_build_api_kwargs": None,  # the array is the host's, and so are its names until the request is on its way
    "_interruptible_api_call": wire.api_call,
    "_interruptible_streaming_api_call": wire.api_call,
    "_fire_tool_gen_started": wire.tool_gen_started,
}
"""What takes the place of this plugin's other wrappers of ``AIAgent`` on these hosts."""

_WRAPPERS: dict[str, Callable[..., Any]] = {
    "search_catalog": search_catalog,
    "build_catalog": build_catalog,
    "build_catalog_listing_with_form": build_catalog_listing_with_form,
    "classify_tools": over_a_list,
    "scoped_deferrable_names": over_a_list,
    "is_deferrable_tool_name": is_deferrable_tool_name,
    "should_activate": should_activate,
    "load_config": load_config,
    "load_config_readonly": load_config,
    "resolve_underlying_call": resolve_underlying_call,
    "dispatch_tool_describe": dispatch_tool_describe,
    "validate_deferred_call_args": without_references,
}
_NOT_ON_ALL = ("load_config_readonly",)
_HELD_ELSEWHERE = ("search_catalog",)
"""Names that other modules of the host may have imported; the others are looked up in its own module alone."""
