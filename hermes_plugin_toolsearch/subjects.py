"""A few words that say what a server's many tools are about."""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from .text import STOP_WORDS

_CANDIDATES = 48
"""Words that are weighed at every choice: the strongest, since a choice only ever takes strength away from others."""

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# What nearly every server does to what it is about.
_VERBS = frozenset(
    "add api apply batch bulk call cancel check clear copy count create delete describe detail details disable edit "
    "enable execute export fetch find generate get import info insert list make manage move new patch perform post put "
    "query read remove rename replace reset restore retrieve run save search send set show start status stop submit "
    "sync test toggle tool tools update upload upsert validate view write".split()
)


@dataclass(frozen=True, slots=True)
class Subjects:
    """The words in the names of a server's tools.

    ``tools`` maps a word to a number in which bit ``i`` is set where the ``i``-th tool carries it, ``spelling`` the
    word to the way it is mostly written (``zones`` for ``zone``).
    """

    tools: Mapping[str, int]
    spelling: Mapping[str, str]

    @staticmethod
    def usage(servers: Iterable[Subjects]) -> Mapping[str, int]:
        """Word -> how many of ``servers`` use it."""
        return Counter(word for server in servers for word in server.tools)

    def words(self, most: int, usage: Mapping[str, int]) -> Sequence[str]:
        """At most ``most`` words that between them stand for as many of the tools as possible.

        A greedy cover: the next word is the one carried by the most tools that no earlier word stands for, over the
        square root of the number of servers that use it (``usage``). So every part of a server has its turn, where
        its first tools in alphabetical order would speak for one part only. Once all tools are covered a second
        round begins.
        """
        strength = {word: math.sqrt(usage.get(word, 1)) for word in self.tools}
        strongest = heapq.nsmallest(
            _CANDIDATES, self.tools, key=lambda word: (-self.tools[word].bit_count() / strength[word], word)
        )
        chosen: list[str] = []
        open_tools = everything = -1  # all bits set
        while strongest and len(chosen) < most:
            best = min(
                strongest, key=lambda word: (-(self.tools[word] & open_tools).bit_count() / strength[word], word)
            )
            if self.tools[best] & open_tools:
                open_tools &= ~self.tools[best]
                chosen.append(best)
                strongest.remove(best)
            else:
                open_tools = everything
        return [self.spelling[word] for word in chosen]


def subjects_of(names: Sequence[str], server: str) -> Subjects:
    """The subjects of the tools ``names`` of ``server``, whose own name says nothing more."""
    own = {_subject(word) for word in _WORDS.findall(server)}
    tools: dict[str, int] = {}
    written: Counter[tuple[str, str]] = Counter()
    for number, name in enumerate(names):
        for word in _WORDS.findall(name):
            subject = _subject(word)
            if subject and subject not in own:
                tools[subject] = tools.get(subject, 0) | 1 << number
                written[subject, word.lower()] += 1
    spelling = {}
    for (subject, word), _ in sorted(written.items(), key=lambda item: (item[1], item[0])):
        spelling[subject] = word  # the one that is written most comes last
    return Subjects(tools, spelling)


@lru_cache(maxsize=1 << 14)
def _subject(word: str) -> str:
    """``word`` in lower case and in the singular; empty if it says nothing about a server."""
    word = word.lower()
    if word.endswith("ies") and len(word) > 4:
        singular = f"{word[:-3]}y"
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        singular = word[:-1]
    else:
        singular = word
    return "" if len(singular) < 3 or len(word) > 20 or word in _VERBS or word in STOP_WORDS else singular
