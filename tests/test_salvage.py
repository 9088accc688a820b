"""What broken JSON was meant to say."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_plugin_toolsearch.salvage import salvaged

MEANT = {"name": "t", "arguments": {"a": ["x{y", 1], "b": None}}
WHOLE = json.dumps(MEANT)


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        WHOLE[:-1],
        WHOLE[:-2],
        WHOLE.replace("null}", "null,}"),
        f"```json\n{WHOLE}\n```",
        f"<tool_call>{WHOLE}</tool_call>",
        f"I will call it now: {WHOLE} and then stop.",
        WHOLE + "}",
        str(MEANT),
        str(MEANT).replace("None", "null"),
    ],
)
def test_what_is_broken_at_the_edges_is_read(text: str) -> None:
    """Cut-off, fenced, tagged and chatty JSON and Python literals give what they were meant to say (D13, J3)."""
    assert salvaged(text) == MEANT


def test_text_that_was_cut_off_anywhere_gives_its_beginning() -> None:
    """Wherever a call was cut off after its name, the name is still known."""
    for end in range(WHOLE.index(","), len(WHOLE)):
        found = salvaged(WHOLE[:end])
        assert isinstance(found, dict), WHOLE[:end]
        assert found["name"] == "t"


@pytest.mark.parametrize("text", ["", "hello", "ls -la", "[" * 10_000, "{" * 10_000, "{'a': " * 10_000, "}{", "'\"{"])
def test_what_says_nothing_is_nothing(text: str) -> None:
    """Plain text and brackets without end give None, and no crash of the parser."""
    assert salvaged(text) is None or salvaged(text) == {}


@settings(max_examples=500, derandomize=True, deadline=None)
@given(st.text(alphabet="{}[]()\"'\\:, ntaTruefals`1-", max_size=60))
def test_any_text_can_be_salvaged(text: str) -> None:
    """Whatever was written, the result is JSON or None."""
    json.dumps(salvaged(text))
