"""Hosts that have the tiered tool search of their own: everything that is rebound there.

Such a host keeps its bridge, connectors, deferral list, metrics, argument shapes and result shapes. What it lacks is
put behind the names of its ``tools.tool_search``: our retrieval, our listing in exact tokens, pins, ``hermes.yaml``.
Each is a wrapper that falls back to the host's own function; a name that the host no longer has leaves that one
feature off. Arguments are checked by a middleware, which is a public surface. ``docs/hosts.md`` says of every name
why it is rebound and which change of the host would end that.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from fnmatch import fnmatchcase
from types import ModuleType
from typing import Any, Literal

from .. import changes
from ..assembly import Assembly
from ..bridge import MAX_NAMES, as_mapping, texts
from ..catalog import Catalog, Definition, Partition, partition, refresh, split_name
from ..config import DEFAULT_NAMES, BridgeNames, ToolSearchConfig
from ..listing import Listing, listing_budget, make_listing
from . import bridge_tools, direct, execution, feed, host, native_names, providers, requests, seams
from .host import log
from .session import Published, Session, current, running, session_of

_BARE = Listing(2, "bare", "", 0, 0)

_config_at_hand: ContextVar[ToolSearchConfig | None] = ContextVar("toolsearch_config", default=None)
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
        return original(_with_terms(catalog), query, limit, **kwargs)


def build_catalog(original: Callable[..., Any], tool_defs: Sequence[Definition]) -> Any:
    """The host's entries without the terms that only its own search reads: they are most of the time that it takes."""
    try:
        make = _native().CatalogEntry
        return [
            make(
                name=made.name,
                description=made.description,
                schema=made.schema,
                source=made.source,
                source_name=made.source_name,
            )
            for made in native_names.build_catalog(tool_defs)
        ]
    except Exception:
        seams.fall_back("building the catalog")
        return original(tool_defs)


def _with_terms(catalog: Sequence[Any]) -> list[Any]:
    """The entries as the host's own search needs them."""
    build = getattr(_native().build_catalog, "__wrapped__", _native().build_catalog)
    return [entry if getattr(entry, "_tokens", True) else build([entry.schema])[0] for entry in catalog]


# Which tools are deferred


@contextmanager
def _config() -> Iterator[ToolSearchConfig]:
    """The configuration, read once for all tools of a list: reading it takes 0.06 ms, a thousand times a list."""
    config = _config_at_hand.get()
    if config is not None:
        yield config
        return
    config = host.user_config()[0]
    token = _config_at_hand.set(config)
    try:
        yield config
    finally:
        _config_at_hand.reset(token)


