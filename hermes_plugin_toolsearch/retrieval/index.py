"""The index of a catalog: postings per group, combined.

A :class:`Part` depends on one group only and is plain arrays and strings; an :class:`Index` joins the parts of a
catalog's groups. Both are kept by fingerprint, so that a server that changed redoes only its own part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from threading import Lock
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

from ..catalog import Catalog, Entry, Group
from ..text import analyse, words
from .fields import FIELDS, NAME, SERVER, field_texts
from .words import Lexicon

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Norms:
    """How much a field's terms weigh, and how much its length counts against them (BM25F's ``w`` and ``b``)."""

    weights: tuple[float, ...] = (3.0, 2.9, 1.5, 0.65, 0.55, 0.4, 0.6)
    lengths: tuple[float, ...] = (0.55, 0.0, 0.45, 0.75, 0.4, 0.4, 0.4)
    k1: float = 1.2
    cap: int = 3


NORMS = Norms()

MAX_INDEXES = 8
"""Catalogs whose indexes are kept: sessions of one gateway differ in a few toolsets, not in hundreds."""

MAX_INDEXED = 150_000
"""Tools in all kept indexes together, so that a few huge catalogs do not add up (about 3 KB a tool)."""


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


class _TermIds(dict[str, tuple[int, ...]]):
    """Word as written -> the numbers of its terms, which are given out as they are met."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __missing__(self, word: str) -> tuple[int, ...]:
        numbers = self.numbers
        ids = tuple(numbers.setdefault(term, len(numbers)) for term in analyse(word).indexed)
        self[word] = ids
        return ids

    def of(self, text: str) -> tuple[int, ...]:
        found = words(text)
        ids = tuple(chain.from_iterable(map(self.__getitem__, found)))
        if ids or not found:
            return ids
        plain = (analyse(word).plain for word in found)  # nothing but stop words: they are all there is
        return tuple(self.numbers.setdefault(term, len(self.numbers)) for term in plain)


def build_part(entries: Sequence[Entry]) -> Part:
    """The postings of ``entries``, which become documents 0 to D - 1 in their order."""
    ids = _TermIds()
    by_text: dict[str, tuple[int, ...]] = {}  # a server's tools share most of their parameters' descriptions
    flat: list[tuple[int, ...]] = []
    slots: list[int] = []
    for document, entry in enumerate(entries):
        base = document * len(FIELDS)
        for number, text in field_texts(entry):
            found = by_text.get(text)
            if found is None:
                found = by_text[text] = ids.of(text)
            if found:
                flat.append(found)
                slots.append(base + number)
    lengths = np.fromiter(map(len, flat), np.int64, len(flat))
    term = np.fromiter(chain.from_iterable(flat), np.int64, int(lengths.sum()))
    slot = np.repeat(np.asarray(slots, np.int64), lengths)
    slot_count = len(entries) * len(FIELDS)
    sizes = np.bincount(slot, minlength=slot_count).reshape(len(entries), len(FIELDS))
    key, counts = np.unique(term * slot_count + slot, return_counts=True)
    pair = key // len(FIELDS)
    pair_starts = np.flatnonzero(np.diff(pair, prepend=-1))
    pair = pair[pair_starts]
    return Part(
        terms=tuple(ids.numbers),
        starts=np.searchsorted(pair, np.arange(len(ids.numbers) + 1) * len(entries)).astype(np.int32),
        documents=(pair % max(len(entries), 1)).astype(np.int32),
        pair_starts=pair_starts.astype(np.int32),
        fields=(key % len(FIELDS)).astype(np.uint8),
        counts=np.minimum(counts, 255).astype(np.uint8),
        sizes=np.minimum(sizes, 65535).astype(np.uint16),
    )


@dataclass(frozen=True)
class Index:
    """Postings of N documents: those of term ``t`` are ``starts[t]`` up to ``starts[t + 1]``, sorted by document.

    ``impacts`` are what BM25F gives for a term in a document before the term's idf, ``in_name`` says whether the
    term is in the tool's name. ``name_mass`` (N,) is the summed idf of each name's terms, those of the server's
    label left out.
    """

    numbers: dict[str, int]
    starts: npt.NDArray[np.int64]
    documents: Ints
    impacts: Floats
    in_own_name: npt.NDArray[np.bool_]
    idf: Floats
    name_mass: Floats
    average: npt.NDArray[np.float64]
    norms: Norms
    parts: tuple[Part, ...]

    def __len__(self) -> int:
        return len(self.name_mass)

    def postings(self, number: int) -> slice:
        """Where the postings of term ``number`` are."""
        return slice(int(self.starts[number]), int(self.starts[number + 1]))

    @cached_property
    def lexicon(self) -> Lexicon:
        """The terms as words to look near ones up in."""
        return Lexicon(self.numbers, np.diff(self.starts))

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """Every term, by number."""
        return tuple(self.numbers)


