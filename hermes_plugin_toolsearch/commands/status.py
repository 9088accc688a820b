"""``status``: whether tools are deferred, what each server costs before and after, and whether that pays."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import tokens
from ..assembly import Assembly
from . import prices
from .output import Subcommands, parser, plain, show, table
from .view import Server, View, add_source, name_of, open_view

if TYPE_CHECKING:
    from rich.console import Console

PROMPT = 20_000
"""Tokens of a request besides its tools array that the break-even point is worked out for: a conversation under way."""


@dataclass(frozen=True, slots=True)
class ServerCost:
    """One server's tools, and what they cost in each request: ``eager`` without a bridge, ``now`` as it is (tokens)."""

    server: str
    state: str
    reason: str
    tools: int
    pinned: int
    trust: str
    eager: int
    now: int


@dataclass(frozen=True, slots=True)
class Cost:
    """US dollars of the tools array in one request, without and with the provider's prompt cache."""

    plain_before: float
    plain_now: float
    cached_before: float
    cached_now: float
    as_of: str


@dataclass(frozen=True, slots=True)
class Status:
    """What :func:`status` found.

    ``before`` and ``now`` are the tokens of the tools array in each request. ``break_even`` is the number of extra
    requests, per request of a conversation, up to which deferring costs less (None where nothing is deferred).
    """

    origin: str
    active: bool
    reason: str
    model: str
    context_length: int | None
    tier: int
    form: str
    listing_tokens: int
    budget: int
    tools: int
    visible: int
    deferred: int
    before: int
    now: int
    exact: bool
    break_even: float | None
    advice: str
    cost: Cost | None
    servers: tuple[ServerCost, ...]
    notices: tuple[str, ...]


def add(commands: Subcommands) -> None:
    """``status``: what is deferred and what it costs."""
    add_source(parser(commands, "status", "show what is deferred, what it costs and whether it pays", run))


def run(options: argparse.Namespace) -> int:
    """Print the status; always 0, since ``doctor`` is the one that judges."""
    show(options, status(open_view(options)), render)
    return 0


def status(view: View) -> Status:
    """The state of ``view``."""
    assembly, listing = view.assembly, view.assembly.listing
    before, now = view.eager_tokens, view.tokens_now
    price = prices.price_of(view.model)
    return Status(
        origin=view.origin,
        active=assembly.activated,
        reason=assembly.reason,
        model=view.model,
        context_length=view.context_length,
        tier=assembly.tier,
        form=listing.form if listing else "none",
        listing_tokens=listing.tokens if listing else 0,
        budget=listing.budget if listing else 0,
        tools=len(view.definitions),
        visible=len(assembly.tool_defs) - (3 if assembly.activated else 0),
        deferred=assembly.deferred_count,
        before=before,
        now=now,
        exact=tokens.method() == "exact",
        break_even=_break_even(before, now) if assembly.activated else None,
        advice=_advice(view, before, now),
        cost=_cost(price, before, now) if price else None,
        servers=server_costs(view),
        notices=tuple(map(str, view.notices)),
    )


def server_costs(view: View) -> tuple[ServerCost, ...]:
    """What each server costs, those that are not there included; the costliest first."""
    listed = listing_by_server(view.assembly)
    states = {server.name: server for server in view.servers}
    deferred = view.catalog.by_name if view.assembly.activated else {}
    rows = []
    for server, definitions in view.by_server.items():
        shown = [definition for definition in definitions if name_of(definition) not in deferred]
        pinned = sum(view.config.pinned(name_of(definition), server) for definition in definitions)
        state = states.pop(server, Server(server, "connected"))
        rows.append(
            ServerCost(
                server,
                state.state,
                state.reason,
                len(definitions),
                pinned,
                view.config.trust(server),
                tokens.count_definitions(definitions),
                (tokens.count_definitions(shown) if shown else 0) + listed.get(server, 0),
            )
        )
    rows.sort(key=lambda row: (-row.eager, row.server))
    rows += [
        ServerCost(server.name, server.state, server.reason, 0, 0, view.config.trust(server.name), 0, 0)
        for server in states.values()
    ]
    return tuple(rows)


