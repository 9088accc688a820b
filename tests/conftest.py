"""What holds for all tests."""

import pytest


@pytest.fixture(autouse=True)
def words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches go by words: else vectors made in the background by one test would change what a later one finds.

    Tests of meaning put a store of their own in place.
    """
    from hermes_plugin_toolsearch import vectors

    monkeypatch.setattr(vectors, "STORE", vectors.VectorStore(lambda: None))
