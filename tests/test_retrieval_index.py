"""The index: postings per server, joined; scores that are BM25's; caches that are bounded."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from rank_bm25 import BM25Plus

from hermes_plugin_toolsearch.catalog import Catalog, Entry, build_catalog, make_entry
from hermes_plugin_toolsearch.retrieval import index as indexing
from hermes_plugin_toolsearch.retrieval import search
from hermes_plugin_toolsearch.retrieval.fields import (
    MAX_DEPTH,
    MAX_NODES,
    PARAMETER,
    PARAMETER_TEXT,
    VALUE,
    field_texts,
)
from hermes_plugin_toolsearch.retrieval.index import Index, Norms, build_part, combine, index_of
from hermes_plugin_toolsearch.text import terms

DESCRIPTIONS = [
    "Create an issue in a repository",
    "List the issues of a repository, issue by issue",
    "Send a message",
    "Merge a pull request into a branch of a repository when every check of the request has passed",
    "Delete a branch",
]


def make(name: str, description: str = "", parameters: Any = None, server: str | None = None) -> Entry:
    """An entry; ``server`` where the name does not say it."""
    entry, _ = make_entry({"name": name, "description": description, "parameters": parameters}, server=server)
    assert entry is not None
    return entry


def catalog(count: int, server: str = "s") -> Catalog:
    """A catalog of ``count`` tools at one server."""
    return build_catalog(make(f"mcp__{server}__tool_{at}", f"does thing {at}") for at in range(count))


def scores(index: Index, query: tuple[str, ...]) -> np.ndarray:
    """The plain sums of the index for every document."""
    sums = np.zeros(len(index))
    for term in query:
        if term in index.numbers:
            at = index.postings(index.numbers[term])
            sums[index.documents[at]] += index.idf[index.numbers[term]] * index.impacts[at]
    return sums


@pytest.mark.parametrize("query", ["issue", "pull request", "repository branch message", "nothing known"])
@pytest.mark.parametrize("groups", [1, 3])
def test_scores_of_one_field_are_those_of_rank_bm25(query: str, groups: int) -> None:
    """On the summary alone the postings give BM25Plus' own scores (delta 0), however the tools are grouped."""
    entries = [make(f"t{at}", text) for at, text in enumerate(DESCRIPTIONS)]
    norms = Norms(weights=(0, 0, 1, 1, 0, 0, 0), lengths=(0, 0, 0.75, 0.75, 0, 0, 0), k1=1.5, cap=255)
    size = -(-len(entries) // groups)
    index = combine([build_part(entries[at : at + size]) for at in range(0, len(entries), size)], norms)
    reference = BM25Plus([list(terms(text)) for text in DESCRIPTIONS], k1=1.5, b=0.75, delta=0)
    known = {term: number for term, number in index.numbers.items() if term in reference.idf}
    for term, number in known.items():
        frequency = sum(term in terms(text) for text in DESCRIPTIONS)
        if index.starts[number + 1] - index.starts[number] == frequency:
            assert reference.idf[term] == pytest.approx(float(index.idf[number]))
    assert reference.get_scores(list(terms(query))) == pytest.approx(scores(index, terms(query)), rel=1e-5)


def test_a_catalog_in_parts_gives_the_index_of_the_whole() -> None:
    """Joining the parts of three servers gives what one part over all of them would."""
    entries = [make(f"t{at}", text) for at, text in enumerate(DESCRIPTIONS)]
    whole = combine([build_part(entries)])
    joined = combine([build_part(entries[:2]), build_part(entries[2:3]), build_part(entries[3:])])
    assert set(whole.numbers) == set(joined.numbers)
    for term, number in whole.numbers.items():
        one, other = whole.postings(number), joined.postings(joined.numbers[term])
        assert whole.documents[one].tolist() == joined.documents[other].tolist()
        assert whole.impacts[one].tolist() == pytest.approx(joined.impacts[other].tolist())


def test_a_changed_server_redoes_only_its_own_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts are kept by the content of their group, so the other servers' are reused."""
    built: list[str] = []
    original = indexing.build_part
    monkeypatch.setattr(indexing, "build_part", lambda entries: built.append(entries[0].server) or original(entries))
    entries = [make(f"mcp__{server}__do_{at}", f"only here {server}") for server in ("one", "two") for at in range(3)]
    kept = index_of(build_catalog(entries))
    changed = index_of(build_catalog([*entries, make("mcp__two__more", "new")]))
    assert ["one", "two", "two"] == built
    assert len(kept) + 1 == len(changed)


def test_equal_catalogs_share_one_index() -> None:
    """A second session with the same tools finds the index there, whatever order its tools came in."""
    entries = list(catalog(5, "shared").entries)
    assert index_of(build_catalog(entries)) is index_of(build_catalog(reversed(entries)))


def test_kept_indexes_are_bounded() -> None:
    """A gateway that sees ever new catalogs keeps the last few indexes, and no part that none of them uses."""
    for at in range(3 * indexing.MAX_INDEXES):
        index_of(catalog(3, f"passing{at}"))
    gc.collect()
    assert indexing.MAX_INDEXES == len(indexing._indexes)
    assert indexing.MAX_INDEXES >= len(indexing._parts)


def test_an_index_in_use_outlives_newer_ones() -> None:
    """A catalog that is searched again and again is not dropped for others that pass by."""
    busy = catalog(3, "busy")
    index = index_of(busy)
    for at in range(3 * indexing.MAX_INDEXES):
        index_of(catalog(3, f"visitor{at}"))
        assert index is index_of(busy)


def test_huge_catalogs_push_out_older_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound is on tools too: two catalogs that exceed it together are not both kept."""
    monkeypatch.setattr(indexing, "MAX_INDEXED", 30)
    index_of(catalog(20, "big"))
    index_of(catalog(21, "bigger"))
    assert [21] == [len(index) for _, index in indexing._indexes]


def test_searches_from_many_threads_agree() -> None:
    """Threads that search the same and different catalogs at once get what one thread gets."""
    catalogs = [catalog(40, f"threaded{at}") for at in range(4)]
    work = [(one, f"thing {at}") for one in catalogs for at in range(40)]
    expected = [[hit.entry.name for hit in search(one, query, 3).hits] for one, query in work]
    indexing._indexes = ()
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda task: [hit.entry.name for hit in search(*task, 3).hits], work))
    assert expected == found


def test_nested_parameters_are_indexed() -> None:
    """E15: names, descriptions and values of parameters count at every level, also in lists, choices and ``$defs``."""
    schema = {
        "type": "object",
        "properties": {
            "filter": {"type": "object", "properties": {"assignee": {"type": "string", "description": "who does it"}}},
            "labels": {"type": "array", "items": {"type": "string", "enum": ["urgent", "later"]}},
            "range": {"anyOf": [{"type": "object", "properties": {"since": {"type": "string"}}}]},
            "node": {"$ref": "#/$defs/Node"},
        },
        "$defs": {"Node": {"type": "object", "properties": {"colour": {"type": "string"}}}},
    }
    found: dict[int, str] = {}
    for field, text in field_texts(make("t", "", schema)):
        found[field] = f"{found.get(field, '')} {text}"
    assert {"filter", "labels", "range", "node", "assignee", "since", "colour"} <= set(found[PARAMETER].split())
    assert "who does it" in found[PARAMETER_TEXT]
    assert ["urgent", "later"] == found[VALUE].split()


def test_schemas_are_bounded_in_depth_and_size() -> None:
    """E15: a schema of thousands of nodes or a hundred levels costs no more than a large ordinary one."""
    deep: dict[str, Any] = {}
    for _ in range(100):
        deep = {"type": "object", "properties": {"deeper": deep, "and": {"type": "string"}}}
    wide = {"type": "object", "properties": {f"p{at}": {"type": "string"} for at in range(10 * MAX_NODES)}}
    levels = " ".join(text for field, text in field_texts(make("t", "", deep)) if field == PARAMETER).count("deeper")
    assert MAX_DEPTH == levels
    assert MAX_NODES >= sum(len(text.split()) for field, text in field_texts(make("t", "", wide)) if field == PARAMETER)


@pytest.mark.parametrize("schema", [{}, {"properties": []}, {"properties": {"a": 3}}, {"anyOf": {"b": 1}}, {"enum": 1}])
def test_malformed_schemas_are_taken(schema: Any) -> None:
    """A server that answers with schemas without types or properties is searchable all the same."""
    assert ["t"] == [hit.entry.name for hit in search(build_catalog([make("t", "sends faxes", schema)]), "fax", 5).hits]


def test_a_tool_of_stop_words_only_is_found() -> None:
    """A name like ``who_am_i`` has no other words, so they are its terms."""
    found = search(build_catalog([make("who_am_i"), make("other", "does something else")]), "who am i", 1)
    assert ["who_am_i"] == [hit.entry.name for hit in found.hits]


def test_the_index_is_small() -> None:
    """Below 6 KB a tool, counted over all arrays of an index and its parts."""
    entries = [make(f"mcp__s__tool_{at}", f"{DESCRIPTIONS[at % 5]} number {at} " * 8) for at in range(500)]
    index = index_of(build_catalog(entries))
    arrays = [index.starts, index.documents, index.impacts, index.origins, index.idf, index.name_mass]
    for part in index.parts:
        arrays += [part.starts, part.documents, part.pair_starts, part.fields, part.counts, part.sizes]
    assert 6000 > sum(array.nbytes for array in arrays) / len(index)
