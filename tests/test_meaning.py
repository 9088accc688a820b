"""One ranking from words and meaning."""

import numpy as np
import pytest

from hermes_plugin_toolsearch import vectors
from hermes_plugin_toolsearch.catalog import Catalog, build_catalog, make_entry
from hermes_plugin_toolsearch.retrieval import UNSURE, explain, search
from hermes_plugin_toolsearch.retrieval.meaning import Nearness, fuse, nearness
from hermes_plugin_toolsearch.retrieval.ranking import Ranked
from hermes_plugin_toolsearch.vectors import VectorStore

TOOLS = {
    "mcp__desk__create_issue": "Opens a new issue in a project.",
    "mcp__desk__list_issues": "Lists the issues of a project.",
    "mcp__books__create_invoice": "Creates an invoice for a customer.",
    "mcp__books__create_refund": "Refunds a payment.",
    "mcp__chat__send_message": "Posts a message to a channel.",
    "mcp__chat__list_channels": "Lists the channels of the workspace.",
    "mcp__cal__create_event": "Creates an event in a calendar.",
    "mcp__cal__list_events": "Lists the events of a calendar.",
    "mcp__files__read_file": "Reads the contents of a file.",
    "mcp__files__move_file": "Moves a file to another directory.",
}


@pytest.fixture
def catalog(monkeypatch: pytest.MonkeyPatch) -> Catalog:
    """Ten tools of five servers, and a store of vectors that holds none yet."""
    monkeypatch.setattr(vectors, "STORE", VectorStore())
    made = [make_entry({"name": name, "description": text})[0] for name, text in TOOLS.items()]
    return build_catalog(entry for entry in made if entry is not None)


def ranked(documents: list[int], scores: list[float], coverage: list[float]) -> Ranked:
    """What words found."""
    numbers = np.array(coverage)
    return Ranked(np.array(documents), np.array(scores), numbers, numbers, 1.0)


def near(*deviations: float) -> Nearness:
    """What meaning found."""
    return Nearness(np.array(deviations, np.float32), 0.5)


def test_what_words_cover_well_keeps_its_place() -> None:
    """A hit that answers every word of the query is not overtaken by one that only lies near it."""
    found = fuse(ranked([0, 1], [12.0, 4.0], [1.0, 0.3]), near(0.5, 3.0, 0.0, 0.0), length=4)
    assert [0, 1] == found.documents[:2].tolist()


def test_meaning_decides_where_words_are_unsure() -> None:
    """Of two hits that cover little of the query the nearer one comes first, though its words earned less."""
    found = fuse(ranked([0, 1], [5.0, 4.0], [0.2, 0.2]), near(0.0, 3.0, 0.0, 0.0), length=4)
    assert [1, 0] == found.documents[:2].tolist()


def test_a_tool_without_a_word_of_the_query_can_be_found() -> None:
    """Meaning alone brings a tool in, with no coverage."""
    found = fuse(ranked([0], [3.0], [0.2]), near(0.0, 0.0, 4.0, 0.0), length=4)
    assert 2 == found.documents[0]
    assert 0 == found.coverage[0]


def test_without_any_hit_of_words_meaning_alone_ranks() -> None:
    """A query of which no tool has a word is answered by what is near; what is as far as most is no hit."""
    found = fuse(ranked([], [], []), near(0.1, 2.0, 1.0, 1.8), length=4)
    assert [1, 3] == found.documents.tolist()


def test_a_long_request_goes_by_its_words() -> None:
    """What makes a hit of a short query does not overtake the words of a long one."""
    words = ranked([0, 1], [5.0, 4.0], [0.3, 0.3])
    assert 1 == fuse(words, near(0.0, 2.0, 0.0, 0.0), length=5).documents[0]
    assert 0 == fuse(words, near(0.0, 2.0, 0.0, 0.0), length=60).documents[0]


def test_each_document_is_ranked_once() -> None:
    """What both found is one hit."""
    found = fuse(ranked([199, 0], [2.0, 1.0], [0.5, 0.5]), near(*np.linspace(-2, 3, 200)), length=4)
    assert len(set(found.documents.tolist())) == len(found.documents)


def test_nothing_is_near_while_the_vectors_are_not_there(catalog: Catalog) -> None:
    """The first search goes by words alone; the next one after the vectors are made has both."""
    assert nearness(catalog, "bill a customer", "auto") is None
    thread = vectors.STORE._thread
    if thread is not None:
        thread.join(30)
    found = nearness(catalog, "bill a customer", "auto")
    assert found is not None
    assert "mcp__books__create_invoice" == catalog.entries[int(found.deviations.argmax())].name
    assert 0.3 < found.cosine <= 1.001


def test_off_never_asks_for_vectors(catalog: Catalog) -> None:
    """With meaning switched off nothing is made for it."""
    assert nearness(catalog, "bill a customer", "off") is None
    assert vectors.STORE._thread is None
    assert () == vectors.STORE._kept


def test_a_query_of_nothing_known_is_near_to_nothing(catalog: Catalog) -> None:
    """No known word, no direction."""
    assert nearness(catalog, "?!", "on") is None


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("bill the client", "mcp__books__create_invoice"),
        ("give the money back", "mcp__books__create_refund"),
        ("tell the team", "mcp__chat__send_message"),
        ("arrange an appointment", "mcp__cal__create_event"),
        ("einen Termin im Kalender anlegen", "mcp__cal__create_event"),
    ],
)
def test_a_need_in_other_words_finds_its_tool(catalog: Catalog, query: str, name: str) -> None:
    """A query that shares no word with the tool it needs has it among its first hits."""
    assert name in [hit.entry.name for hit in search(catalog, query, 3, semantic="on").hits]


def test_every_need_of_a_long_request_is_compared_on_its_own(catalog: Catalog) -> None:
    """The sum of two needs is near to neither; each clause is near to its own tool."""
    found = nearness(catalog, "Bill the client for the work. Then tell everybody in the chat room about it.", "on")
    assert found is not None
    best = {catalog.entries[int(at)].name for at in np.argsort(-found.deviations)[:3]}
    assert {"mcp__books__create_invoice", "mcp__chat__send_message"} <= best


def test_a_need_in_other_words_is_surer_once_meanings_are_compared(catalog: Catalog) -> None:
    """Words alone cannot know that the tool is there."""
    words, both = (search(catalog, "bill the client", 3, semantic=mode).confidence for mode in ("off", "on"))
    assert words < both


def test_a_need_that_no_tool_serves_stays_unsure(catalog: Catalog) -> None:
    """Something is always nearest; that alone makes no answer."""
    assert search(catalog, "what is the boiling point of lead", 3, semantic="on").confidence < UNSURE


def test_the_explanation_tells_how_near_the_meaning_is(catalog: Catalog) -> None:
    """What meaning added can be seen beside what words earned."""
    entry = catalog.by_name["mcp__books__create_invoice"]
    assert any(line.startswith("meaning") for line in explain(catalog, "bill the client", entry, semantic="on"))
    assert not any(line.startswith("meaning") for line in explain(catalog, "bill the client", entry, semantic="off"))


def test_a_hit_says_that_meaning_found_it(catalog: Catalog) -> None:
    """``how`` tells a hit of words from one that shares none with the query."""
    hits = search(catalog, "settle the bill", 5, semantic="on").hits
    assert {"words", "meaning"} >= {hit.how for hit in hits}
    assert "meaning" in {hit.how for hit in hits}