def combine(parts: Sequence[Part], norms: Norms = NORMS) -> Index:
    """Join ``parts`` into one index: the documents of the first part come first, and so on."""
    count = sum(len(part.sizes) for part in parts)
    numbers: dict[str, int] = {}
    local = [np.fromiter((numbers.setdefault(term, len(numbers)) for term in part.terms), np.int64) for part in parts]
    frequency = np.zeros(len(numbers), np.int64)
    for ids, part in zip(local, parts, strict=True):
        frequency[ids] += np.diff(part.starts)
    starts = np.zeros(len(numbers) + 1, np.int64)
    np.cumsum(frequency, out=starts[1:])
    total = int(starts[-1])
    # BM25Plus' idf: positive for every term, so that a word most tools hold still counts a little.
    idf = np.log((count + 1) / np.maximum(frequency, 1)).astype(np.float32)

    sizes = sum(part.sizes.sum(axis=0, dtype=np.int64) for part in parts)
    average = np.maximum(np.asarray(sizes, float) / max(count, 1), 1e-9)
    weights, slopes = np.asarray(norms.weights), np.asarray(norms.lengths)

    documents = np.empty(total, np.int32)
    impacts = np.empty(total, np.float32)
    in_own_name = np.empty(total, np.bool_)
    name_mass = np.zeros(count, np.float32)
    filled = starts[:-1].copy()
    first = 0
    for ids, part in zip(local, parts, strict=True):
        held = np.diff(part.starts)
        target = np.arange(len(part.documents)) + np.repeat(filled[ids] - part.starts[:-1], held)
        filled[ids] += held
        norm = weights / (1 - slopes + slopes * part.sizes / average)
        owner = np.repeat(part.documents, np.diff(part.pair_starts, append=len(part.fields)))
        weight = np.minimum(part.counts, norms.cap) * norm[owner, part.fields]
        frequency_of_pair = np.add.reduceat(weight, part.pair_starts) if len(weight) else weight
        documents[target] = part.documents + first
        impacts[target] = frequency_of_pair * (norms.k1 + 1) / (frequency_of_pair + norms.k1)
        seen = (
            np.bitwise_or.reduceat(np.left_shift(1, part.fields, dtype=np.uint8), part.pair_starts)
            if len(weight)
            else part.fields
        )
        own = (seen & (1 << NAME | 1 << SERVER)) == 1 << NAME
        in_own_name[target] = own
        name_mass[first : first + len(part.sizes)] = np.bincount(
            part.documents[own], weights=np.repeat(idf[ids], held)[own], minlength=len(part.sizes)
        )
        first += len(part.sizes)
    return Index(numbers, starts, documents, impacts, in_own_name, idf, name_mass, average, norms, tuple(parts))


_parts: WeakValueDictionary[str, Part] = WeakValueDictionary()  # a part lives as long as an index that uses it
_indexes: tuple[tuple[str, Index], ...] = ()  # newest first; replaced as a whole, so that readers need no lock
_building = Lock()


def index_of(catalog: Catalog) -> Index:
    """The index of ``catalog``, from the cache where its content was indexed before."""
    for fingerprint, index in _indexes:
        if fingerprint == catalog.fingerprint:
            return index
    with _building:  # threads that come together build it once
        for fingerprint, index in _indexes:
            if fingerprint == catalog.fingerprint:
                return index
        index = combine([_part_of(group) for group in catalog.groups])
        _keep(catalog.fingerprint, index)
    return index


def _part_of(group: Group) -> Part:
    part = _parts.get(group.fingerprint)
    if part is None:
        part = _parts[group.fingerprint] = build_part(group.entries)
    return part


def _keep(fingerprint: str, index: Index) -> None:
    global _indexes  # noqa: PLW0603
    kept = [(fingerprint, index)]
    size = len(index)
    for known, other in _indexes[: MAX_INDEXES - 1]:
        size += len(other)
        if size > MAX_INDEXED:
            break
        kept.append((known, other))
    _indexes = tuple(kept)
