"""Meaning beside words: how much nearer than others each tool is to a query, and one ranking from both.

Words are exact and know nothing; meaning knows that an invoice is a bill and takes every tool of billing for the one.
So a hit keeps what its words earned and the share of the query that they cover, and meaning adds to it: where words
cover a query well it can only reorder hits of nearly equal scores, where they do not it decides.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from .. import semantic, vectors
from ..catalog import Catalog
from ..languages import in_english
from .query import clause_texts
from .ranking import Ranked

Mode = Literal["auto", "on", "off"]
"""``on`` makes missing vectors of tools at once, ``auto`` in the background and goes by words until they are there."""

COVERAGE = 0.65
NEARNESS = 0.3
"""What full coverage, and each standard deviation of nearness, adds to the best word score of 1."""

LONG = 10
"""Words of a query from which on nearness counts less: twice as many halve it, since they say it all, in words."""

FARTHEST, NEAREST = 0.0, 10.0
"""Standard deviations between which nearness counts."""

MOST_CLAUSES = 8
NEIGHBOURS = 50
"""The tools nearest in meaning that are looked at beside those that words found."""

LEAST_NEARNESS = 1.5
"""Standard deviations from which on a tool without a word of the query is a hit at all."""

LEAST_DEVIATION = 0.04
"""So that among a handful of tools a small difference is none."""


@dataclass(frozen=True, slots=True)
class Nearness:
    """How near the N entries of a catalog are to a query.

    ``deviations`` (N,) are standard deviations by which each is nearer than the catalog's average, the best of a
    query's clauses; ``cosine`` is the largest cosine of all.
    """

    deviations: npt.NDArray[np.float32]
    cosine: float


def nearness(catalog: Catalog, query: str, mode: Mode) -> Nearness | None:
    """How near each entry of ``catalog`` is to ``query`` in meaning; None where that is not known.

    It is not while the vectors of the tools are not there yet, nor for a query without a known word.
    """
    rows = None if mode == "off" else vectors.STORE.make(catalog) if mode == "on" else vectors.STORE.ready(catalog)
    encoder = semantic.encoder() if rows is not None else None
    if rows is None or encoder is None:
        return None
    clauses = clause_texts(query)[:MOST_CLAUSES]
    texts = clauses if len(clauses) > 1 else [f"{query} {in_english(query)}"]
    asked = encoder.encode(texts)
    asked = asked[asked.any(axis=1)]
    if not len(asked):
        return None
    # Not a matrix product: BLAS wakes its threads for it, which takes 50 ms instead of 0.1 on a busy machine.
    cosines = np.stack([np.einsum("ij,j->i", rows, one) for one in asked])
    best = float(cosines.max())
    cosines -= cosines.mean(axis=1, keepdims=True)
    cosines /= np.maximum(cosines.std(axis=1, keepdims=True), LEAST_DEVIATION)
    return Nearness(cosines.max(axis=0), best)


def fuse(ranked: Ranked, near: Nearness, *, length: int) -> Ranked:
    """Rank what words found and what is nearest in meaning together; the best of words alone scores 1 to 2.

    ``length`` is how many words the query has.
    The weights come from a listwise logistic model that was fitted to all judged sets but one and tried on that one,
    in turn; recall@5 changes by less than 0.005 on average when any of them changes by a third.
    """
    deviations = near.deviations
    neighbours = np.argpartition(-deviations, min(NEIGHBOURS, len(deviations) - 1))[:NEIGHBOURS]
    neighbours = neighbours[deviations[neighbours] >= LEAST_NEARNESS]
    found = frozenset(ranked.documents.tolist())  # np.isin takes ten times as long for so few
    new = np.array([document for document in neighbours.tolist() if document not in found], np.intp)
    documents = np.concatenate([ranked.documents, new]).astype(np.intp)
    none = np.zeros(len(new))
    best = float(ranked.scores[0]) if len(ranked.scores) else 1.0
    words = np.concatenate([ranked.scores / (best or 1.0), none])
    coverage = np.concatenate([ranked.coverage, none])
    weight = NEARNESS * min(1.0, LONG / max(length, 1))
    scores = words + COVERAGE * coverage + weight * deviations[documents].clip(FARTHEST, NEAREST)
    order = np.lexsort((documents, -scores))
    return replace(
        ranked,
        documents=documents[order],
        scores=scores[order],
        coverage=coverage[order],
        name_coverage=np.concatenate([ranked.name_coverage, none])[order],
    )
