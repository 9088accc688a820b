"""The postings of one group of tools: plain arrays and strings that depend on nothing but its entries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from threading import Lock

import numpy as np
import numpy.typing as npt

from ..catalog import Entry
from ..text import chunk_terms, chunks, terms
from .fields import FIELDS, field_texts

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Part:
    """Postings of one group of D entries, sorted by term, then entry, then field.

    ``terms`` are V strings; pair ``p`` (an entry that holds a term) belongs to the term ``t`` with
    ``starts[t] <= p < starts[t + 1]`` and to entry ``documents[p]``; it was seen ``counts[c]`` times in field
    ``fields[c]`` for every ``c`` from ``pair_starts[p]`` up to the next pair's. ``sizes`` (D, F) are the terms of
    each field of each entry.
    """

    terms: tuple[str, ...]
    starts: Ints
    documents: Ints
    pair_starts: Ints
    fields: npt.NDArray[np.uint8]
    counts: npt.NDArray[np.uint8]
    sizes: npt.NDArray[np.uint16]


class _Numbers(dict[bytes, tuple[int, ...]]):
    """Chunk of a text -> the numbers of its terms, given out as they are met; ``terms[number]`` is the term.

    One table serves all groups, since the servers of a catalog share most of their words. It holds nothing that a
    part refers to, and is left for a new one when it is full.
    """

    def __init__(self) -> None:
        self.terms: list[str] = []
        self._numbers: dict[str, int] = {}
        self._lock = Lock()
        self[_TEXT_END] = (-1,)

    def number(self, term: str) -> int:
        number = self._numbers.get(term)
        if number is None:
            with self._lock:
                number = self._numbers.setdefault(term, len(self.terms))
                if number == len(self.terms):
                    self.terms.append(term)
        return number

    def __missing__(self, chunk: bytes) -> tuple[int, ...]:
        numbers = self[chunk] = tuple(map(self.number, chunk_terms(chunk)))
        return numbers


MAX_CHUNKS = 1 << 16
"""Chunks whose terms are remembered; 20,000 AWS operations have 25,000."""

_TEXT_END = b"\xff"  # in no UTF-8 text
_numbers = _Numbers()


def _numbering() -> _Numbers:
    global _numbers  # noqa: PLW0603
    if len(_numbers) > MAX_CHUNKS:
        _numbers = _Numbers()
    return _numbers


def build_part(entries: Sequence[Entry]) -> Part:
    """The postings of ``entries``, which become documents 0 to D - 1 in their order."""
    known = _numbering()
    texts: dict[str, int] = {}  # a server's tools share most of their parameters' descriptions
    used: list[int] = []
    slots: list[int] = []
    for document, entry in enumerate(entries):
        base = document * len(FIELDS)
        for number, text in field_texts(entry):
            used.append(texts.setdefault(text, len(texts)))
            slots.append(base + number)
    # Every text once, in one piece: cutting them one by one takes twice as long.
    joined = b"".join([text.encode("utf-8", "replace") + b" " + _TEXT_END + b" " for text in texts])
    found = list(chain.from_iterable(map(known.__getitem__, chunks(joined))))
    flat = np.fromiter(found, np.int64, len(found))
    ends = np.flatnonzero(flat < 0)
    starts = np.concatenate(([0], ends[:-1] + 1))
    empty = np.flatnonzero(ends == starts)
    if len(empty):  # stop words only, as in the name ``who_am_i``
        by_number = list(texts)
        for at in empty.tolist():
            numbers = list(map(known.number, terms(by_number[at])))
            starts[at], ends[at] = len(flat), len(flat) + len(numbers)
            flat = np.concatenate((flat, np.asarray(numbers, np.int64)))
    text_of_slot = np.asarray(used, np.int64)
    lengths = (ends - starts)[text_of_slot]
    slot = np.repeat(np.asarray(slots, np.int64), lengths)
    term = flat[np.repeat(starts[text_of_slot] - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())]

    local = np.zeros(len(known.terms), np.int64)
    local[flat[flat >= 0]] = 1
    vocabulary = np.flatnonzero(local)
    local[vocabulary] = np.arange(len(vocabulary))
    term = local[term]
    slot_count = len(entries) * len(FIELDS)
    sizes = np.bincount(slot, minlength=slot_count).reshape(len(entries), len(FIELDS))
    key, counts = np.unique(term * slot_count + slot, return_counts=True)
    pair = key // len(FIELDS)
    pair_starts = np.flatnonzero(np.diff(pair, prepend=-1))
    pair = pair[pair_starts]
    return Part(
        terms=tuple([known.terms[number] for number in vocabulary.tolist()]),
        starts=np.searchsorted(pair, np.arange(len(vocabulary) + 1) * len(entries)).astype(np.int32),
        documents=(pair % len(entries)).astype(np.int32),
        pair_starts=pair_starts.astype(np.int32),
        fields=(key % len(FIELDS)).astype(np.uint8),
        counts=np.minimum(counts, 255).astype(np.uint8),
        sizes=np.minimum(sizes, 65535).astype(np.uint16),
    )
