"""The word-piece encoder: its tokenizer, its arithmetic, its data, and that meaning is in it."""

import json
import logging
from pathlib import Path

import numpy as np
import pytest

from hermes_plugin_toolsearch import semantic
from hermes_plugin_toolsearch.semantic import Encoder, encoder

REFERENCE = json.loads(Path(__file__).with_name("pieces.json").read_text("utf-8"))


@pytest.fixture
def shipped() -> Encoder:
    """The encoder of the vectors in the package."""
    found = encoder()
    assert found is not None
    return found


def tiny() -> Encoder:
    """Three pieces in two dimensions: ``mail`` points right, ``##box`` up, ``send`` left and half as long."""
    vectors = np.array([[100, 0], [0, 100], [-50, 0]], np.int8)
    return Encoder(["mail", "##box", "send"], vectors, np.array([0.01, 0.01, 0.01], np.float16))


@pytest.mark.parametrize("probe", REFERENCE, ids=lambda probe: repr(probe["text"][:20]))
def test_pieces_are_those_of_the_reference_tokenizer(shipped: Encoder, probe: dict[str, object]) -> None:
    """Words are taken apart as BERT's uncased tokenizer does over the same pieces; what has no vector is left out."""
    pieces = (semantic.DATA / "pieces.txt").read_text("utf-8").split("\n")
    known = set(pieces)
    expected = [piece for piece in probe["pieces"] if piece in known]  # type: ignore[attr-defined]
    assert expected == [pieces[row] for row in shipped.rows(str(probe["text"]))]


def test_a_text_is_the_sum_of_its_pieces_scaled_to_length_one() -> None:
    """``mailbox`` is ``mail`` and ``##box``, each as long as the other: 45 degrees."""
    assert [0.5**0.5, 0.5**0.5] == pytest.approx(tiny().encode(["Mailbox"])[0].tolist(), abs=1e-6)


def test_the_length_of_a_vector_is_its_weight() -> None:
    """``send`` pulls against ``mail`` but is shorter, so the text still points the way of ``mail``."""
    assert [[1.0, 0.0]] == tiny().encode(["send mail"]).tolist()


def test_a_text_without_known_pieces_is_a_row_of_zeros() -> None:
    """Nothing known is no direction, and does not turn into NaN or shift the rows of other texts."""
    encoded = tiny().encode(["", "送信", "mail", "?!"])
    assert [[0, 0], [0, 0], [1, 0], [0, 0]] == encoded.tolist()
    assert encoded.dtype == np.float32


def test_no_texts_are_no_rows() -> None:
    """An empty batch keeps its second dimension."""
    assert (0, 2) == tiny().encode([]).shape


def test_a_batch_of_any_size_gives_what_each_text_gives_alone(shipped: Encoder) -> None:
    """The sums are made in portions of pieces; where a portion ends must not show."""
    texts = [f"create issue number {i} " * (i % 9) for i in range(700)]
    together = shipped.encode(texts)
    for i in (0, 1, 8, 353, 699):
        assert np.allclose(together[i], shipped.encode([texts[i]])[0], atol=1e-6)


def test_rows_have_length_one(shipped: Encoder) -> None:
    """So that a product of two rows is their cosine."""
    assert np.linalg.norm(shipped.encode(["send an email", "list buckets"]), axis=1) == pytest.approx([1, 1], abs=1e-5)


@pytest.mark.parametrize(
    ("query", "meant", "other"),
    [
        ("remind my colleagues of the deadline", "send message", "delete bucket"),
        ("how much money did we spend on servers", "get cost and usage", "list branches"),
        ("which machines are powered on", "list running instances", "create invoice"),
        ("arrange a get-together for Tuesday", "create calendar event", "get file contents"),
        ("take somebody's access away", "revoke permission", "search places"),
    ],
)
def test_the_same_need_in_other_words_is_nearer(shipped: Encoder, query: str, meant: str, other: str) -> None:
    """A query without a word of the tool it needs is still nearer to it than to another one."""
    asked, wanted, unwanted = shipped.encode([query, meant, other])
    assert asked @ wanted > asked @ unwanted + 0.1


def test_the_encoder_is_loaded_once() -> None:
    """Every caller of a process gets the same one."""
    assert encoder() is encoder()


def test_the_data_stays_small() -> None:
    """The wheel carries at most 10 MB for this."""
    assert sum(path.stat().st_size for path in semantic.DATA.iterdir()) < 10_000_000


def test_the_vectors_are_mapped_not_read(shipped: Encoder) -> None:
    """A process that searches little reads little of them."""
    assert isinstance(shipped._vectors, np.memmap)


@pytest.mark.parametrize("damage", ["missing", "empty", "of another size"])
def test_without_usable_vectors_there_is_no_encoder(
    damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A damaged installation searches by words alone and says so once in the log."""
    if damage != "missing":
        (tmp_path / "pieces.txt").write_text("mail\nsend", "utf-8")
        np.save(tmp_path / "scales.npy", np.ones(2, np.float16))
        np.save(tmp_path / "vectors.npy", np.ones((3, 2), np.int8))
    if damage == "empty":
        (tmp_path / "vectors.npy").write_bytes(b"")
    monkeypatch.setattr(semantic, "DATA", tmp_path)
    encoder.cache_clear()
    with caplog.at_level(logging.WARNING):
        assert encoder() is None
        assert encoder() is None
    encoder.cache_clear()
    assert 1 == len(caplog.records)
