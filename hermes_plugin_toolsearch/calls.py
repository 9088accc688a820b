"""What a model wrote for the call tool -> the invocations that it states, or refusals that show how to write them.

Models write a call in many shapes: arguments as JSON text, beside the name instead of under ``arguments``, under
another key, the bridge inside the bridge. Each shape here is taken because it can be read in one way only. Whatever
can be read in two ways, or in none, is refused with the corrected call; no invocation holds a name or an argument
that the input does not state.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from . import refusals
from .names import Resolved, Scope, Unresolved, squash
from .refusals import Refusal
from .salvage import salvaged
from .schema import completed, shape, type_of

__all__ = ["MAX_CALLS", "MAX_DEPTH", "Invocation", "Refusal", "open_call"]

MAX_CALLS = 16
"""Calls in one envelope. Those beyond it are refused together."""

MAX_DEPTH = 5
"""Envelopes within envelopes, and JSON text within JSON text."""

_Role = Literal["name", "arguments", "calls", "server", "remark"]

# Keys by role, without case and separators. Beside each first one: what models and other tool protocols write.
_ROLES: dict[str, _Role] = {
    **dict.fromkeys(("name", "tool", "toolname", "function", "functionname"), "name"),
    **dict.fromkeys(("arguments", "args", "parameters", "params", "input", "toolinput", "toolargs"), "arguments"),
    **dict.fromkeys(("toolarguments", "functionarguments"), "arguments"),
    **dict.fromkeys(("calls", "toolcalls"), "calls"),
    **dict.fromkeys(("server", "servername", "mcpserver"), "server"),
    **dict.fromkeys(("id", "callid", "toolcallid", "type", "index"), "remark"),
    **dict.fromkeys(("reason", "reasoning", "thought", "explanation"), "remark"),
}
_WRAPPERS = {"call", "toolcall", "functioncall"}


@dataclass(frozen=True, slots=True)
class Invocation:
    """One call of a real tool (or of the bridge's search or describe), as the input states it; not yet checked."""

    name: str
    arguments: dict[str, Any]


def open_call(arguments: object, scope: Scope) -> tuple[Invocation | Refusal, ...]:
    """Read ``arguments``, what the host parsed or the raw text, as calls within ``scope``.

    One outcome per stated call, in order, at most ``MAX_CALLS`` and one more refusal for the rest. Never empty,
    never raises, and does not change ``arguments``.
    """
    outcomes = list(islice(_opened(arguments, scope, 0), MAX_CALLS + 1))
    if len(outcomes) > MAX_CALLS:
        error = f"Only the first {MAX_CALLS} calls were taken; send the others again, at most {MAX_CALLS} at once."
        outcomes[MAX_CALLS:] = [Refusal({"error": error})]
    return tuple(_sendable(outcome, scope) if isinstance(outcome, Refusal) else outcome for outcome in outcomes)


def _sendable(refusal: Refusal, scope: Scope) -> Refusal:
    """Return ``refusal`` with corrected calls that will not be refused for their shape in turn."""

    def checked(call: Mapping[str, Any]) -> Mapping[str, Any]:
        if "calls" in call:
            return {"calls": [checked(part) for part in call["calls"]]}
        target = scope.resolve(call["name"])
        if isinstance(target, Unresolved) or target.name == scope.bridge.call:
            return call
        again = next(_opened(call, scope, MAX_DEPTH - 1))
        if isinstance(again, Invocation) and again.name == target.name:
            return call
        return refusals.call(target.name, completed({}, target.entry.parameters))

    message = dict(refusal.message)
    if "corrected_call" in message:
        message["corrected_call"] = checked(message["corrected_call"])
    if "one_of" in message:
        message["one_of"] = [checked(call) for call in message["one_of"]]
    return Refusal(message)


def _opened(written: object, scope: Scope, depth: int) -> Iterator[Invocation | Refusal]:
    if depth > MAX_DEPTH:
        yield refusals.malformed("the calls are nested too deeply.", "<tool name>", {})
        return
    try:
        value = _decoded(written)
    except ValueError as error:
        yield _unreadable(str(written), str(error), scope)
        return
    if isinstance(value, list) and value:
        for item in value:
            yield from _opened(item, scope, depth + 1)
    elif isinstance(value, Mapping):
        yield from _envelope(value, scope, depth)
    elif _empty(value):
        yield refusals.nameless({}, scope)
    else:
        yield refusals.nameless({"<parameter>": value}, scope)


def _envelope(envelope: Mapping[str, Any], scope: Scope, depth: int) -> Iterator[Invocation | Refusal]:
    live = {key: value for key, value in envelope.items() if not (_role(key) and _empty(value))}
    names = {key: value for key, value in live.items() if _role(key) == "name" and isinstance(value, str)}
    names = {key: value for key, value in names.items() if not value.lstrip().startswith("{")}
    if not names:
        yield from _unnamed(live, scope, depth)
        return
    key, target = _target(names, live, scope)
    if isinstance(target, Unresolved):
        yield refusals.unresolved(target, _own(live, key), scope)
        return
    if isinstance(target, Refusal):
        yield target
        return
    rest = {other: value for other, value in envelope.items() if other != key}
    if target.name == scope.bridge.call:
        yield from _opened(rest, scope, depth + 1)
        return
    batch = [
        other for other in live if _role(other) == "calls" and other not in shape(target.entry.parameters).properties
    ]
    if batch:
        yield from _both(target, {k: v for k, v in rest.items() if k not in batch}, live[batch[0]], scope, depth)
        return
    yield _read(target, rest, scope)


def _unnamed(live: Mapping[str, Any], scope: Scope, depth: int) -> Iterator[Invocation | Refusal]:
    """Open an envelope that names no tool itself: the calls, or the envelope, are one level further down."""
    stated = {key: value for key, value in live.items() if _role(key) != "remark"}
    if len(stated) == 1:
        key, value = next(iter(stated.items()))
        wrapper = _role(key) in ("name", "arguments", "calls") or squash(key) in _WRAPPERS | {squash(scope.bridge.call)}
        if wrapper and (_role(key) == "calls" or not isinstance(_decoded_or_none(value), str | int | float | None)):
            yield from _opened(value, scope, depth + 1)
            return
        named = scope.resolve(key) if not wrapper else None
        if isinstance(named, Resolved) and named.exact and isinstance(_decoded_or_none(value), Mapping | None):
            yield _read(named, {"arguments": value}, scope)
            return
    if any(_role(key) == "calls" for key in stated):
        reason = "beside `calls` there is more, and it is not clear to which call it belongs."
        yield refusals.ambiguous(reason, [_together(_batch(stated, scope, depth))])
        return
    yield refusals.nameless(_own(live, None), scope)


def _batch(live: Mapping[str, Any], scope: Scope, depth: int) -> Iterator[Invocation | Refusal]:
    for key, value in live.items():
        if _role(key) == "calls":
            yield from islice(_opened(value, scope, depth + 1), MAX_CALLS)


def _both(
    target: Resolved, rest: Mapping[str, Any], batch: object, scope: Scope, depth: int
) -> Iterator[Invocation | Refusal]:
    """Open an envelope with a call of its own and ``calls``: fine if they say the same, else refused, written out."""
    single = _read(target, rest, scope)
    listed = list(islice(_opened(batch, scope, depth + 1), MAX_CALLS))
    same_tool = all(isinstance(outcome, Invocation) and outcome.name == target.name for outcome in listed)
    if listed == [single] or (same_tool and single == Invocation(target.name, {})):
        yield from listed
        return
    yield refusals.ambiguous("there is both a single call and `calls`; send one list.", [_together([single, *listed])])


def _together(outcomes: Iterable[Invocation | Refusal]) -> dict[str, Any]:
    calls = [refusals.call(outcome.name, outcome.arguments) for outcome in outcomes if isinstance(outcome, Invocation)]
    return {"calls": calls[:MAX_CALLS]} if calls else refusals.call("<tool name>", {})


def _target(
    names: Mapping[str, str], live: Mapping[str, Any], scope: Scope
) -> tuple[str, Resolved | Unresolved | Refusal]:
    """Return the key that names the tool, and the tool. An exact name counts for more than another spelling."""
    server = next((item for item in live.items() if _role(item[0]) == "server" and isinstance(item[1], str)), None)
    found: dict[str, Resolved] = {}
    missed: dict[str, Unresolved] = {}
    for key, written in names.items():
        resolved = scope.resolve(written)
        if server is not None:
            resolved = _at_server(server, written, resolved, scope)
        if isinstance(resolved, Resolved):
            found[key] = resolved
        else:
            missed[key] = resolved
    if not found:
        key = "name" if "name" in missed else next(iter(missed))
        return key, missed[key]
    strongest = {key: tool for key, tool in found.items() if tool.exact} or found
    # `name` may repeat the bridge's own name beside the key that names the tool.
    strongest = {key: tool for key, tool in strongest.items() if tool.name != scope.bridge.call} or strongest
    key = "name" if "name" in strongest else next(iter(strongest))
    if len({tool.name for tool in strongest.values()}) > 1:
        calls = [refusals.call(tool.name, _own(live, *names)) for tool in strongest.values()]
        return key, refusals.ambiguous("more than one tool is named; send one call for each that you mean.", calls)
    return key, strongest[key]


def _at_server(
    server: tuple[str, str], written: str, resolved: Resolved | Unresolved, scope: Scope
) -> Resolved | Unresolved:
    """Take what ``written`` means at the server that is named beside it, unless that is an argument of the tool."""
    if isinstance(resolved, Resolved) and (resolved.exact or server[0] in shape(resolved.entry.parameters).properties):
        return resolved
    if isinstance(resolved, Unresolved) and resolved.reason == "not granted":
        return resolved
    return scope.resolve(f"{server[1]}/{written}")


def _read(target: Resolved, rest: Mapping[str, Any], scope: Scope) -> Invocation | Refusal:
    """Read what stands beside the name as the arguments of ``target``: one level down, or right there."""
    form = shape(target.entry.parameters)
    live = {key: value for key, value in rest.items() if key in form.properties or not _idle(key, value, target, scope)}
    if live.get("type") == "function" and "arguments" in live:  # of the provider's own envelope
        del live["type"]
    nested: dict[str, dict[str, Any]] = {}
    broken = ""
    for key, value in live.items():
        if _role(key) == "arguments":
            try:
                nested[key] = _as_arguments(value, target, scope)
            except ValueError as error:
                broken = broken or f"`{key}` is not an object of arguments: {error}."
    holders = [key for key in live if _role(key) == "arguments"]
    readings: list[dict[str, Any]] = []
    if len(live) == 1:
        readings += nested.values()
    if all(key in form.properties for key in live) or not holders:
        readings.append(dict(live))
    readings.sort(key=lambda reading: _fit(reading, target), reverse=True)
    if len(readings) == 1 or (readings and _fit(readings[0], target) > _fit(readings[1], target)):
        return Invocation(target.name, readings[0])
    if readings and "arguments" in nested:
        return Invocation(target.name, nested["arguments"])
    if readings:
        calls = [refusals.call(target.name, reading) for reading in readings]
        return refusals.ambiguous("these arguments can be read in two ways; send the one you mean.", calls)
    if broken and len(live) == 1:
        return refusals.malformed(broken, target.name, _rewritten(next(iter(live.values())), target))
    merged = {key: value for key, value in live.items() if key not in holders}
    for part in nested.values():
        merged = {**merged, **part}
    reason = "there are arguments both beside and under `arguments`; put all of them under it."
    return refusals.ambiguous(reason, [refusals.call(target.name, merged)])


def _idle(key: str, value: object, target: Resolved, scope: Scope) -> bool:
    """Say whether ``key``, which ``target`` does not take, adds nothing to the call."""
    role = _role(key)
    if role == "remark":
        form = shape(target.entry.parameters)
        return bool(form.properties) or form.open is False or value == "function"
    if role == "name" and isinstance(value, str) and value.strip():
        again = scope.resolve(value)
        return isinstance(again, Resolved) and again.name in (target.name, scope.bridge.call)
    if role == "server" and isinstance(value, str):
        return squash(value) == squash(target.entry.server)
    return role is not None and _empty(value)


def _fit(reading: Mapping[str, Any], target: Resolved) -> tuple[bool, bool]:
    form = shape(target.entry.parameters)
    return reading.keys() <= form.properties.keys(), set(form.required) <= reading.keys()


def _as_arguments(value: object, target: Resolved, scope: Scope) -> dict[str, Any]:
    """Take ``value`` as an object of arguments, without an envelope that was put around it once more.

    Raises ValueError, with the reason, if it is none.
    """
    form = shape(target.entry.parameters)
    for _ in range(MAX_DEPTH):
        value = _decoded(value)
        if _empty(value):
            return {}
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], Mapping):
            value = value[0]
        if not isinstance(value, Mapping):
            raise ValueError(f"it is {_kind(value)}")
        holders = [key for key in value if _role(key) == "arguments" and key not in form.properties]
        others = [key for key in value if key not in holders and not _names(key, value[key], target, scope)]
        if len(holders) != 1 or others or not form.properties:
            break
        value = value[holders[0]]
    return dict(value) if isinstance(value, Mapping) else {}


