"""Which tool a written name means, among what one session was granted.

An exact name always wins. Another spelling of a name (``server.tool``, a hyphen for an underscore, a dropped or
doubled ``mcp`` prefix, the bare tool name) is taken only when it means exactly one granted tool; everything else
comes back with the granted names that look like it, and nothing is ever run on a likeness.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher, get_close_matches
from heapq import nsmallest
from typing import Literal, NamedTuple

from .cache import Cache
from .catalog import EMPTY_PARAMETERS, Catalog, Definition, Entry, make_entry
from .config import DEFAULT_NAMES, BridgeNames

MAX_CANDIDATES = 5

_SEPARATORS = re.compile(r"[\s_\-./:]+")
_BOUNDARIES = re.compile(r"__+|[./:]+")  # what stands between a server and its tool, never within either
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# What OpenAI- and Gemini-trained models put before a function's name in text.
_NAMESPACE = re.compile(r"(?:functions|default_api|tools)[.:/]", re.IGNORECASE)
_LONGEST_NAME = 128  # of a registered tool; what is written beyond that cannot be one
_ALIKE = 0.75  # of 1; "send fax" and "send" are 0.73
_COMMON_WORD = 2_000  # names
_SHORTLIST = 40  # names compared letter by letter for "did you mean"


class Resolved(NamedTuple):
    """The one tool that a written name means; ``exact`` where it was written as it is registered."""

    entry: Entry
    kind: Literal["deferred", "visible", "bridge"]
    exact: bool

    @property
    def name(self) -> str:
        """The registered name."""
        return self.entry.name


class Unresolved(NamedTuple):
    """A written name that means no single granted tool.

    ``candidates`` are granted names: all meanings (at most five) of an ``ambiguous`` name, the most similar names
    to an ``unknown`` one, and none for a tool that exists but was ``not granted``, or for one that the session has
    when its server is there but that is ``absent`` now; ``state`` then says of what state its server is.
    """

    written: str
    reason: Literal["unknown", "ambiguous", "not granted", "absent"]
    candidates: tuple[str, ...] = ()
    state: str = ""

    @property
    def text(self) -> str:
        """The reason in a sentence, for the model that wrote the name."""
        name = repr(self.written[:_LONGEST_NAME])
        if self.reason == "not granted":
            return f"{name} is a known tool, but it is not enabled in this session; it was not run and cannot be."
        if self.reason == "absent":
            return f"{name} is not available now: {self.state}. It was not run."
        if self.reason == "ambiguous":
            return f"{name} means more than one tool: {', '.join(self.candidates)}. Write the full name of one."
        if self.candidates:
            return f"There is no tool {name} in this session. Did you mean {' or '.join(self.candidates)}?"
        return f"There is no tool {name} in this session."


@dataclass(frozen=True, slots=True)
class Scope:
    """Everything that one session may call, and nothing else.

    ``deferred`` are the tools behind the bridge, ``visible`` the definitions (by name) that the model sees directly.
    ``known`` says of one name whether any tool in the process has it, granted or not; it is asked only about the
    very name that the model wrote, so that the answer can tell "not enabled here" from "no such tool". ``absent``
    says of a name that the session has at other times why it is not there now, and gives None for any other.
    """

    deferred: Catalog
    visible: Mapping[str, Definition] = field(default_factory=dict)
    bridge: BridgeNames = DEFAULT_NAMES
    known: Callable[[str], bool] = lambda name: False
    absent: Callable[[str], str | None] = lambda name: None

    def resolve(self, written: str) -> Resolved | Unresolved:
        """Find the tool that ``written`` means. Never raises."""
        exact = self._named(written, exact=True) or self._named(self._renamed(written), exact=True)
        if exact is not None:
            return exact
        # Asked before any other spelling: a tool that is gone or was not granted must not run another in its place.
        state = self.absent(written)
        if state is not None:
            return Unresolved(written, "absent", state=state)
        if self.known(written):
            return Unresolved(written, "not granted")
        meanings = self._meanings(written)
        if len(meanings) == 1:
            resolved = self._named(meanings[0], exact=False)
            assert resolved is not None
            return resolved
        if meanings:
            return Unresolved(written, "ambiguous", tuple(meanings[:MAX_CANDIDATES]))
        return Unresolved(written, "unknown", self._similar(written))

    def _named(self, name: str, *, exact: bool) -> Resolved | None:
        entry = self.deferred.by_name.get(name)
        bridge = name in self.bridge.as_set()
        if entry is not None and not bridge:
            return Resolved(entry, "deferred", exact)
        definition = self.visible.get(name)
        if definition is None and not bridge:
            return None
        function = definition.get("function") if definition is not None else {"name": name}
        entry, _ = make_entry(function) if isinstance(function, Mapping) else (None, None)
        if entry is None:  # a visible tool whose name the catalog would not take
            entry = Entry(name, "", name, "", EMPTY_PARAMETERS, name)
        return Resolved(entry, "bridge" if bridge else "visible", exact)

    def _renamed(self, written: str) -> str:
        """Return the name that a bridge tool has here, for its usual one: an older turn may show that one."""
        for role in ("search", "describe", "call"):
            if written == getattr(DEFAULT_NAMES, role):
                return str(getattr(self.bridge, role))
        return written

    def _meanings(self, written: str) -> list[str]:
        """Return every granted name of which ``written`` is a spelling, sorted."""
        written = _NAMESPACE.sub("", written.strip(" \t\r\n`'\"()")[: 2 * _LONGEST_NAME], count=1)
        spellings = _by_spelling(self.deferred)
        # The most that was written decides: a shorter reading is tried only when the longer one means nothing.
        for key in _keys(written):
            names = spellings.get(key, ())
            meanings = {name for name in names if _same_server(written, self.deferred.by_name[name])}
            meanings.update(name for name in self._undeferred() if key in (squash(name), _without_mcp(squash(name))))
            if meanings:
                return sorted(meanings)
        return []

    def _similar(self, written: str) -> tuple[str, ...]:
        """Return the granted names most like ``written``, best first; the bridge's own are never suggested."""
        written = written[:_LONGEST_NAME]
        key, last = squash(written), squash(_BOUNDARIES.split(written)[-1])
        scored = []
        for name in (*_sharing_words(self.deferred, written), *self.visible):
            entry = self.deferred.by_name.get(name)
            tool = squash(entry.tool if entry is not None else name)
            pairs = ((squash(name), key), (_without_mcp(squash(name)), key), (tool, last), (tool, key))
            likeness = max(_likeness(form, other) for form, other in pairs)
            if likeness >= _ALIKE:
                scored.append((-likeness, name))
        return tuple(name for _, name in sorted(scored)[:MAX_CANDIDATES])

    def _undeferred(self) -> Iterable[str]:
        return {*self.visible, *self.bridge.as_set()}


