"""What is made while the model thinks."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from testing.hermes_home import replay
from testing.scripted_model import Call

PATIENCE = 20


def test_the_first_search_of_a_session_knows_meanings(
    make_model: Any, make_home: Any, captures: Path, host: Any
) -> None:
    """The vectors are made while the first request is under way, and kept on disk for the next process."""
    homes: list[Any] = []

    def until_vectors_are_made(body: dict[str, Any]) -> None:
        end = time.monotonic() + PATIENCE
        while not list((homes[0].path / "cache" / "toolsearch").glob("vectors-*")) and time.monotonic() < end:
            time.sleep(0.05)

    script = [[Call("tool_search", {"query": "what did I modify since I last saved my work"})], "Done."]
    model = make_model(script, rules=[until_vectors_are_made])
    homes.append(make_home(model, servers={"git": replay(captures / "git.json")}))
    run = homes[0].oneshot("What did I change?")
    assert run.stdout == "Done.\n"
    assert list((homes[0].path / "cache" / "toolsearch").glob("vectors-*"))
    assert "git_diff" in run.turns[1].results[0] or "git_status" in run.turns[1].results[0]


WITHOUT_VOCABULARY = """
import sys
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
sys.modules["tiktoken"] = module_from_spec(ModuleSpec("tiktoken", None))  # installed, and of no use
sys.argv = ["hermes", "chat", "-q", "Hello"]
from hermes_cli.main import main
main()
"""


def test_a_second_process_counts_nothing_again(make_model: Any, make_home: Any, captures: Path) -> None:
    """What an unchanged catalog costs is on disk: the next process sends the same bytes without the vocabulary."""
    model = make_model(["Done."] * 9)
    home = make_home(model, servers={"git": replay(captures / "git.json")})
    cache = home.path / "cache" / "toolsearch"
    first = home.chat("Hello").turns[0].tools
    end = time.monotonic() + PATIENCE
    while not list(cache.glob("costs-*")) and time.monotonic() < end:  # a short turn may end before they are counted
        home.chat("Hello")
    assert home.python(WITHOUT_VOCABULARY).turns[0].tools == first
    assert "token counts are estimates" not in home.log
    for file in cache.glob("listing-*"):
        file.unlink()
    home.python(WITHOUT_VOCABULARY)
    assert "token counts are estimates" in home.log
