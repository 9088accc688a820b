"""What a running session is told when its tools change."""

from __future__ import annotations

from hermes_plugin_toolsearch.catalog import Catalog, build_catalog, make_entry
from hermes_plugin_toolsearch.changes import between
from hermes_plugin_toolsearch.config import DEFAULT_NAMES


def catalog(*names: str, description: str = "Does it.") -> Catalog:
    """Make a catalog of tools with these names."""
    entries = [make_entry({"name": name, "description": description})[0] for name in names]
    return build_catalog(entry for entry in entries if entry is not None)


def test_no_difference_is_no_change() -> None:
    """Equal catalogs give nothing to tell, so that nothing is told twice."""
    assert between(catalog("mcp__a__x"), catalog("mcp__a__x")) is None


def test_what_came_and_went_is_named_by_server() -> None:
    """New, gone and changed tools are told apart, and the bridge's own names say what to do (F2)."""
    change = between(catalog("mcp__a__x", "mcp__b__y"), catalog("mcp__a__x", "mcp__c__z"))
    assert change is not None
    note = change.note(DEFAULT_NAMES)
    assert "New: c (mcp__c__z)." in note
    assert "Gone: b (mcp__b__y)." in note
    assert "Changed" not in note
    assert "tool_search" in note


def test_a_tool_under_the_same_name_with_other_content_is_changed() -> None:
    """A server that was restarted with another schema is told of (H9)."""
    change = between(catalog("mcp__a__x"), catalog("mcp__a__x", description="Does something else."))
    assert change is not None
    assert [entry.name for entry in change.altered] == ["mcp__a__x"]
    assert "Changed: a (mcp__a__x)." in change.note(DEFAULT_NAMES)


def test_many_tools_are_counted_not_named() -> None:
    """A large server costs one short line."""
    change = between(catalog(), catalog(*(f"mcp__big__t{number}" for number in range(200))))
    assert change is not None
    assert "New: big (200 tools)." in change.note(DEFAULT_NAMES)
    assert len(change.note(DEFAULT_NAMES)) < 250
