"""Parts of an index on disk: a restart gives the same answers without reading a description again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hermes_plugin_toolsearch import store
from hermes_plugin_toolsearch.catalog import Catalog, build_catalog, make_entry
from hermes_plugin_toolsearch.retrieval import index, kept, search
from hermes_plugin_toolsearch.retrieval.part import build_part

PROPERTIES = {"type": "object", "properties": {"text": {"type": "string", "description": "What to remember."}}}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder, and a process that has indexed nothing yet."""
    monkeypatch.setattr(store, "folder", lambda: tmp_path)
    restart(monkeypatch)
    return tmp_path


def restart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget what this process has indexed."""
    monkeypatch.setattr(index, "_indexes", ())
    index._parts.clear()


def catalog() -> Catalog:
    """Make a catalog of two servers."""
    functions = [
        {"name": "mcp__notes__add_note", "description": "Write a note down. 解析pdf", "parameters": PROPERTIES},
        {"name": "mcp__mail__send", "description": "Send an e-mail to somebody."},
    ]
    return build_catalog(entry for function in functions if (entry := make_entry(function)[0]) is not None)


def test_a_restart_answers_from_disk(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second process builds nothing, and finds the same with the same scores."""
    before = search(catalog(), "remember a text", 5)
    assert len(list(place.iterdir())) == 2
    restart(monkeypatch)
    monkeypatch.setattr(index, "build_part", lambda entries: pytest.fail("built again"))
    assert search(catalog(), "remember a text", 5) == before
    assert [hit.entry.name for hit in before.hits] == ["mcp__notes__add_note"]


def test_a_part_survives_its_file(place: Path) -> None:
    """Terms of every script and all arrays come back as they were."""
    (_, group) = catalog().groups
    part = build_part(group.entries)
    kept.save(group, part)
    loaded = kept.load(group)
    assert loaded is not None
    assert loaded.terms == part.terms
    for name in kept._ARRAYS:
        assert np.array_equal(getattr(loaded, name), getattr(part, name))


@pytest.mark.parametrize("spoil", ["documents", "starts", "pair_starts", "fields", "sizes", "terms"])
def test_arrays_that_do_not_fit_together_are_not_used(place: Path, spoil: str) -> None:
    """A file of ours with other arrays in it is a miss, not an error in every search."""
    group = catalog().groups[1]
    part = build_part(group.entries)
    terms = np.frombuffer("\n".join(part.terms).encode(), np.uint8)
    arrays = {"terms": terms, **{name: getattr(part, name) for name in kept._ARRAYS}}
    arrays[spoil] = np.array([77], np.uint8)
    store.save(kept.KIND, kept._version(), group.fingerprint, arrays)
    assert kept.load(group) is None


def test_other_code_makes_other_parts(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part of an earlier release is not found after an update."""
    group = catalog().groups[0]
    kept.save(group, build_part(group.entries))
    assert kept.load(group) is not None
    monkeypatch.setattr(kept, "_version", lambda: 1)
    assert kept.load(group) is None
