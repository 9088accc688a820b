"""What broken JSON was probably meant to say: to be shown in a corrected call, never to be run."""

from __future__ import annotations

import ast
import json
import re
from itertools import accumulate

_LONGEST = 4_000  # characters; the expressions below are quadratic at worst
_DEEPEST = 40
_STRING = re.compile(r"""\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'""", re.DOTALL)
_WORDS = {"true": "True", "false": "False", "null": "None"}


def salvaged(text: str) -> object:
    """Read ``text`` as JSON that was cut off or as a Python literal; None if it is neither.

    Leaves out what stands before and after it, closes what is open at the end, and drops a last name without a value.
    """
    text = text[:_LONGEST]
    start = min((text.find(mark) for mark in "{[" if mark in text), default=-1)
    if start < 0:
        return None
    text = text[start:].rstrip("` \r\n")
    outside = _outside(text)
    if _depth(outside) > _DEEPEST:  # how deep a parser can go differs from one Python to the next
        return None
    whole = max(outside.rfind(","), outside.rfind("{") + 1, outside.rfind("[") + 1)
    for attempt in (text, _closed(text), _closed(text[:whole])):
        for read in (_json, _literal):
            found = read(attempt)
            if found is not None:
                return found
    return None


def _outside(text: str) -> str:
    """``text`` up to a string that is open at its end, with all other strings blanked."""
    blanked = _STRING.sub(lambda match: " " * len(match[0]), text)
    opening = min((blanked.find(mark) for mark in "\"'" if mark in blanked), default=len(text))
    return blanked[:opening]


def _depth(text: str) -> int:
    """How many lists and objects are open at once in ``text`` at the most."""
    return max(accumulate((letter in "{[") - (letter in "}]") for letter in text), default=0)


def _closed(text: str) -> str:
    """``text`` with the string, lists and objects closed that are open at its end."""
    outside = _outside(text)
    text += text[len(outside) : len(outside) + 1]
    ends: list[str] = []
    for letter in outside:
        if letter in "{[":
            ends.append("}" if letter == "{" else "]")
        elif letter in "}]" and ends:
            ends.pop()
    return text.rstrip().rstrip(",") + "".join(reversed(ends))


def _json(text: str) -> object:
    try:
        return json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None


def _literal(text: str) -> object:
    # ast.literal_eval runs nothing, but its parser is recursive in C: only what is plainly flat enough is given to it.
    if sum(map(text.count, "{[(")) > _DEEPEST or not text.startswith(("{", "[")):
        return None
    python = re.sub(r"\b(?:true|false|null)\b", lambda match: _WORDS[match[0]], text)
    try:
        found = ast.literal_eval(python)
        json.dumps(found)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return found
