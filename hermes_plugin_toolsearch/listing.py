"""The listing: what the model is told of the tools that are not in its tools array, within a budget.

| tier | form   | what is shown                                                                      |
| ---- | ------ | ---------------------------------------------------------------------------------- |
| 0    | none   | nothing is deferred                                                                |
| 1    | full   | every tool by name and short description, grouped by server                        |
| 1    | names  | every tool by name                                                                 |
| 1    | mixed  | the largest servers as one line each, the smaller ones by tool                     |
| 2    | groups | one line per server: how many tools, and a few words on what they are about        |
| 2    | bare   | nothing                                                                            |

The text depends on the catalog, the budget and the settings alone, so it is the same bytes in every process.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from . import tokens
from .cache import Cache
from .catalog import Catalog, Group
from .subjects import Subjects, subjects_of
from .summary import short_description

Form = Literal["none", "full", "names", "mixed", "groups", "bare"]
Mode = Literal["auto", "on", "off"]
Trust = Literal["full", "names", "counts"]

UNKNOWN_CONTEXT_BUDGET = 10_000
"""Tokens that the percentage comes to where the context length is unknown: 5 % of 200,000."""

SUBJECTS = (8, 4, 2, 0)
"""How many words a server's one line may spend on what it is about, the most that fits."""

_SHOWN_NAME = re.compile(r"[A-Za-z0-9_.:-]{1,128}")
_NOT_IN_LABEL = re.compile(r"[^A-Za-z0-9_.:-]+")
_MAX_LABEL = 64
_CLOSING = "</listing>"
"""A last line that no third-party text can imitate, and one that makes the token counts of the blocks add up."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A rendered listing: ``tokens`` is what ``text`` costs, ``named`` how many tools it names."""

    tier: Literal[0, 1, 2]
    form: Form
    text: str
    tokens: int
    budget: int
    named: int = 0


def listing_budget(threshold_pct: float, listing_max_tokens: int, context_length: int | None) -> int:
    """The most tokens that a listing may cost: ``threshold_pct`` % of the context, but never over the cap."""
    share = UNKNOWN_CONTEXT_BUDGET
    if context_length and context_length > 0:
        share = int(context_length * threshold_pct / 100)
    return max(0, min(listing_max_tokens, share))


def make_listing(
    catalog: Catalog,
    *,
    budget: int,
    mode: Mode = "auto",
    max_chars: int | None = None,
    trust: Callable[[str], Trust] = lambda server: "full",
) -> Listing:
    """The most telling listing of ``catalog`` within ``budget`` tokens and ``max_chars`` characters.

    ``trust`` says by server label how much of its own text may be shown. Mode ``off`` gives the bare form. ``on``
    forces a listing: where not even a line per server fits the budget, those lines are shown all the same.
    """
    levels = tuple(trust(group.server) for group in catalog.groups)
    key = (catalog.fingerprint, levels, budget, mode, max_chars)
    return _listings.get(key, lambda: _make(catalog, levels, budget, mode, max_chars))


@dataclass(frozen=True, slots=True)
class _Piece:
    """Whole lines of text and what they cost. Costs add up: no token spans a line break and what follows it."""

    text: str
    tokens: int

    @staticmethod
    def of(text: str) -> _Piece:
        return _Piece(text, tokens.count(text))


class _Block:
    """One server's part of a listing, in each way that it can be shown; made when asked for.

    It keeps names and short descriptions, not the group, whose schemas are a hundred times larger.
    """

    def __init__(self, group: Group, trust: Trust) -> None:
        self.server = group.server
        self.count = len(group.entries)
        prefixes = {_prefix(entry.name, entry.tool) for entry in group.entries}
        prefix = prefixes.pop() if len(prefixes) == 1 else ""
        shown = [entry for entry in group.entries if _SHOWN_NAME.fullmatch(entry.name)] if trust != "counts" else []
        self._lines = [(entry.name[len(prefix) :], entry.description) for entry in shown]
        self._described = trust == "full"
        self.named = len(shown)
        self.heading = f"{prefix}*" if prefix else _label(group.server)
        self.example = (self.heading, self._lines[0][0], shown[0].name) if shown and prefix else None

    @cached_property
    def names(self) -> _Piece | None:
        """One line that names every tool, or None where no name may be shown."""
        if not self._lines:
            return None
        return _Piece.of(f"{self.heading} ({self.count}): {', '.join(name for name, _ in self._lines)}\n")

    @cached_property
    def full(self) -> _Piece | None:
        """One line per tool with what it does; as ``names`` where no description may be shown."""
        if not self._described or not self._lines:
            return self.names
        rows = (f"- {name}: {text}\n" if text else f"- {name}\n" for name, text in self._described_lines())
        return _Piece.of(f"{self.heading} ({self.count}):\n{''.join(rows)}")

    def _described_lines(self) -> Iterable[tuple[str, str]]:
        return ((name, short_description(description)) for name, description in self._lines)

    @cached_property
    def subjects(self) -> Subjects:
        """What the tools' names are about; nothing where no name may be shown."""
        return subjects_of([name for name, _ in self._lines], self.server)

    def collapsed(self, words: Sequence[str]) -> _Piece:
        """One line for the whole server."""
        tools = "1 tool" if self.count == 1 else f"{self.count} tools"
        about = f"; about {', '.join(words)}" if words else ""
        return _Piece.of(f"{self.heading} ({tools}, not listed{about})\n")


_blocks: Cache[tuple[str, Trust], _Block] = Cache(1024)
_listings: Cache[tuple[str, tuple[Trust, ...], int, Mode, int | None], Listing] = Cache(64)


