"""Text -> vectors of meaning, from static word-piece vectors that ship with the package.

The vector of a text is the sum of its pieces' vectors, scaled to length 1; a piece's weight is the length of its
vector. The vectors were trained so that this sum comes close to what the sentence encoder all-MiniLM-L6-v2 says of
the whole text (``training/`` in the repository). That costs 0.02 ms for a query and needs numpy only.
"""

from __future__ import annotations

import logging
import re
import unicodedata
import zlib
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

logger = logging.getLogger(__name__)

DATA = Path(__file__).with_name("data")

MOST_PIECES = 64
"""Pieces of a text that count: the first, since a description's first sentence says what a tool does."""

_CHUNK = 512  # pieces summed at a time: what stays in a processor's cache is a third faster than 8192

_WORDS = re.compile(r"[^\W_]+")
_CASES = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

# Hangul, kana, ideographs: written without spaces between words or before an ending, and in no piece.
_UNSPACED = re.compile("[\u1100-\u11ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")


class Encoder:
    """Word-piece vectors and the tokenizer that belongs to them.

    ``vectors`` (pieces, dims) int8 times ``scales`` (pieces,) give the piece vectors; ``pieces`` names the rows,
    with ``##`` before those that continue a word. ``version`` tells other vectors by another number.
    """

    def __init__(self, pieces: Sequence[str], vectors: NDArray[np.int8], scales: NDArray[np.float16]) -> None:
        self._rows = {piece: row for row, piece in enumerate(pieces)}
        self._vectors = vectors
        self._scales = scales
        self._longest = max(map(len, pieces))
        self.version = zlib.crc32(scales.tobytes())
        self._rows_of = lru_cache(maxsize=1 << 15)(self._rows_of_word)

    @property
    def dims(self) -> int:
        """The length of a vector."""
        return int(self._vectors.shape[1])

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit rows (texts, dims), float32; a row of zeros for a text of which no piece is known."""
        result = np.zeros((len(texts), self.dims), np.float32)
        bags = [self.rows(text)[:MOST_PIECES] for text in texts]
        begin = 0
        while begin < len(bags):
            end, size = begin, 0
            while end < len(bags) and (size == 0 or size + len(bags[end]) <= _CHUNK):
                size += len(bags[end])
                end += 1
            filled = [i for i in range(begin, end) if bags[i]]
            if filled:
                rows = np.fromiter((row for i in filled for row in bags[i]), np.intp, size)
                starts = np.cumsum([0] + [len(bags[i]) for i in filled[:-1]])
                summands = self._vectors[rows] * self._scales[rows, None].astype(np.float32)
                result[filled] = np.add.reduceat(summands, starts, axis=0)
            begin = end
        lengths = np.sqrt(np.einsum("ij,ij->i", result, result))
        result /= np.maximum(lengths, 1e-9)[:, None]
        return result

    def rows(self, text: str) -> list[int]:
        """The rows of a text's pieces, found as BERT's uncased tokenizer does; what it does not know has none."""
        if not text.isascii():
            marks = unicodedata.normalize("NFD", text)
            text = "".join(char for char in marks if unicodedata.category(char) != "Mn")
            text = _UNSPACED.sub(" ", text)
        return [row for word in _WORDS.findall(text.lower()) for row in self._rows_of(word)]

    def _rows_of_word(self, word: str) -> tuple[int, ...]:
        """Longest piece first, from the left; nothing if a part of the word is no piece."""
        whole = self._rows.get(word)
        if whole is not None:
            return (whole,)
        found: list[int] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(min(len(word), start + self._longest), start, -1):
                row = self._rows.get(prefix + word[start:end])
                if row is not None:
                    found.append(row)
                    start = end
                    break
            else:
                return ()
        return tuple(found)


def in_words(name: str) -> str:
    """``createIssue`` as ``create Issue``; other separators are none of an encoder's pieces anyway."""
    return _CASES.sub(" ", name)


@cache
def encoder() -> Encoder | None:
    """The encoder of the vectors that ship with the package; None (and a line in the log) if they cannot be read."""
    try:
        pieces = (DATA / "pieces.txt").read_text("utf-8").split("\n")
        vectors = np.load(DATA / "vectors.npy", mmap_mode="r")
        scales = np.load(DATA / "scales.npy")
        if not len(pieces) == len(vectors) == len(scales):
            raise ValueError(f"{len(pieces)} pieces, {len(vectors)} vectors, {len(scales)} scales")
    except (OSError, ValueError, EOFError) as error:
        logger.warning("search goes by words alone: the vectors in %s cannot be read (%s)", DATA, error)
        return None
    return Encoder(pieces, vectors, scales)
