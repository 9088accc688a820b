"""English words for what a query says in German, Spanish, Russian, Chinese or Japanese.

Tools describe themselves in English. A small hand-written table (``data/glossary.txt``) of what tools do and what
they do it to turns "喜欢的频道发送消息" into words an index can find; it only ever adds to a query.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from pathlib import Path

GLOSSARY = Path(__file__).with_name("data") / "glossary.txt"

_WORDS = re.compile(r"[^\W\d_]+")
_IDEOGRAPHIC = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+")
_SHORTEST_BEGINNING = 4  # "teil" of "teilen"; a shorter word has to be there whole

# Small words that tell German and Spanish from English, where beginnings alone would take "test" and "final" for them.
_TELLTALES = """
    der das den dem des ein eine einen einem einer und oder im mit für von zum zur auf aus bei nach alle alles mein
    meine meinen meiner unser unsere ich wir mir uns wie wer wo welche welcher diese dieser dieses bitte nicht ist
    el la los las un una unos unas y del al en con para por mi mis nuestro nuestra que qué cómo cuál cuáles quién
    este esta estos estas todos todas favor es está hay sobre
"""


def in_english(query: str) -> str:
    """English words for the foreign ones of ``query``, separated by spaces; empty for a query in English."""
    found: dict[str, None] = {}
    words = [_plain(word) for word in _WORDS.findall(query.lower())]
    beginnings, characters = _glossary()
    foreign = sum(word in _PLAIN_TELLTALES or not word.isascii() for word in words)
    if foreign or not query.isascii():
        for word in words:
            for end in range(len(word), 2, -1):
                english = beginnings.get(word[:end])
                if english is not None and (end >= _SHORTEST_BEGINNING or end == len(word)):
                    found.update(dict.fromkeys(english))
                    break
    for run in _IDEOGRAPHIC.findall(query):
        start = 0
        while start < len(run):
            for end in range(min(len(run), start + 8), start, -1):
                if run[start:end] in characters:
                    found.update(dict.fromkeys(characters[run[start:end]]))
                    start = end
                    break
            else:
                start += 1
    return " ".join(found)


def is_foreign(query: str) -> bool:
    """Say whether ``query`` looks like a language other than English: by its small words, or by its letters."""
    letters = [char for char in query if char.isalpha()]
    strange = sum(not char.isascii() for char in letters)
    return 4 * strange > len(letters) or bool(in_english(query))


@cache
def _glossary() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Beginnings of words, and ideographs and kana, each with its English words from all lines that it stands in."""
    beginnings: dict[str, tuple[str, ...]] = {}
    characters: dict[str, tuple[str, ...]] = {}
    for line in GLOSSARY.read_text("utf-8").splitlines():
        english, separator, foreign = line.partition(" = ")
        if line.startswith("#") or not separator:
            continue
        for word in foreign.split():
            table, key = (characters, word) if _IDEOGRAPHIC.fullmatch(word) else (beginnings, _plain(word))
            table[key] = (*table.get(key, ()), *english.split())
    return beginnings, characters


def _plain(word: str) -> str:
    """``word`` without accents, so that "año" and "ano", "löschen" and "loschen" are one."""
    return "".join(char for char in unicodedata.normalize("NFD", word) if unicodedata.category(char) != "Mn")


_PLAIN_TELLTALES = frozenset(map(_plain, _TELLTALES.split()))
