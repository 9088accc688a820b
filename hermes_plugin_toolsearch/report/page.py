"""The page: what the figures say in words, the charts, and the same numbers as tables."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Sequence
from html import escape

from . import charts
from .charts import PHONE, WIDE, Bar
from .figures import Figures
from .style import CSS

SHOWN = 20
"""Servers that have bars of their own; the rest are added up in the last row."""

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""What the page may load: nothing. A browser holds it to that, whatever a server's name contains."""


def html(figures: Figures, *, today: datetime.date | None = None) -> str:
    """The whole page as one document that needs nothing else."""
    made = (today or datetime.date.today()).isoformat()
    sections = [part for part in (_servers(figures), _ladder(figures), _growth(figures), *_benchmarks(figures)) if part]
    if not sections:
        sections = [
            _section("none", "Nothing to show yet", "No server is connected whose tools could be deferred.", "")
        ]
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<title>Tool search report</title>
<style>{CSS}</style>
</head>
<body>
<a class="skip" href="#figures">To the figures</a>
<header>
{_headline(figures)}
</header>
<main id="figures">
{"".join(sections)}
</main>
<footer><p>Written by hermes-plugin-toolsearch on {made}. Token counts are {
        "exact (o200k_base)" if figures.status.exact else "estimates, on the high side"
    }; your provider's own tokenizer may count a little differently.</p></footer>
