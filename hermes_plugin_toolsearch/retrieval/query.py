"""A query -> units: what has to be found, and the terms that may stand for it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..languages import in_english
from ..text import Word, analyse, stem, words
from .index import Index
from .vocabulary import SAID_IN_PASSING, SERVICES, related
from .words import FORM_WEIGHT, other_forms

MAX_QUERY = 4000
MAX_UNITS = 64

JOINED_WEIGHT = 0.65
PASSING_WEIGHT = 0.7
NUMBER_WEIGHT = 0.4

# Where one need of a long request ends and the next begins. No part repeats without bound: a query may be hostile.
_CLAUSE = re.compile(
    r"[.!?;]\s|\n|,\s{1,3}and\s|,?\s{1,3}(?:and\s{1,3}then|then|after\s{1,3}that|afterwards|finally|lastly|"
    r"additionally|furthermore|moreover|also)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Unit:
    """One word of a query and what may stand for it.

    ``word`` is its term and ``said`` how the query has it. ``alternatives`` are ``(term number, weight)``, the word
    itself first, with weight 1, where ``known``: where some tool contains it. ``weight`` is what the word counts for
    in the query.
    """

    word: str
    said: str
    alternatives: tuple[tuple[int, float], ...]
    known: bool
    weight: float


@dataclass(frozen=True, slots=True)
class Query:
    """The units of a query, each word once, and for each of its clauses, if there are several, which units it has.

    ``prose`` is the share of its words that say nothing about a tool: 0 for keywords, a third for a sentence.
    """

    units: tuple[Unit, ...]
    clauses: tuple[tuple[int, ...], ...]
    prose: float


def parse(index: Index, text: str) -> Query:
    """Read ``text`` against the terms of ``index``. What exceeds the bounds is not read.

    A query in another language is read in English too, as far as the glossary goes; its own words then count only
    where a tool has them.
    """
    text = text[:MAX_QUERY]
    english = in_english(text)
    units: dict[str, Unit] = {}
    clauses: list[tuple[str, ...]] = []
    said = meant = 0
    for part in (*_CLAUSE.split(text), english):
        found = [analyse(word) for word in words(part)]
        content = [word for word in found if word.whole or word.parts]
        said, meant = said + len(found), meant + len(content)
        members = []
        for unit in _units(index, content):
            if english and part is not english and not unit.known:
                continue
            if unit.word not in units:
                if len(units) == MAX_UNITS:
                    break
                units[unit.word] = unit
            members.append(unit.word)
        if members:
            clauses.append(tuple(dict.fromkeys(members)))
    if not units:  # nothing but stop words: they are all there is to go by
        for word in words(text)[:MAX_UNITS]:
            term = stem(analyse(word).plain)
            units.setdefault(term, _unit(index, term, term))
    place = {word: at for at, word in enumerate(units)}
    several = len(clauses) > 1 and not english
    return Query(
        tuple(units.values()),
        tuple(tuple(place[word] for word in clause) for clause in clauses if several),
        1 - meant / said if said else 0.0,
    )


def clause_texts(text: str) -> list[str]:
    """The clauses of ``text`` that have two words or more, as they are written."""
    return [part for part in _CLAUSE.split(text[:MAX_QUERY]) if len(part.split()) > 1]


def _units(index: Index, found: list[Word]) -> Iterator[Unit]:
    for at, word in enumerate(found):
        joined = []
        for pair in found[max(at - 1, 0) : at + 1], found[at : at + 2]:
            if len(pair) == 2:  # "key vault" also as "keyvault"
                number = index.numbers.get(pair[0].plain + stem(pair[1].plain))
                if number is not None:
                    joined.append((number, JOINED_WEIGHT))
        for term in _terms(index, word):
            yield _unit(index, term, word.plain if term == word.whole else term, joined)


def _terms(index: Index, word: Word) -> tuple[str, ...]:
    """``GitHub`` is one word where some tool says "github", and so is a service; ``createIssue`` is its parts."""
    if word.whole and len(word.parts) <= 2:
        known = any(part in index.numbers for part in word.parts)
        if not known or word.whole in index.numbers or word.whole in SERVICES:
            return (word.whole,)
    return word.parts


def _unit(index: Index, term: str, said: str, joined: list[tuple[int, float]] | None = None) -> Unit:
    number = index.numbers.get(term)
    alternatives = {} if number is None else {number: 1.0}
    for other, weight in related().get(term, ()):
        other_number = index.numbers.get(other)
        if other_number is not None:
            alternatives.setdefault(other_number, weight)
    for other_number, weight in joined or ():
        alternatives.setdefault(other_number, weight)
    for other_number in other_forms(index.lexicon, term):
        alternatives.setdefault(other_number, FORM_WEIGHT)
    if not alternatives:
        alternatives.update(index.lexicon.guesses(term))
    weight = PASSING_WEIGHT if term in SAID_IN_PASSING else NUMBER_WEIGHT if term.isdigit() else 1.0
    return Unit(term, said, tuple(alternatives.items()), number is not None, weight)
