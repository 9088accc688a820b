"""How sure it is that a tool that was asked for is among those that were found."""

from __future__ import annotations

import numpy as np

from .index import Index
from .query import Query
from .ranking import Ranked


def features(index: Index, query: Query, ranked: Ranked) -> tuple[float, ...]:
    """What confidence is read off."""
    if not len(ranked.documents):
        return (0.0,) * 8
    most = float(np.log(len(index) + 1.0))
    missing = sum(unit.weight * most for unit in query.units if not unit.alternatives and not unit.word.isdigit())
    guessed = sum(unit.weight * most for unit in query.units if unit.alternatives and not unit.known)
    total = ranked.mass + missing
    top = float(ranked.scores[0])
    fifth = float(ranked.scores[min(5, len(ranked.scores) - 1)])
    return (
        float(ranked.coverage[0]) * ranked.mass / total,
        float(ranked.coverage[0]),
        float(ranked.name_coverage[0]),
        missing / total,
        guessed / total,
        1 - fifth / top if top else 0.0,
        float(np.log1p(top)),
        float(np.log(len(query.units) or 1)),
    )


def confidence(index: Index, query: Query, ranked: Ranked) -> float:
    """The chance (0 to 1) that the query has an answer among the first few."""
    found = features(index, query, ranked)
    return found[0]
