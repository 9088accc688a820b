"""The store of tool vectors: when they are there, when they are made again, what is kept."""

import logging
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from hermes_plugin_toolsearch import store as disk
from hermes_plugin_toolsearch import vectors
from hermes_plugin_toolsearch.catalog import Catalog, build_catalog, make_entry
from hermes_plugin_toolsearch.semantic import Encoder, encoder
from hermes_plugin_toolsearch.vectors import VectorStore, entry_texts


def catalog(*names: str, description: str = "Sends a message.") -> Catalog:
    """A catalog of tools with these full names."""
    made = [make_entry({"name": name, "description": description})[0] for name in names]
    return build_catalog(entry for entry in made if entry is not None)


class Counting(Encoder):
    """The encoder of three pieces; remembers how many texts it was given."""

    def __init__(self) -> None:
        numbers = np.array([[100, 0], [0, 100], [70, 70]], np.int8)
        super().__init__(["message", "file", "send"], numbers, np.full(3, 0.01, np.float16))
        self.seen = 0

    def encode(self, texts: Sequence[str]) -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
        self.seen += len(texts)
        return super().encode(texts)


def drained(store: VectorStore) -> None:
    """Wait until the store's thread has nothing left to do."""
    thread = store._thread
    if thread is not None:
        thread.join(30)


def test_the_first_search_does_not_wait_and_the_next_one_has_them() -> None:
    """``ready`` answers None at once, has the vectors made in the background, and then gives them."""
    held = threading.Event()

    def slow() -> Encoder:
        held.wait(30)
        return Counting()

    store = VectorStore(slow)
    tools = catalog("mcp__chat__send_message", "mcp__disk__read_file")
    assert store.ready(tools) is None
    assert store.ready(tools) is None
    held.set()
    drained(store)
    rows = store.ready(tools)
    assert rows is not None
    assert (2, 2) == rows.shape
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1], abs=1e-3)


def test_rows_stand_in_the_order_of_the_entries() -> None:
    """Row i is entry i's, whatever order the groups were made in."""
    rows = VectorStore(Counting).make(catalog("mcp__z__message", "mcp__a__file", description=""))
    assert [[0, 1], [1, 0]] == np.asarray(rows).round(3).tolist()


def test_only_the_server_that_changed_is_made_again() -> None:
    """A group whose content was seen keeps its rows."""
    found = Counting()
    store = VectorStore(lambda: found)
    before = store.make(catalog("mcp__a__file", "mcp__b__message"))
    seen = found.seen
    after = store.make(catalog("mcp__a__file", "mcp__b__message", "mcp__b__send"))
    assert 2 * 3 == found.seen - seen
    assert before is not None
    assert after is not None
    assert before[0].tolist() == after[0].tolist()


def test_what_was_made_is_not_made_again() -> None:
    """An equal catalog, made of other objects, has its vectors at once."""
    found = Counting()
    store = VectorStore(lambda: found)
    store.make(catalog("mcp__a__file"))
    seen = found.seen
    assert store.ready(catalog("mcp__a__file")) is not None
    assert seen == found.seen


def test_rows_are_found_on_disk_after_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new process reads what an earlier one made, to the same numbers; other vectors do not read it."""
    monkeypatch.setattr(disk, "folder", lambda: tmp_path)
    found = Counting()
    made = VectorStore(lambda: found).make(catalog("mcp__a__send_file"))
    seen = found.seen
    again = VectorStore(lambda: found).make(catalog("mcp__a__send_file"))
    assert np.asarray(made).tolist() == np.asarray(again).tolist()
    assert seen == found.seen
    found.version += 1
    VectorStore(lambda: found).make(catalog("mcp__a__send_file"))
    assert seen < found.seen


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest catalogs stay, at most so many and at most so many tools together."""
    store = VectorStore(Counting)
    for i in range(12):
        store.make(catalog(f"mcp__a__file{i}"))
    assert vectors.MOST_CATALOGS == len(store._kept)
    monkeypatch.setattr(vectors, "MOST_TOOLS", 3)
    store.make(catalog("mcp__b__one", "mcp__b__two"))
    assert 2 == len(store._kept)


def test_without_an_encoder_there_are_no_vectors() -> None:
    """A damaged installation goes on by words alone."""
    store = VectorStore(lambda: None)
    assert store.make(catalog("mcp__a__file")) is None
    assert store.ready(catalog("mcp__a__file")) is None
    assert store.ready(catalog("mcp__a__file")) is None
    assert store._thread is None


def test_a_failure_in_the_background_is_logged_and_not_final(caplog: pytest.LogCaptureFixture) -> None:
    """The thread survives a catalog that it cannot do, and does the next."""
    outcomes: list[Exception | Encoder] = [RuntimeError("no memory"), Counting()]

    def load() -> Encoder:
        outcome = outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    store = VectorStore(load)
    with caplog.at_level(logging.ERROR):
        assert store.ready(catalog("mcp__a__file")) is None
        drained(store)
    assert 1 == len(caplog.records)
    assert store.ready(catalog("mcp__a__file")) is None
    drained(store)
    assert store.ready(catalog("mcp__a__file")) is not None


def test_many_threads_get_the_same_rows() -> None:
    """Searches from many threads need no lock and see whole matrices only."""
    store = VectorStore(Counting)
    tools = catalog(*(f"mcp__s{i}__file" for i in range(50)))
    expected = np.asarray(VectorStore(Counting).make(tools)).tolist()
    wrong: list[object] = []

    def search() -> None:
        for _ in range(50):
            rows = store.ready(tools)
            if rows is not None and rows.tolist() != expected:
                wrong.append(rows)

    threads = [threading.Thread(target=search) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [] == wrong


def test_the_texts_of_an_entry_are_its_name_and_what_it_is_for() -> None:
    """The server's name helps, the label of a tool without one does not; camel case is taken apart."""
    entry, _ = make_entry({"name": "mcp__github__createIssue", "description": "Open an issue. Needs a token."})
    assert entry is not None
    assert ("github create Issue", "Open an issue.", " Needs a token.") == entry_texts(entry)
    plain, _ = make_entry({"name": "sendMail", "description": ""})
    assert plain is not None
    assert (" send Mail", "", "") == entry_texts(plain)


def test_vectors_of_real_tools_tell_them_apart() -> None:
    """With the shipped vectors a query in a user's words is nearest to the tool that it needs."""
    found = encoder()
    assert found is not None
    tools = catalog("mcp__m__send_email", "mcp__m__create_invoice", "mcp__m__list_branches", description="")
    rows = VectorStore().make(tools)
    assert rows is not None
    nearest = int(np.einsum("ij,j->i", rows, found.encode(["bill a customer"])[0]).argmax())
    assert "create_invoice" == tools.entries[nearest].tool
