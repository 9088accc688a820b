"""The catalog: the deferred tools of a session, by server, and how an entry is made of a tool's definition.

Everything here is derived from the definitions at hand and carries a fingerprint of its content, so that what
others derive from it (an index, a listing, vectors) can be kept under that fingerprint and never be stale.
"""

from __future__ import annotations

import hashlib
import json
import marshal
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from .cache import Cache

Definition = Mapping[str, Any]
"""An OpenAI tool definition: ``{"type": "function", "function": {"name", "description", "parameters"}}``."""

EMPTY_PARAMETERS: Mapping[str, Any] = {"type": "object", "properties": {}}

_VALID_NAME = re.compile(r"[A-Za-z0-9_.:-]{1,128}")


class Entry(NamedTuple):
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


class Group(NamedTuple):
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


class Problem(NamedTuple):
    """A definition that was left out or repaired: which, and why in a sentence."""

    name: str
    reason: str


class MissingServer(NamedTuple):
    """A configured server whose tools are not there, and why, for answers that would have named them."""

    server: str
    reason: str


def make_entry(function: Mapping[str, Any], *, server: str | None = None) -> tuple[Entry | None, Problem | None]:
    """Make the entry of one ``{"name", "description", "parameters"}``, and say what was wrong with it, if anything.

    The entry is None where the name could not be called by any model. A function of the same content gives the same
    entry object again.
    """
    name = str(function.get("name") or "")
    made = _made.get(name, ())
    for known in made:
        if known.is_of(function, server):
            return known.entry, known.problem
    if not _VALID_NAME.fullmatch(name):
        return None, Problem(name[:128], "left out: a tool name is 1 to 128 of the characters A-Z a-z 0-9 _ . : -")
    described, given = function.get("description"), function.get("parameters")
    description = described if isinstance(described, str) else ""
    label, tool = split_name(name, server)
    parameters, why, fingerprint = _content(name, label, description, given)
    problem = Problem(name, f"its parameters {why}; it takes any arguments") if why else None
    entry = Entry(name, label, tool, description, parameters, fingerprint)
    for known in made:
        if (known.entry.fingerprint, known.problem) == (entry.fingerprint, problem):
            entry = known.entry
    if len(_made) >= _MOST_MADE:
        _made.clear()
    now = _Made(server, described, given, _properties(given), entry, problem)
    _made[name] = (now, *[known for known in made if known.entry is not entry][:1])
    return entry, problem


class _Made(NamedTuple):
    """What an entry was made from, to tell at once whether the same definition comes again.

    A host hands out the same objects again and again, so for most definitions two string comparisons and one of
    identity do. The same object may have been changed in between: that its properties are those that they were is
    told by their number and the last of them, where a new name comes; what lies deeper, by :func:`forget_if_changed`.
    """

    server: str | None
    description: Any
    parameters: Any
    properties: tuple[int, Any]
    entry: Entry
    problem: Problem | None

    def is_of(self, function: Mapping[str, Any], server: str | None) -> bool:
        """Whether ``function`` is the very object that the entry was made from, as far as a glance tells."""
        return (
            function.get("parameters") is self.parameters
            and function.get("description") == self.description
            and server == self.server
            and _properties(self.parameters) == self.properties
        )

    def holds(self) -> bool:
        """Whether the schema is still what it was when the entry was made."""
        known = self.entry
        return _content(known.name, known.server, known.description, self.parameters)[2] == known.fingerprint


_made: dict[str, tuple[_Made, ...]] = {}
"""Entries by name, the latest made first: two, since sessions may know different tools of one name."""

_MOST_MADE = 100_000


def forget_if_changed(function: Mapping[str, Any]) -> bool:
    """Forget the entry of ``function`` if that was changed in place, however deep, since the entry was made."""
    made = _made.get(str(function.get("name")), ())
    kept = tuple(known for known in made if known.parameters is not function.get("parameters") or known.holds())
    if len(kept) < len(made):
        _made[made[0].entry.name] = kept
    return len(kept) < len(made)


def _properties(parameters: Any) -> tuple[int, Any]:
    """How many properties a schema has, and the last one's name."""
    properties = parameters.get("properties") if isinstance(parameters, dict) else None
    return (len(properties), next(reversed(properties), None)) if isinstance(properties, dict) else (0, None)


def _content(name: str, label: str, description: str, given: Any) -> tuple[Mapping[str, Any], str, str]:
    """The schema that a tool's ``given`` parameters are, what is wrong with them, and the fingerprint of it all."""
    schema = given if isinstance(given, Mapping) else EMPTY_PARAMETERS
    why = "" if schema is given or given is None else "are no JSON schema"
    try:
        content = _written((name, label, description, schema))
    except (ValueError, TypeError, RecursionError):  # a schema that contains itself
        why, schema = "cannot be written as JSON", EMPTY_PARAMETERS
        content = _written((name, label, description, schema))
    return schema, why, digest(content)


def _written(value: Any) -> bytes:
    """Bytes that are the same for the same content, in a quarter of the time that JSON takes.

    In format 2 of ``marshal``: later ones tell shared objects from equal ones. It takes no subclass of ``dict`` or
    ``str``; such a value is brought into JSON's own types first. Raises ValueError, TypeError or RecursionError for
    what is no JSON.
    """
    try:
        return marshal.dumps(value, 2)
    except ValueError:
        return marshal.dumps(json.loads(json.dumps(value, default=str)), 2)


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


def digest(content: str | bytes) -> str:
    """32 hex digits that stand for ``content``."""
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _combined(label: str, fingerprints: Iterable[str]) -> str:
    return digest("\n".join((label, *fingerprints)))
