"""What the usage log is told, at the two moments when something happens: a request to the model, and its calls."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

from .. import store, tokens
from ..assembly import Assembly, eager_tokens
from ..catalog import Entry, digest
from ..reading import as_mapping
from . import host, seams
from .session import Session

if TYPE_CHECKING:
    from ..stats import Log
    from .execution import Opened


def _log() -> Log:
    from ..stats import Log  # at the first request with a bridge: a session without one does without

    return Log(host.home())


_measured: set[tuple[str, str]] = set()
"""Home and catalog of what this process has measured."""


def request(session: Session | None) -> None:
    """A request goes to the model; with a bridge in it, that is worth a line."""
    if session is None or session.published is None or not session.published.assembly.activated:
        return
    try:
        if session.config.stats == "off":
            return
        log, assembly = _log(), session.published.assembly
        log.append("request", c=_key(assembly))
        mark = (str(log.path), _key(assembly))
        if mark not in _measured:
            _measured.add(mark)
            # Counting the schemas of 2,932 tools takes a second, which no turn has to wait for.
            # In this context, which says whose profile it is and so where things are kept on disk.
            run = copy_context().run
            threading.Thread(target=run, args=(_measure, log, assembly), name="toolsearch-usage", daemon=True).start()
    except Exception:
        seams.fall_back("writing the usage log")


def executed(session: Session, opened: Sequence[Opened], results: Sequence[Any]) -> None:
    """The model's calls were carried out: ``opened`` is what it wrote and what was run, ``results`` what came back."""
    try:
        config = session.config
        if config.stats == "off" or session.published is None:
            return
        log = _log()
        contents = {result.get("tool_call_id"): result.get("content") for result in results if isinstance(result, dict)}
        deferred = session.published.assembly.partition.catalog.by_name
        looked = 0
        for item in opened:
            role = _role(session, item.written.function.name)
            arguments = item.written.function.arguments
            if role == "search":
                looked += 1
                asked = {"query": _query(arguments)} if config.stats == "queries" else {}
                log.append("search", **_found(contents.get(item.written.id)), **asked)
            elif role == "describe":
                looked += 1
                log.append("describe", names=_names(arguments))
            elif role == "call":
                _called(log, item, deferred)
            elif item.written.function.name in deferred:
                log.append("call", name=item.written.function.name, via="direct")
        if looked and looked == len(opened):
            log.append("round")
    except Exception:
        seams.fall_back("writing the usage log")


def checked(session: Session, name: str, *, refused: bool) -> None:
    """The arguments of a deferred tool were put right, or could not be."""
    try:
        if session.config.stats != "off":
            _log().append("refuse" if refused else "correct", name=name)
    except Exception:
        seams.fall_back("writing the usage log")


def _called(log: Log, item: Opened, deferred: Mapping[str, Any]) -> None:
    for call in item.calls:
        name = call.function.name
        if call is item.written:  # the host opens it itself
            envelope = as_mapping(call.function.arguments, "name")
            entries = envelope.get("calls")
            entry = entries[0] if isinstance(entries, list) and entries else envelope
            name = str(entry.get("name")) if isinstance(entry, Mapping) else ""
        if name not in deferred:
            log.append("refuse")
            continue
        log.append("call", name=name, via="bridge")
        if call is not item.written and name not in str(item.written.function.arguments):
            log.append("correct", name=name)


def _role(session: Session, name: str) -> str | None:
    from .execution import bridge_role

    return bridge_role(session, name)


def _found(content: Any) -> dict[str, Any]:
    """How many hits an answer has, and whether it was sure of them."""
    answer = _parsed(content)
    answers = [_parsed(part["result"]) if "result" in part else part for part in answer.get("results") or [answer]]
    return {
        "hits": sum(len(part.get("matches") or ()) for part in answers),
        "sure": not any("note" in part or "error" in part for part in answers),
    }


def _parsed(content: Any) -> dict[str, Any]:
    try:
        value = json.loads(content) if isinstance(content, str) else content
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _query(arguments: Any) -> str:
    written = as_mapping(arguments, "query")
    return "; ".join(map(str, written.get("queries") or [written.get("query")]))[:500]


def _names(arguments: Any) -> list[str]:
    written = as_mapping(arguments, "name")
    names = written.get("names") or [written.get("name")]
    return [str(name)[:128] for name in (names if isinstance(names, list) else [names])][:10]


def _key(assembly: Assembly) -> str:
    """What the cost of a request's tools depends on."""
    parts = assembly.partition
    return f"{parts.catalog.fingerprint[:12]}-{len(parts.visible)}-{assembly.threshold_tokens}"


def _measure(log: Log, assembly: Assembly) -> None:
    try:
        costs = _costs(assembly)
        tools = len(assembly.partition.catalog)
        log.append("catalog", c=_key(assembly), tools=tools, before=costs["before"], now=costs["now"])
        log.keep_tools(costs["servers"])
    except Exception:
        seams.fall_back("writing the usage log")


def _costs(assembly: Assembly) -> dict[str, Any]:
    """Tokens of all tools ``before`` and ``now``, and of each tool by server; counted once for all processes."""
    catalog, visible = assembly.partition.catalog, assembly.partition.visible
    fingerprint = digest(catalog.fingerprint + json.dumps(assembly.tool_defs, default=str))

    def counted() -> dict[str, Any]:
        servers = {group.server: {entry.name: _cost(entry) for entry in group.entries} for group in catalog.groups}
        return {
            "before": tokens.count_definitions(visible) + eager_tokens(catalog),
            "now": tokens.count_definitions(assembly.tool_defs),
            "servers": servers,
        }

    return tokens.counted_once("costs", store.version_of(tokens), fingerprint, counted)


def _cost(entry: Entry) -> int:
    function = {"name": entry.name, "description": entry.description, "parameters": entry.parameters}
    return tokens.count_definitions([{"type": "function", "function": function}])
