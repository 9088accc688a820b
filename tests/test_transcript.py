"""Histories with the bridge taken out, in each dialect."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from hermes_plugin_toolsearch.transcript import tools_called, unwrapped

ENVELOPE = {"name": "mcp__notes__add", "arguments": {"text": "milk"}}


def chat(arguments: Any, name: str = "tool_call") -> dict[str, Any]:
    """Make an assistant message of chat completions."""
    return {
        "role": "assistant",
        "tool_calls": [{"id": "1", "type": "function", "function": {"name": name, "arguments": arguments}}],
    }


def test_chat_completions_show_the_real_call_and_result() -> None:
    """Name and arguments are the tool's own, ids stay, and the result's name follows (C2)."""
    history = [chat(json.dumps(ENVELOPE)), {"role": "tool", "name": "tool_call", "tool_call_id": "1", "content": "ok"}]
    before = copy.deepcopy(history)
    call, result = unwrapped(history)
    assert call == chat('{"text": "milk"}', "mcp__notes__add")
    assert result == {"role": "tool", "name": "mcp__notes__add", "tool_call_id": "1", "content": "ok"}
    assert history == before


def test_content_blocks_and_responses_items_are_opened_too() -> None:
    """The same in the dialects of Anthropic's messages and OpenAI's Responses, mapping or text (C2)."""
    blocks = {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "tool_call", "input": ENVELOPE}]}
    item = {"type": "function_call", "call_id": "1", "name": "run_tool", "arguments": json.dumps(ENVELOPE)}
    assert unwrapped([blocks])[0]["content"] == [
        {"type": "tool_use", "id": "1", "name": "mcp__notes__add", "input": {"text": "milk"}}
    ]
    assert unwrapped([item]) == [
        {"type": "function_call", "call_id": "1", "name": "mcp__notes__add", "arguments": '{"text": "milk"}'}
    ]


@pytest.mark.parametrize(
    "message",
    [
        chat("{broken"),
        chat(json.dumps({"calls": [ENVELOPE, ENVELOPE]})),
        chat(json.dumps(["not", "an", "object"])),
        chat(json.dumps({"name": 7})),
        chat('{"command": "ls"}', "terminal"),
        {"role": "assistant", "tool_calls": ["odd", {"function": None}]},
        {"role": "user", "content": "tool_call"},
        "text",
    ],
)
def test_what_cannot_be_read_stays_as_it_is(message: Any) -> None:
    """Broken, several and foreign calls pass through unchanged."""
    assert unwrapped([message]) == [message]


def test_every_entry_of_a_call_is_counted() -> None:
    """Usage counts the tools that ran, not the bridge (C9)."""
    calls = [
        *chat(json.dumps(ENVELOPE))["tool_calls"],
        *chat(json.dumps({"calls": [ENVELOPE, {"name": "mcp__notes__list"}]}))["tool_calls"],
        *chat("{}", "terminal")["tool_calls"],
        *chat("{broken")["tool_calls"],
    ]
    assert list(tools_called(calls)) == ["mcp__notes__add", "mcp__notes__add", "mcp__notes__list", "terminal"]
