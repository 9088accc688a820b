"""How a bridge call becomes the real call before anything in the host looks at it.

``AIAgent._execute_tool_calls`` is the one door behind which everything lies that must see the real tool: guardrails,
checkpoints, hooks, approvals, the feed, the choice between parallel and sequential, result limits. The calls are
opened in front of it; the results get back the name and the id that the model wrote.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

from ..calls import Invocation, Refusal, open_call
from ..config import DEFAULT_NAMES
from ..names import Scope, Unresolved
from ..refusals import unresolved
from . import bridge_tools, host, seams, usage
from .session import Session, current

ROLES: tuple[Literal["search", "describe", "call"], ...] = ("search", "describe", "call")


class Opened(NamedTuple):
    """One call as the model wrote it, and the calls that the host carries out for it, in order."""

    written: Any
    calls: tuple[Any, ...]


def execute_tool_calls(
    original: Callable[..., Any], agent: Any, assistant_message: Any, messages: Any, *args: Any, **kwargs: Any
) -> Any:
    """Carry out the model's calls with every bridge call opened; its own message stays as it wrote it."""
    session = current()
    opened: list[Opened] | None = None
    try:
        if session is not None and session.agent is agent and bridged(session):
            opened = open_all(session, assistant_message.tool_calls or ())
    except Exception:
        seams.fall_back("opening bridge calls")
    if opened is None or session is None:
        return original(agent, assistant_message, messages, *args, **kwargs)
    message = copy.copy(assistant_message)
    message.tool_calls = [call for item in opened for call in item.calls]
    start = len(messages)
    if all(len(item.calls) == 1 for item in opened):
        try:
            return original(agent, message, messages, *args, **kwargs)
        finally:
            _finish(session, messages, start, opened)
    # Several results become one, so the host works on a list of its own; it must not store what it finds there.
    own = list(messages)
    with _nothing_stored(agent):
        try:
            return original(agent, message, own, *args, **kwargs)
        finally:
            messages.extend(own[start:])
            _finish(session, messages, start, opened)


def _finish(session: Session, messages: list[Any], start: int, opened: Sequence[Opened]) -> None:
    """Give the results from ``start`` on the form that the model's own calls want, and count what was carried out."""
    try:
        messages[start:] = merged(messages[start:], opened)
        usage.executed(session, opened, messages[start:])
    except Exception:
        seams.fall_back("labelling the results of bridge calls")


def bridged(session: Session) -> bool:
    """Whether this session's array has our bridge in it."""
    return session.published is not None and session.published.assembly.activated


def bridge_role(session: Session, name: str) -> Literal["search", "describe", "call"] | None:
    """Which bridge tool ``name`` is in this session: under the name it was declared by, or under its usual one.

    A model that went through a change of provider may still use the usual one. With a bridge in the array no other
    tool can have it.
    """
    if session.published is None or not session.published.assembly.activated:
        return None
    for names in (session.published.assembly.names, DEFAULT_NAMES):
        for role in ROLES:
            if name == getattr(names, role):
                return role
    return None


def open_all(session: Session, calls: Sequence[Any]) -> list[Opened]:
    """Open each of ``calls``; what is no bridge call, or one that the host opens itself, stays the very object."""
    scope: Scope | None = None
    opened = []
    for call in calls:
        role = bridge_role(session, call.function.name)
        if role in ("search", "describe"):
            shapes = _in_the_hosts_shape(session, role, call.function.arguments)
            name = getattr(DEFAULT_NAMES, role)
            parts = [(name, arguments) for arguments in shapes]
            opened.append(Opened(call, tuple(_numbered(call, parts))))
        elif role == "call":
            scope = scope or session.scope()
            meant = open_call(call.function.arguments, scope)
            if _opened_by_the_host(call, meant):
                session.repeats.called()
                opened.append(Opened(call, (call,)))
            else:
                parts = [_carried_out(session, part) for part in meant]
                opened.append(Opened(call, tuple(_numbered(call, parts))))
        elif (refusal := _absent(session, call.function.name)) is not None:
            opened.append(Opened(call, tuple(_numbered(call, [_carried_out(session, refusal)]))))
        else:
            session.repeats.called()
            opened.append(Opened(call, (call,)))
    return opened


def _absent(session: Session, name: str) -> Refusal | None:
    """The answer to a direct call of a tool that the session has at other times; None for any other call."""
    if any(definition["function"]["name"] == name for definition in getattr(session.agent, "tools", None) or ()):
        return None
    scope = session.scope()
    found = scope.resolve(name)
    return unresolved(found, {}, scope) if isinstance(found, Unresolved) and found.reason == "absent" else None


def _opened_by_the_host(call: Any, meant: Sequence[Invocation | Refusal]) -> bool:
    if host.native() != "tiered":
        return False
    from . import tiered

    return tiered.opens(call, meant)


