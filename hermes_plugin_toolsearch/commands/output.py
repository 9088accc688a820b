"""How an answer reaches the person or the program that asked: in colour on a terminal, plain in a pipe, or as JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

Subcommands = Any  # argparse does not name the type that add_subparsers returns

PLAIN_WIDTH = 100
"""Columns of an answer that is not read on a terminal, so that a pipe's text does not depend on who started it."""


def parser(commands: Subcommands, name: str, help: str, run: Callable[[argparse.Namespace], int]) -> Any:
    """A subcommand that takes ``--json`` and is carried out by ``run``, which returns the exit status."""
    added = commands.add_parser(name, help=help, description=help[0].upper() + help[1:] + ".")
    added.add_argument("--json", action="store_true", help="print one JSON value")
    added.set_defaults(run=run)
    return added


def console(*, stderr: bool = False) -> Console:
    """A console that colours only on a terminal and honours ``NO_COLOR``."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    plain = not stream.isatty()
    return Console(
        stderr=stderr,
        highlight=False,
        emoji=False,
        soft_wrap=False,
        width=PLAIN_WIDTH if plain else None,
        force_terminal=False if plain else None,
    )


def show(options: argparse.Namespace, answer: Any, render: Callable[[Any, Console], None]) -> None:
    """Print ``answer``, a dataclass or plain data, as ``options`` ask for it."""
    if options.json:
        print(json.dumps(answer, ensure_ascii=False, indent=2, default=_plain))
    else:
        render(answer, console())


@contextmanager
def progress(text: str) -> Iterator[Callable[[str], None]]:
    """Show on a terminal that something takes time; gives a function that changes the text. Silent in a pipe."""
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    with console(stderr=True).status(text) as status:
        yield status.update


def table(*columns: str, numbers: tuple[str, ...] = ()) -> Any:
    """A table without rules, its ``numbers`` columns to the right."""
    from rich.table import Table

    made = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", pad_edge=False)
    for column in columns:
        right = column in numbers
        made.add_column(column, justify="right" if right else "left", no_wrap=right, overflow="fold")
    return made


def plain(text: object) -> str:
    """Text of others, as rich shall show it: no markup in it, and nothing that moves the cursor."""
    from rich.markup import escape

    return escape("".join(letter if letter.isprintable() else " " for letter in str(text)))


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, set | frozenset | tuple):
        return list(value)
    return str(value)


def positive(text: str) -> int:
    """A whole number of at least 1, for argparse."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number
