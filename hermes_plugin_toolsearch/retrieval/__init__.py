"""Finding the tools that a query asks for.

``search(catalog, query, limit)`` is the door. A query is answered from what is most certain to what is least: names
in it, then words in the fields of tools together with what the query means, then pieces of names.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from .. import vectors
from ..catalog import Catalog, Entry
from .confidence import UNSURE, confidence_of
from .explaining import earnings
from .index import Index, index_of
from .meaning import Mode, fuse, nearness
from .names import names_of, pattern_in
from .query import Query, parse
from .ranking import rank
from .vocabulary import MEANS_WEIGHT

__all__ = ["UNSURE", "Hit", "Results", "explain", "prepare", "search"]

SERVER_DECAY = 0.97
"""What each earlier hit of a server leaves of its next one's score, in a query that names no server."""

SPREAD_OVER = 50


How = Literal["name", "pattern", "words", "meaning", "piece of name"]


@dataclass(frozen=True, slots=True)
class Hit:
    """A tool that answers a query. Scores compare the hits of one query only; ``how`` says what found it."""

    entry: Entry
    score: float
    how: How


@dataclass(frozen=True, slots=True)
class Results:
    """The hits, best first; how sure it is that one of them is meant (0 to 1); words of it that no tool has."""

    hits: tuple[Hit, ...]
    confidence: float
    unknown: tuple[str, ...] = ()


def search(catalog: Catalog, query: str, limit: int, *, semantic: Mode = "auto") -> Results:
    """The at most ``limit`` tools of ``catalog`` that fit ``query`` best.

    ``semantic`` says whether meaning counts beside words: not at all (``off``), once the vectors of the tools are
    there (``auto``), or always, made now if need be (``on``).
    """
    if not catalog.groups or limit < 1:
        return Results((), 0.0)
    documents = _Documents(catalog)
    index = index_of(catalog)
    names = names_of(catalog)
    asked = parse(index, query)
    words = rank(index, asked)
    near = nearness(catalog, query, semantic)
    ranked = words if near is None else fuse(words, near, length=len(query.split()))
    worded = frozenset(words.documents.tolist())
    scores = dict(zip(ranked.documents.tolist(), ranked.scores.tolist(), strict=True))

    found: dict[int, How] = {}
    pattern = pattern_in(query)
    if pattern is not None:
        found.update((document, "pattern") for document in _ordered(names.matching(pattern), scores))
    for meant in names.mentioned(query):
        for document in _ordered(meant, scores):
            found.setdefault(document, "name")
    certain = bool(found)
    if len(found) < limit and not (pattern and found):
        order: Iterable[int] = scores
        if len(catalog.groups) > 1 and not _names_a_server(index, asked):
            order = _spread(documents, scores, limit)
        for document in order:
            if len(found) >= limit:
                break
            found.setdefault(document, "words" if document in worded else "meaning")
    if not found:
        found.update((document, "piece of name") for document in names.containing(query))
    hits = tuple(
        Hit(documents.entry(document), scores.get(document, 0.0), how) for document, how in list(found.items())[:limit]
    )
    sure = 1.0 if certain else confidence_of(index, asked, words, near.cosine if near is not None else None)
    unknown = tuple(unit.said for unit in asked.units if not unit.known)
    return Results(hits, sure, unknown)


def prepare(catalog: Catalog, *, semantic: Mode = "auto") -> None:
    """Make what a search of ``catalog`` needs, so that the first one need not: its index, and the tools' vectors."""
    index_of(catalog)
    if semantic != "off":
        vectors.STORE.make(catalog)


def explain(catalog: Catalog, query: str, entry: Entry, *, semantic: Mode = "auto") -> tuple[str, ...]:
    """What the words of ``query`` earned ``entry`` and in which fields, a line a word; how near its meaning is."""
    index = index_of(catalog)
    lines = list(earnings(index, parse(index, query).units, entry))
    near = nearness(catalog, query, semantic)
    if near is not None:
        deviations = float(near.deviations[catalog.entries.index(entry)])
        lines.append(f"{'meaning':24} {deviations:6.2f}  deviations nearer than the tools on average")
    return tuple(lines)


class _Documents:
    """The entries of a catalog by document number, without a list of them all."""

    def __init__(self, catalog: Catalog) -> None:
        self._groups = catalog.groups
        self._firsts = [0]
        for group in catalog.groups:
            self._firsts.append(self._firsts[-1] + len(group.entries))

    def server(self, document: int) -> int:
        return bisect_right(self._firsts, document) - 1

    def entry(self, document: int) -> Entry:
        server = self.server(document)
        return self._groups[server].entries[document - self._firsts[server]]


def _ordered(documents: Iterable[int], scores: dict[int, float]) -> list[int]:
    return sorted(documents, key=lambda document: (-scores.get(document, 0.0), document))


def _names_a_server(index: Index, asked: Query) -> bool:
    return any(
        number in index.labels and weight >= MEANS_WEIGHT
        for unit in asked.units
        for number, weight in unit.alternatives
    )


def _spread(documents: _Documents, scores: dict[int, float], limit: int) -> list[int]:
    """The documents best first, so that many hits of one server count for a little less each."""
    left = list(scores.items())[: max(SPREAD_OVER, limit)]
    servers = [documents.server(document) for document, _ in left]
    taken = dict.fromkeys(servers, 1.0)
    spread = []
    for _ in range(min(limit, len(left))):
        at = max(range(len(left)), key=lambda at: (left[at][1] * taken[servers[at]], -at))
        spread.append(left.pop(at)[0])
        taken[servers.pop(at)] *= SERVER_DECAY
    return spread