def listing_by_server(assembly: Assembly) -> dict[str, int]:
    """Server -> tokens of its part of the listing; one heading a server, in the order of the catalog's groups."""
    if assembly.listing is None or not assembly.listing.text:
        return {}
    lines = assembly.listing.text.split("<listing>\n", 1)[-1].rpartition("</listing>")[0].splitlines()
    parts: list[list[str]] = []
    for line in lines:
        if not line.startswith(" "):
            parts.append([])
        parts[-1].append(line)
    groups = assembly.partition.catalog.groups
    return {group.server: tokens.count("\n".join(part) + "\n") for group, part in zip(groups, parts, strict=True)}


def _break_even(before: int, now: int) -> float:
    """Extra requests per request at which (now + PROMPT) * (1 + extra) reaches before + PROMPT; below 0: never pays."""
    return (before - now) / (now + PROMPT)


def _advice(view: View, before: int, now: int) -> str:
    if view.assembly.activated:
        if now >= before:
            return (
                "Deferring costs more than it saves with so few tools: set activation_pct: 10, or pin the servers "
                "that are used most."
            )
        extra = _break_even(before, now)
        if extra >= 1:
            return f"It pays: even {extra:.0f} extra requests for every one would cost less than all schemas at once."
        return f"It pays as long as fewer than {100 * extra:.0f} of 100 requests are for finding a tool."
    if view.would_defer is not None and view.would_defer.activated:
        then = tokens.count_definitions(view.would_defer.tool_defs)
        if then < before:
            return f"Deferring would save {before - then:,} of {before:,} tokens in each request."
    return "There is nothing to save."


def _cost(price: prices.Price, before: int, now: int) -> Cost:
    million = 1e6
    return Cost(
        before * price.plain / million,
        now * price.plain / million,
        before * price.cached / million,
        now * price.cached / million,
        prices.AS_OF,
    )


def render(found: Status, console: Console) -> None:
    """Say it in a dozen lines and a table."""
    state = "[bold green]on[/]" if found.active else "[bold yellow]off[/]"
    console.print(f"Tool search is {state}{'' if found.active else ': ' + plain(found.reason)}  [dim]{found.origin}[/]")
    context = f"{found.context_length:,} tokens" if found.context_length else "unknown"
    console.print(f"Model     {plain(found.model) or 'none'}, context {context}")
    if found.active:
        console.print(f"Listing   tier {found.tier}, {found.form}: {found.listing_tokens:,} of {found.budget:,} tokens")
    console.print(f"Tools     {found.tools:,}: {found.visible:,} visible, {found.deferred:,} deferred")
    saved = f" ({_share(found.before, found.now)})" if found.active and found.before else ""
    about = "" if found.exact else " (estimates: the vocabulary is missing)"
    console.print(f"Request   {found.before:,} tokens of tools before, [bold]{found.now:,}[/] now{saved}{about}")
    if found.cost:
        cost = found.cost
        console.print(
            f"Money     ${cost.plain_before:.4f} before, ${cost.plain_now:.4f} now a request; from a prompt cache "
            f"${cost.cached_before:.4f}, now ${cost.cached_now:.4f} [dim](prices of {cost.as_of})[/]",
            soft_wrap=True,
        )
    console.print(f"Verdict   {plain(found.advice)}", soft_wrap=True)
    if found.servers:
        console.print()
        console.print(servers_table(found.servers))
    for notice in found.notices:
        console.print(f"[yellow]![/] {plain(notice)}")


def servers_table(rows: Sequence[ServerCost]) -> Any:
    """The servers as a table."""
    made = table(
        "Server", "Tools", "Before", "Now", "Pinned", "Trust", "State", numbers=("Tools", "Before", "Now", "Pinned")
    )
    for row in rows:
        colour = {"connected": "green", "failed": "red", "waiting": "yellow"}.get(row.state, "dim")
        state = f"[{colour}]{row.state}[/]" + (f": {plain(row.reason)}" if row.reason else "")
        pinned = str(row.pinned) if row.pinned else ""
        made.add_row(plain(row.server), f"{row.tools:,}", f"{row.eager:,}", f"{row.now:,}", pinned, row.trust, state)
    return made


def _share(before: int, now: int) -> str:
    return (
        f"{100 * (before - now) / before:.0f} % less"
        if now <= before
        else f"{100 * (now - before) / before:.0f} % more"
    )
