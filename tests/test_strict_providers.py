"""The rules by which a scripted model refuses what real providers refuse."""

from __future__ import annotations

from typing import Any

import pytest

from testing import strict_providers as providers


def body(*names: str, description: str = "", messages: Any = ()) -> dict[str, Any]:
    """A request that offers functions of these names."""
    tools = [{"type": "function", "function": {"name": name, "description": description}} for name in names]
    return {"tools": tools, "messages": list(messages)}


def exchange(called: str, answered: str | None, content: str = "") -> list[dict[str, Any]]:
    """A call and its result."""
    call = {"id": "1", "type": "function", "function": {"name": called, "arguments": "{}"}}
    result = {"role": "tool", "tool_call_id": "1", "content": content}
    if answered:
        result["name"] = answered
    return [{"role": "assistant", "tool_calls": [call]}, result]


@pytest.mark.parametrize(
    ("rule", "accepted", "refused"),
    [
        (providers.description_limit(), body("a", description="x" * 1024), body("a", description="x" * 1025)),
        (providers.name_limit(), body("a" * 64), body("a" * 65)),
        (providers.reserved_name(), body("find_tools"), body("tool_search")),
        (providers.reserved_name(), body("a"), body("a", messages=exchange("tool_search", None))),
        (providers.unique_names, body("a", "b"), body("a", "b", "a")),
        (
            providers.matching_result_names,
            body(messages=exchange("tool_call", "tool_call")),
            body(messages=exchange("tool_call", "mcp__notes__add_note")),
        ),
        (providers.matching_result_names, body(messages=exchange("a", None)), body(messages=exchange("a", "b"))),
        (
            providers.no_references,
            body(messages=exchange("a", None, '{"$schema": "x"}')),
            body(messages=exchange("a", None, '{"$ref": "#/$defs/x"}')),
        ),
    ],
    ids=["description", "name", "declared", "called", "unique", "paired", "unnamed", "references"],
)
def test_a_rule_refuses_only_what_it_is_about(rule: Any, accepted: Any, refused: Any) -> None:
    """The limit itself passes, one step beyond it gets an error body."""
    assert rule(accepted) is None
    assert "message" in rule(refused)["error"]
