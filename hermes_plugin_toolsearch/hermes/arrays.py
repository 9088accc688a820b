"""The arrays that sessions hold, kept beyond the agents that hold them.

A gateway drops an idle session's agent and builds another when the user writes again; a host reviews a conversation in
a second agent beside the first. Both are the same session to its provider, whose cache holds the prefix of the first.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any, NamedTuple

from ..catalog import Catalog
from . import host
from .session import Published, Session

_MOST = 128  # sessions; a gateway of Hermes keeps as many agents


class Held(NamedTuple):
    """An array, and the catalog that its model was last told of, if not by the array."""

    published: Published
    told: Catalog | None


_arrays: OrderedDict[tuple[Any, ...], Held] = OrderedDict()
_lock = threading.Lock()


def keep(session: Session) -> None:
    """Keep what ``session`` holds now; an agent that works for another and stores nothing leaves no trace here."""
    key = _key(session.agent)
    if key is None or session.published is None or getattr(session.agent, "_persist_disabled", False) is True:
        return
    with _lock:
        _arrays[key] = Held(session.published, session.told)
        _arrays.move_to_end(key)
        while len(_arrays) > _MOST:
            _arrays.popitem(last=False)


def recall(session: Session) -> Held | None:
    """What an earlier agent of this very session held: same profile, same id, same toolsets."""
    key = _key(session.agent)
    with _lock:
        return _arrays.get(key) if key is not None else None


def _key(agent: Any) -> tuple[Any, ...] | None:
    session_id = getattr(agent, "session_id", None)
    if not isinstance(session_id, str) or not session_id:
        return None
    toolsets = (getattr(agent, name, None) for name in ("enabled_toolsets", "disabled_toolsets"))
    return (
        str(host.home()),
        session_id,
        *(None if names is None else tuple(sorted(map(str, names))) for names in toolsets),
    )
