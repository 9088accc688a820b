"""The security boundary: what a session was not granted is not shown, found, described or run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

ATTACK = Path(__file__).with_name("attack.py")


@pytest.fixture
def outcome(make_model: Any, make_home: Any) -> Any:
    """Runs ``attack.py`` in a Hermes and returns what it found."""

    def run(mode: str, argument: str) -> dict[str, Any]:
        model = make_model([])
        home = make_home(model)
        done = home.run([str(home.host.python), str(ATTACK), mode, model.base_url, argument], timeout=570)
        _, mark, text = done.stdout.rpartition("OUTCOME ")
        assert mark, done.stdout[-2000:] + done.stderr[-4000:]
        found: dict[str, Any] = json.loads(text)
        return found

    return run


def test_nothing_foreign_is_found_described_or_run(outcome: Any, captures: Path) -> None:
    """Every tool outside the grant, asked for in eleven ways: no execution, no name, no schema (B1–B13, A6)."""
    found = outcome("attack", str(captures))
    assert found["foreign"] > 2_800
    assert found["attempts"] == 11 * found["foreign"]
    assert found["ran"] == []
    assert found["leaks"] == []
    assert found["granted_works"]


def test_sessions_do_not_cross_while_the_registry_changes(outcome: Any) -> None:
    """Two sessions with disjoint grants under a changing registry: no cross-talk and no exception (B12, H4)."""
    found = outcome("race", "1500")
    assert found == {"faults": [], "rounds": 3000}
