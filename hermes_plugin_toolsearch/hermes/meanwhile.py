"""What is made while the model thinks about its first request: what a search of its tools would wait for.

The index of 2,932 tools takes a quarter of a second and the vectors of their meanings another; a model takes longer
than both before it can ask for a search.
"""

from __future__ import annotations

import threading
from contextvars import copy_context
from typing import Literal

from ..catalog import Catalog
from . import seams
from .session import Session

_MOST = 64

_begun: set[str] = set()
"""Fingerprints of the catalogs that this has been done for; forgotten at times, which costs a look into a cache."""


def request(session: Session | None) -> None:
    """A request goes to the model; with a bridge in it, prepare what a search needs, once a catalog."""
    if session is None or session.published is None or not session.published.assembly.activated:
        return
    catalog = session.published.assembly.partition.catalog
    if catalog.fingerprint in _begun:
        return
    if len(_begun) >= _MOST:
        _begun.clear()
    _begun.add(catalog.fingerprint)
    # In this context, which says whose profile it is and so where things are kept on disk.
    run, semantic = copy_context().run, session.config.semantic
    threading.Thread(target=run, args=(_make, catalog, semantic), name="toolsearch-meanwhile", daemon=True).start()


def _make(catalog: Catalog, semantic: Literal["auto", "on", "off"]) -> None:
    try:
        from ..retrieval import prepare  # numpy, which no turn has to wait for

        prepare(catalog, semantic=semantic)
    except Exception:
        seams.fall_back("preparing the search")
