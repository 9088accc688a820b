"""``hermes-toolsearch``: search and measure any catalog of tools from the command line."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from .commands import editing
from .commands.output import Subcommands
from .settings import NotEditableError


def add_search(commands: Subcommands) -> None:
    """``search``: the hits of one query."""
    parser = commands.add_parser("search", help="search a file of tool definitions")
    parser.add_argument("query")
    parser.add_argument("--tools", type=Path, required=True, metavar="FILE", help="tools: JSON or JSON lines, also .gz")
    parser.add_argument("--limit", type=positive, default=5, metavar="N")
    parser.add_argument("--explain", action="store_true", help="show what each hit earned, and for what")
    parser.set_defaults(run=run_search)


def run_search(options: argparse.Namespace) -> int:
    """Print the hits of ``options.query``; 1 where there are none."""
    from . import retrieval  # noqa: PLC0415 - numpy is loaded only where it is used
    from .evaluation import read_catalog  # noqa: PLC0415

    catalog, _ = read_catalog(options.tools)
    results = retrieval.search(catalog, options.query, options.limit)
    for place, hit in enumerate(results.hits, 1):
        print(f"{place:2}. {hit.entry.name}  {hit.score:.2f}  ({hit.how})")
        if options.explain:
            for line in retrieval.explain(catalog, options.query, hit.entry):
                print(f"      {line}")
    print(f"confidence {results.confidence:.2f}" + "".join(f"; no tool says {word!r}" for word in results.unknown))
    return 0 if results.hits else 1


def add_eval(commands: Subcommands) -> None:
    """``eval``: how well judged queries are answered."""
    parser = commands.add_parser("eval", help="measure recall and latency on judged queries")
    parser.add_argument("--tools", type=Path, required=True, metavar="FILE", help="tools: JSON or JSON lines, also .gz")
    parser.add_argument(
        "--queries", type=Path, required=True, metavar="FILE", help='{"id", "query", "relevant": [...]}'
    )
    parser.add_argument("--limit", type=positive, default=10, metavar="N", help="names per ranking (default 10)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--rankings", type=Path, metavar="OUT", help='write {"id", "names": [...]} a line')
    parser.set_defaults(run=run_eval)


def run_eval(options: argparse.Namespace) -> int:
    """Print the figures, and write the rankings where asked to."""
    from . import evaluation, retrieval  # noqa: PLC0415

    catalog, problems = evaluation.read_catalog(options.tools)
    rankings = evaluation.rank_queries(
        catalog, evaluation.read_queries(options.queries), retrieval.search, depth=options.limit
    )
    if options.rankings:
        lines = (json.dumps({"id": ranking.query.id, "names": ranking.names}) + "\n" for ranking in rankings)
        options.rankings.write_text("".join(lines), encoding="utf-8")
    report = evaluation.report(catalog, rankings)
    figures: dict[str, float] = {
        "tools": report.tools,
        "queries": report.queries,
        **{f"recall@{k}": value for k, value in report.recall.items()},
        "mrr": report.mrr,
        "unanswered": report.unanswered,
        "median_ms": report.median_ms,
        "p99_ms": report.p99_ms,
    }
    if options.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:12} {value:.3f}" if isinstance(value, float) else f"{name:12} {value}")
    for problem in problems:
        print(f"{problem.name}: {problem.reason}", file=sys.stderr)
    return 0


COMMANDS: tuple[Callable[[Subcommands], None], ...] = (
    add_search,
    add_eval,
    editing.add_enable,
    editing.add_disable,
    editing.add_pin,
    editing.add_unpin,
    editing.add_trust,
)
"""Each adds one subcommand and sets ``run``, a function from the parsed options to the exit status."""


def positive(text: str) -> int:
    """A whole number of at least 1, for argparse."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; a file that cannot be read or edited ends it with a sentence and status 2."""
    parser = argparse.ArgumentParser(prog="hermes-toolsearch", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for add in COMMANDS:
        add(commands)
    options = parser.parse_args(arguments)
    from .evaluation import UnreadableFileError  # noqa: PLC0415

    try:
        return int(options.run(options))
    except (UnreadableFileError, NotEditableError) as error:
        print(f"hermes-toolsearch: {error}", file=sys.stderr)
        return 2