def _make(catalog: Catalog, levels: Sequence[Trust], budget: int, mode: Mode, max_chars: int | None) -> Listing:
    if not catalog.groups:
        return Listing(0, "none", "", 0, budget)
    bare = Listing(2, "bare", "", 0, budget)
    if mode == "off":
        return bare
    blocks = [
        _blocks.get((group.fingerprint, level), lambda group=group, level=level: _Block(group, level))  # type: ignore[misc]
        for group, level in zip(catalog.groups, levels, strict=True)
    ]
    page = _Page(blocks, budget, max_chars)
    return (
        page.everything()
        or page.mixed()
        or page.groups()
        or (page.groups(forced=True) if mode == "on" else None)
        or bare
    )


class _Page:
    """The blocks of one catalog on their way into a budget."""

    def __init__(self, blocks: Sequence[_Block], budget: int, max_chars: int | None) -> None:
        self._blocks = blocks
        self._budget = budget
        self._max_chars = max_chars

    def everything(self) -> Listing | None:
        """Full if that fits, else names; None where neither fits or a server may not be listed by tool."""
        names = [block.names for block in self._blocks]
        if any(piece is None for piece in names):
            return None
        named = self._listing("names", names)
        if named is None:  # then the full form, which holds the same names, does not fit either
            return None
        return self._listing("full", [block.full for block in self._blocks]) or named

    def mixed(self) -> Listing | None:
        """The smallest servers by tool, fully where that fits, the rest as one line each; None if all are the rest."""
        for most in SUBJECTS:
            chosen = self._fill(most)
            if chosen is not None:
                return self._listing("mixed", chosen)
        return None

    def groups(self, *, forced: bool = False) -> Listing | None:
        """One line per server, with as many words as fit; None if not even the bare lines fit."""
        for most in SUBJECTS if not forced else (0,):
            made = self._listing("groups", self._collapsed(most), over_budget=forced)
            if made is not None:
                return made
        return None

    def _fill(self, most: int) -> list[_Piece] | None:
        """What each block shows when the servers are listed from the smallest up until one does not fit."""
        pieces = self._collapsed(most)
        names = [block.names for block in self._blocks]
        sizes = [piece.tokens if piece else 0 for piece in names]
        order = sorted(range(len(names)), key=lambda at: (-sizes[at], self._blocks[at].server), reverse=True)
        spent = self._frame("mixed").tokens + sum(piece.tokens for piece in pieces)
        length = len(self._frame("mixed").text) + sum(len(piece.text) for piece in pieces)
        listed = False
        for at in order:
            if names[at] is None:
                continue
            for piece in (self._blocks[at].full, names[at]):
                assert piece is not None
                more, longer = piece.tokens - pieces[at].tokens, len(piece.text) - len(pieces[at].text)
                if self._fits(spent + more, length + longer):
                    pieces[at], spent, length, listed = piece, spent + more, length + longer, True
                    break
            else:
                break
        return pieces if listed else None

    def _collapsed(self, most: int) -> list[_Piece]:
        others = Subjects.total(block.subjects for block in self._blocks) if most else {}
        return [block.collapsed(block.subjects.words(most, others)) for block in self._blocks]

    def _fits(self, cost: int, length: int) -> bool:
        return cost <= self._budget and (self._max_chars is None or length <= self._max_chars)

    def _frame(self, form: Form) -> _Piece:
        """Everything but the blocks."""
        return _Piece.of(f"{self._instruction(form)}\n<listing>\n{_CLOSING}")

    def _instruction(self, form: Form) -> str:
        example = next(
            (block.example for block in sorted(self._blocks, key=lambda b: (b.count, b.server)) if block.example), None
        )
        naming = ""
        if example:
            heading, tool, name = example
            naming = f" A heading's * stands for the name below it: {heading} with {tool} is {name}."
        return _INSTRUCTIONS[form] + naming

    def _listing(self, form: Form, pieces: Sequence[_Piece | None], *, over_budget: bool = False) -> Listing | None:
        """The listing made of ``pieces``, or None if it does not fit."""
        given = [piece for piece in pieces if piece]
        frame = self._frame(form)
        cost = frame.tokens + sum(piece.tokens for piece in given)
        length = len(frame.text) + sum(len(piece.text) for piece in given)
        if not self._fits(0 if over_budget else cost, length):
            return None
        text = frame.text.removesuffix(_CLOSING) + "".join(piece.text for piece in given) + _CLOSING
        named = sum(
            block.named for block, piece in zip(self._blocks, pieces, strict=True) if piece in (block.names, block.full)
        )
        return Listing(2 if form == "groups" else 1, form, text, cost, self._budget, named)


_LISTED = (
    "Every tool listed here exists and works now: where you see the one you need, do not search, use its exact name."
)
_INSTRUCTIONS: Mapping[Form, str] = {
    "full": _LISTED,
    "names": _LISTED,
    "mixed": f"{_LISTED} The tools of a source that is not listed work too: search here before you conclude that one is missing.",
    "groups": (
        "These sources are connected and all their tools work. When a request touches one of them, search here first: "
        "do not make do with a general tool such as a terminal or a browser, and do not say that something cannot be "
        "done, before a search has found nothing."
    ),
}


def _prefix(name: str, tool: str) -> str:
    return name[: -len(tool)] if tool and name.endswith(tool) else ""


def _label(server: str) -> str:
    return _NOT_IN_LABEL.sub("_", server)[:_MAX_LABEL] or "unnamed"
