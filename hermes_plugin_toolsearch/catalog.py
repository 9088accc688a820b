"""Tool definitions -> the tools that stay visible, and the catalog of those that are deferred.

Everything here is derived from the definitions at hand and carries a fingerprint of its content, so that what
others derive from it (an index, a listing, vectors) can be kept under that fingerprint and never be stale.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .cache import Cache

Definition = Mapping[str, Any]
"""An OpenAI tool definition: ``{"type": "function", "function": {"name", "description", "parameters"}}``."""

EMPTY_PARAMETERS: Mapping[str, Any] = {"type": "object", "properties": {}}

_VALID_NAME = re.compile(r"[A-Za-z0-9_.:-]{1,128}")


@dataclass(frozen=True, slots=True)
class Entry:
    """One tool as the retrieval, the listing and the calls see it.

    ``name`` is what the host registered (``mcp__github__create_issue``), ``server`` the label of where it comes from
    (``github``), ``tool`` the name it has there (``create_issue``). ``parameters`` is its JSON schema as given.
    """

    name: str
    server: str
    tool: str
    description: str
    parameters: Mapping[str, Any]
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Group:
    """All entries of one server, sorted by name; never empty."""

    server: str
    entries: tuple[Entry, ...]
    fingerprint: str


@dataclass(frozen=True)
class Catalog:
    """The deferred tools of one session: groups sorted by server, names unique across all of them."""

    groups: tuple[Group, ...]
    fingerprint: str

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """Every entry, in the order of the groups."""
        return tuple(entry for group in self.groups for entry in group.entries)

    @cached_property
    def by_name(self) -> Mapping[str, Entry]:
        """Full name -> entry."""
        return {entry.name: entry for entry in self.entries}

    def __len__(self) -> int:
        return sum(len(group.entries) for group in self.groups)


@dataclass(frozen=True, slots=True)
class Problem:
    """A definition that was left out or repaired: which, and why in a sentence."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Partition:
    """Definitions split in two: what the model sees in full, and the catalog of what is deferred."""

    visible: tuple[Definition, ...]
    catalog: Catalog
    problems: tuple[Problem, ...] = field(default=())


def partition(
    definitions: Iterable[Definition],
    *,
    stays_visible: Callable[[str], bool],
    server_of: Callable[[str], str | None] = lambda name: None,
) -> Partition:
    """Split ``definitions`` into visible ones, in their order, and the catalog of the others.

    ``stays_visible`` decides by name. ``server_of`` gives the label of a tool's server where the host knows it;
    otherwise it is read off the name. The first of two definitions with one name wins. A definition that cannot
    be called (no name, or a name that no provider would accept) is left out and reported; a deferred one whose
    parameters are no schema gets an empty schema, so that its server's other tools are not affected.
    """
    visible: list[Definition] = []
    entries: list[Entry] = []
    problems: list[Problem] = []
    seen: set[str] = set()
    for definition in definitions:
        function = definition.get("function") if isinstance(definition, dict) else None
        name = function.get("name") if isinstance(function, dict) else None
        if not isinstance(name, str) or not name:
            problems.append(Problem("", "a definition without a name was left out"))
            continue
        if name in seen:
            problems.append(Problem(name, "a second definition of this name was left out"))
            continue
        seen.add(name)
        if stays_visible(name):
            visible.append(definition)
            continue
        assert isinstance(function, dict)
        entry, problem = make_entry(function, server=server_of(name))
        if problem is not None:
            problems.append(problem)
        if entry is not None:
            entries.append(entry)
    return Partition(tuple(visible), build_catalog(entries), tuple(problems))


def make_entry(function: Mapping[str, Any], *, server: str | None = None) -> tuple[Entry | None, Problem | None]:
    """Make the entry of one ``{"name", "description", "parameters"}``, and say what was wrong with it, if anything.

    The entry is None where the name could not be called by any model. A function of the same content gives the same
    entry object again; what is compared for that is said at :class:`_Made`.
    """
    name = str(function.get("name") or "")
    made = _made.get(name, ())
    for known in made:
        if known.is_of(function, server):
            return known.entry, known.problem
    if not _VALID_NAME.fullmatch(name):
        return None, Problem(name[:128], "left out: a tool name is 1 to 128 of the characters A-Z a-z 0-9 _ . : -")
    description = function.get("description")
    description = description if isinstance(description, str) else ""
    given = function.get("parameters")
    parameters = given
    problem = None
    if given is None:
        parameters = EMPTY_PARAMETERS
    elif not isinstance(given, Mapping):
        parameters = EMPTY_PARAMETERS
        problem = Problem(name, "its parameters are no JSON schema; it takes any arguments")
    label, tool = split_name(name, server)
    try:
        fingerprint = digest(json.dumps([name, label, description, parameters], default=str))
    except (ValueError, RecursionError):  # a schema that contains itself
        parameters = given = EMPTY_PARAMETERS
        problem = Problem(name, "its parameters cannot be written as JSON; it takes any arguments")
        fingerprint = digest(json.dumps([name, label, description, parameters]))
    assert isinstance(parameters, Mapping)
    entry = Entry(name, label, tool, description, parameters, fingerprint)
    if len(_made) >= _MOST_MADE:
        _made.clear()
    _made[name] = (_Made(server, function.get("description"), given, _copied(given), entry, problem), *made[:1])
    return entry, problem


