"""What was derived from a server's tools, kept on disk so that a restart need not derive it again.

A file holds the arrays of one group of tools and is named by what it is, its format version and the fingerprint of
the group's content, so a file is right or it is not found. Nothing is in it that a tools listing would not show.
"""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # a host names the folder when it starts, long before anything needs numpy
    import numpy.typing as npt

MOST_BYTES = 64 * 1024 * 1024
"""What all files together may take; a group of 50 tools takes about 100 KB."""

_NAME = re.compile(r"[a-z]+-[0-9]+-[0-9a-f]{32}\.npz")

folder: Callable[[], Path | None] = lambda: None  # noqa: E731
"""Where the files are, asked each time since it is another for each profile; None: nothing is kept on disk."""


def load(kind: str, version: int, fingerprint: str) -> dict[str, npt.NDArray[Any]] | None:
    """The arrays that were saved under these, or None; a file that cannot be read is removed. Never raises."""
    path = _path(kind, version, fingerprint)
    if path is None:
        return None
    import numpy as np

    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, MemoryError):
        with contextlib.suppress(OSError):
            path.unlink()
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # the files that were used last are kept
    return arrays


def save(kind: str, version: int, fingerprint: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Keep ``arrays`` (no objects in them): whole or not at all, readable by the owner alone. Never raises.

    Several processes may save at once: each writes a file of its own and moves it into place.
    """
    path = _path(kind, version, fingerprint)
    if path is None:
        return
    import numpy as np

    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")  # mode 0600
        try:
            with os.fdopen(handle, "wb") as file:
                np.savez(file, **arrays)  # type: ignore[arg-type]
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        _trim(path.parent, path)
    except (OSError, ValueError):
        return  # a full or read-only disk costs the time to derive it again, nothing else


def size(place: Path) -> tuple[int, int]:
    """How many files are kept in ``place``, and how many bytes they take."""
    sizes = [entry.stat().st_size for entry in _files(place)]
    return len(sizes), sum(sizes)


def _path(kind: str, version: int, fingerprint: str) -> Path | None:
    try:
        place = folder()
    except Exception:  # the host's answer: without one there is no cache, and that is all
        return None
    return None if place is None else place / f"{kind}-{version}-{fingerprint}.npz"


def _trim(place: Path, newest: Path) -> None:
    """Remove the files that were used longest ago until the rest is within ``MOST_BYTES``."""
    files = []
    for path in _files(place):
        with contextlib.suppress(OSError):
            status = path.stat()
            files.append((path == newest, status.st_mtime, status.st_size, path))
    total = sum(item[2] for item in files)
    for _, _, length, path in sorted(files):
        if total <= MOST_BYTES:
            return
        with contextlib.suppress(OSError):
            path.unlink()
        total -= length


def _files(place: Path) -> list[Path]:
    """Our own files in ``place``; whatever else lies there is nobody's business."""
    try:
        return [path for path in place.iterdir() if _NAME.fullmatch(path.name)]
    except OSError:
        return []
