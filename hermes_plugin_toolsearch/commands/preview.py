"""``preview``: the exact tools array that a session would get."""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..bridge import is_bridge_definition
from .finding import plain_lines
from .output import Subcommands, parser, plain, show
from .view import View, add_source, name_of, open_view

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True, slots=True)
class Preview:
    """``tools`` is the array as it is sent; ``summary`` the decision behind it in one line; ``tokens`` its cost."""

    summary: str
    tokens: int
    tools: list[Any]


def add(commands: Subcommands) -> None:
    """``preview``: what the model would see."""
    add_source(parser(commands, "preview", "show the tools array and listing that a session would get", run))


def run(options: argparse.Namespace) -> int:
    """Print the array; with ``--json`` byte for byte as it is sent, under ``tools``."""
    view = open_view(options)
    show(options, preview(view), lambda found, console: render(found, console, view))
    return 0


def preview(view: View) -> Preview:
    """The array of ``view``."""
    return Preview(view.assembly.summary(), view.tokens_now, list(view.assembly.tool_defs))


def render(found: Preview, console: Console, view: View) -> None:
    """The visible tools by name, the three bridge tools in full."""
    console.print(plain(found.summary), soft_wrap=True)
    console.print(f"{len(found.tools)} tools, {found.tokens:,} tokens")
    bridge = [tool for tool in found.tools if is_bridge_definition(tool, view.assembly.names)]
    visible = [name_of(tool) for tool in found.tools if tool not in bridge]
    if visible:
        console.print(f"\n[bold]Visible[/] ({len(visible)})\n{plain(', '.join(visible))}", soft_wrap=True)
    for tool in bridge:
        function = tool["function"]
        console.print(f"\n[bold]{plain(function['name'])}[/]")
        console.print(plain_lines(function["description"]), soft_wrap=True)
        console.print(f"[dim]{plain(json.dumps(function['parameters'], ensure_ascii=False))}[/]", soft_wrap=True)
