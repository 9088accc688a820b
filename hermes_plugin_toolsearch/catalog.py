"""Tool definitions -> the tools that stay visible, and the catalog of those that are deferred.

Everything here is derived from the definitions at hand and carries a fingerprint of its content, so that what
others derive from it (an index, a listing, vectors) can be kept under that fingerprint and never be stale.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

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
