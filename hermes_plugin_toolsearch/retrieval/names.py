"""Finding tools by what they are called: exactly, in another spelling, by pattern or by a piece of the name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..cache import Cache
from ..catalog import Catalog, Entry
from ..names import squash

MAX_QUERY = 4000
MAX_PATTERN = 128
MAX_KEPT = 8

_TOKEN = re.compile(r"[^\s,;\"'`()\[\]{}<>]+")
_LIST = re.compile(r"[,;\n]|\band\b")
_IDENTIFIER = re.compile(r"[A-Za-z0-9]+(?:[_./:-]+[A-Za-z0-9]+)+|[a-z0-9]+(?:[A-Z][a-z0-9]*)+")


class Names:
    """The names of one catalog, by every way they may be written. Documents are numbers in ``catalog.entries``."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.full: dict[str, int] = {}
        self.tool: dict[str, list[int]] = {}
        self.spelled: dict[str, list[int]] = {}
        patterned = []
        for document, entry in enumerate(entries):
            self.full[entry.name] = document
            self.tool.setdefault(entry.tool, []).append(document)
            name, tool, server = squash(entry.name), squash(entry.tool), squash(entry.server)
            for form in {name, tool, server + tool, tool.removeprefix(server)} - {""}:
                self.spelled.setdefault(form, []).append(document)
            patterned.append((entry.name.lower(), entry.tool.lower()))
        self._patterned = tuple(patterned)

    def resolve(self, written: str) -> tuple[int, ...]:
        """The documents that ``written`` may name: by full name, else by tool name, else in another spelling."""
        document = self.full.get(written)
        if document is not None:
            return (document,)
        if written in self.tool:
            return tuple(self.tool[written])
        form = squash(written)
        while form:
            if form in self.spelled:
                return tuple(self.spelled[form])
            if not form.startswith("mcp"):  # the prefix may be missing, or there twice
                break
            form = form[3:]
        return ()

    def mentioned(self, query: str) -> Iterator[tuple[int, ...]]:
        """For each tool name in ``query``, in their order, the documents it may stand for.

        A plain word of a sentence ("search the web") is no name; the whole query may be one, and so may each
        member of a list and every token that is written like an identifier.
        """
        query = query[:MAX_QUERY]
        whole = self.resolve(query.strip())
        if whole:
            yield whole
            return
        members = _LIST.split(query)
        if len(members) > 1:
            resolved = [self.resolve(member.strip()) for member in members]
            if all(resolved):
                yield from resolved
                return
        for token in map(_trimmed, _TOKEN.findall(query)):
            found = self.resolve(token) if _IDENTIFIER.fullmatch(token) else ()
            label, colon, name = token.partition(":")
            if not found and colon and label.isalpha():  # "select:create_issue", "tool:search"
                found = self.resolve(name)
            if found:
                yield found

    def matching(self, pattern: str) -> list[int]:
        """The documents whose name, or tool name at its server, fits ``pattern`` (``*`` for anything)."""
        pieces = pattern.lower().split("*")
        return [
            document
            for document, (name, tool) in enumerate(self._patterned)
            if _fits(pieces, name) or _fits(pieces, tool)
        ]

    def containing(self, text: str) -> list[int]:
        """The documents whose name has ``text`` in it, whatever separators either is written with."""
        piece = squash(text)
        if not piece:
            return []
        return [document for document, (name, _) in enumerate(self._patterned) if piece in squash(name)]


def _trimmed(token: str) -> str:
    return token.rstrip(".:?!")


def pattern_in(query: str) -> str | None:
    """The pattern that ``query`` is, with ``*`` for anything: ``github__*``, ``^create_``, ``.*issue.*``; or None.

    Regular expressions are not run: a pattern comes from a model that read foreign text, and backtracking on it
    could take for ever. Anchors and ``.*`` are all that is understood.
    """
    text = query.strip()
    if not text or len(text) > MAX_PATTERN or any(char.isspace() for char in text):
        return None
    if "*" not in text and not text.startswith("^") and not text.endswith("$"):
        return None
    start = "" if text.startswith("^") or "*" in text else "*"
    end = "" if text.endswith("$") or "*" in text else "*"
    body = text.removeprefix("^").removesuffix("$").replace(".*", "*").replace("\\", "")
    pattern = re.sub(r"\*+", "*", start + body + end)
    return pattern if pattern.strip("*") else None


def _fits(pieces: list[str], name: str) -> bool:
    """Whether ``name`` is the ``pieces`` in order with anything between them; linear in the name's length."""
    first, *rest = pieces
    if not rest:
        return name == first
    if not name.startswith(first):
        return False
    at = len(first)
    for piece in rest[:-1]:
        found = name.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return len(name) - at >= len(rest[-1]) and name.endswith(rest[-1])


_cache: Cache[str, Names] = Cache(MAX_KEPT)


def names_of(catalog: Catalog) -> Names:
    """The names of ``catalog``, from the cache where there."""
    return _cache.get(catalog.fingerprint, lambda: Names(entry for group in catalog.groups for entry in group.entries))
