"""Finding the tools that a query asks for.

``search(catalog, query, limit)`` is the door. A query is answered from what is most certain to what is least: names
in it, then words in the fields of tools, then pieces of names.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..catalog import Catalog, Entry
from .explaining import earnings
from .index import index_of
from .names import names_of, pattern_in
from .query import parse
from .ranking import rank

__all__ = ["Hit", "Results", "explain", "resolve", "search"]


@dataclass(frozen=True, slots=True)
class Hit:
    """A tool that answers a query. Scores compare the hits of one query only; ``how`` says what found it."""

    entry: Entry
    score: float
    how: str


@dataclass(frozen=True, slots=True)
class Results:
    """The hits, best first; how sure it is that one of them is meant (0 to 1); words that no tool has."""

    hits: tuple[Hit, ...]
    confidence: float
    unknown: tuple[str, ...] = ()


def search(catalog: Catalog, query: str, limit: int) -> Results:
    """The at most ``limit`` tools of ``catalog`` that fit ``query`` best."""
    if not len(catalog) or limit < 1:
        return Results((), 0.0)
    names = names_of(catalog)
    entries = catalog.entries
    index = index_of(catalog)
    asked = parse(index, query)
    ranked = rank(index, asked)
    scores = dict(zip(ranked.documents.tolist(), ranked.scores.tolist(), strict=True))
    order = sorted(scores, key=lambda document: (-scores[document], entries[document].name))
    found: dict[int, str] = {}
    pattern = pattern_in(query)
    if pattern is not None:
        found.update((document, "pattern") for document in names.matching(pattern))
    for documents in names.mentioned(query):
        for document in sorted(documents, key=lambda document: (-scores.get(document, 0.0), entries[document].name)):
            found.setdefault(document, "name")
    certain = bool(found)
    for document in order:
        if len(found) >= limit:
            break
        found.setdefault(document, "words")
    if not found:
        found.update((document, "piece of name") for document in names.containing(query))
    hits = tuple(
        Hit(entries[document], scores.get(document, 0.0), how) for document, how in list(found.items())[:limit]
    )
    unknown = tuple(unit.word for unit in asked.units if not unit.alternatives)
    return Results(hits, 1.0 if certain else 0.5 if hits else 0.0, unknown)


def resolve(catalog: Catalog, written: str) -> tuple[Entry, ...]:
    """The tools that ``written`` may name: one by its full name, else those of that tool name or spelling."""
    return tuple(catalog.entries[document] for document in names_of(catalog).resolve(written))


def explain(catalog: Catalog, query: str, entry: Entry) -> tuple[str, ...]:
    """What the words of ``query`` earned ``entry`` and in which fields, a line a word."""
    index = index_of(catalog)
    return tuple(earnings(index, parse(index, query).units, entry))
