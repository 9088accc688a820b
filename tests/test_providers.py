"""Requests as model providers take them. The module needs no Hermes; the requests themselves are tested inside one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from hermes_plugin_toolsearch.config import DEFAULT_NAMES, BridgeNames
from hermes_plugin_toolsearch.hermes.providers import Provider, paired, refuses_long_description


def provider(**values: str) -> Provider:
    """Make the provider of an agent with these attributes."""
    return Provider.of(SimpleNamespace(**values))


@pytest.mark.parametrize(
    "values",
    [
        {"provider": "xai", "model": "grok-4"},
        {"provider": "custom", "base_url": "https://api.x.ai/v1"},
        {"provider": "openai-codex", "api_mode": "codex_responses"},
        {"provider": "custom", "base_url": "https://api.openai.com/v1", "api_mode": "codex_responses"},
    ],
)
def test_a_reserved_name_is_not_declared(values: dict[str, str]) -> None:
    """XAI and OpenAI's Responses API keep ``tool_search`` for themselves (A1, A2)."""
    assert provider(**values).bridge_names() == BridgeNames(search="find_tools")


def test_qwen_models_get_another_name_for_the_call() -> None:
    """``tool_call`` is a tag of their own template (A5)."""
    assert provider(provider="ollama", model="qwen3:14b").bridge_names() == BridgeNames(call="run_tool")


@pytest.mark.parametrize(
    "values",
    [
        {"provider": "openrouter", "model": "anthropic/claude-opus"},
        {"provider": "custom", "base_url": "https://api.openai.com/v1", "api_mode": "chat_completions"},
        {"provider": "custom", "base_url": "http://127.0.0.1:8000/v1", "api_mode": "codex_responses"},
        {},
    ],
)
def test_other_providers_see_the_usual_names(values: dict[str, str]) -> None:
    """Nobody else's request changes."""
    assert provider(**values).bridge_names() == DEFAULT_NAMES


def test_known_description_limits() -> None:
    """OpenAI and Azure refuse descriptions over 1,024 characters, others are not limited."""
    assert provider(base_url="https://api.openai.com/v1").description_max_chars() == 1024
    assert provider(provider="azure-foundry").description_max_chars() == 1024
    assert provider(provider="anthropic").description_max_chars() is None


def call(name: str, call_id: str) -> dict[str, Any]:
    """Make an assistant message with one call."""
    function = {"name": name, "arguments": "{}"}
    return {"role": "assistant", "tool_calls": [{"id": call_id, "type": "function", "function": function}]}


def result(name: str, call_id: str) -> dict[str, Any]:
    """Make a result message."""
    return {"role": "tool", "name": name, "tool_call_id": call_id, "content": "done"}


def test_a_result_carries_the_name_that_its_call_was_written_under() -> None:
    """Gemini refuses the history for good where the two differ (A3)."""
    history = [call("tool_call", "1"), result("mcp__git__log", "1"), call("terminal", "2"), result("terminal", "2")]
    fixed = paired(history, DEFAULT_NAMES)
    assert fixed[1] == result("tool_call", "1")
    assert history[1]["name"] == "mcp__git__log"
    assert [fixed[index] is history[index] for index in (0, 2, 3)] == [True, True, True]


def test_earlier_calls_follow_the_names_that_are_declared_now() -> None:
    """After a change of model, history names no bridge tool that the request does not declare (A1)."""
    names = BridgeNames(search="find_tools")
    fixed = paired([call("tool_search", "1"), result("tool_search", "1")], names)
    assert fixed == [call("find_tools", "1"), result("find_tools", "1")]
    assert paired(fixed, DEFAULT_NAMES) == [call("tool_search", "1"), result("tool_search", "1")]


def test_a_real_tool_of_such_a_name_keeps_it() -> None:
    """A server's own ``run_tool`` in the history is a call of that tool, whatever the bridge is called (B7)."""
    history = [call("run_tool", "1"), result("run_tool", "1")]
    assert paired(history, DEFAULT_NAMES, {"run_tool"}.__contains__) == history
    assert paired(history, DEFAULT_NAMES) == [call("tool_call", "1"), result("tool_call", "1")]


def test_odd_messages_pass_through() -> None:
    """Messages without calls, ids or names stay as they are."""
    odd = ["text", {"role": "user", "content": "hi"}, {"role": "tool", "content": "x"}, {"role": "assistant"}]
    assert paired(odd, DEFAULT_NAMES) == odd


def test_only_the_refusal_of_a_long_description_is_recognised() -> None:
    """Another 400 is not answered with a shorter listing."""
    assert refuses_long_description(
        ValueError("Invalid 'tools[17].function.description': string too long (string_above_max_length)")
    )
    assert not refuses_long_description(ValueError("Invalid 'messages[1].content': string_above_max_length"))
