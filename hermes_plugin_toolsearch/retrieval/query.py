"""A query -> units: what has to be found, each with the terms that may stand for it."""

from __future__ import annotations

from dataclasses import dataclass

from ..text import Word, analyse, words
from .index import Index
from .vocabulary import related


@dataclass(frozen=True, slots=True)
class Unit:
    """One word of a query: ``alternatives`` are ``(term number, weight)``, the word itself first with weight 1.

    ``known`` says whether some tool contains the word itself.
    """

    word: str
    alternatives: tuple[tuple[int, float], ...]
    known: bool
    weight: float = 1.0


def units_of(index: Index, query: str) -> tuple[Unit, ...]:
    """The units of ``query``, each word once, in order; words without meaning left out unless there are only such."""
    found = [analyse(word) for word in words(query)]
    units: dict[str, Unit] = {}
    content = [word for word in found if word.whole or word.parts] or [
        Word(word.plain, word.plain, (), (word.plain,)) for word in found
    ]
    for at, word in enumerate(content):
        for unit in _word_units(index, word):
            units.setdefault(unit.word, unit)
        if at and (joined := content[at - 1].plain + word.plain) and word.plain.isascii():
            number = index.numbers.get(analyse(joined).whole)
            if number is not None:
                units.setdefault(joined, Unit(joined, ((number, 1.0),), True))
    return tuple(units.values())


def _word_units(index: Index, word: Word) -> list[Unit]:
    numbers = index.numbers
    if not word.parts:
        return [_unit(index, word.whole)]
    if len(word.parts) <= 2 and word.whole in numbers:
        return [_unit(index, word.whole)]
    return [_unit(index, part) for part in word.parts]


def _unit(index: Index, term: str) -> Unit:
    number = index.numbers.get(term)
    alternatives = [] if number is None else [(number, 1.0)]
    for other, weight in related().get(term, ()):
        other_number = index.numbers.get(other)
        if other_number is not None:
            alternatives.append((other_number, weight))
    return Unit(term, tuple(alternatives), number is not None)
