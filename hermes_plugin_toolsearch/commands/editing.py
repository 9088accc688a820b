"""``enable``, ``disable``, ``pin``, ``unpin``, ``trust``: what changes the configuration."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .. import settings
from ..config import ToolSearchConfig
from ..settings import Outcome
from ..stats import Log
from . import place
from .output import Subcommands, parser, plain, show

if TYPE_CHECKING:
    from rich.console import Console

LEVELS = ("full", "names", "counts")


def add_enable(commands: Subcommands) -> None:
    """``enable``: have Hermes load the plugin."""
    parser(commands, "enable", "have Hermes load the plugin", lambda options: _edit(options, settings.enable))


def add_disable(commands: Subcommands) -> None:
    """``disable``: have Hermes no longer load it."""
    parser(commands, "disable", "have Hermes no longer load the plugin", lambda o: _edit(o, settings.disable))


def add_pin(commands: Subcommands) -> None:
    """``pin``: keep tools visible."""
    command = parser(
        commands,
        "pin",
        "keep tools visible to the model",
        lambda options: _edit(options, lambda home: settings.pin(home, options.names)),
    )
    command.add_argument(
        "names", nargs="+", metavar="NAME", help="a tool, a glob (mcp__github__*) or a server (mcp-github)"
    )


def add_unpin(commands: Subcommands) -> None:
    """``unpin``: take pins back."""
    command = parser(
        commands,
        "unpin",
        "take back a pin, as it was written",
        lambda options: _edit(options, lambda home: settings.unpin(home, options.names)),
    )
    command.add_argument("names", nargs="+", metavar="NAME")


def add_trust(commands: Subcommands) -> None:
    """``trust``: how much of a server's own text the model is shown."""
    command = parser(
        commands,
        "trust",
        "set how much of a server's own text the listing shows",
        lambda options: _edit(options, lambda home: settings.trust(home, options.server, options.level)),
    )
    command.add_argument("server", metavar="SERVER", help="a server's name, or a glob over names")
    command.add_argument("level", choices=LEVELS, help="names and descriptions, names only, or the tool count")


@dataclass(frozen=True, slots=True)
class Edited:
    """What was done, and what it comes to in each request, as far as the tools are known that were there last."""

    outcome: Outcome
    effect: str = ""


def _edit(options: argparse.Namespace, edit: Callable[[Path], Outcome]) -> int:
    home = place.home()
    outcome = edit(home)
    names = getattr(options, "names", None)
    show(options, Edited(outcome, _effect(home, names) if names and outcome.changed else ""), render)
    return 0


def _effect(home: Path, patterns: Sequence[str]) -> str:
    """How many of the tools that were there last ``patterns`` mean, and what their schemas cost."""
    pins = ToolSearchConfig(pin=tuple(patterns))
    known = Log(home).known_tools()
    costs = [cost for server, tools in known.items() for name, cost in tools.items() if pins.pinned(name, server)]
    if not known:
        return ""
    tools = "1 tool" if len(costs) == 1 else f"{len(costs):,} tools"
    return f"That is {tools} and {sum(costs):,} tokens of schemas in each request."


def render(edited: Edited, console: Console) -> None:
    """Say what was done to which file, what it comes to, and from when on it counts."""
    outcome = edited.outcome
    for sentence in outcome.done:
        console.print(f"{plain(outcome.path)}: {plain(sentence)}", soft_wrap=True)
    if edited.effect:
        console.print(edited.effect, soft_wrap=True)
    if outcome.backup:
        console.print(f"[dim]The file as it was is kept as {plain(outcome.backup.name)}.[/dim]", soft_wrap=True)
    if outcome.changed:
        console.print("[dim]New sessions use it.[/dim]")
