"""Conversations with the bridge taken out: for whoever reads a history and wants to know which tools ran.

A wire log, a policy proxy or an export sees ``tool_call`` with the real name inside. :func:`unwrapped` shows the real
calls in the three dialects of today's providers: chat completions (``tool_calls``), content blocks (``tool_use``) and
Responses items (``function_call``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .config import DEFAULT_NAMES

CALL_NAMES = frozenset((DEFAULT_NAMES.call, "run_tool"))
"""Under what names the bridge's call is declared, by default and to models that trip over the usual one."""


def unwrapped(messages: Iterable[Any], names: frozenset[str] = CALL_NAMES) -> list[Any]:
    """``messages`` with every bridge call, and the result that answers it, under the real tool's name.

    Ids and arguments stay as they are, and so does whatever cannot be read: a call with several entries, broken
    JSON, messages of another kind. Nothing is changed in place.
    """
    real: dict[str, str] = {}
    out = [_unwrapped(message, names, real) for message in messages]
    return [
        {**message, "name": real[message["tool_call_id"]]}
        if isinstance(message, dict) and message.get("name") in names and message.get("tool_call_id") in real
        else message
        for message in out
    ]


def tools_called(calls: Any, names: frozenset[str] = CALL_NAMES) -> Iterator[str]:
    """The real tools' names in an assistant message's ``tool_calls``, each entry of a bridge call for itself."""
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, Mapping) else None
        name = function.get("name") if isinstance(function, Mapping) else None
        if not isinstance(name, str) or not isinstance(function, Mapping):
            continue
        if name not in names:
            yield name
            continue
        envelope = _mapping(function.get("arguments"))
        entries = envelope.get("calls") if envelope is not None else None
        for entry in entries if isinstance(entries, list) else [envelope]:
            if isinstance(entry, Mapping) and isinstance(entry.get("name"), str):
                yield entry["name"]


def _unwrapped(message: Any, names: frozenset[str], real: dict[str, str]) -> Any:
    if not isinstance(message, Mapping):
        return message
    if message.get("type") in ("function_call", "tool_use"):
        return _flat(message, "arguments" if message["type"] == "function_call" else "input", names, real)
    changed: dict[str, Any] = {}
    if isinstance(message.get("tool_calls"), list):
        changed["tool_calls"] = [_call(call, names, real) for call in message["tool_calls"]]
    if isinstance(message.get("content"), list):
        changed["content"] = [_unwrapped(part, names, real) for part in message["content"]]
    return {**message, **changed} if changed else message


def _call(call: Any, names: frozenset[str], real: dict[str, str]) -> Any:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping):
        return call
    opened = _flat({**function, "id": call.get("id")}, "arguments", names, real)
    return {**call, "function": {key: value for key, value in opened.items() if key in function}}


def _flat(call: Mapping[str, Any], key: str, names: frozenset[str], real: dict[str, str]) -> dict[str, Any]:
    """A call whose name and arguments stand side by side, opened if it is a bridge call with one entry."""
    envelope = _mapping(call.get(key)) if call.get("name") in names else None
    if envelope is None or not isinstance(envelope.get("name"), str) or "calls" in envelope:
        return dict(call)
    inner = _mapping(envelope.get("arguments", {}))
    if inner is None:
        return dict(call)
    call_id = call.get("call_id") or call.get("id")
    if isinstance(call_id, str):
        real[call_id] = envelope["name"]
    arguments = json.dumps(inner, ensure_ascii=False) if isinstance(call.get(key), str) else inner
    return {**call, "name": envelope["name"], key: arguments}


def _mapping(value: Any) -> Mapping[str, Any] | None:
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.strip() else {}
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, Mapping) else None
