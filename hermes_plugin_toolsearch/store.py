"""What was derived from tools, kept on disk so that a restart need not derive it again.

A file is named by what it is, the version of its format and the fingerprint of what it was derived from, so it is
right or it is not found. Nothing is in it that a tools listing would not show.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import tempfile
import threading
import zipfile
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .catalog import digest

if TYPE_CHECKING:  # a host names the folder when it starts, long before anything needs numpy
    import numpy.typing as npt

MOST_BYTES = 64 * 1024 * 1024
"""What all files together may take; the index and the vectors of a group of 50 tools take about 100 KB."""

UNSEEN_SHARE = 16
"""A process looks at the folder after it has written this part of ``MOST_BYTES``, and leaves as much room there."""

_NAME = re.compile(r"[a-z]+-[0-9]+-[0-9a-f]{32}\.(npz|txt)")

folder: Callable[[], Path | None] = lambda: None  # noqa: E731
"""Where the files are, asked each time since it is another for each profile; None: nothing is kept on disk."""


def load(kind: str, version: int, fingerprint: str) -> dict[str, npt.NDArray[Any]] | None:
    """The arrays that were saved under these, or None; a file that cannot be read is removed. Never raises."""
    path = _path(kind, version, fingerprint, "npz")
    content = _read(path)
    if path is None or content is None:
        return None
    import numpy as np

    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, MemoryError):
        _remove(path)
        return None


def save(kind: str, version: int, fingerprint: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Keep ``arrays`` (no objects in them): whole or not at all, readable by the owner alone. Never raises.

    Several processes may save at once: each writes a file of its own and moves it into place.
    """
    path = _path(kind, version, fingerprint, "npz")
    if path is None:
        return
    import numpy as np

    content = io.BytesIO()
    np.savez(content, **arrays)  # type: ignore[arg-type]
    _write(path, content.getvalue())


def load_text(kind: str, version: int, fingerprint: str) -> str | None:
    """The text that was saved under these, or None; as :func:`load`, and without numpy, which costs 60 ms."""
    path = _path(kind, version, fingerprint, "txt")
    content = _read(path)
    if path is None or content is None:
        return None
    check, _, text = content.partition(b"\n")
    if check != digest(text).encode():
        _remove(path)
        return None
    return text.decode()


def save_text(kind: str, version: int, fingerprint: str, text: str) -> None:
    """Keep ``text`` as :func:`save` keeps arrays."""
    path = _path(kind, version, fingerprint, "txt")
    if path is not None:
        content = text.encode("utf-8", "replace")
        _write(path, b"\n".join((digest(content).encode(), content)))


@cache
def version_of(*modules: ModuleType) -> int:
    """A format version that is another one whenever the code of ``modules`` is another."""
    return zlib.crc32(b"".join(Path(str(module.__file__)).read_bytes() for module in modules))


def size(place: Path) -> tuple[int, int]:
    """How many files are kept in ``place``, and how many bytes they take."""
    sizes = [entry.stat().st_size for entry in _files(place)]
    return len(sizes), sum(sizes)


def _path(kind: str, version: int, fingerprint: str, suffix: str) -> Path | None:
    try:
        place = folder()
    except Exception:  # the host's answer: without one there is no cache, and that is all
        return None
    return None if place is None else place / f"{kind}-{version}-{fingerprint}.{suffix}"


def _read(path: Path | None) -> bytes | None:
    try:
        content = path.read_bytes() if path is not None else None
    except OSError:
        return None
    with contextlib.suppress(OSError):
        os.utime(path or "")  # the files that were used last are kept
    return content


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")  # mode 0600
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        _make_room(path, len(content))
    except OSError:
        return  # a full or read-only disk costs the time to derive it again, nothing else


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


_unseen: dict[Path, int] = {}
"""Bytes that may still be written to a folder before it has to be looked at."""

_room = threading.Lock()


def _make_room(newest: Path, written: int) -> None:
    """Remove the files that were used longest ago where all of them would take more than ``MOST_BYTES``."""
    place, share = newest.parent, MOST_BYTES // UNSEEN_SHARE
    with _room:
        _unseen[place] = _unseen.get(place, 0) - written
        if _unseen[place] >= 0:
            return
        files = []
        for path in _files(place):
            with contextlib.suppress(OSError):
                status = path.stat()
                files.append((path == newest, status.st_mtime, status.st_size, path))
        total = sum(item[2] for item in files)
        if total > MOST_BYTES:
            for _, _, length, path in sorted(files):
                if total <= MOST_BYTES - share:
                    break
                _remove(path)
                total -= length
        _unseen[place] = min(MOST_BYTES - total, share)


def _files(place: Path) -> list[Path]:
    """Our own files in ``place``; whatever else lies there is nobody's business."""
    try:
        return [path for path in place.iterdir() if _NAME.fullmatch(path.name)]
    except OSError:
        return []
