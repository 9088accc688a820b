"""Catalogs larger than the real ones, made by varying these."""

from __future__ import annotations

import hashlib
from typing import Any

_SYLLABLES = ("ba", "ke", "li", "mo", "nu", "pra", "sto", "ti", "vel", "zor", "fin", "gra", "hul", "jex", "qua", "rid")


def _word(seed: str) -> str:
    """A made-up word of three syllables that ``seed`` decides."""
    digest = hashlib.blake2b(seed.encode(), digest_size=3).digest()
    return "".join(_SYLLABLES[byte % len(_SYLLABLES)] for byte in digest)


def varied(tools: list[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """``count`` tools: the real ones, then rounds of copies with a made-up product of their server's in name and text.

    A copy of a server is a server of its own, and its words are rare ones, so that neither the groups nor the length
    of the most common words' postings are those of a smaller catalog repeated.
    """
    made = list(tools[:count])
    turn = 0
    while len(made) < count:
        turn += 1
        for tool in tools[: count - len(made)]:
            server = tool.get("server") or "pool"
            product = _word(f"{server} {turn}")
            detail = _word(f"{tool['name']} {turn}")
            made.append(
                tool
                | {
                    "name": f"{tool['name']}_{product}{turn}",
                    "server": f"{server}_{product}{turn}",
                    "description": f"{tool.get('description') or ''} For {product}, by {detail}.",
                }
            )
    return made