def _in_the_hosts_shape(session: Session, role: Literal["search", "describe"], arguments: Any) -> list[Any]:
    if host.native() != "tiered":
        return [arguments]
    from . import tiered

    return tiered.in_the_hosts_shape(session, role, arguments)


def _numbered(call: Any, parts: Sequence[tuple[str, Any]]) -> Iterator[Any]:
    """Copies of ``call`` for each name and arguments in ``parts``, with ids of their own where there are several."""
    for number, (name, arguments) in enumerate(parts, 1):
        yield _rewritten(call, f"{call.id}.{number}" if len(parts) > 1 else call.id, name, arguments)


def _carried_out(session: Session, part: Invocation | Refusal) -> tuple[str, str]:
    """The name and the arguments under which the host gets one part of a bridge call."""
    if isinstance(part, Refusal):
        answer = session.repeats.refused(part)
        return DEFAULT_NAMES.call, json.dumps({bridge_tools.REFUSED: dict(answer.message)}, ensure_ascii=False)
    name, role = part.name, bridge_role(session, part.name)
    if role is None:
        session.repeats.called()
    else:  # a lookup that was sent through the bridge
        name = getattr(DEFAULT_NAMES, role)
    return name, json.dumps(part.arguments, ensure_ascii=False)


def _rewritten(call: Any, call_id: str, name: str, arguments: str) -> Any:
    """Copy ``call`` under another id, name and arguments, whichever of its shapes the host's transport gave it."""
    clone = copy.copy(call)
    clone.id = call_id
    if call.function is call:  # 0.14 on: one flat object that is its own ``function``
        clone.name, clone.arguments = name, arguments
    else:
        clone.function = copy.copy(call.function)
        clone.function.name, clone.function.arguments = name, arguments
    return clone


def merged(results: Sequence[Any], opened: Sequence[Opened]) -> list[Any]:
    """The results as the model's own calls want them: one for each, under the name that it was written by.

    The results of several entries become one, in their order. Strict providers pair calls and results by name.
    """
    by_id = {message.get("tool_call_id"): message for message in results if isinstance(message, dict)}
    parts_of = {call.id: item for item in opened for call in item.calls if len(item.calls) > 1}
    out: list[Any] = []
    done: set[str] = set()
    for message in results:
        item = parts_of.get(message.get("tool_call_id")) if isinstance(message, dict) else None
        if item is None:
            out.append(message)
        elif item.written.id not in done:
            done.add(item.written.id)
            parts = [(call, by_id[call.id]) for call in item.calls if call.id in by_id]
            out.append(
                {
                    **parts[0][1],
                    "tool_call_id": item.written.id,
                    "content": _together([(call.function.name, part.get("content")) for call, part in parts]),
                }
            )
    names = {item.written.id: item.written.function.name for item in opened if item.calls[0] is not item.written}
    for message in out:
        if isinstance(message, dict) and message.get("role") == "tool" and "name" in message:
            message["name"] = names.get(message.get("tool_call_id"), message["name"])
    return out


def _together(parts: Sequence[tuple[str, Any]]) -> Any:
    """One content out of several: a JSON text, or a list of parts where one of them has images."""
    if all(isinstance(content, str) for _, content in parts):
        entries = [{"name": name, "result": content} for name, content in parts]
        return json.dumps({"results": entries}, ensure_ascii=False)
    together: list[Any] = []
    for name, content in parts:
        together.append({"type": "text", "text": f"{name}:"})
        together.extend(content if isinstance(content, list) else [{"type": "text", "text": str(content)}])
    return together


@contextmanager
def _nothing_stored(agent: Any) -> Iterator[None]:
    """Keep the host from storing messages that only exist while a batch runs; it stores the merged ones after."""
    agent.__dict__["_flush_messages_to_session_db"] = lambda *args, **kwargs: None
    try:
        yield
    finally:
        agent.__dict__.pop("_flush_messages_to_session_db", None)


def dispatch(original: Callable[..., Any], name: str, arguments: Any, *args: Any, **kwargs: Any) -> Any:
    """Check the arguments of a deferred tool, after every hook has had its say, and only then run it.

    A provider checks a visible tool's arguments against the schema it was given; of a deferred tool it has none.
    """
    session = current()
    try:
        if session is not None and bridged(session):
            entry = session.scope().deferred.by_name.get(name)
            if entry is not None:
                from ..arguments import check  # at the first call: a session without a bridge does without

                checked = check(entry, arguments if arguments is not None else {})
                if isinstance(checked, Refusal):
                    usage.checked(session, name, refused=True)
                    return session.repeats.refused(checked).text
                if checked.arguments != (arguments or {}):
                    usage.checked(session, name, refused=False)
                arguments = checked.arguments
    except Exception:
        seams.fall_back("checking a deferred tool's arguments")
    return original(name, arguments, *args, **kwargs)
