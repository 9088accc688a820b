"""What broken JSON was probably meant to say: to be shown in a corrected call, never to be run."""

from __future__ import annotations

import ast
import json
import re

_LONGEST = 4_000  # characters; the expressions below are quadratic at worst
_DEEPEST = 40
_STRING = re.compile(r"""\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'""", re.DOTALL)
_WORDS = {"true": "True", "false": "False", "null": "None"}


def salvaged(text: str) -> object:
    """Read ``text`` as JSON that was cut off or as a Python literal; None if it is neither.

    Takes a code fence off, closes what is open at the end, and drops a last name without a value.
    """
    text = re.sub(r"^\s*```(?:json)?|```\s*$", "", text[:_LONGEST]).strip()
    for attempt in (text, closed(text), closed(re.sub(r",?\s*\"[^\"]*\"?\s*:?\s*$", "", text))):
        for read in (_json, _literal):
            found = read(attempt)
            if found is not None:
                return found
    return None


def closed(text: str) -> str:
    """``text`` with the strings, lists and objects closed that are open at its end."""
    open_ones: list[str] = []
    rest = _STRING.sub(lambda match: " " * len(match[0]), text)
    quote = min((rest.find(mark) for mark in "\"'" if mark in rest), default=-1)
    ending = rest[quote] if quote >= 0 else ""
    for letter in rest[: quote if quote >= 0 else None]:
        if letter in "{[":
            open_ones.append("}" if letter == "{" else "]")
        elif letter in "}]" and open_ones:
            open_ones.pop()
    return text.rstrip().rstrip(",") + ending + "".join(reversed(open_ones))


def _json(text: str) -> object:
    try:
        return json.loads(text)
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
