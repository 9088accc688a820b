"""A few words that say what a server's many tools are about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .text import STOP_WORDS

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# What nearly every server does to what it is about.
_VERBS = frozenset(
    "add api apply batch bulk call cancel check clear copy count create delete describe detail details disable edit "
    "enable execute export fetch find generate get import info insert list make manage move new patch post put query "
    "read remove rename replace reset restore run save search send set show start status stop submit sync test toggle "
    "tool tools update upload upsert validate view write".split()
)


@dataclass(frozen=True, slots=True)
class Subjects:
    """Word -> which of a server's tools carry it in their name, as a bit each."""

    tools: Mapping[str, int]
    spelling: Mapping[str, str]

    @staticmethod
    def total(servers: Iterable[Subjects]) -> Mapping[str, int]:
        """Word -> how many servers use it."""
        return Counter(word for server in servers for word in server.tools)

    def words(self, most: int, servers: Mapping[str, int]) -> Sequence[str]:
        """At most ``most`` words that between them stand for as many tools as possible.

        Greedy cover: each next word is the one that is carried by the most tools that no earlier word stands for, a
        word that other servers use too (``servers``) counting that much less. So every part of a server has its
        turn, where the first tools in alphabetical order would speak for one part only.
        """
        chosen: list[str] = []
        covered = 0
        while len(chosen) < most:
            best = min(
                self.tools,
                key=lambda word: (-(self.tools[word] & ~covered).bit_count() / servers.get(word, 1), word),
                default=None,
            )
            if best is None or not self.tools[best] & ~covered:
                break
            chosen.append(best)
            covered |= self.tools[best]
        return [self.spelling[word] for word in chosen]


def subjects_of(names: Sequence[str], server: str) -> Subjects:
    """The subjects of the tools ``names`` of ``server``, whose own name says nothing more."""
    own = {_singular(word.lower()) for word in _WORDS.findall(server)}
    tools: dict[str, int] = {}
    spellings: dict[str, Counter[str]] = {}
    for number, name in enumerate(names):
        for found in _WORDS.findall(name):
            word = found.lower()
            key = _singular(word)
            if len(key) < 3 or len(word) > 20 or word in _VERBS or word in STOP_WORDS or key in own:
                continue
            tools[key] = tools.get(key, 0) | 1 << number
            spellings.setdefault(key, Counter())[word] += 1
    spelling = {key: min(found, key=lambda word: (-found[word], word)) for key, found in spellings.items()}
    return Subjects(tools, spelling)


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
