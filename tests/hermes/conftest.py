"""Fixtures for tests that run inside a real Hermes. `HOSTS=0.13.0,0.19.0` chooses releases, `HOSTS=all` takes all."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from testing import hosts
from testing.hermes_home import HermesHome, replay
from testing.hosts import Host
from testing.scripted_model import ScriptedModel

VERSIONS = os.environ.get("HOSTS", hosts.DEFAULT)
CAPTURES = hosts.ROOT.parent / "shared" / "data" / "captures"
HERE = Path(__file__).parent

MakeModel = Callable[..., ScriptedModel]
MakeHome = Callable[..., HermesHome]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything in this folder, so that `-m "not hermes"` leaves it out."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("hermes")


@pytest.fixture(
    scope="session",
    params=list(hosts.RELEASES) if VERSIONS == "all" else VERSIONS.split(","),
    ids=lambda v: f"hermes-{v}",
)
def host(request: pytest.FixtureRequest) -> Host:
    """A Hermes release with the plugin installed."""
    return hosts.get(request.param)


@pytest.fixture
def make_model(tmp_path: Path) -> Iterator[MakeModel]:
    """Starts scripted models and stops them after the test."""
    models: list[ScriptedModel] = []

    def make(*arguments: object, **options: object) -> ScriptedModel:
        models.append(ScriptedModel(*arguments, **options).start())
        return models[-1]

    yield make
    for model in models:
        model.stop()


@pytest.fixture
def make_home(tmp_path: Path, host: Host) -> MakeHome:
    """Makes a Hermes home for a model; options as those of `HermesHome`."""

    def make(model: ScriptedModel, **options: object) -> HermesHome:
        return HermesHome(tmp_path, host, model, **options)

    return make


@pytest.fixture
def notes(tmp_path: Path) -> dict:
    """A replayed server of two small tools: `add_note` and `list_notes`."""
    text = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    tools = [
        {"name": "add_note", "description": "Write a note down.", "inputSchema": text},
        {"name": "list_notes", "description": "List all notes.", "inputSchema": {"type": "object", "properties": {}}},
    ]
    catalog = tmp_path / "notes.json"
    catalog.write_text(json.dumps({"tools": tools}), encoding="utf-8")
    return replay(catalog, "--log", str(tmp_path / "notes.log"))


@pytest.fixture
def captures() -> Path:
    """The folder of real servers' tool lists; skips where it is missing."""
    if not CAPTURES.is_dir():
        pytest.skip("../shared/data/captures is not there")
    return CAPTURES
