"""What providers refuse, seen from the provider: reserved names, long descriptions, names that a model trips over."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest

from testing.hermes_home import replay
from testing.scripted_model import Call
from testing.strict_providers import description_limit, matching_result_names, no_references, reserved_name


def bridge_limit(body: dict[str, Any]) -> dict[str, Any] | None:
    """Refuse long descriptions of the bridge's tools only: the host's own are over the limit too."""
    ours = [tool for tool in body.get("tools") or () if tool["function"]["name"].startswith("tool_")]
    return description_limit()({"tools": ours})


def test_a_refused_description_is_shortened_once_and_remembered(
    make_model: Any, make_home: Any, captures: Path, host: Any
) -> None:
    """The first request is refused, the same turn goes on with one that fits, and no later one is refused."""
    model = make_model([[Call("tool_search", {"query": "create issue"})], "One.", "Two."], rules=[bridge_limit])
    home = make_home(model, servers={"git": replay(captures / "git.json")})
    first = home.chat("First")
    assert "One." in first.stdout
    assert len(model.refusals) == 1
    assert [bridge_limit(turn.body) for turn in first.turns[1:]] == [None] * len(first.turns[1:])


def test_a_configured_limit_moves_the_listing_into_the_conversation(
    make_model: Any, make_home: Any, captures: Path, host: Any
) -> None:
    """With a limit set by hand no request is refused, and the model still reads every tool's name, once."""
    if host.form == "tiered":
        pytest.skip("this host frames the listing itself")
    model = make_model(["One.", "Two."], rules=[bridge_limit])
    home = make_home(model, servers={"git": replay(captures / "git.json")}, tool_search={"description_max_chars": 1024})
    first = home.chat("First")
    assert model.refusals == []
    user = next(message for message in first.turns[0].messages if message["role"] == "user")
    assert "git_log" in str(user["content"])
    if host.version != "0.19.0":
        return  # earlier hosts forget what a turn was told, so it is told in each
    second = home.resume(first.session_id, "Second")
    assert str(second.turns[0].messages).count("git_cherry_pick") == str(first.turns[0].messages).count(
        "git_cherry_pick"
    )


def test_reserved_names_are_replaced_by_hand(make_model: Any, make_home: Any, notes: Any, host: Any) -> None:
    """A provider that refuses ``tool_search``, declared or called, takes the request under other names (A1, A14)."""
    add = host.mcp_name("notes", "add_note")
    script = [
        [Call("look_up", {"query": "write a note"})],
        [Call("tool_call", {"name": add, "arguments": {"text": "milk"}})],
        "Done.",
    ]
    model = make_model(script, rules=[reserved_name(), matching_result_names])
    home = make_home(model, servers={"notes": notes}, tool_search={"bridge_names": {"search": "look_up"}})
    run = home.oneshot("Note it.")
    assert run.stdout == "Done.\n"
    assert model.refusals == []
    assert "look_up" in run.turns[0].tool_names
    assert add in run.turns[1].results[0]


def test_qwen_calls_tools_under_a_name_that_is_not_its_template_tag(
    make_model: Any, make_home: Any, notes: Any, host: Any
) -> None:
    """For the qwen family the call is declared under another name, and works under both (A5)."""
    add = host.mcp_name("notes", "add_note")
    script = [
        [Call("run_tool", {"name": add, "arguments": {"text": "milk"}})],
        [Call("tool_call", {"name": add, "arguments": {"text": "bread"}})],
        "Done.",
    ]
    home = make_home(
        make_model(script, rules=[matching_result_names]),
        servers={"notes": notes},
        extra={"model": {"default": "qwen3:14b"}},
    )
    run = home.oneshot("Note it.")
    assert run.stdout == "Done.\n"
    assert "run_tool" in run.turns[0].tool_names
    assert "tool_call" not in run.turns[0].tool_names
    assert ["milk" in run.turns[-1].results[0], "bread" in run.turns[-1].results[1]] == [True, True]


def test_a_change_of_model_renames_the_bridge_and_its_history(make_model: Any, make_home: Any, host: Any) -> None:
    """After a switch the request declares the new names, and earlier calls and results in it follow (A1, A2)."""
    if host.form == "tiered":
        pytest.skip("this host renames on the wire; its own names are tested in test_tiered.py")
    model = make_model([[Call("tool_search", {"query": "notes"})], "One.", "Two."], rules=[matching_result_names])
    source = textwrap.dedent(f"""
        from tools.registry import registry
        schema = {{"name": "mcp__notes__add_note", "description": "d", "parameters": {{"type": "object"}}}}
        registry.register(name="mcp__notes__add_note", toolset="mcp-notes", schema=schema, handler=lambda a, **k: "x")
        from run_agent import AIAgent
        from hermes_cli.plugins import discover_plugins
        discover_plugins()
        agent = AIAgent(model="scripted-model", provider="custom", base_url="{model.base_url}", api_key="unused",
                        api_mode="chat_completions", quiet_mode=True)
        done = agent.run_conversation("First")
        agent.model = "qwen3:14b"
        agent.run_conversation("Second", conversation_history=done["messages"])
        agent.model, agent.provider = "grok-4", "xai"
        agent.run_conversation("Third", conversation_history=done["messages"])
    """)
    run = make_home(model).python(source)
    declared = [[name for name in turn.tool_names if "tool" in name][-3:] for turn in run.turns]
    assert declared[0] == ["tool_search", "tool_describe", "tool_call"], run.stderr[-3000:]
    assert declared[2] == ["tool_search", "tool_describe", "run_tool"]
    assert declared[3] == ["find_tools", "tool_describe", "tool_call"]
    calls = [call["function"]["name"] for message in run.turns[3].messages for call in message.get("tool_calls") or ()]
    assert calls == ["find_tools"]
    assert model.refusals == []


def test_references_never_reach_a_provider(make_model: Any, make_home: Any, host: Any, tmp_path: Path) -> None:
    """A described schema has its local references inlined, so Gemini has no pointer to follow (A4, A13)."""
    parameters = {
        "type": "object",
        "properties": {"cookie": {"$ref": "#/$defs/Cookie"}},
        "$defs": {"Cookie": {"type": "object", "properties": {"value": {"type": "string"}}}},
    }
    catalog = tmp_path / "web.json"
    catalog.write_text(
        json.dumps({"tools": [{"name": "visit", "description": "Visit.", "inputSchema": parameters}]}),
        encoding="utf-8",
    )
    visit = host.mcp_name("site", "visit")
    model = make_model([[Call("tool_describe", {"name": visit})], "Done."], rules=[no_references])
    run = make_home(model, servers={"site": replay(catalog)}).oneshot("Describe it.")
    assert run.stdout == "Done.\n"
    assert "value" in run.turns[-1].results[0]
