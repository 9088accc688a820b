"""``hermes toolsearch …`` in a shell, and ``/toolsearch …`` in a chat and over a gateway."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from . import seams

if TYPE_CHECKING:  # what the commands need is imported by them: a session that asks nothing does not pay for it
    from ..commands.view import View
    from .session import Session

NAME = "toolsearch"
USAGE = "/toolsearch status | search WORDS | why NAME | off | on"


def register(ctx: Any) -> None:
    """Register both commands where the host has a place for them."""
    if hasattr(ctx, "register_cli_command"):
        ctx.register_cli_command(
            NAME,
            help="what tool search defers, costs and finds",
            setup_fn=set_up,
            handler_fn=run,
            description="Tool search: what is deferred, what it costs, and what the model would find.",
        )
    if hasattr(ctx, "register_command"):
        # The host imports its command line for this, 50 ms: a one-shot turn, in which nobody types, does without.
        seams.after_import("hermes_cli.commands", lambda: _register_in_chats(ctx))
        ctx.register_hook("pre_gateway_dispatch", message_arrived)


def _register_in_chats(ctx: Any) -> None:
    ctx.register_command(
        NAME,
        lambda arguments: answer(arguments, ctx),
        description="What tool search does in this session",
        args_hint="[status|search|why|off|on]",
    )


def set_up(parser: argparse.ArgumentParser) -> None:
    """Give the host's parser the commands of the console script."""
    from ..cli import add_commands

    add_commands(parser)


def run(options: argparse.Namespace) -> None:
    """Carry out a shell command; the exit status is raised, since hosts to 0.20 drop a returned one."""
    from ..cli import carry_out
    from . import servers

    try:
        code = carry_out(options)
    finally:
        servers.disconnect()
    sys.stdout.flush()
    sys.exit(code)


def answer(arguments: str, ctx: Any) -> str:
    """What ``/toolsearch`` says, in text that every platform can show. Never raises."""
    try:
        verb, _, rest = (arguments or "").strip().partition(" ")
        return _answer(verb.lower() or "status", rest.strip(), _session(ctx))
    except Exception as error:
        seams.fall_back("answering /toolsearch")
        return f"Tool search could not answer: {error}"


def _answer(verb: str, rest: str, session: Session | None) -> str:
    if verb in ("on", "off"):
        if session is None:
            return "There is no running session here to switch; send a message first, or set tools.tool_search.enabled."
        session.off = verb == "off"
        return f"Tool search is {verb} for this session, from the next message on."
    if verb == "status":
        return _status(_view(session), session)
    if verb == "search" and rest:
        return _search(_view(session), rest)
    if verb == "why" and rest:
        from ..commands import finding

        found = finding.why(_view(session), rest)
        return f"{found.name} is {found.state}: {found.reason}."
    return USAGE


def _view(session: Session | None) -> View:
    """What the running session has; without one, what the configuration gives with the servers that are connected."""
    from . import surroundings

    return surroundings.view_of(session if session is not None else surroundings.configured_session())


def _status(view: View, session: Session | None) -> str:
    from ..commands import status

    found = status.status(view)
    lines = [f"Tool search is {'on' if found.active else 'off: ' + found.reason}."]
    if session is None:
        lines[0] += " (By the configuration; this command does not see its own session here.)"
    lines.append(f"{found.tools} tools: {found.visible} visible, {found.deferred} deferred.")
    if found.active:
        lines.append(f"Listing: tier {found.tier}, {found.form}, {found.listing_tokens:,} of {found.budget:,} tokens.")
        lines.append(f"Each request carries {found.now:,} tokens of tools instead of {found.before:,}.")
    lines += [f"{row.server}: {row.state} ({row.reason})" for row in found.servers if row.state != "connected"]
    return "\n".join(lines)


def _search(view: View, query: str) -> str:
    from ..commands import finding

    found = finding.search(view, query)
    lines = [f"{place}. {hit.name}: {hit.description}" for place, hit in enumerate(found.hits, 1)]
    return "\n".join(lines) or "Nothing found."


def _session(ctx: Any) -> Session | None:
    """The session that a slash command was typed in, where it can be known."""
    from .session import current, session_of

    session = current()
    if session is not None:
        return session
    agent = next(_agents(ctx), None)
    return session_of(agent) if agent is not None else None


def _agents(ctx: Any) -> Iterator[Any]:
    """The agent that the command line or the gateway keeps for whoever typed the command."""
    agent = getattr(getattr(getattr(ctx, "_manager", None), "_cli_ref", None), "agent", None)
    if agent is not None:
        yield agent
    dispatched = _dispatched.get()
    if dispatched is not None:
        gateway, source = dispatched
        cache, key_of = getattr(gateway, "_agent_cache", None), getattr(gateway, "_session_key_for_source", None)
        cached = cache.get(key_of(source)) if cache and key_of else None
        if cached is not None:
            yield cached[0] if isinstance(cached, tuple) else cached


_dispatched: ContextVar[tuple[Any, Any] | None] = ContextVar("toolsearch_dispatched", default=None)


def message_arrived(event: Any = None, gateway: Any = None, **kwargs: Any) -> None:
    """Remember, for a slash command in the message, which gateway handles it and where it comes from."""
    _dispatched.set((gateway, getattr(event, "source", None)) if gateway is not None else None)
