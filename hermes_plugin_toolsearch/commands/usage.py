"""``stats``: what was searched, called and never used, from the local log."""

from __future__ import annotations

import argparse
import re
import time
from typing import TYPE_CHECKING

from .. import settings
from ..stats import Log, Summary, summarize
from . import editing, place
from .output import Subcommands, parser, plain, show, table

if TYPE_CHECKING:
    from rich.console import Console

SHOWN = 10
"""Tools and queries that are shown of a longer list; ``--json`` gives all."""

_SECONDS = {"m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}


def add(commands: Subcommands) -> None:
    """``stats``: the usage log, or its switch."""
    command = parser(commands, "stats", "show what was searched, called and never used", run)
    command.add_argument("--since", type=span, metavar="SPAN", help="only the last 30m, 12h, 7d or 4w")
    switch = command.add_mutually_exclusive_group()
    switch.add_argument("--off", dest="put", action="store_const", const="off", help="keep no log from now on")
    switch.add_argument("--on", dest="put", action="store_const", const="on", help="keep a log, without query texts")
    switch.add_argument("--queries", dest="put", action="store_const", const="queries", help="keep query texts too")


def run(options: argparse.Namespace) -> int:
    """Print the summary, or set the switch."""
    if options.put:
        show(options, editing.Edited(settings.put(place.home(), "stats", options.put)), editing.render)
        return 0
    log = Log(place.home())
    summary = summarize(log.events(time.time() - options.since if options.since else 0.0), log.known_tools())
    show(options, summary, lambda found, console: render(found, console, log))
    return 0


def span(text: str) -> int:
    """Seconds in ``7d`` and the like, for argparse."""
    match = re.fullmatch(r"(\d+)\s*([mhdw])", text.strip().lower())
    if match is None:
        raise argparse.ArgumentTypeError("a number and m, h, d or w, such as 7d")
    return int(match[1]) * _SECONDS[match[2]]


def render(found: Summary, console: Console, log: Log) -> None:
    """The funnel, the most called tools, those that nobody called."""
    if found.first is None:
        console.print(f"Nothing is logged yet in {plain(log.path)}.", soft_wrap=True)
        return
    day = time.strftime("%Y-%m-%d", time.localtime(found.first))
    console.print(f"Since {day}: {found.requests:,} requests with tools deferred, {found.saved:,} tokens saved")
    if found.counted < found.requests:
        console.print(f"[dim]({found.counted:,} of the requests are counted in what was saved)[/]")
    funnel = table("what", "times", numbers=("times",))
    funnel.show_header = False
    for label, count in (
        ("searches", found.searches),
        ("  without a sure hit", found.unanswered),
        ("tools described", found.described),
        ("calls through the bridge", found.called),
        ("calls by the real name", found.direct),
        ("  calls put right", found.corrected),
        ("  calls refused", found.refused),
        ("requests only to look for tools", found.rounds),
    ):
        funnel.add_row(label, f"{count:,}")
    console.print(funnel)
    if found.calls:
        console.print("\n[bold]Called most[/] [dim](hermes toolsearch pin NAME keeps one visible)[/]")
        for name, count in list(found.calls.items())[:SHOWN]:
            console.print(f"{count:6,}  {plain(name)}", soft_wrap=True)
    if found.unused:
        console.print("\n[bold]Never called[/] [dim](of the tools that were there last)[/]")
        for server, names in sorted(found.unused.items(), key=lambda item: (-len(item[1]), item[0]))[:SHOWN]:
            few = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
            console.print(f"{len(names):6,}  {plain(server)}: {plain(few)}", soft_wrap=True)
    if found.queries:
        console.print("\n[bold]Without a sure hit[/]")
        for query in found.queries[:SHOWN]:
            console.print(f"        {plain(query)}", soft_wrap=True)
