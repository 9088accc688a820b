"""Names between a model provider and a host that keeps its own tools array.

The array, the history and the feeds of such a host hold the bridge under its usual names. Only what goes out is
changed, and what comes in is changed back; where the host does that itself for a provider, nothing is left to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any

from ..config import DEFAULT_NAMES, BridgeNames
from . import direct, feed, host, providers, requests, seams
from .session import current

_USUAL = (DEFAULT_NAMES.search, DEFAULT_NAMES.describe, DEFAULT_NAMES.call)


def api_call(original: Callable[..., Any], agent: Any, api_kwargs: Any, *args: Any, **kwargs: Any) -> Any:
    """Call the model with a request that its provider takes, and read its answer's names as the host knows them."""
    if _calling.get():  # a stream that falls back to a plain request
        return original(agent, api_kwargs, *args, **kwargs)

    def call(agent: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
        names = BridgeNames()
        try:
            names = wire_names(agent)
            session = current()
            request = on_the_wire(request, names, session.has_tool if session is not None else lambda name: False)
        except Exception:
            seams.fall_back("preparing a request for its provider")
        answer = original(agent, request, *args, **kwargs)
        try:
            _read(agent, answer, names)
        except Exception:
            seams.fall_back("reading the names in an answer")
        return answer

    token = _calling.set(True)
    try:
        return requests.api_call(call, agent, api_kwargs, *args, **kwargs)
    finally:
        _calling.reset(token)


_calling: ContextVar[bool] = ContextVar("toolsearch_calling", default=False)


def wire_names(agent: Any) -> BridgeNames:
    """The bridge's names that the provider of ``agent`` takes, or that the user wants."""
    return host.user_config()[0].names(providers.Provider.of(agent).bridge_names())


def on_the_wire(request: Any, names: BridgeNames, is_tool: Callable[[str], bool] = lambda name: False) -> Any:
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
        paired = providers.paired(messages, wire, is_tool)
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
    for call in _calls_in(answer):
        if call.name in agent.valid_tool_names:
            continue
        if call.name in usual:
            call.name = usual[call.name]
            continue
        valid = direct.admitting(agent)
        if session is not None and session.agent is agent and direct.answered(session, call.name):
            valid.more.add(call.name)


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
