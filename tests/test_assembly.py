"""The decision to defer, and the array that comes of it."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from hermes_plugin_toolsearch import bridge
from hermes_plugin_toolsearch.assembly import Assembly, assemble, eager_tokens
from hermes_plugin_toolsearch.config import DEFAULT_NAMES, BridgeNames, ToolSearchConfig, read_config

BRIDGE = ["tool_search", "tool_describe", "tool_call"]


def tool(name: str, description: str = "Does one thing well.") -> dict[str, Any]:
    """Make a definition."""
    parameters = {"type": "object", "properties": {"query": {"type": "string"}}}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


CORE = [tool("terminal"), tool("read_file")]
DEFERRABLE = [tool(f"mcp__{server}__tool_{number}") for server in ("git", "time") for number in range(3)]


def assembled(definitions: list[Any], config: Any = None, **more: Any) -> Assembly:
    """Assemble as a host with two core tools would."""
    more = {"context_length": 200_000, "stays_visible": lambda name: name in ("terminal", "read_file")} | more
    return assemble(definitions, config=read_config(config)[0], **more)


def names(assembly: Assembly) -> list[str]:
    """Names in the array, in order."""
    return [definition["function"]["name"] for definition in assembly.tool_defs]


def test_deferrable_tools_give_way_to_the_bridge() -> None:
    """Core tools keep their order and objects, the bridge stands behind them, everything else is listed."""
    assembly = assembled(CORE + DEFERRABLE)
    assert names(assembly) == ["terminal", "read_file", *BRIDGE]
    assert assembly.tool_defs[0] is CORE[0]
    assert (assembly.tier, assembly.deferred_count) == (1, 6)
    text = assembly.tool_defs[2]["function"]["description"]
    assert all(f"tool_{number}" in text for number in range(3))
    assert DEFAULT_NAMES.search in names(assembly)


def test_one_deferrable_tool_is_enough() -> None:
    """Presence activates, not size; the threshold is only the listing's budget."""
    assert assembled([*CORE, DEFERRABLE[0]]).activated


@pytest.mark.parametrize("config", [False, {"enabled": "off"}])
def test_off_returns_the_very_definitions(config: Any) -> None:
    """Off is the same objects in the same order, whatever is deferrable (G1)."""
    given = CORE + DEFERRABLE
    result = assembled(given, config).tool_defs
    assert result == given
    assert all(ours is theirs for ours, theirs in zip(result, given, strict=True))


def test_without_a_deferrable_tool_nothing_is_added() -> None:
    """No bridge, no protocol text, no prompt to search where there is nothing to find (A16)."""
    assembly = assembled(CORE)
    assert (names(assembly), assembly.tier, assembly.activated) == (["terminal", "read_file"], 0, False)


def test_an_assembled_array_assembles_to_itself() -> None:
    """Giving the result back changes nothing and never adds a second bridge (A11)."""
    once = assembled(CORE + DEFERRABLE).tool_defs
    assert assembled(once).tool_defs == once
    again = assembled(once + DEFERRABLE)
    assert names(again) == ["terminal", "read_file", *BRIDGE]
    assert again.tool_defs == once


def test_a_foreign_tool_under_a_bridge_name_leaves_everything_visible() -> None:
    """Half a bridge would strand the tools behind it, so nothing is deferred and the reason says why (A15)."""
    foreign = tool("tool_call", "Calls a telephone number.")
    assembly = assembled([*CORE, foreign, *DEFERRABLE])
    assert assembly.tool_defs == [*CORE, foreign, *DEFERRABLE]
    assert assembly.reason == "another tool is called tool_call"
    assert assembled(CORE + DEFERRABLE, bridge_problem="tool_call is denied").reason == "tool_call is denied"


def test_pins_keep_tools_and_servers_visible() -> None:
    """Pinned tools stay in the array and out of the catalog; a pin of something absent adds nothing (G4)."""
    assembly = assembled(CORE + DEFERRABLE, {"pin": ["mcp-time", "mcp__git__tool_1", "mcp__absent__tool"]})
    visible = ["terminal", "read_file", "mcp__git__tool_1", *(f"mcp__time__tool_{number}" for number in range(3))]
    assert names(assembly) == [*visible, *BRIDGE]
    assert set(assembly.partition.catalog.by_name) == {"mcp__git__tool_0", "mcp__git__tool_2"}


def test_activation_pct_restores_the_earlier_rule() -> None:
    """Above 0 the bridge waits until the deferrable schemas cost that share of the context."""
    cost = eager_tokens(assembled(CORE + DEFERRABLE).partition.catalog)
    assert assembled(CORE + DEFERRABLE, {"activation_pct": 10}, context_length=10 * cost - 10).activated
    assert not assembled(CORE + DEFERRABLE, {"activation_pct": 10}, context_length=10 * cost + 20).activated


def test_the_budget_follows_the_context_of_the_session() -> None:
    """The percentage is that of the context length given, with a fixed figure where it is unknown (G2)."""
    budgets = [assembled(CORE + DEFERRABLE, context_length=length).threshold_tokens for length in (98_304, 0, None)]
    assert budgets == [4_915, 10_000, 10_000]


def test_other_bridge_names_are_used_throughout() -> None:
    """Declared names and the descriptions that mention them agree (A1, A5)."""
    other = BridgeNames(search="find_tools", call="run_tool")
    assembly = assembled(CORE + DEFERRABLE, names=other)
    assert names(assembly)[-3:] == ["find_tools", "tool_describe", "run_tool"]
    text = str(assembly.tool_defs[-3:])
    assert "tool_search" not in text
    assert "tool_call" not in text


def test_a_description_limit_covers_the_whole_description() -> None:
    """Where a provider caps descriptions, the search tool's description with its listing stays under the cap."""
    many = [tool(f"mcp__big__operation_number_{number}") for number in range(300)]
    for definition in assembled(CORE + many, max_chars=1024).tool_defs:
        assert len(definition["function"]["description"]) <= 1024


def test_the_array_is_the_same_whatever_the_order_of_registration() -> None:
    """Deferred tools in another order give the same bytes (F1, F2)."""
    assert assembled(CORE + DEFERRABLE).tool_defs == assembled(CORE + DEFERRABLE[::-1]).tool_defs
    assert assembled(copy.deepcopy(CORE + DEFERRABLE)).tool_defs == assembled(CORE + DEFERRABLE).tool_defs


def test_the_arguments_of_a_bridge_call_are_open() -> None:
    """A decoder that is constrained to the schema must be able to write any argument (D1)."""
    call = bridge.definitions(DEFAULT_NAMES, assembled(CORE + DEFERRABLE).partition.catalog, "")[2]["function"]
    assert call["parameters"]["properties"]["arguments"]["additionalProperties"] is True


def test_the_decision_is_told_in_one_line() -> None:
    """Counts, tier, form, tokens and budget, or the reason why nothing is deferred (G3)."""
    line = assembled(CORE + DEFERRABLE).summary()
    for part in ("6 tools of 2 servers deferred", "2 visible", "tier 1", "listing full", "of 10000 tokens"):
        assert part in line
    assert "enabled: off" in assembled(CORE, False).summary()
    assert "\n" not in line
    assert ToolSearchConfig().enabled == "auto"