</body>
</html>
"""


def _headline(figures: Figures) -> str:
    now = figures.status
    saved = now.before - now.now
    if now.active and saved > 0:
        line = f"Each request carries <em>{100 * saved / now.before:.0f} % fewer</em> tokens of tools"
    elif now.active:
        line = f"With so few tools, deferring costs <em>{-saved:,} tokens</em>"
    else:
        line = "Tool search is <em>off</em>"
    where = " · ".join(
        filter(None, (now.origin, now.model, f"{now.context_length:,} tokens of context" if now.context_length else ""))
    )
    tiles = [
        ("Tools array before", f"{now.before:,}", "tokens in each request"),
        ("Tools array now", f"{now.now:,}", "tokens in each request"),
        ("Deferred", f"{now.deferred:,}", f"of {_many(now.tools, 'tool')}, {_many(len(figures.servers), 'server')}"),
        ("Listing", now.form, f"tier {now.tier}: {now.listing_tokens:,} of {now.budget:,} tokens"),
    ]
    if now.cost:
        text = f"now ${now.cost.plain_now:.4f}; cached ${now.cost.cached_before:.4f}, now ${now.cost.cached_now:.4f}"
        tiles.append(("Price a request", f"${now.cost.plain_before:.4f}", text))
    shown = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}<small>{escape(more)}</small></dd></div>"
        for name, value, more in tiles
    )
    advice = escape(now.advice if now.active else f"{now.reason}. {now.advice}".removeprefix(". "))
    return (
        f'<p class="eyebrow">{escape(charts.clip(where, 120))}</p>\n<h1>{line}</h1>\n'
        f'<p class="lead">{advice}</p>\n<dl class="tiles">{shown}</dl>'
    )


def _servers(figures: Figures) -> str:
    rows = [Bar(row.server, row.eager, row.now) for row in figures.servers[:SHOWN]]
    rest = figures.servers[SHOWN:]
    if rest:
        rows.append(Bar(f"{len(rest)} more", sum(row.eager for row in rest), sum(row.now for row in rest)))
    if not rows:
        return ""
    title = "Tokens per server before and after: " + ", ".join(
        f"{row.label} {row.before:,.0f} to {row.now:,.0f}" for row in rows[:5]
    )
    table = _table(
        ("Server", "Tools", "Before", "Now", "Pinned"),
        ((row.server, f"{row.tools:,}", f"{row.eager:,}", f"{row.now:,}", str(row.pinned)) for row in figures.servers),
    )
    return _section(
        "servers",
        "What each server costs",
        "Tokens of its tools in every request: all schemas at once, and its part of the listing now.",
        _key(("before", "all schemas"), ("now", "now"))
        + _both(lambda width: charts.bars(rows, width=width, title=title))
        + table,
    )


def _ladder(figures: Figures) -> str:
    rungs = figures.ladder
    if not rungs:
        return ""
    title = "The listing over context lengths: " + ", ".join(
        f"at {charts.short(rung.context)} {rung.form}, {rung.tokens:,} tokens" for rung in rungs
    )
    table = _table(
        ("Context", "Budget", "Listing", "Tier", "Form", "Tools by name"),
        (
            (
                f"{r.context:,}",
                f"{r.budget:,}",
                f"{r.tokens:,}",
                str(r.tier),
                r.form,
                f"{r.named:,} of {figures.tools:,}",
            )
            for r in rungs
        ),
    )
    return _section(
        "ladder",
        "What a model is told of the rest",
        "A small model gets a small listing. The more context there is, the more of the deferred tools it names.",
        _key(("now", "tier 1: tools by name"), ("before", "tier 2: a line per server, or nothing"), ("third", "budget"))
        + _both(lambda width: charts.ladder(rungs, width=width, title=title))
        + table,
    )


def _growth(figures: Figures) -> str:
    steps = figures.growth
    if len(steps) < 3:
        return ""
    last = steps[-1]
    title = (
        f"From none to {last.servers} servers the tools array grows to {last.before:,} tokens without and "
        f"{last.now:,} with tool search"
    )
    table = _table(
        ("Servers", "Tools", "Before", "Now"),
        ((str(step.servers), f"{step.tools:,}", f"{step.before:,}", f"{step.now:,}") for step in steps),
    )
    return _section(
        "growth",
        "As servers are added",
        "Tokens of the whole tools array, in the order of your configuration. The shaded part is what you do not pay.",
        _key(("before", "all schemas"), ("now", "with tool search"))
        + _both(lambda width: charts.growth(steps, width=width, title=title))
        + table,
    )


def _benchmarks(figures: Figures) -> Iterable[str]:
    if figures.recall:
        ours, *others = figures.recall[0].engines
        title = "Recall at five: " + ", ".join(f"{one.name} {one.engines[ours]:.2f}" for one in figures.recall)
        engines = list(dict.fromkeys(engine for one in figures.recall for engine in one.engines))
        yield _section(
            "recall",
            "Finding the right tool",
            "How often a right tool is among the first five hits, on judged questions (last benchmark).",
            _key(("now", ours), ("before", f"{_many(len(others), 'other engine')}"))
            + _both(lambda width: charts.recall(figures.recall, width=width, title=title))
            + _table(
                ("Set", "Tools", *engines),
                (
                    (
                        one.name,
                        f"{one.tools:,}",
                        *(f"{one.engines[e]:.3f}" if e in one.engines else "" for e in engines),
                    )
                    for one in figures.recall
                ),
            ),
        )
    drawn = [one for one in figures.speed if one.points]
    if drawn:
        sizes = sorted({size for one in drawn for size, _ in one.points})
        own = drawn[0]
        title = "Milliseconds of one search: " + ", ".join(f"{size:,} tools {value:.2g}" for size, value in own.points)
        yield _section(
            "speed",
            "How long a search takes",
            "Milliseconds of one search over the number of tools, both scales logarithmic (last benchmark).",
            _key(("now", own.engine), *([("before", ", ".join(one.engine for one in drawn[1:]))] if drawn[1:] else []))
            + _both(lambda width: charts.speed(drawn, width=width, title=title))
            + _table(
                ("Engine", *(f"{size:,}" for size in sizes)),
                (
                    (one.engine, *(f"{dict(one.points)[s]:.3g}" if s in dict(one.points) else "" for s in sizes))
                    for one in drawn
                ),
            ),
        )


def _section(name: str, heading: str, words: str, body: str) -> str:
    head = f'<h2 id="{name}">{escape(heading)}</h2><p>{escape(words)}</p>'
    return f'<section aria-labelledby="{name}">{head}{body}</section>\n'


def _both(draw: Callable[[int], str]) -> str:
    """The chart for a screen and for a phone; the style sheet hides one, from a screen reader too."""
    return f'<div class="wide">{draw(WIDE)}</div><div class="narrow">{draw(PHONE)}</div>'


def _key(*items: tuple[str, str]) -> str:
    shown = "".join(
        f'<li style="--c:var(--{colour})">{escape(charts.printable(label))}</li>' for colour, label in items
    )
    return f'<ul class="key">{shown}</ul>'


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The chart's numbers, folded away."""
    top = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(charts.clip(cell, 60))}</td>" for cell in row) + "</tr>" for row in rows
    )
    return (
        '<details><summary>The numbers</summary><div class="scroll" tabindex="0" role="group" aria-label="Table">'
        f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div></details>"
    )


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