def squash(name: str) -> str:
    """``name`` without case and separators: ``obsidian-graph.getNote`` -> ``obsidiangraphgetnote``."""
    return _SEPARATORS.sub("", name).casefold()


def _without_mcp(key: str) -> str:
    return key.removeprefix("mcp")


def _keys(written: str) -> list[str]:
    """Return the squashed readings of ``written``, longest first: with and without its ``mcp``, its prefix once."""
    keys = [squash(written)]
    while keys[-1].startswith("mcp"):
        keys.append(_without_mcp(keys[-1]))
    keys.append("".join(_parts(written)))
    return [key for key in dict.fromkeys(keys) if key]


def _parts(written: str) -> list[str]:
    """Split ``written`` where a server ends; ``mcp`` and what is said twice in a row are left out."""
    parts: list[str] = []
    for part in map(squash, _BOUNDARIES.split(written)):
        if part not in ("", "mcp") and parts[-1:] != [part]:
            parts.append(part)
    return parts


def _same_server(written: str, entry: Entry) -> bool:
    """Say whether ``written`` ends its server's name where ``entry`` does.

    ``git__hub_search`` has the letters of ``github__search`` but names another server. The older scheme
    (``mcp_server_tool``) does not say where the server ends: there any word's end will do.
    """
    parts = _parts(written)
    if len(parts) < 2 or "".join(parts) == squash(entry.tool):
        return True
    words = [entry.name.removesuffix(entry.tool)]
    if not entry.name.startswith("mcp__"):
        words = _SEPARATORS.split(entry.name)
    ends = {len(_without_mcp(squash("".join(words[:count])))) for count in range(1, len(words) + 1)}
    return any(len("".join(parts[:count])) in ends for count in range(1, len(parts)))


_spellings: Cache[str, dict[str, set[str]]] = Cache(8)
_vocabularies: Cache[str, dict[str, list[str]]] = Cache(8)


def _by_spelling(catalog: Catalog) -> Mapping[str, set[str]]:
    """Map each squashed spelling to the names that have it."""

    def make() -> dict[str, set[str]]:
        spellings: dict[str, set[str]] = {}
        for entry in catalog.entries:
            name, tool = squash(entry.name), squash(entry.tool)
            for key in (name, _without_mcp(name), squash(entry.server) + tool, tool):
                spellings.setdefault(key, set()).add(entry.name)
        return spellings

    return _spellings.get(catalog.fingerprint, make)


def _by_word(catalog: Catalog) -> Mapping[str, list[str]]:
    """Map each word to the names that have it."""

    def make() -> dict[str, list[str]]:
        vocabulary: dict[str, list[str]] = {}
        for entry in catalog.entries:
            for word in set(_words(entry.name)):
                vocabulary.setdefault(word, []).append(entry.name)
        return vocabulary

    return _vocabularies.get(catalog.fingerprint, make)


def _sharing_words(catalog: Catalog, written: str) -> list[str]:
    """Return at most ``_SHORTLIST`` names that share the most words, or nearly the words, with ``written``.

    Comparing letter by letter is for these few: over 20,000 names it takes a hundred times as long. The rarest words
    are taken first, and those that most names have only where there is no other.
    """
    by_word = _by_word(catalog)
    near: set[str] = set()
    for word in list(dict.fromkeys(_words(written)))[:8]:
        alike = [known for known in by_word if abs(len(known) - len(word)) <= 2] if word not in by_word else []
        near.update([word] if word in by_word else get_close_matches(word, alike, n=2, cutoff=0.75))
    shared: Counter[str] = Counter()
    for word in sorted(near, key=lambda word: (len(by_word[word]), word)):
        if shared and len(by_word[word]) > _COMMON_WORD:
            break
        shared.update(by_word[word])
    best = nsmallest(_SHORTLIST, shared.items(), key=lambda item: (-item[1], len(item[0]), item[0]))
    return [name for name, _ in best]


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(name) if word.lower() != "mcp"]


def _likeness(first: str, second: str) -> float:
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= _ALIKE else 0.0