@dataclass(frozen=True, slots=True)
class _Made:
    """What an entry was made from, to tell at once whether the same definition comes again.

    A host hands out the same objects again and again, so for most definitions two string comparisons and one of
    identity do. The same object may have been changed in between: its property names are compared each time, and
    whatever lies deeper by :func:`refresh`, once a turn, because comparing all of 2,932 schemas takes 15 ms.
    """

    server: str | None
    description: Any
    parameters: Any
    copy: Any
    entry: Entry
    problem: Problem | None

    def is_of(self, function: Mapping[str, Any], server: str | None) -> bool:
        """Whether the entry is that of ``function``."""
        if server != self.server or function.get("description") != self.description:
            return False
        parameters = function.get("parameters")
        if parameters is not self.parameters:
            return bool(parameters == self.copy)
        return bool(_property_names(parameters) == _property_names(self.copy))


_made: dict[str, tuple[_Made, ...]] = {}
"""Entries by name, the latest made first: two, since sessions may know different tools of one name."""

_MOST_MADE = 100_000


def refresh() -> None:
    """Forget every entry whose definition was changed in place since the entry was made."""
    for name, made in list(_made.items()):
        kept = tuple(known for known in made if known.parameters == known.copy)
        if len(kept) < len(made):
            _made[name] = kept


def _property_names(parameters: Any) -> Any:
    properties = parameters.get("properties") if isinstance(parameters, dict) else None
    return properties.keys() if isinstance(properties, dict) else None


def _copied(value: Any) -> Any:
    """Copy containers and share what cannot change in them; ten times as fast as ``copy.deepcopy``."""
    if isinstance(value, dict):
        return {key: _copied(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_copied(part) for part in value]
    return value


def build_catalog(entries: Iterable[Entry]) -> Catalog:
    """Group ``entries`` (unique names) by server; the order they come in does not matter."""
    given = tuple(entries)
    return _catalogs.get(tuple(entry.fingerprint for entry in given), lambda: _grouped(given))


_catalogs: Cache[tuple[str, ...], Catalog] = Cache(32)


def _grouped(entries: Iterable[Entry]) -> Catalog:
    by_server: dict[str, list[Entry]] = {}
    for entry in entries:
        by_server.setdefault(entry.server, []).append(entry)
    groups = []
    for server in sorted(by_server):
        members = tuple(sorted(by_server[server], key=lambda entry: entry.name))
        groups.append(Group(server, members, _combined(server, (entry.fingerprint for entry in members))))
    return Catalog(tuple(groups), _combined("", (group.fingerprint for group in groups)))


def split_name(name: str, server: str | None = None) -> tuple[str, str]:
    """``(server label, tool name at that server)`` of a registered name.

    Hermes registers ``mcp__server__tool`` from 0.18 and ``mcp_server_tool`` before, the server's name with every
    character outside ``[A-Za-z0-9_]`` replaced by an underscore. The older form can be split only where ``server``
    is known; without it the first part is taken. A tool that is not of an MCP server keeps its whole name, under
    the label ``plugin`` unless ``server`` says otherwise.
    """
    if server:
        slug = re.sub(r"[^A-Za-z0-9_]", "_", server)
        for prefix in (f"mcp__{slug}__", f"mcp_{slug}_"):
            if name.startswith(prefix) and len(name) > len(prefix):
                return server, name[len(prefix) :]
        return server, name
    if name.startswith("mcp__"):
        label, separator, tool = name[len("mcp__") :].partition("__")
        if label and separator and tool:
            return label, tool
    elif name.startswith("mcp_"):
        label, separator, tool = name[len("mcp_") :].partition("_")
        if label and separator and tool:
            return label, tool
    return "plugin", name


def digest(text: str) -> str:
    """32 hex digits that stand for ``text``."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _combined(label: str, fingerprints: Iterable[str]) -> str:
    return digest("\n".join((label, *fingerprints)))
