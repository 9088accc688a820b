"""Rules for a `ScriptedModel`: what real providers refuse with HTTP 400, in their own words.

A rule takes a chat-completions body and returns the error body, or None where the provider would accept it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]


def _error(message: str, code: str, param: str = "tools") -> Json:
    return {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}}


def description_limit(characters: int = 1024) -> Callable[[Json], Json | None]:
    """OpenAI and Azure: a function description longer than 1,024 characters."""

    def rule(body: Json) -> Json | None:
        for index, tool in enumerate(body.get("tools") or ()):
            length = len(tool["function"].get("description") or "")
            if length > characters:
                where = f"tools[{index}].function.description"
                return _error(
                    f"Invalid '{where}': string too long. Expected a string with maximum length {characters}, "
                    f"but got a string with length {length} instead.",
                    "string_above_max_length",
                    where,
                )
        return None

    return rule


def name_limit(characters: int = 64) -> Callable[[Json], Json | None]:
    """Bedrock, OpenAI and others: a function name longer than 64 characters."""

    def rule(body: Json) -> Json | None:
        for index, tool in enumerate(body.get("tools") or ()):
            if len(tool["function"]["name"]) > characters:
                return _error(f"Invalid 'tools[{index}].function.name': string too long.", "string_above_max_length")
        return None

    return rule


def reserved_name(name: str = "tool_search") -> Callable[[Json], Json | None]:
    """Grok at xAI, and OpenAI's Responses API: a function called `tool_search`, declared or in the history."""

    def rule(body: Json) -> Json | None:
        declared = [tool["function"]["name"] for tool in body.get("tools") or ()]
        called = [call["function"]["name"] for message in body["messages"] for call in message.get("tool_calls") or ()]
        if name in declared + called:
            return _error(f"Function name '{name}' is reserved.", "invalid_function_name")
        return None

    return rule


def unique_names(body: Json) -> Json | None:
    """Anthropic, DeepSeek and others: two functions of one name."""
    names = Counter(tool["function"]["name"] for tool in body.get("tools") or ())
    twice = [name for name, count in names.items() if count > 1]
    return _error(f"tools: Tool names must be unique: {', '.join(twice)}", "invalid_request_error") if twice else None


def matching_result_names(body: Json) -> Json | None:
    """Gemini: a function response whose name is not that of the call it answers; a missing name is accepted."""
    called: dict[str, str] = {}
    for message in body["messages"]:
        for call in message.get("tool_calls") or ():
            called[call["id"]] = call["function"]["name"]
        if message["role"] == "tool" and message.get("name", called.get(message["tool_call_id"])) != called.get(
            message["tool_call_id"]
        ):
            return _error(
                "Please ensure that the function response's name matches the function call's name.",
                "INVALID_ARGUMENT",
                "messages",
            )
    return None


def no_references(body: Json) -> Json | None:
    """Gemini 3: `$ref` or `$defs` anywhere in a function's schema or a function response."""
    texts = [json.dumps(tool) for tool in body.get("tools") or ()]
    texts += [json.dumps(message["content"]) for message in body["messages"] if message["role"] == "tool"]
    if any('$ref"' in text or '$defs"' in text or '$ref\\"' in text or '$defs\\"' in text for text in texts):
        return _error('Invalid JSON payload received. Unknown name "$defs".', "INVALID_ARGUMENT", "messages")
    return None
