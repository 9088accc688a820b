"""The numbers of a report: costs per server, the listing over context sizes, growth, and the last benchmarks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import bridge, tokens
from ..catalog import build_catalog
from ..commands.status import ServerCost, Status, status
from ..commands.view import View, deferrable
from ..listing import listing_budget, make_listing

CONTEXTS = (8_000, 16_000, 32_000, 64_000, 128_000, 200_000, 400_000, 1_000_000)
"""Context lengths, in tokens, of which the ladder shows what the model would be told."""

STEPS = 24
"""Points of the growth curve at most: each is a listing of its own."""

OURS = "toolsearch"
"""This project's name in a benchmark's results."""


@dataclass(frozen=True, slots=True)
class Rung:
    """What a model with ``context`` tokens would be told of the deferred tools; ``named`` is how many by name."""

    context: int
    budget: int
    tokens: int
    tier: int
    form: str
    named: int


@dataclass(frozen=True, slots=True)
class Step:
    """The tools array with the first ``servers`` servers, in tokens without and with deferring."""

    servers: int
    tools: int
    before: int
    now: int


@dataclass(frozen=True, slots=True)
class Recall:
    """Recall at five on one judged set, by engine; the first engine is this project."""

    name: str
    tools: int
    engines: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Speed:
    """Milliseconds of one search by one engine, over catalog sizes."""

    engine: str
    points: Sequence[tuple[int, float]]


@dataclass(frozen=True, slots=True)
class Figures:
    """Everything that a page shows."""

    status: Status
    servers: tuple[ServerCost, ...]
    ladder: tuple[Rung, ...]
    growth: tuple[Step, ...]
    recall: tuple[Recall, ...] = ()
    speed: tuple[Speed, ...] = ()
    tools: int = 0


def gather(view: View, benchmarks: Iterable[Path] = ()) -> Figures:
    """The figures of ``view``, with those of the benchmark results among ``benchmarks`` (JSON files)."""
    found = [result for path in benchmarks if (result := _read(path)) is not None]
    now = status(view)
    return Figures(
        now,
        tuple(row for row in now.servers if row.tools),
        ladder(view),
        growth(view),
        tuple(recall for result in found for recall in _recall(result)),
        tuple(speed for result in found for speed in _speed(result)),
        len(deferrable(view)),
    )


def ladder(view: View) -> tuple[Rung, ...]:
    """The listing at each of ``CONTEXTS``; empty where nothing could be deferred."""
    catalog, config = deferrable(view), view.config
    if not len(catalog):
        return ()
    rungs = []
    for context in CONTEXTS:
        budget = listing_budget(config.threshold_pct, config.listing_max_tokens, context)
        listing = make_listing(catalog, budget=budget, mode=config.listing, trust=config.trust)
        rungs.append(Rung(context, budget, listing.tokens, listing.tier, listing.form, listing.named))
    return tuple(rungs)


def growth(view: View) -> tuple[Step, ...]:
    """The cost as servers are added in the order of the configuration, at most ``STEPS`` points; from none on."""
    order = {server.name: place for place, server in enumerate(view.servers)}
    groups = sorted(deferrable(view).groups, key=lambda group: (order.get(group.server, len(order)), group.server))
    if not groups:
        return ()
    costs = {server: tokens.count_definitions(definitions) for server, definitions in view.by_server.items()}
    visible = (view.would_defer or view.assembly).partition.visible
    base = tokens.count_definitions(visible) if visible else 0
    config, names = view.config, view.assembly.names
    budget = listing_budget(config.threshold_pct, config.listing_max_tokens, view.context_length)
    steps = [Step(0, 0, base, base)]
    for count in _spread(len(groups), STEPS):
        part = build_catalog(entry for group in groups[:count] for entry in group.entries)
        listing = make_listing(part, budget=budget, mode=config.listing, trust=config.trust)
        now = base + tokens.count_definitions(bridge.definitions(names, part, listing.text))
        before = base + sum(costs.get(group.server, 0) for group in groups[:count])
        steps.append(Step(count, len(part), before, now))
    return tuple(steps)


def _spread(count: int, most: int) -> list[int]:
    """At most ``most`` of the numbers 1 to ``count``, evenly, both ends among them."""
    if count <= most:
        return list(range(1, count + 1))
    return sorted({round(1 + place * (count - 1) / (most - 1)) for place in range(most)})


def _read(path: Path) -> Any:
    """The JSON in ``path``, or None: a benchmark that is not there or is broken is left out of the page."""
    with suppress(OSError, ValueError):
        return json.loads(path.read_text(encoding="utf-8"))
    return None


def _recall(result: Any) -> list[Recall]:
    """The sets of a retrieval benchmark's result."""
    with suppress(KeyError, TypeError, AttributeError):
        titles = result["titles"]
        return [
            Recall(
                str(name),
                int(one["tools"]),
                {
                    str(titles.get(engine, engine)): float(row["r5"])
                    for engine, row in sorted(one["engines"].items(), key=lambda item: item[0] != OURS)
                    if "r5" in row
                },
            )
            for name, one in result["sets"].items()
            if "r5" in one["engines"].get(OURS, {})
        ]
    return []


def _speed(result: Any) -> list[Speed]:
    """The search times of a speed benchmark's result."""
    with suppress(KeyError, TypeError, AttributeError):
        sizes = sorted((int(size), row) for size, row in result["sizes"].items())
        engines = sorted({engine for _, row in sizes for engine in row}, key=lambda engine: (engine != OURS, engine))
        return [
            Speed(
                str(result["titles"].get(engine, engine)),
                [(size, float(row[engine]["search"])) for size, row in sizes if row.get(engine, {}).get("search")],
            )
            for engine in engines
        ]
    return []
