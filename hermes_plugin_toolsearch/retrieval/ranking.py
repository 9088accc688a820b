"""The ranking: BM25 over fields, then what the words that were found make up of the query and of the name."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .index import Index
from .query import Unit


@dataclass(frozen=True, slots=True)
class Mix:
    """How the parts of a score are mixed."""

    coverage: float = 1.0
    coverage_power: float = 1.0
    name: float = 1.0
    name_power: float = 1.0
    candidates: int = 100


MIX = Mix()


@dataclass(frozen=True, slots=True)
class Ranked:
    """Candidates by document number, each array (C,): the score, and the shares of query and of name covered."""

    documents: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]
    coverage: npt.NDArray[np.float64]
    name_coverage: npt.NDArray[np.float64]


def rank(index: Index, units: tuple[Unit, ...], mix: Mix = MIX) -> Ranked:
    """Score the documents that hold any of the terms of ``units``."""
    first = np.zeros(len(index), np.float32)
    for unit in units:
        for number, weight in unit.alternatives:
            at = index.postings(number)
            first[index.documents[at]] += index.impacts[at] * (index.idf[number] * weight * unit.weight)
    documents = np.flatnonzero(first)
    if len(documents) > mix.candidates:
        documents = documents[np.argpartition(first[documents], -mix.candidates)[-mix.candidates :]]
        documents.sort()
    earned = np.zeros((len(units), len(documents)))
    covered = np.zeros_like(earned)
    named = np.zeros_like(earned)
    mass = np.zeros(len(units))
    for row, unit in enumerate(units):
        for number, weight in unit.alternatives:
            at = index.postings(number)
            held = index.documents[at]
            where = np.searchsorted(held, documents)
            where[where == len(held)] = 0
            hit = held[where] == documents
            idf = float(index.idf[number])
            value = hit * index.impacts[at][where] * (idf * weight * unit.weight)
            np.maximum(earned[row], value, out=earned[row])
            np.maximum(covered[row], hit * weight, out=covered[row])
            own = hit & index.in_name[at][where] & ~index.in_server[at][where]
            np.maximum(named[row], own * (weight * idf), out=named[row])
            mass[row] = max(mass[row], idf * weight)
    total = (mass * [unit.weight for unit in units]).sum() or 1.0
    coverage = mass @ covered / total
    name_coverage = np.minimum(named.sum(axis=0) / np.maximum(index.name_mass[documents], 1e-6), 1)
    scores = earned.sum(axis=0)
    scores = scores * (1 + mix.coverage * coverage**mix.coverage_power) * (1 + mix.name * name_coverage**mix.name_power)
    return Ranked(documents, scores, coverage, name_coverage)
