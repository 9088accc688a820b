"""The index of a catalog: postings per group, combined.

An :class:`Index` joins the parts of a catalog's groups. Both are kept by fingerprint, so that a server that changed
redoes only its own part; parts are kept on disk too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt
from rank_bm25 import BM25Plus  # type: ignore[import-untyped]

from ..catalog import Catalog, Group
from . import kept
from .fields import NAME, SERVER
from .part import Ints, Part, build_part
from .words import Lexicon

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Norms:
    """How much a field's terms weigh, and how much its length counts against them (BM25F's ``w`` and ``b``)."""

    weights: tuple[float, ...] = (3.0, 2.9, 1.5, 0.65, 0.55, 0.4, 0.6)
    lengths: tuple[float, ...] = (0.55, 0.0, 0.45, 0.75, 0.4, 0.4, 0.4)
    k1: float = 1.2
    cap: int = 3


NORMS = Norms()

IN_NAME, IN_SERVER = 1 << NAME, 1 << SERVER

MAX_INDEXES = 8
"""Catalogs whose indexes are kept: sessions of one gateway differ in a few toolsets, not in hundreds."""

MAX_INDEXED = 150_000
"""Tools in all kept indexes together, so that a few huge catalogs do not add up (about 3 KB a tool)."""


@dataclass(frozen=True)
class Index:
    """Postings of N documents: those of term ``t`` are ``starts[t]`` up to ``starts[t + 1]``, sorted by document.

    ``impacts`` are what BM25F gives for a term in a document before the term's idf; ``origins`` say with two bits
    whether it is in the tool's name and in its server's label. ``name_mass`` (N,) is the summed idf of the terms
    that are in a tool's name only. ``labels`` are the terms that servers are called by.
    """

    numbers: dict[str, int]
    starts: npt.NDArray[np.int64]
    documents: Ints
    impacts: Floats
    origins: npt.NDArray[np.uint8]
    idf: Floats
    name_mass: Floats
    labels: frozenset[int]
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


class _Counted(BM25Plus):  # type: ignore[misc]
    """rank_bm25's BM25Plus over documents that are counted already: its idf, without its lists of words.

    Its idf is positive for every term, so that a word most tools hold still counts a little. Its scores need a pass
    over every document for each word (30 ms at 20,000 tools), so they are the reference of the tests only.
    """

    def _initialize(self, corpus: tuple[int, dict[str, int]]) -> dict[str, int]:
        self.corpus_size, frequencies = corpus
        return frequencies


def combine(parts: Sequence[Part], norms: Norms = NORMS) -> Index:
    """Join ``parts`` into one index: the documents of the first part come first, and so on."""
    total_documents = sum(len(part.sizes) for part in parts)
    numbers: dict[str, int] = {}
    local = [np.fromiter((numbers.setdefault(term, len(numbers)) for term in part.terms), np.int64) for part in parts]
    frequency = np.zeros(len(numbers), np.int64)
    for ids, part in zip(local, parts, strict=True):
        frequency[ids] += np.diff(part.starts)
    starts = np.zeros(len(numbers) + 1, np.int64)
    np.cumsum(frequency, out=starts[1:])
    total = int(starts[-1])
    counted = _Counted((total_documents, dict(zip(numbers, frequency.tolist(), strict=True))), k1=norms.k1, delta=0)
    idf = np.fromiter(counted.idf.values(), np.float32, len(numbers))

    sizes = sum(part.sizes.sum(axis=0, dtype=np.int64) for part in parts)
    average = np.maximum(np.asarray(sizes, float) / max(total_documents, 1), 1e-9)
    weights, slopes = np.asarray(norms.weights), np.asarray(norms.lengths)

    documents = np.empty(total, np.int32)
    impacts = np.empty(total, np.float32)
    origins = np.empty(total, np.uint8)
    name_mass = np.zeros(total_documents, np.float32)
    filled = starts[:-1].copy()
    labels: set[int] = set()
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
        own = (seen & (IN_NAME | IN_SERVER)) == IN_NAME
        origins[target] = seen & (IN_NAME | IN_SERVER)
        labels.update(np.repeat(ids, held)[(seen & IN_SERVER) != 0].tolist())
        name_mass[first : first + len(part.sizes)] = np.bincount(
            part.documents[own], weights=np.repeat(idf[ids], held)[own], minlength=len(part.sizes)
        )
        first += len(part.sizes)
    return Index(
        numbers,
        starts,
        documents,
        impacts,
        origins,
        idf,
        name_mass,
        frozenset(labels),
        average,
        norms,
        tuple(parts),
    )


_parts: WeakValueDictionary[str, Part] = WeakValueDictionary()  # a part lives as long as an index that uses it
_indexes: tuple[tuple[str, Index], ...] = ()  # newest first; replaced as a whole, so that readers need no lock
_building = Lock()


def index_of(catalog: Catalog) -> Index:
    """The index of ``catalog``, from the cache where its content was indexed before."""
    index = _kept(catalog.fingerprint)
    if index is None:
        with _building:  # threads that come together build it once
            index = _kept(catalog.fingerprint)
            if index is None:
                index = combine([_part_of(group) for group in catalog.groups])
                _keep(catalog.fingerprint, index)
    return index


def _kept(fingerprint: str) -> Index | None:
    for place, (known, index) in enumerate(_indexes):
        if known == fingerprint:
            if place >= MAX_INDEXES // 2:  # in use: away from the end, where it would be dropped
                _keep(fingerprint, index)
            return index
    return None


def _part_of(group: Group) -> Part:
    part = _parts.get(group.fingerprint) or kept.load(group)
    if part is None:
        part = build_part(group.entries)
        kept.save(group, part)
    _parts[group.fingerprint] = part
    return part


def _keep(fingerprint: str, index: Index) -> None:
    global _indexes  # noqa: PLW0603
    kept = [(fingerprint, index)]
    size = len(index)
    for known, other in _indexes:
        if known != fingerprint and len(kept) < MAX_INDEXES:
            size += len(other)
            if size <= MAX_INDEXED:
                kept.append((known, other))
    _indexes = tuple(kept)
