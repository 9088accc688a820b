"""What a model wrote for the call tool -> the invocations that it states, or refusals that show how to write them.

Models write a call in many shapes: arguments as JSON text, beside the name instead of under ``arguments``, under
another key, the bridge inside the bridge. Each shape here is taken because it can be read in one way only. Whatever
can be read in two ways, or in none, is refused with the corrected call; no invocation holds a name or an argument
that the input does not state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from . import refusals
from .names import Resolved, Scope, Unresolved, squash
from .reading import MAX_DEPTH, Invocation, decoded, decoded_or_none, is_empty, read_arguments, role_of
from .refusals import Refusal
from .salvage import salvaged
from .schema import completed, shape

__all__ = ["MAX_CALLS", "MAX_DEPTH", "Invocation", "Refusal", "open_call"]

MAX_CALLS = 16
"""Calls in one envelope. Those beyond it are refused together."""

_WRAPPERS = {"call", "toolcall", "functioncall"}


def open_call(arguments: object, scope: Scope) -> tuple[Invocation | Refusal, ...]:
    """Read ``arguments``, what the host parsed or the raw text, as calls within ``scope``.

    One outcome per stated call, in order, at most ``MAX_CALLS`` and one more refusal for the rest. Never empty,
    never raises, and does not change ``arguments``.
    """
    outcomes = list(islice(_opened(arguments, scope, 0), MAX_CALLS + 1))
    if len(outcomes) > MAX_CALLS:
        error = f"Only the first {MAX_CALLS} calls were taken; send the others again, at most {MAX_CALLS} at once."
        outcomes[MAX_CALLS:] = [Refusal({"error": error})]
    return tuple(outcomes)


def _opened(written: object, scope: Scope, depth: int) -> Iterator[Invocation | Refusal]:
    if depth > MAX_DEPTH:
        yield refusals.malformed("the calls are nested too deeply.", "<tool name>", {})
        return
    try:
        value = decoded(written)
    except ValueError as error:
        yield _unreadable(str(written), str(error), scope)
        return
    if isinstance(value, list) and value:
        for item in value:
            yield from _opened(item, scope, depth + 1)
    elif isinstance(value, Mapping):
        yield from _envelope(value, scope, depth)
    elif is_empty(value):
        yield refusals.nameless({}, scope)
    else:
        yield refusals.nameless({"<parameter>": value}, scope)


def _envelope(envelope: Mapping[str, Any], scope: Scope, depth: int) -> Iterator[Invocation | Refusal]:
    live = {key: value for key, value in envelope.items() if not (role_of(key) and is_empty(value))}
    names = {key: value for key, value in live.items() if role_of(key) == "name" and isinstance(value, str)}
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
        other for other in live if role_of(other) == "calls" and other not in shape(target.entry.parameters).properties
    ]
    if batch:
        yield from _both(target, {k: v for k, v in rest.items() if k not in batch}, live[batch[0]], scope, depth)
        return
    yield read_arguments(target, rest, scope)


def _unnamed(live: Mapping[str, Any], scope: Scope, depth: int) -> Iterator[Invocation | Refusal]:
    """Open an envelope that names no tool itself: the calls, or the envelope, are one level further down."""
    stated = {key: value for key, value in live.items() if role_of(key) != "remark" and value is not None}
    if len(stated) == 1:
        key, value = next(iter(stated.items()))
        wrapper = role_of(key) in ("name", "arguments", "calls") or squash(key) in _WRAPPERS | {
            squash(scope.bridge.call)
        }
        if wrapper and (role_of(key) == "calls" or not isinstance(decoded_or_none(value), str | int | float | None)):
            yield from _opened(value, scope, depth + 1)
            return
        named = scope.resolve(key) if not wrapper else None
        if isinstance(named, Resolved) and named.exact and isinstance(decoded_or_none(value), Mapping | None):
            yield read_arguments(named, {"arguments": value}, scope)
            return
    if any(role_of(key) == "calls" for key in stated):
        reason = "beside `calls` there is more, and it is not clear to which call it belongs."
        yield refusals.ambiguous(reason, [_together(_batch(stated, scope, depth))])
        return
    yield refusals.nameless(_own(live, None), scope)


def _batch(live: Mapping[str, Any], scope: Scope, depth: int) -> Iterator[Invocation | Refusal]:
    for key, value in live.items():
        if role_of(key) == "calls":
            yield from islice(_opened(value, scope, depth + 1), MAX_CALLS)


def _both(
    target: Resolved, rest: Mapping[str, Any], batch: object, scope: Scope, depth: int
) -> Iterator[Invocation | Refusal]:
    """Open an envelope with a call of its own and ``calls``: fine if they say the same, else refused, written out."""
    single = read_arguments(target, rest, scope)
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
    server = next((item for item in live.items() if role_of(item[0]) == "server" and isinstance(item[1], str)), None)
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
    if isinstance(resolved, Unresolved) and resolved.reason in ("not granted", "absent"):
        return resolved
    return scope.resolve(f"{server[1]}/{written}")


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


def _own(live: Mapping[str, Any], *names: str | None) -> dict[str, Any]:
    """Return the arguments in an envelope whose tool is not known, to show them in a corrected call."""
    rest = {key: value for key, value in live.items() if key not in names and role_of(key) != "remark"}
    if any(role_of(key) == "arguments" for key in rest):
        rest = {key: value for key, value in rest.items() if role_of(key) != "server"}
    if len(rest) == 1:
        key, value = next(iter(rest.items()))
        inner = decoded_or_none(value)
        if role_of(key) == "arguments" and isinstance(inner, Mapping):
            return dict(inner)
    return rest
