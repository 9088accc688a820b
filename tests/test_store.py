"""Derived data on disk: right or not found, whatever happened to the files."""

from __future__ import annotations

import multiprocessing
import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hermes_plugin_toolsearch import store

KEY = ("part", 1, "0" * 32)
ARRAYS = {"numbers": np.arange(1000, dtype=np.int32), "text": np.frombuffer(b"some terms", np.uint8)}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that does not exist yet."""
    monkeypatch.setattr(store, "folder", lambda: tmp_path / "cache" / "toolsearch")
    return tmp_path / "cache" / "toolsearch"


def same(loaded: Any) -> bool:
    """Whether what was loaded is what was saved."""
    return loaded is not None and all(np.array_equal(loaded[name], ARRAYS[name]) for name in ARRAYS)


def size_of_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many bytes a file with the arrays takes."""
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(store, "folder", lambda: tmp_path / "one")
        store.save(*KEY, ARRAYS)
    return store.size(tmp_path / "one")[1]


def test_what_was_saved_comes_back(place: Path) -> None:
    """Arrays survive a restart, in a file and a folder that only their owner can read."""
    assert store.load(*KEY) is None
    store.save(*KEY, ARRAYS)
    assert same(store.load(*KEY))
    (file,) = place.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert store.size(place) == (1, file.stat().st_size)


def test_another_content_or_format_is_not_found(place: Path) -> None:
    """The fingerprint and the format version are part of the name, so nothing stale is served."""
    store.save(*KEY, ARRAYS)
    assert store.load("part", 1, "1" * 32) is None
    assert store.load("part", 2, "0" * 32) is None
    assert store.load("vectors", 1, "0" * 32) is None


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 not a zip", b"\x93NUMPY junk"])
def test_a_damaged_file_is_removed_and_written_again(place: Path, damage: bytes) -> None:
    """A torn or foreign file under our name costs one miss."""
    store.save(*KEY, ARRAYS)
    (file,) = place.iterdir()
    file.write_bytes(damage)
    assert store.load(*KEY) is None
    assert list(place.iterdir()) == []
    store.save(*KEY, ARRAYS)
    assert same(store.load(*KEY))


def test_pickled_objects_are_never_loaded(place: Path) -> None:
    """A planted file cannot run code: objects are refused."""
    place.mkdir(parents=True)
    np.savez(place / f"part-1-{'0' * 32}.npz", bad=np.array([{"a": 1}], dtype=object))
    assert store.load(*KEY) is None


def test_the_files_used_longest_ago_go_first(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The size is bounded; what was used last stays, and foreign files are left alone."""
    monkeypatch.setattr(store, "MOST_BYTES", 3 * size_of_one(tmp_path, monkeypatch))
    place.mkdir(parents=True)
    (place / "notes.txt").write_text("mine")
    store.save(*KEY, ARRAYS)
    for number in range(1, 6):
        store.save("part", 1, f"{number:032x}", ARRAYS)
        os.utime(place / f"part-1-{number:032x}.npz", (number, number))
        assert same(store.load(*KEY))
    kept = {path.name for path in place.glob("part-*")}
    assert kept == {f"part-1-{'0' * 32}.npz", f"part-1-{5:032x}.npz"}
    assert (place / "notes.txt").read_text() == "mine"


def test_a_folder_is_not_looked_through_at_every_save(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thousands of servers are saved without thousands of looks at thousands of files; the bound holds all the same."""
    monkeypatch.setattr(store, "MOST_BYTES", 64 * size_of_one(tmp_path, monkeypatch))
    looks = []
    files = store._files
    monkeypatch.setattr(store, "_files", lambda where: looks.append(where) or files(where))
    for number in range(200):
        store.save("part", 1, f"{number:032x}", ARRAYS)
        assert len(files(place)) <= 64
    assert len(looks) < 60


def test_texts_are_kept_like_arrays(place: Path) -> None:
    """A text comes back as it was; one with a single changed byte is removed and not used."""
    assert store.load_text("listing", 1, "0" * 32) is None
    store.save_text("listing", 1, "0" * 32, "Zwölf Werkzeuge\n")
    assert store.load_text("listing", 1, "0" * 32) == "Zwölf Werkzeuge\n"
    (file,) = place.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.write_bytes(file.read_bytes().replace(b"Werk", b"werk"))
    assert store.load_text("listing", 1, "0" * 32) is None
    assert list(place.iterdir()) == []


def test_a_place_that_cannot_be_written_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file where the folder should be, no folder at all, or a host that fails: nothing kept, nothing raised."""
    (tmp_path / "file").write_text("in the way")
    for place in (lambda: tmp_path / "file", lambda: None, lambda: 1 / 0):
        monkeypatch.setattr(store, "folder", place)
        store.save(*KEY, ARRAYS)
        assert store.load(*KEY) is None


def _save_often(place: Path) -> None:
    store.folder = lambda: place
    for _ in range(50):
        store.save(*KEY, ARRAYS)
        assert same(store.load(*KEY))


def test_several_processes_may_save_at_once(place: Path) -> None:
    """A reader never sees half a file, and no temporary file is left behind."""
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_save_often, args=(place,)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert [path.name for path in place.iterdir()] == [f"part-1-{'0' * 32}.npz"]
