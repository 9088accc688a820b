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


# With the cosine of the tool that is nearest in meaning, fitted to what the words say and to it.
_MEANING_BASE = -1.8
_MEANING_WORDS = 0.65
_MEANING_COSINE = 2.9
_LEAST = -9.0


def confidence_of(index: Index, query: Query, ranked: Ranked, cosine: float | None = None) -> float:
    """The confidence (0 to 1) that what is asked for is there, from what words found and the largest ``cosine``.

    ``cosine`` is None where meanings were not compared; then it is 0 where words found nothing.
    """
    logit = _of_words(index, query, ranked) if len(ranked.documents) else _LEAST
    if cosine is not None:
        logit = _MEANING_BASE + _MEANING_WORDS * max(logit, _LEAST) + _MEANING_COSINE * cosine
    elif not len(ranked.documents):
        return 0.0
    return 1 / (1 + math.exp(-logit))


def _of_words(index: Index, query: Query, ranked: Ranked) -> float:
    """The log-odds by words alone."""
    service = _service_found(index, query, ranked)
    return (
        _BASE
        + _COVERAGE * _answered(index, query, ranked)
        + _NAME * float(ranked.name_coverage[0])
        + _MARGIN * (1 - float(ranked.scores[min(_FIFTH, len(ranked.scores) - 1)] / (ranked.scores[0] or 1.0)))
        + _LENGTH * math.log(sum(bool(unit.alternatives) for unit in query.units))
        + _PROSE * query.prose
        + (0.0 if service is None else _SERVICE_FOUND if service else _SERVICE_MISSING)
    )


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
