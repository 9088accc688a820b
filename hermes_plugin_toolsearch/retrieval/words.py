"""Words near a word: other forms of it, and for one that no tool has, what was probably meant."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..text import stem

FORM_WEIGHT = 0.5
SPLIT_WEIGHT = 0.8
GUESS_WEIGHT = 0.6

MAX_GUESSES = 4
MAX_EXTENSIONS = 64
MAX_REMEMBERED = 4096

# What the stemmer leaves on some forms of a word: assign-ee, member-ship, regist(e)r-ation.
_ENDINGS = frozenset(
    (
        *("a", "abl", "ag", "al", "an", "anc", "ant", "ar", "at", "ation", "e", "ed", "ee", "enc", "ent", "er", "es"),
        *("i", "ic", "ing", "ion", "ish", "ist", "iti", "iv", "izat", "ment", "ness", "or", "r", "s", "ship", "t"),
        *("ti", "tion", "ur", "urat", "y"),
    )
)


class Lexicon:
    """The terms of an index with how many tools have each, ordered so that neighbours in spelling are found."""

    def __init__(self, numbers: Mapping[str, int], frequency: npt.NDArray[np.int64]) -> None:
        self.numbers = numbers
        self.frequency = frequency
        self._guessed: dict[str, tuple[tuple[int, float], ...]] = {}

    @cached_property
    def ordered(self) -> list[str]:
        """Every term in alphabetical order."""
        return sorted(self.numbers)

    def beginning(self, prefix: str) -> Iterator[str]:
        """The terms that begin with ``prefix`` and are longer, in alphabetical order, a bounded number of them."""
        start = bisect_left(self.ordered, prefix)
        for term in self.ordered[start : start + MAX_EXTENSIONS]:
            if not term.startswith(prefix):
                return
            if term != prefix:
                yield term

    def containing(self, piece: str) -> Iterator[str]:
        """The terms that have ``piece`` in them, a bounded number: "sheet" in "spreadsheet"."""
        at = -1
        for _ in range(MAX_EXTENSIONS if len(piece) >= 4 else 0):
            at = self._joined.find(piece, at + 1)
            if at < 0:
                return
            start, end = self._joined.rfind("\n", 0, at) + 1, self._joined.find("\n", at)
            yield self._joined[start:end]
            at = end

    @cached_property
    def _joined(self) -> str:
        return "\n" + "\n".join(self.ordered) + "\n"

    def commonest(self, terms: Iterable[str]) -> list[str]:
        """The few of ``terms`` that most tools have, without those that are rare beside them."""
        counted = sorted(
            ((int(self.frequency[self.numbers[term]]), term) for term in terms), key=lambda pair: (-pair[0], pair[1])
        )
        return [term for count, term in counted[:MAX_GUESSES] if count * 10 >= counted[0][0]]

    @cached_property
    def _letters(self) -> tuple[list[str], npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        """Terms of letters only, how often each has each letter (T, 26), and their lengths."""
        spelled = [term for term in self.numbers if 3 <= len(term) <= 24 and term.isascii() and term.isalpha()]
        counts = np.zeros((len(spelled), 26), np.int8)
        owner = np.repeat(np.arange(len(spelled)), [len(term) for term in spelled])
        letters = np.frombuffer("".join(spelled).encode(), np.uint8).astype(np.int64) - ord("a")
        np.add.at(counts, (owner, letters), 1)
        return spelled, counts, np.fromiter(map(len, spelled), np.int8, len(spelled))

    def misspelled(self, word: str) -> list[str]:
        """The terms that are one slip away from ``word``, two for a long word, and have its first letter.

        A slip is a letter too many, too few, wrong, or two exchanged. The letters alone rule out nearly every
        term, so only a few are compared in full.
        """
        if not (3 <= len(word) <= 24 and word.isascii() and word.isalpha()):
            return []
        slips = 1 if len(word) < 9 else 2
        spelled, counts, lengths = self._letters
        own = np.zeros(26, np.int8)
        for letter in word:
            own[ord(letter) - ord("a")] += 1
        close = np.flatnonzero((np.abs(lengths - len(word)) <= slips) & (np.abs(counts - own).sum(axis=1) <= 2 * slips))
        near = [
            (distance, spelled[at])
            for at in close.tolist()
            if spelled[at][0] == word[0] and (distance := edit_distance(word, spelled[at])) <= slips
        ]
        least = min(near, default=(0, ""))[0]
        return [term for distance, term in near if distance == least]

    def guesses(self, term: str) -> tuple[tuple[int, float], ...]:
        """``(number, weight)`` of what a word that no tool has may mean: two words in one, one cut short, a slip."""
        known = self._guessed.get(term)
        if known is None:
            if len(self._guessed) >= MAX_REMEMBERED:
                self._guessed.clear()
            known = self._guessed[term] = tuple(self._guess(term))
        return known

    def _guess(self, term: str) -> Iterator[tuple[int, float]]:
        numbers = self.numbers
        for at in range(3, len(term) - 2):
            halves = stem(term[:at]), stem(term[at:])
            if halves[0] in numbers and halves[1] in numbers:
                yield from ((numbers[half], SPLIT_WEIGHT) for half in halves)
                return
        for end in range(len(term) - 1, max(4, len(term) * 3 // 5), -1):
            if term[:end] in numbers:
                yield numbers[term[:end]], GUESS_WEIGHT
                break
        if len(term) >= 3:
            likely = {*self.beginning(term), *self.misspelled(term)} or set(self.containing(term))
            for other in self.commonest(likely):
                yield numbers[other], GUESS_WEIGHT


def other_forms(lexicon: Lexicon, term: str) -> Iterator[int]:
    """The numbers of the terms that are forms of ``term`` which the stemmer does not bring together."""
    numbers = lexicon.numbers
    if len(term) < 5:
        return
    for longer in lexicon.beginning(term):
        if longer[len(term) :] in _ENDINGS:
            yield numbers[longer]
    for end in range(max(5, len(term) - 5), len(term)):
        if term[end:] in _ENDINGS and term[:end] in numbers:
            yield numbers[term[:end]]


def edit_distance(one: str, other: str) -> int:
    """Insertions, deletions, substitutions and exchanges of neighbours that turn ``one`` into ``other`` (OSA)."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        this = [row]
        for column, match in enumerate(other, 1):
            cost = min(last[column] + 1, this[-1] + 1, last[column - 1] + (letter != match))
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == match:
                cost = min(cost, before[column - 2] + 1)
            this.append(cost)
        before, last = last, this
    return last[-1]
