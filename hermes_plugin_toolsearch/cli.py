"""``hermes-toolsearch`` and ``hermes toolsearch``: every command, and what happens when one cannot be carried out."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from .commands import doctor, editing, evaluating, finding, preview, reporting, status, usage
from .commands.output import Subcommands
from .commands.view import NoViewError
from .settings import NotEditableError

COMMANDS: tuple[Callable[[Subcommands], None], ...] = (
    status.add,
    preview.add,
    finding.add_search,
    finding.add_describe,
    finding.add_why,
    evaluating.add,
    doctor.add,
    reporting.add,
    usage.add,
    editing.add_enable,
    editing.add_disable,
    editing.add_pin,
    editing.add_unpin,
    editing.add_trust,
)
"""Each adds one subcommand and sets ``run``, a function from the parsed options to the exit status."""


def add_commands(parser: argparse.ArgumentParser) -> None:
    """Declare every command on ``parser``."""
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for add in COMMANDS:
        add(commands)


def carry_out(options: argparse.Namespace) -> int:
    """Run the command of ``options`` and return its exit status; what cannot be done is said in a sentence, with 2."""
    from .evaluation import UnreadableFileError
    from .report.picture import NoPictureError

    try:
        return int(options.run(options))
    except BrokenPipeError:  # `… | head`: whoever read has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (UnreadableFileError, NotEditableError, NoViewError, NoPictureError, OSError) as error:
        print(f"toolsearch: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def main(arguments: Sequence[str] | None = None) -> int:
    """The console script."""
    parser = argparse.ArgumentParser(prog="hermes-toolsearch", description="Tool search for Hermes Agent.")
    add_commands(parser)
    return carry_out(parser.parse_args(arguments))
