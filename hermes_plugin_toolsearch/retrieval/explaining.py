"""Why a hit was found: which term earned what in which field."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..catalog import Entry
from ..text import terms
from .fields import FIELDS, field_texts
from .index import Index
from .query import Unit


def earnings(index: Index, units: tuple[Unit, ...], entry: Entry) -> Iterator[str]:
    """A line for each unit of a query that ``entry`` answers: the word, the field, and what share of it that earned.

    Made from the entry's own texts when somebody asks, so that searching keeps nothing for it.
    """
    weights, slopes = np.asarray(index.norms.weights), np.asarray(index.norms.lengths)
    held: list[list[str]] = [[] for _ in FIELDS]
    for number, text in field_texts(entry):
        held[number].extend(terms(text))
    sizes = np.asarray([len(texts) for texts in held])
    norm = weights / (1 - slopes + slopes * sizes / index.average)
    words = index.vocabulary
    for unit in units:
        best: tuple[float, str, list[str]] = (0.0, "", [])
        for number, weight in unit.alternatives:
            shares = np.asarray([texts.count(words[number]) for texts in held]) * norm
            frequency = float(shares.sum())
            impact = frequency * (index.norms.k1 + 1) / (frequency + index.norms.k1)
            earned = impact * float(index.idf[number]) * weight * unit.weight
            if earned > best[0]:
                where = [
                    f"{FIELDS[at]} {100 * shares[at] / frequency:.0f} %"
                    for at in np.argsort(-shares, kind="stable")
                    if shares[at] > 0
                ]
                best = (earned, words[number], where)
        earned, word, where = best
        if earned:
            said = unit.said if word == unit.word else f"{unit.said} (as {word})"
            yield f"{said:24} {earned:6.2f}  {', '.join(where)}"
