"""How sure it is that what was asked for is among what was found.

A logistic model of what a search knows about its own answer, fitted on judged queries, each with its tools there and
with their servers (or, in sets of one server, the tools alone) taken away. Cross-validated, below :data:`UNSURE`: 81 %
of the unanswerable queries over 59 servers, and 9 % of the answerable ones, averaged over seven sets (4 % of keyword
queries, 28 % of paraphrases). A tool taken away from among its near-twins is noticed far less often.
"""

from __future__ import annotations

import math

import numpy as np

from .index import Index
from .query import Query
from .ranking import Ranked
from .vocabulary import MEANS_WEIGHT, SERVICES

UNSURE = 0.35
"""Results with less confidence than this most likely do not hold what was asked for."""

_BASE = -6.5
_COVERAGE = 3.5
_NAME = 1.05
_MARGIN = 2.2
_LENGTH = 1.0
_PROSE = 3.05
_SERVICE_FOUND = 1.15
_SERVICE_MISSING = -1.3

_FIFTH = 5


def confidence_of(index: Index, query: Query, ranked: Ranked) -> float:
    """The confidence (0 to 1) in the best of ``ranked``; 0 where there is none."""
    if not len(ranked.documents):
        return 0.0
    service = _service_found(index, query, ranked)
    logit = (
        _BASE
        + _COVERAGE * _answered(index, query, ranked)
        + _NAME * float(ranked.name_coverage[0])
        + _MARGIN * (1 - float(ranked.scores[min(_FIFTH, len(ranked.scores) - 1)] / (ranked.scores[0] or 1.0)))
        + _LENGTH * math.log(sum(bool(unit.alternatives) for unit in query.units))
        + _PROSE * query.prose
        + (0.0 if service is None else _SERVICE_FOUND if service else _SERVICE_MISSING)
    )
    return 1 / (1 + math.exp(-logit))


def _answered(index: Index, query: Query, ranked: Ranked) -> float:
    """The share of the query that the best hit covers, where a word that no tool has weighs as much as any can."""
    most = math.log(len(index) + 1)
    missing = sum(unit.weight * most for unit in query.units if not unit.alternatives and not unit.word.isdigit())
    return float(ranked.coverage[0]) * ranked.mass / (ranked.mass + missing or 1.0)


def _service_found(index: Index, query: Query, ranked: Ranked) -> bool | None:
    """Say whether the best hit is of a service that the query names; None where it names none."""
    named = [unit for unit in query.units if unit.word in SERVICES]
    if not named:
        return None
    best = ranked.documents[0]
    for unit in named:
        for number, weight in unit.alternatives:
            if weight >= MEANS_WEIGHT:
                at = index.postings(number)
                held = index.documents[at]
                where = min(int(np.searchsorted(held, best)), len(held) - 1)
                if held[where] == best and index.origins[at][where]:
                    return True
    return False