def _names(key: str, value: object, target: Resolved, scope: Scope) -> bool:
    if _role(key) != "name" or not isinstance(value, str):
        return False
    resolved = scope.resolve(value)
    return isinstance(resolved, Resolved) and resolved.name == target.name


def _rewritten(value: object, target: Resolved) -> dict[str, Any]:
    """Write ``value``, which is no object, as the arguments that were most likely meant. Shown, never run."""
    form = shape(target.entry.parameters)
    found = salvaged(value) if isinstance(value, str) else value
    if isinstance(found, Mapping):
        return completed(found, target.entry.parameters)
    candidates = form.required or tuple(form.properties)
    if len(candidates) == 1 and not (isinstance(value, str) and value.lstrip()[:1] in ("{", "[")):
        wanted = type_of(form.properties.get(candidates[0]), target.entry.parameters)
        if wanted == "string" or not isinstance(value, str):
            return {candidates[0]: value}
    return completed({}, target.entry.parameters)


def _unreadable(text: str, error: str, scope: Scope) -> Refusal:
    """Refuse text that is no JSON, with as much of it as can be made out in the corrected call."""
    reason = f"this is not JSON: {error}."
    found = salvaged(text)
    if isinstance(found, Mapping):
        outcome = next(_opened(found, scope, MAX_DEPTH))
        if isinstance(outcome, Refusal):
            return Refusal({**outcome.message, "error": f"Nothing was run: {reason}"})
        target = scope.resolve(outcome.name)
        parameters = target.entry.parameters if isinstance(target, Resolved) else {}
        return refusals.malformed(reason, outcome.name, completed(outcome.arguments, parameters))
    return refusals.malformed(reason, "<tool name>", {})


