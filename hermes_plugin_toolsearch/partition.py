"""Tool definitions -> the tools that stay visible, and the catalog of those that are deferred."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import compress, repeat
from operator import is_, not_
from threading import Lock
from typing import Any, NamedTuple

from .catalog import (
    Catalog,
    Definition,
    Entry,
    Problem,
    build_catalog,
    forget_if_changed,
    make_entry,
)


class Partition(NamedTuple):
    """Definitions split in two: what the model sees in full, and the catalog of what is deferred."""

    visible: tuple[Definition, ...]
    catalog: Catalog
    problems: tuple[Problem, ...] = ()


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
    given, changes = list(definitions), _changes
    reading = _Reading.of(given, stays_visible, server_of)
    if reading is None:
        return _one_by_one(given, stays_visible, server_of)
    for known, parts in _partitions:
        if known.is_same(reading):
            return Partition(tuple(compress(given, reading.visible)), parts.catalog, parts.problems)
    parts = _one_by_one(given, stays_visible, server_of)
    if len(parts.visible) == sum(reading.visible):  # otherwise some are left out, and a glance does not tell which
        _remember(reading, parts, changes)
    return parts


def refresh(definitions: Iterable[Definition]) -> None:
    """Notice what was changed in place anywhere in the schemas of ``definitions``, in 8 microseconds a tool.

    Once a turn is often enough: a change that deep leaves every name that a model calls or passes as it was.
    """
    global _partitions, _changes  # noqa: PLW0603
    functions = [definition.get("function") for definition in definitions if isinstance(definition, dict)]
    if sum(forget_if_changed(function) for function in functions if isinstance(function, dict)):
        with _writing:
            _partitions = ()
            _changes += 1


class _Reading(NamedTuple):
    """What is read of an array of definitions to tell at once that they are those of an earlier partition.

    A host hands out the same objects again and again, which is seen in half a microsecond a tool, a whole column at
    a time. The same object may have been changed in between: what is no schema is compared by value, and of a schema
    the number of its properties and the last one, where a new name comes. What lies deeper is for :func:`refresh`.
    """

    names: list[str]
    visible: list[bool]
    servers: list[str | None]
    descriptions: list[Any]
    parameters: list[Any]
    counts: list[int]
    last: list[Any]

    @classmethod
    def of(
        cls,
        definitions: Sequence[Definition],
        stays_visible: Callable[[str], bool],
        server_of: Callable[[str], str | None],
    ) -> _Reading | None:
        """Read ``definitions``; None where one of them lacks a part."""
        try:
            functions = [definition["function"] for definition in definitions]
            names = [function["name"] for function in functions]
            visible = list(map(stays_visible, names))
            deferred = list(compress(functions, map(not_, visible)))
            parameters = [function["parameters"] for function in deferred]
            properties = [schema.get("properties", ()) for schema in parameters]
            return cls(
                names,
                visible,
                [server_of(function["name"]) for function in deferred],
                [function["description"] for function in deferred],
                parameters,
                list(map(len, properties)),
                list(map(next, map(reversed, properties), repeat(None))),
            )
        except (LookupError, TypeError, AttributeError):  # also of what the host says to a name that is no string
            return None

    def is_same(self, other: _Reading) -> bool:
        """Whether both are read of the same definitions."""
        return (
            self.names == other.names
            and self.visible == other.visible
            and self.servers == other.servers
            and self.descriptions == other.descriptions
            and all(map(is_, self.parameters, other.parameters))
            and self.counts == other.counts
            and self.last == other.last
        )


_partitions: tuple[tuple[_Reading, Partition], ...] = ()  # newest first; replaced as a whole, so that no reader locks

_MOST_PARTITIONS = 8

_changes = 0
"""How often a change was noticed; a partition that was begun before one may be of what is no longer there."""

_writing = Lock()


def _remember(reading: _Reading, parts: Partition, changes: int) -> None:
    global _partitions  # noqa: PLW0603
    with _writing:
        if changes == _changes:
            _partitions = ((reading, parts), *_partitions[: _MOST_PARTITIONS - 1])


def _one_by_one(
    definitions: Iterable[Definition], stays_visible: Callable[[str], bool], server_of: Callable[[str], str | None]
) -> Partition:
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
