"""Parts of an index on disk, so that a restart need not read every description again."""

from __future__ import annotations

import numpy as np
import Stemmer

from .. import store, text
from ..catalog import Group
from . import fields, part
from .part import Part

KIND = "part"


def load(group: Group) -> Part | None:
    """The part of ``group`` as an earlier process built it, or None."""
    arrays = store.load(KIND, _version(), group.fingerprint)
    if arrays is None:
        return None
    try:
        terms = tuple(arrays["terms"].tobytes().decode().split("\n"))
        part = Part(terms, *(arrays[name] for name in _ARRAYS))
        return part if _is_whole(part, len(group.entries)) else None
    except (KeyError, ValueError, IndexError):
        return None


def save(group: Group, part: Part) -> None:
    """Keep ``part`` for the processes to come."""
    terms = np.frombuffer("\n".join(part.terms).encode(), np.uint8)
    arrays = {name: getattr(part, name) for name in _ARRAYS}
    store.save(KIND, _version(), group.fingerprint, {"terms": terms, **arrays})


_ARRAYS = ("starts", "documents", "pair_starts", "fields", "counts", "sizes")


def _version() -> int:
    return store.version_of(Stemmer, text, fields, part)


def _is_whole(part: Part, documents: int) -> bool:
    """Whether the arrays fit together, so that whatever lies in a file of ours cannot lead a search astray."""
    pairs = len(part.documents)
    return (
        part.sizes.shape == (documents, len(fields.FIELDS))
        and len(part.starts) == len(part.terms) + 1
        and int(part.starts[-1]) == pairs == len(part.pair_starts)
        and len(part.fields) == len(part.counts)
        and bool(np.all(np.diff(part.starts) >= 0))
        and bool(np.all((part.documents >= 0) & (part.documents < documents)))
        and bool(np.all(np.diff(part.pair_starts, append=len(part.fields)) > 0))
        and bool(np.all(part.fields < len(fields.FIELDS)))
    )
