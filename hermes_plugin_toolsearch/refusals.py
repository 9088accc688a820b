"""Answers to calls that were not made: what was wrong, and the call to make instead, built from the caller's values.

A model repeats a call that was refused with a rule alone, word for word; it needs the corrected call in front of it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .names import Scope, Unresolved
from .schema import shape

_LONGEST_STRING = 300  # of a value that is shown back; the model has the whole of it
_MOST_ITEMS = 40
_DEEPEST = 8


class Refusal(NamedTuple):
    """One call that was not made. ``message`` is JSON-able and begins with ``error``, a sentence for the model.

    Where a call would have been right, ``corrected_call`` is the object to send instead (``one_of``: several to choose
    from), and ``did_you_mean`` lists granted names.
    """

    message: Mapping[str, Any]

    def answer(self) -> dict[str, Any]:
        """The message as a dictionary of its own."""
        return dict(self.message)

    @property
    def text(self) -> str:
        """The message as the JSON that the model reads."""
        # A lone surrogate that the model wrote could not be sent back.
        return json.dumps(self.message, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")


def unresolved(name: Unresolved, own: Mapping[str, Any], scope: Scope) -> Refusal:
    """No single granted tool has the name that was written."""
    message: dict[str, Any] = {"error": name.text}
    if name.reason == "not granted":
        message["next"] = "Do the task with the tools of this session, or tell the user that this one is not enabled."
    elif name.reason == "absent":
        message["next"] = f"Call {scope.bridge.search} to see whether another tool does it, or tell the user."
    elif name.candidates:
        message["did_you_mean"] = list(name.candidates)
        certain = len(name.candidates) == 1
        message["corrected_call"] = call(name.candidates[0] if certain else "<one of did_you_mean>", own)
    else:
        message["next"] = f"Call {scope.bridge.search} to find the tool's name; what it finds can be called."
        words = "".join(letter if letter.isalnum() else " " for letter in name.written[:_LONGEST_STRING]).split()
        message["corrected_call"] = call(scope.bridge.search, {"query": " ".join(words) or "<what to do>"})
    return Refusal(message)


def nameless(own: Mapping[str, Any], scope: Scope) -> Refusal:
    """Nothing says which tool is meant; the granted tools that would take exactly these arguments are suggested."""
    takers = _takers(own, scope) if own else []
    message: dict[str, Any] = {
        "error": f"Nothing was run: {scope.bridge.call} needs `name`, the tool to run, beside `arguments`, an object."
    }
    if len(takers) == 1:
        named = takers[0]
    elif takers:
        message["did_you_mean"] = takers
        named = "<one of did_you_mean>"
    elif own and own.keys() <= {"query", "queries", "limit"}:
        named = scope.bridge.search
    else:
        message["next"] = f'Call {scope.bridge.search} with {{"query": "…"}} if you do not know the tool\'s name.'
        named = "<tool name>"
    message["corrected_call"] = call(named, own)
    return Refusal(message)


def malformed(reason: str, name: str, arguments: Mapping[str, Any]) -> Refusal:
    """What was written cannot be read as a call of ``name`` (or of a placeholder)."""
    return Refusal({"error": f"Nothing was run: {reason}", "corrected_call": call(name, arguments)})


def ambiguous(reason: str, calls: Sequence[Mapping[str, Any]]) -> Refusal:
    """What was written can be read in more than one way; ``calls`` are those readings, written out."""
    message: dict[str, Any] = {"error": f"Nothing was run: {reason}"}
    if len(calls) == 1:
        message["corrected_call"] = calls[0]
    else:
        message["one_of"] = list(calls[:8])
    return Refusal(message)


def call(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """A call in its plain form, values shortened to what is worth showing."""
    return {"name": name, "arguments": shown(arguments)}


def shown(value: object, depth: int = 0) -> Any:
    """``value`` as bounded, JSON-able data: long strings, lists and deep levels are cut."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return value if len(value) <= _LONGEST_STRING else value[:_LONGEST_STRING] + "…"
    if depth == _DEEPEST:
        return "…"
    if isinstance(value, Mapping):
        kept = list(value.items())[:_MOST_ITEMS]
        return {str(key)[:_LONGEST_STRING]: shown(part, depth + 1) for key, part in kept}
    if isinstance(value, list | tuple):
        return [shown(part, depth + 1) for part in value[:_MOST_ITEMS]]
    return str(value)[:_LONGEST_STRING]


def _takers(own: Mapping[str, Any], scope: Scope) -> list[str]:
    """Return the granted tools that declare every one of these arguments and require no other, at most five."""
    written = {str(key) for key in own}
    found: list[str] = []
    visible = (resolved.entry for name in scope.visible if not isinstance(resolved := scope.resolve(name), Unresolved))
    for entry in (*visible, *scope.deferred.entries):
        properties = entry.parameters.get("properties")
        if not isinstance(properties, Mapping) or not written <= properties.keys():
            continue
        if entry.name not in scope.bridge.as_set() and written.issuperset(shape(entry.parameters).required):
            found.append(entry.name)
            if len(found) == 5:
                break
    return found
