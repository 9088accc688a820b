"""``eval``: how well judged queries are answered, by the session's own tools or those of a file."""

from __future__ import annotations

import argparse
import json
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from .output import Subcommands, parser, positive, progress, show
from .view import add_source, deferrable, open_view

if TYPE_CHECKING:
    from rich.console import Console


def add(commands: Subcommands) -> None:
    """``eval``: recall and latency on judged queries."""
    command = parser(commands, "eval", "measure recall and latency on judged queries", run)
    command.add_argument(
        "--queries", type=Path, required=True, metavar="FILE", help='{"id", "query", "relevant": [names]}, one a line'
    )
    command.add_argument("--limit", type=positive, default=10, metavar="N", help="names per ranking (default 10)")
    command.add_argument("--rankings", type=Path, metavar="OUT", help='write {"id", "names": [...]}, one a line')
    add_source(command)


def run(options: argparse.Namespace) -> int:
    """Print the figures, and write the rankings where asked to."""
    from .. import evaluation, retrieval

    if options.tools is not None:
        catalog, problems = evaluation.read_catalog(options.tools)
    else:
        catalog, problems = deferrable(open_view(options)), ()
    queries = evaluation.read_queries(options.queries)
    with progress(f"Searching {len(queries)} times"):
        search = partial(retrieval.search, semantic="on")
        rankings = evaluation.rank_queries(catalog, queries, search, depth=options.limit)
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
    show(options, figures, render)
    for problem in problems:
        print(f"{problem.name}: {problem.reason}", file=sys.stderr)
    return 0


def render(figures: dict[str, float], console: Console) -> None:
    """A line a figure."""
    for name, value in figures.items():
        console.print(f"{name:12} {value:.3f}" if isinstance(value, float) else f"{name:12} {value}")