def _decoded(value: object) -> object:
    """``value`` with JSON text around it undone, however often it was applied. Raises ValueError if it is broken."""
    for _ in range(MAX_DEPTH):
        if not isinstance(value, str) or not value.strip():
            break
        try:
            value = json.loads(value, parse_constant=_no_constant)
        except RecursionError:
            raise ValueError("it is nested too deeply") from None
    return value


def _decoded_or_none(value: object) -> Any:
    try:
        decoded = _decoded(value)
    except ValueError:
        return value
    return None if _empty(decoded) else decoded


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not a JSON value")


def _role(key: object) -> _Role | None:
    return _ROLES.get(squash(key)) if isinstance(key, str) else None


def _empty(value: object) -> bool:
    if isinstance(value, str):
        return not value.strip()
    return value is None or (isinstance(value, list | Mapping) and not value)


def _own(live: Mapping[str, Any], *names: str | None) -> dict[str, Any]:
    """Return the arguments in an envelope whose tool is not known, to show them in a corrected call."""
    rest = {key: value for key, value in live.items() if key not in names and _role(key) != "remark"}
    if any(_role(key) == "arguments" for key in rest):
        rest = {key: value for key, value in rest.items() if _role(key) != "server"}
    if len(rest) == 1:
        key, value = next(iter(rest.items()))
        inner = _decoded_or_none(value)
        if _role(key) == "arguments" and isinstance(inner, Mapping):
            return dict(inner)
    return rest


def _kind(value: object) -> str:
    kinds = {str: "text", bool: "a boolean", int: "a number", float: "a number", list: "a list"}
    return kinds.get(type(value), "no object")
