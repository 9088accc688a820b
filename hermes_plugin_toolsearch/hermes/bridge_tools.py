"""The three bridge tools in the host's registry, and their answers for the session that asks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .. import bridge
from ..calls import Refusal, open_call
from ..catalog import Catalog
from ..config import DEFAULT_NAMES
from . import host
from .session import Session, current

EMOJI = {DEFAULT_NAMES.search: "🔎", DEFAULT_NAMES.describe: "📖", DEFAULT_NAMES.call: "🧰"}

REFUSED = "refused"
"""The only argument of a bridge call that was refused before it reached a tool; its value is the answer."""

NO_SESSION = "Tool search answers only within a session; there is none here."


def register(ctx: Any) -> None:
    """Put the bridge tools into the registry: known to the feed and the doctor, advertised only by an assembly."""
    handlers = {DEFAULT_NAMES.search: search, DEFAULT_NAMES.describe: describe, DEFAULT_NAMES.call: call}
    for definition in bridge.definitions(DEFAULT_NAMES, Catalog((), ""), ""):
        function = definition["function"]
        ctx.register_tool(
            name=function["name"],
            toolset=host.TOOLSET,
            schema=function,
            handler=handlers[function["name"]],
            check_fn=_never,
            emoji=EMOJI[function["name"]],
        )


def _never() -> bool:
    """Keep the registry from advertising a bridge tool: it would, to sessions that have nothing behind it."""
    return False


def search(arguments: Any, **kwargs: Any) -> str:
    """Answer ``tool_search`` for the current session."""
    session = current()
    if session is None:
        return _text({"error": NO_SESSION})
    return search_in(session, arguments)


def search_in(session: Session, arguments: Any) -> str:
    """Answer a search over what ``session`` was granted."""
    scope = session.scope()
    from ..answers import search_answer

    answer = search_answer(arguments, scope.deferred, session.config, scope.bridge, missing=session.missing_servers())
    found = [match["name"] for match in answer.get("matches", ())]
    advice = session.repeats.searched(found, call=scope.bridge.call)
    return _text({**answer, "advice": advice} if advice else answer)


def describe(arguments: Any, **kwargs: Any) -> str:
    """Answer ``tool_describe`` for the current session."""
    session = current()
    if session is None:
        return _text({"error": NO_SESSION})
    from ..answers import describe_answer

    scope = session.scope()
    return _text(describe_answer(arguments, scope, scope.bridge))


def call(arguments: Any, **kwargs: Any) -> Any:
    """Answer ``tool_call`` where no executor opened it: refuse, or dispatch the one tool that it names."""
    session = current()
    if session is None:
        return _text({"error": NO_SESSION})
    if isinstance(arguments, Mapping) and isinstance(arguments.get(REFUSED), Mapping):
        return _text(arguments[REFUSED])
    import model_tools

    results = [
        part.text
        if isinstance(part, Refusal)
        else model_tools.handle_function_call(part.name, part.arguments, **_context(kwargs))
        for part in open_call(arguments, session.scope())
    ]
    return results[0] if len(results) == 1 else _text({"results": results})


def _context(kwargs: Mapping[str, Any]) -> dict[str, Any]:
    return {key: kwargs[key] for key in ("task_id", "session_id", "user_task") if key in kwargs}


def _text(answer: Mapping[str, Any]) -> str:
    return json.dumps(answer, ensure_ascii=False)
