"""What a person reads later: usage insights, exported trajectories, the recap of a resumed session.

The store keeps what the model wrote, as it must for the provider. These show which tools ran instead.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

from ..transcript import CALL_NAMES, tools_called, unwrapped
from . import seams


def install(agent: Any) -> None:
    """Put the wrappers where the host has these records; a host without one has nothing to correct."""
    for owner, name, wrapper in (
        (agent, "_convert_to_trajectory_format", trajectory),
        (getattr(sys.modules.get("cli"), "HermesCLI", None), "_display_resumed_history", recap),
    ):
        if hasattr(owner, name):
            seams.wrap(owner, name, wrapper, seam=f"records.{name}")


def install_insights() -> None:
    """Correct the usage table. Its module is imported by the command that prints it, long after a plugin is loaded."""
    from agent.insights import InsightsEngine

    if hasattr(InsightsEngine, "_get_tool_usage"):
        seams.wrap(InsightsEngine, "_get_tool_usage", tool_usage, seam="records.insights")


def trajectory(original: Callable[..., Any], agent: Any, messages: Any, *args: Any, **kwargs: Any) -> Any:
    """Export a conversation with the real calls in it."""
    return original(agent, _readable(messages), *args, **kwargs)


def recap(original: Callable[..., Any], cli: Any, *args: Any, **kwargs: Any) -> Any:
    """Print the recap of a resumed session from a history with the real calls in it."""
    history = cli.conversation_history
    cli.conversation_history = _readable(history)
    try:
        return original(cli, *args, **kwargs)
    finally:
        cli.conversation_history = history


def tool_usage(original: Callable[..., Any], engine: Any, cutoff: float, source: Any = None) -> Any:
    """Count the tools that ran: the bridge's call is none, and what it carried counts once.

    The host takes, per name, the larger of what calls and results say; a bridge call has one name in each.
    """
    usage = original(engine, cutoff, source)
    try:
        counts = Counter({row["tool_name"]: row["count"] for row in usage if row["tool_name"] not in CALL_NAMES})
        carried: Counter[str] = Counter()
        where = "s.started_at >= ?" + (" AND s.source = ?" if source else "")
        rows = engine._conn.execute(
            f"SELECT m.tool_calls FROM messages m JOIN sessions s ON s.id = m.session_id WHERE {where} "
            "AND m.role = 'assistant' AND m.tool_calls IS NOT NULL",
            (cutoff, source) if source else (cutoff,),
        )
        for (calls,) in rows.fetchall():
            carried.update(tools_called(json.loads(calls) if isinstance(calls, str) else calls))
        for name, count in carried.items():
            counts[name] = max(counts[name], count)
        return [{"tool_name": name, "count": count} for name, count in counts.most_common()]
    except Exception:
        seams.fall_back("counting the tools that ran")
        return usage


def _readable(messages: Any) -> Any:
    try:
        return unwrapped(messages)
    except Exception:
        seams.fall_back("reading a conversation")
        return messages
