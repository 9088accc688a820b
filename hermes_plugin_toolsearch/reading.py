"""What a model wrote -> what it states: the arguments beside a tool's name, a query, the names to describe.

Arguments stand one level down, under ``arguments`` or what other protocols call it, or right beside the name; and a
tool may have parameters that are called like the keys of the envelope. Every reading that the words allow is made,
and taken only if it is the only one, or the only one that fits the tool's schema.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from . import refusals
from .names import Resolved, Scope, squash
from .refusals import Refusal
from .salvage import salvaged
from .schema import completed, shape, type_of

MAX_DEPTH = 8
"""Envelopes within envelopes, and JSON text within JSON text."""

Role = Literal["name", "arguments", "calls", "server", "remark"]

# Keys by role, without case and separators. Beside each first one: what models and other tool protocols write.
_ROLES: dict[str, Role] = {
    **dict.fromkeys(("name", "tool", "toolname", "function", "functionname"), "name"),
    **dict.fromkeys(("arguments", "args", "parameters", "params", "input", "toolinput", "toolargs"), "arguments"),
    **dict.fromkeys(("toolarguments", "functionarguments"), "arguments"),
    **dict.fromkeys(("calls", "toolcalls"), "calls"),
    **dict.fromkeys(("server", "servername", "mcpserver"), "server"),
    **dict.fromkeys(("id", "callid", "toolcallid", "type", "index"), "remark"),
    **dict.fromkeys(("reason", "reasoning", "thought", "explanation"), "remark"),
}


class Invocation(NamedTuple):
    """One call of a real tool (or of the bridge's search or describe), as the input states it; not yet checked."""

    name: str
    arguments: dict[str, Any]


def read_arguments(target: Resolved, rest: Mapping[str, Any], scope: Scope) -> Invocation | Refusal:
    """Read what stands beside the name as the arguments of ``target``: one level down, or right there."""
    form = shape(target.entry.parameters)
    live = {key: value for key, value in rest.items() if key in form.properties or not _idle(key, value, target, scope)}
    # Of a tool that declares nothing, a remark may be an argument, but not beside an object of arguments.
    if any(role_of(key) == "arguments" for key in rest):
        live = {key: value for key, value in live.items() if key in form.properties or role_of(key) != "remark"}
    if live.get("type") == "function" and "arguments" in live:  # of the provider's own envelope
        del live["type"]
    nested: dict[str, dict[str, Any]] = {}
    broken = ""
    for key, value in live.items():
        if role_of(key) == "arguments":
            try:
                nested[key] = _as_arguments(value, target, scope)
            except ValueError as error:
                broken = broken or f"`{key}` is not an object of arguments: {error}."
    holders = [key for key in live if role_of(key) == "arguments"]
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
    role = role_of(key)
    if role == "remark":
        form = shape(target.entry.parameters)
        return bool(form.properties) or form.open is False or value == "function"
    if role == "name" and isinstance(value, str) and value.strip():
        again = scope.resolve(value)
        return isinstance(again, Resolved) and again.name in (target.name, scope.bridge.call)
    if role == "server" and isinstance(value, str):
        return squash(value) == squash(target.entry.server)
    return role is not None and is_empty(value)


def _fit(reading: Mapping[str, Any], target: Resolved) -> tuple[bool, bool]:
    form = shape(target.entry.parameters)
    return reading.keys() <= form.properties.keys(), set(form.required) <= reading.keys()


def _as_arguments(value: object, target: Resolved, scope: Scope) -> dict[str, Any]:
    """Take ``value`` as an object of arguments, without an envelope that was put around it once more.

    Raises ValueError, with the reason, if it is none.
    """
    form = shape(target.entry.parameters)
    for _ in range(MAX_DEPTH):
        value = decoded(value)
        if is_empty(value):
            return {}
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], Mapping):
            value = value[0]
        if not isinstance(value, Mapping):
            raise ValueError(f"it is {_kind(value)}")
        holders = [key for key in value if role_of(key) == "arguments" and key not in form.properties]
        others = [key for key in value if key not in holders and not _names(key, value[key], target, scope)]
        if len(holders) != 1 or others or not form.properties:
            break
        inner = decoded_or_none(value[holders[0]])
        if not isinstance(inner, Mapping | None):
            break
        value = inner
    return dict(value) if isinstance(value, Mapping) else {}


def _names(key: str, value: object, target: Resolved, scope: Scope) -> bool:
    if role_of(key) != "name" or not isinstance(value, str):
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


def decoded(value: object) -> object:
    """``value`` with JSON text around it undone, however often it was applied. Raises ValueError if it is broken."""
    for _ in range(MAX_DEPTH):
        if not isinstance(value, str) or not value.strip():
            break
        try:
            # Not strict: a raw line break within a string can mean nothing else.
            value = json.loads(value, strict=False, parse_constant=_no_constant)
        except RecursionError:
            raise ValueError("it is nested too deeply") from None
    return value


def decoded_or_none(value: object) -> Any:
    """``value`` decoded, None where that is nothing, or ``value`` itself where it is broken."""
    try:
        found = decoded(value)
    except ValueError:
        return value
    return None if is_empty(found) else found


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not a JSON value")


def role_of(key: object) -> Role | None:
    """What ``key`` is for in an envelope; None for a key that no envelope has."""
    return _ROLES.get(squash(key)) if isinstance(key, str) else None


def is_empty(value: object) -> bool:
    """Whether ``value`` states nothing: null, blank text, an empty object or list."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or (isinstance(value, list | Mapping) and not value)


def _kind(value: object) -> str:
    kinds = {str: "text", bool: "a boolean", int: "a number", float: "a number", list: "a list"}
    return kinds.get(type(value), "no object")


# What a model writes for a search or a description

MAX_QUERIES = 8
MAX_NAMES = 10


def as_mapping(arguments: object, single: str) -> Mapping[str, Any]:
    """Arguments as a mapping: a JSON object in a string is read, any other string is the value of ``single``."""
    if isinstance(arguments, str):
        try:
            parsed = json.loads(arguments)
        except (ValueError, RecursionError):
            return {single: arguments}
        return parsed if isinstance(parsed, dict) else {single: arguments}
    return arguments if isinstance(arguments, Mapping) else {}


def texts(value: object, most: int) -> list[str]:
    """The non-blank strings in ``value``: one string, a list, or a JSON list in a string."""
    if isinstance(value, str):
        text = value.strip()
        if most > 1 and text.startswith("["):
            try:
                return texts(json.loads(text), most)
            except (ValueError, RecursionError):
                pass
        return [text] if text else []
    if isinstance(value, list | tuple):
        return list(dict.fromkeys(item.strip() for item in value if isinstance(item, str) and item.strip()))[:most]
    return []
