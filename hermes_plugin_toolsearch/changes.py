"""What came and went between two catalogs, in words for the model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from .catalog import Catalog, Entry
from .config import BridgeNames

NAMED = 8
"""Up to how many tools of a server are named; beyond that their count says enough."""


class Change(NamedTuple):
    """Entries that are new, gone, or there under the same name with another description or schema."""

    added: tuple[Entry, ...]
    removed: tuple[Entry, ...]
    altered: tuple[Entry, ...]

    def note(self, names: BridgeNames) -> str:
        """Tell the model, who holds a listing of before, what is true now."""
        parts = ["[tool search] The connected tools changed since they were listed."]
        for word, entries in (("New", self.added), ("Gone", self.removed), ("Changed", self.altered)):
            if entries:
                parts.append(f"{word}: {_by_server(entries)}.")
        parts.append(f"{names.search}, {names.describe} and {names.call} already follow.")
        return " ".join(parts)

    def summary(self) -> str:
        """The change in counts, for a log."""
        return (
            f"catalog changed: {len(self.added)} tools added, {len(self.removed)} removed, {len(self.altered)} altered"
        )


def between(before: Catalog, after: Catalog) -> Change | None:
    """The change from ``before`` to ``after``, or None where both hold the same."""
    if before.fingerprint == after.fingerprint:
        return None
    old, new = before.by_name, after.by_name
    return Change(
        tuple(entry for name, entry in new.items() if name not in old),
        tuple(entry for name, entry in old.items() if name not in new),
        tuple(entry for name, entry in new.items() if name in old and old[name].fingerprint != entry.fingerprint),
    )


def _by_server(entries: Iterable[Entry]) -> str:
    servers: dict[str, list[str]] = {}
    for entry in entries:
        servers.setdefault(entry.server, []).append(entry.name)
    return "; ".join(
        f"{server} ({', '.join(tools)})" if len(tools) <= NAMED else f"{server} ({len(tools)} tools)"
        for server, tools in servers.items()
    )
