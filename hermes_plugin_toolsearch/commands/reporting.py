"""``report``: a page to look at."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .output import Subcommands, parser, plain, progress, show
from .view import add_source, open_view

if TYPE_CHECKING:
    from rich.console import Console

RESULTS = Path(".benchmarks")
"""Where a checkout's benchmarks leave their results, one JSON file each."""


@dataclass(frozen=True, slots=True)
class Written:
    """The files that a report wrote."""

    html: Path | None
    png: Path | None


def add(commands: Subcommands) -> None:
    """``report``: the page, as HTML and as a picture."""
    command = parser(commands, "report", "write a page with charts of what tool search does to the prompt", run)
    command.add_argument("--html", type=Path, metavar="FILE", help="the page (default toolsearch-report.html)")
    command.add_argument("--png", type=Path, metavar="FILE", help="a picture of it, taken by a Chromium that is here")
    command.add_argument("--dark", action="store_true", help="take the picture in dark colours")
    command.add_argument(
        "--benchmarks",
        type=Path,
        default=RESULTS,
        metavar="FOLDER",
        help="show the results in it (default .benchmarks)",
    )
    add_source(command)


def run(options: argparse.Namespace) -> int:
    """Write what was asked for, the page where nothing was."""
    from .. import report

    view = open_view(options)
    with progress("Drawing"):
        page = report.html(report.gather(view, sorted(options.benchmarks.glob("*.json"))))
    target = options.html or (None if options.png else Path("toolsearch-report.html"))
    if target is not None:
        target.write_text(page, encoding="utf-8")
    if options.png is not None:
        from ..report import picture

        with progress("Taking the picture"):
            picture.take(page, options.png, dark=options.dark)
    show(options, Written(target, options.png), render)
    return 0


def render(written: Written, console: Console) -> None:
    """Name the files."""
    for path in (written.html, written.png):
        if path is not None:
            console.print(f"Wrote {plain(path)}", soft_wrap=True)