def over_a_list(original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Judge every tool of a list by one reading of the configuration."""
    with _config():
        return original(*args, **kwargs)


def is_deferrable_tool_name(original: Callable[..., bool], name: str, *args: Any, **kwargs: Any) -> bool:
    """Whether the host may defer ``name``: never what the user pinned, nor a worker's own kanban tools."""
    deferrable = original(name, *args, **kwargs)
    try:
        with _config() as config:
            if deferrable:
                return not (host.is_workers_own(name) or (config.pin and _pinned(config, name)))
            return (
                bool(config.defer)
                and host.is_known(name)
                and name not in DEFAULT_NAMES.as_set()
                and not host.is_workers_own(name)
                and any(fnmatchcase(name, pattern) for pattern in config.defer)
                and not _pinned(config, name)
            )
    except Exception:
        seams.fall_back("looking up pins")
        return deferrable


def _pinned(config: ToolSearchConfig, name: str) -> bool:
    toolset = host.toolset_of(name) or ""
    return config.pinned(name, split_name(name, toolset.removeprefix("mcp-") or None)[0])


def load_config(original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The host's configuration, with what stands in a ``hermes.yaml`` too; the first step of every assembly."""
    seams.install_on_agent()
    try:
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

        listing = _listing(parts.catalog, max_tokens - (tokens.count(unavailable) if unavailable else 0))
        text = "\n".join(part for part in (listing.text, unavailable) if part)
        return text or None, "none" if listing.form == "bare" else listing.form
    except Exception:
        seams.fall_back("making the listing")
        return original(deferrable, max_tokens=max_tokens)


def _listing(catalog: Catalog, budget: int) -> Listing:
    config = host.user_config()[0]
    room = _room.get() or config.description_max_chars or None
    return make_listing(catalog, budget=budget, mode=config.listing, max_chars=room, trust=config.trust)


# The session


def assembly(session: Session) -> Assembly:
    """What this session's model sees: the host's own array, and the catalog behind the bridge in it."""
    held = getattr(session.agent, "tools", None)
    tools = _assembled(session) if held is None else list(held)
    definitions = session.definitions()
    if not DEFAULT_NAMES.as_set() <= {_name(definition) for definition in tools}:
        nothing = Partition(tuple(definitions), Catalog((), ""))
        return Assembly(tools, nothing, None, "the host put no bridge into the tools array", DEFAULT_NAMES)
    hidden = _native().scoped_deferrable_names(definitions)
    surface = host.Surface(session.config)
    parts = partition(definitions, stays_visible=lambda name: name not in hidden, server_of=surface.server_of)
    config = session.config
    budget = listing_budget(config.threshold_pct, config.listing_max_tokens, session.context_length)
    listing = _listing(parts.catalog, budget) if len(parts.catalog) else _BARE
    return Assembly(tools, parts, listing, "", DEFAULT_NAMES)


def run_conversation(original: Callable[..., Any], agent: Any, *args: Any, **kwargs: Any) -> Any:
    """Run one turn with its session current, and remember the array as the turn left it."""
    session = session_of(agent)
    with running(session):
        try:
            settle(session)
        except Exception:
            seams.fall_back("settling the tools array")
        try:
            return original(agent, *args, **kwargs)
        finally:
            if session.published is not None:
                session.published.tools = list(getattr(agent, "tools", None) or ())


def settle(session: Session) -> None:
    """Follow the host's array: make its listing fit the session's own model, and tell what changed behind it.

    The bytes of the bridge's entries are the host's to keep. They are replaced before the first turn, when nothing is
    cached yet (an array that the host has stored for this session takes their place again), after the host has built
    its array anew, and under ``catalog_changes: rebuild``.
    """
    held = session.published
    refresh()
    live = assembly(session)
    if not live.activated:
        session.published, session.told = Published(live.tool_defs, live), None
        return
    if held is None or not held.assembly.activated or _bridge(held.tools) != _bridge(live.tool_defs):
        publish(session)
        return
    change = changes.between(session.told or held.assembly.partition.catalog, live.partition.catalog)
    if change is None:
        return
    log.info("tool search: %s", change.summary())
    if session.config.catalog_changes == "announce":
        session.tell(change.note(live.names), live.partition.catalog)
    else:
        publish(session)


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
    provider = providers.Provider.of(session.agent)
    limit = session.max_chars or session.config.description_max_chars or provider.description_max_chars()
    room = limit
    tools: list[Definition] = []
    for _ in range(2):
        token = _room.set(room)
        try:
            tools = native.assemble_tool_defs(
                session.definitions(), context_length=session.context_length, config=native.load_config()
            ).tool_defs
        finally:
            _room.reset(token)
        search = _bridge(tools).get(DEFAULT_NAMES.search, {}).get("function", {}).get("description", "")
        if limit is None or room is None or len(search) <= limit:
            break
        room = max(1, room - (len(search) - limit))
    return tools


def _bridge(tools: Sequence[Definition]) -> dict[str, Definition]:
    return {_name(item): item for item in tools if _name(item) in DEFAULT_NAMES.as_set()}


def _name(definition: Definition) -> str:
    return str((definition.get("function") or {}).get("name") or "")


# Calls


def opens(call: Any) -> bool:
    """Whether the host carries out a bridge call by its real name at every step, so that it needs no opening by us.

    It does where it also plans what may run in parallel by the real name, and can read the call.
    """
    from agent import tool_dispatch_helpers as planner

    if not hasattr(planner, "_peel_bridge_call"):
        return False
    arguments = call.function.arguments
    if "connectors__" in str(arguments):  # tools of hosted accounts, which no session of ours knows
        return True
    try:
        parsed = json.loads(arguments) if isinstance(arguments, str) else arguments
        return isinstance(parsed, Mapping) and not _native().resolve_underlying_call(parsed)[2]
    except ValueError:
        return False


def in_the_hosts_shape(session: Session, role: Literal["search", "describe"], arguments: Any) -> list[Any]:
    """What a lookup's ``arguments`` come to in the shape that the host declares, a call of the host for each.

    One query and several, one name and several mean the same to us; a host declares one of the two. Arguments that
    are in its shape, and those that are in neither, are passed on as they are.
    """
    one, several = {"search": ("query", "queries"), "describe": ("name", "names")}[role]
    declared = _bridge(session.agent.tools)[getattr(DEFAULT_NAMES, role)]["function"]["parameters"]["properties"]
    raw = dict(as_mapping(arguments, one))
    wanted, other = (several, one) if several in declared else (one, several)
    if wanted in raw or other not in raw:
        return [arguments]
    values = texts(raw.pop(other), MAX_NAMES)
    if wanted == several:
        return [json.dumps({**raw, several: values}, ensure_ascii=False)]
    return [json.dumps({**raw, one: value}, ensure_ascii=False) for value in values] or [arguments]


def resolve_underlying_call(original: Callable[..., Any], args: Any) -> Any:
    """Resolve a bridge call; one that was refused before it got here is answered with our reason."""
    if isinstance(args, Mapping) and isinstance(args.get(bridge_tools.REFUSED), Mapping):
        return None, {}, native_names.sentence(args[bridge_tools.REFUSED])
    return original(args)


def tool_execution(*, tool_name: str, args: Any, next_call: Callable[..., Any], **context: Any) -> Any:
    """Middleware: check a deferred tool's arguments after every hook has had its say, and only then run it."""
    return execution.dispatch(lambda _, arguments: next_call(arguments), tool_name, args)


# Requests and answers


def api_call(original: Callable[..., Any], agent: Any, api_kwargs: Any, *args: Any, **kwargs: Any) -> Any:
    """Call the model with a request that its provider takes, and read its answer's names as the host knows them."""

    def call(agent: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
        names = BridgeNames()
        try:
            names = wire_names(agent)
            request = on_the_wire(request, names)
        except Exception:
            seams.fall_back("preparing a request for its provider")
        answer = original(agent, request, *args, **kwargs)
        try:
            _read(agent, answer, names)
        except Exception:
            seams.fall_back("reading the names in an answer")
        return answer

    return requests.api_call(call, agent, api_kwargs, *args, **kwargs)


def wire_names(agent: Any) -> BridgeNames:
    """The bridge's names that the provider of ``agent`` takes, or that the user wants."""
    return host.user_config()[0].names(providers.Provider.of(agent).bridge_names())


def on_the_wire(request: Any, names: BridgeNames) -> Any:
    """The built ``request`` with results labelled as their calls, and the bridge under ``names``.

    A name is replaced only where the request still declares the usual one, so what a host renames for a provider
    itself is left alone.
    """
    if not isinstance(request, Mapping):
        return request
    tools = request.get("tools")
    messages, items = request.get("messages"), request.get("input")
    known = isinstance(items, list) or any("function" in tool for tool in tools or () if isinstance(tool, Mapping))
    declared = {_function(tool).get("name") for tool in tools or ()} if known else set()
    renamed = {usual: name for usual, name in _other(names).items() if usual in declared and name not in declared}
    changed: dict[str, Any] = {}
    if isinstance(messages, list):
        wire = BridgeNames(*(renamed.get(usual, usual) for usual in _USUAL))
        paired = providers.paired(messages, wire)
        if paired != messages:
            changed["messages"] = paired
    if renamed:
        changed["tools"] = [_declared_as(tool, renamed) for tool in tools or ()]
        if isinstance(items, list):
            changed["input"] = [_renamed(item, renamed) if _is_call(item) else item for item in items]
    return {**request, **changed} if changed else request


def _read(agent: Any, answer: Any, names: BridgeNames) -> None:
    """Give calls in ``answer`` the bridge's usual names, and let a deferred tool be called by its real name.

    The host asks whether a name is valid before anything else; it is told of the very names that a model wrote,
    because it lists all valid ones in its error for an unknown name.
    """
    usual = {name: usual for usual, name in _other(names).items()}
    session = current()
    deferred: Mapping[str, Any] | None = None
    for call in _calls_in(answer):
        if call.name in agent.valid_tool_names:
            continue
        if call.name in usual:
            call.name = usual[call.name]
        elif session is not None and session.agent is agent:
            deferred = session.scope().deferred.by_name if deferred is None else deferred
            if call.name in deferred:
                agent.valid_tool_names.add(call.name)


def _calls_in(answer: Any) -> Iterator[Any]:
    """What holds the name of each call: of chat completions, of Responses and of Anthropic's messages."""
    for choice in getattr(answer, "choices", None) or ():
        for call in getattr(getattr(choice, "message", None), "tool_calls", None) or ():
            yield call.function
    for part in (*(getattr(answer, "output", None) or ()), *(getattr(answer, "content", None) or ())):
        if getattr(part, "type", None) in ("function_call", "tool_use"):
            yield part


def repair_tool_call(original: Callable[..., Any], agent: Any, name: Any, *args: Any, **kwargs: Any) -> Any:
    """Resolve a name that the host does not know; the bridge's name at the provider means the bridge."""
    try:
        for usual, other in _other(wire_names(agent)).items():
            if name == other and usual in agent.valid_tool_names:
                return usual
    except Exception:
        seams.fall_back("resolving a bridge name")
    return direct.repair_tool_call(original, agent, name, *args, **kwargs)


def tool_gen_started(original: Callable[..., Any], agent: Any, name: Any, *args: Any, **kwargs: Any) -> Any:
    """Announce a call that is being written, in the host's own words where it has some for the bridge."""
    try:
        name = {other: usual for usual, other in _other(wire_names(agent)).items()}.get(name, name)
        if not has_own_words():
            return feed.tool_gen_started(original, agent, name, *args, **kwargs)
    except Exception:
        seams.fall_back("labelling a call that is being written")
    return original(agent, name, *args, **kwargs)


def has_own_words() -> bool:
    """Whether the host's feeds show the real tool of a bridge call by themselves."""
    from agent import display

    return hasattr(display, "bridge_generating_phrase")


_USUAL = (DEFAULT_NAMES.search, DEFAULT_NAMES.describe, DEFAULT_NAMES.call)


def _other(names: BridgeNames) -> dict[str, str]:
    """Usual name -> name in ``names``, for those that differ."""
    pairs = zip(_USUAL, (names.search, names.describe, names.call), strict=True)
    return {usual: name for usual, name in pairs if usual != name}


def _function(tool: Any) -> Mapping[str, Any]:
    function = tool.get("function", tool) if isinstance(tool, Mapping) else None
    return function if isinstance(function, Mapping) else {}


def _declared_as(tool: Any, renamed: Mapping[str, str]) -> Any:
    """A declared tool under its name at the provider; texts of the bridge name the others so too."""
    function = _function(tool)
    if function.get("name") not in renamed and function.get("name") not in _USUAL:
        return tool
    text = str(function.get("description") or "")
    for usual, name in renamed.items():
        text = text.replace(usual, name)
    function = {**_renamed(function, renamed), "description": text}
    return {**tool, "function": function} if "function" in tool else function


def _renamed(item: Mapping[str, Any], renamed: Mapping[str, str]) -> dict[str, Any]:
    name = str(item.get("name"))
    return {**item, "name": renamed.get(name, name)}


def _is_call(item: Any) -> bool:
    return isinstance(item, Mapping) and item.get("type") == "function_call"


AGENT_SEAMS: dict[str, Callable[..., Any] | None] = {
    "run_conversation": run_conversation,
    "_repair_tool_call": repair_tool_call,
    "_build_api_kwargs": None,  # the array is the host's, and so are its names until the request is on its way
    "_interruptible_api_call": api_call,
    "_interruptible_streaming_api_call": api_call,
    "_fire_tool_gen_started": tool_gen_started,
}
"""What takes the place of this plugin's other wrappers of ``AIAgent`` on these hosts."""

_WRAPPERS: dict[str, Callable[..., Any]] = {
    "search_catalog": search_catalog,
    "build_catalog": build_catalog,
    "build_catalog_listing_with_form": build_catalog_listing_with_form,
    "classify_tools": over_a_list,
    "scoped_deferrable_names": over_a_list,
    "is_deferrable_tool_name": is_deferrable_tool_name,
    "load_config": load_config,
    "load_config_readonly": load_config,
    "resolve_underlying_call": resolve_underlying_call,
}
_NOT_ON_ALL = ("load_config_readonly",)
_HELD_ELSEWHERE = ("search_catalog",)
"""Names that other modules of the host may have imported; the others are looked up in its own module alone."""
