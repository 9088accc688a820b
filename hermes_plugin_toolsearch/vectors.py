"""The vectors of tools: made once per content, off the path of a turn.

A search asks for the vectors of its catalog; where they are not there yet it goes by words alone and they are made in
the background, so that the next one has them. They depend on nothing but a group's content and stand under its
fingerprint, so that a server that changed redoes only its own.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from contextvars import Context, copy_context
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import store
from .catalog import Catalog, Entry, Group
from .retrieval.fields import DETAIL, NAME, SERVER, SUMMARY, field_texts
from .semantic import Encoder, encoder, in_words

logger = logging.getLogger(__name__)

WEIGHTS = (1.0, 1.0, 0.3)
"""How much name, first sentence and the rest of the description say of what a tool is for."""

MOST_DETAIL = 300
"""Characters of the rest of a description that are looked at."""

KIND = "vectors"

MOST_CATALOGS = 8
MOST_TOOLS = 150_000
"""Bounds of what is kept, in catalogs and in tools of all of them (1 KB a tool)."""


def entry_texts(entry: Entry) -> tuple[str, str, str]:
    """Name with its server, first sentence, and rest of the description, in plain words."""
    texts = {NAME: "", SERVER: "", SUMMARY: "", DETAIL: ""}
    for field, text in field_texts(entry):
        if field in texts:
            texts[field] += text
    server = "" if entry.server == "plugin" else in_words(texts[SERVER])
    return f"{server} {in_words(texts[NAME])}", texts[SUMMARY], texts[DETAIL][:MOST_DETAIL]


def vectors_of_entries(found: Encoder, entries: Sequence[Entry]) -> NDArray[np.float32]:
    """Unit rows (entries, dims): what the texts of each entry mean together."""
    columns = zip(*map(entry_texts, entries), strict=True)
    mixed = np.zeros((len(entries), found.dims), np.float32)
    for weight, texts in zip(WEIGHTS, columns, strict=True):
        mixed += weight * found.encode(texts)
    mixed /= np.maximum(np.sqrt(np.einsum("ij,ij->i", mixed, mixed)), 1e-9)[:, None]
    return mixed


@dataclass(frozen=True, slots=True)
class CatalogVectors:
    """Unit rows (tools, dims), float32, in the order of ``catalog.entries``, and where each group's rows are."""

    fingerprint: str
    rows: NDArray[np.float32]
    groups: dict[str, slice]


class VectorStore:
    """The vectors of the catalogs used last, and the thread that makes missing ones."""

    def __init__(self, load: Callable[[], Encoder | None] = encoder) -> None:
        self._load = load
        self._kept: tuple[CatalogVectors, ...] = ()  # newest first; replaced as a whole: readers need no lock
        self._wanted: dict[str, tuple[Catalog, Context]] = {}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._without_encoder = False

    def ready(self, catalog: Catalog) -> NDArray[np.float32] | None:
        """The vectors of ``catalog`` if they are there; otherwise None, and they will be."""
        for vectors in self._kept:
            if vectors.fingerprint == catalog.fingerprint:
                return vectors.rows
        self.prepare(catalog)
        return None

    @property
    def at_work(self) -> bool:
        """Whether vectors are being made in the background now."""
        return self._thread is not None

    def prepare(self, catalog: Catalog) -> None:
        """Have the vectors of ``catalog`` made in the background; returns at once.

        They are made in the caller's context, which says whose profile it is and so where they are kept on disk.
        """
        with self._lock:
            if self._without_encoder or any(kept.fingerprint == catalog.fingerprint for kept in self._kept):
                return
            self._wanted[catalog.fingerprint] = (catalog, copy_context())
            while len(self._wanted) > MOST_CATALOGS:
                del self._wanted[next(iter(self._wanted))]
            if self._thread is None:
                # A daemon: whoever leaves the interpreter does not wait for it, and nothing of it outlives a process.
                self._thread = threading.Thread(target=self._work, name="toolsearch-vectors", daemon=True)
                self._thread.start()

    def make(self, catalog: Catalog) -> NDArray[np.float32] | None:
        """The vectors of ``catalog``, made now if need be; None where there is no encoder."""
        for vectors in self._kept:
            if vectors.fingerprint == catalog.fingerprint:
                return vectors.rows
        found = self._load()
        if found is None:
            self._without_encoder = True
            return None
        made = self._join(found, catalog)
        with self._lock:
            kept, size = [made], len(made.rows)
            for other in self._kept:
                size += len(other.rows)
                if len(kept) == MOST_CATALOGS or size > MOST_TOOLS:
                    break
                if other.fingerprint != made.fingerprint:
                    kept.append(other)
            self._kept = tuple(kept)
        return made.rows

    def _join(self, found: Encoder, catalog: Catalog) -> CatalogVectors:
        rows = np.empty((len(catalog), found.dims), np.float32)
        groups: dict[str, slice] = {}
        start = 0
        for group in catalog.groups:
            where = slice(start, start + len(group.entries))
            rows[where] = self._rows(found, group)
            groups[group.fingerprint] = where
            start = where.stop
        return CatalogVectors(catalog.fingerprint, rows, groups)

    def _rows(self, found: Encoder, group: Group) -> NDArray[np.floating[Any]]:
        """The rows of ``group``: from a catalog that is kept, from the disk, or made now."""
        for vectors in self._kept:
            where = vectors.groups.get(group.fingerprint)
            if where is not None:
                return vectors.rows[where]
        shape = (len(group.entries), found.dims)
        stored = (store.load(KIND, found.version, group.fingerprint) or {}).get("rows")
        if stored is not None and stored.shape == shape and stored.dtype == np.float16:
            return stored
        rows = vectors_of_entries(found, group.entries).astype(np.float16)
        store.save(KIND, found.version, group.fingerprint, {"rows": rows})
        return rows

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._wanted:
                    self._thread = None
                    return
                catalog, context = self._wanted.pop(next(reversed(self._wanted)))  # the newest: somebody waits for it
            try:
                context.run(self.make, catalog)
            except Exception:  # nobody waits for this thread, and words alone still answer
                logger.exception("the vectors of %d tools could not be made", len(catalog))


STORE = VectorStore()
"""The store of this process."""
