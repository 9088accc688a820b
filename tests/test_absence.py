"""Why a tool is not there."""

from __future__ import annotations

from granted import scope_of, tool

from hermes_plugin_toolsearch.catalog import MissingServer
from hermes_plugin_toolsearch.hermes.absence import Memory

NOTES = scope_of(tool("mcp__notes__add_note")).deferred
NOTHING = scope_of().deferred
TRACKER = MissingServer("my-tracker", "configured, but it failed to start; its tools are not available")


def test_a_tool_that_was_there_is_told_from_one_that_never_was() -> None:
    """Only what the session had before is said to be gone; of any other name nothing is claimed (H10)."""
    memory = Memory()
    assert memory.why_absent("mcp__notes__add_note", NOTHING, []) is None
    memory.remember(NOTES)
    memory.remember(NOTHING)
    gone = memory.why_absent("mcp__notes__add_note", NOTHING, [])
    assert gone == "its server notes is neither connected nor configured any more"
    assert memory.why_absent("mcp__notes__burn_note", NOTHING, []) is None


def test_a_tool_of_a_server_that_did_not_start_is_known_by_its_name() -> None:
    """A resumed conversation may call what this process never had: its name says which missing server it is of (B3)."""
    memory = Memory()
    for name in ("mcp__my_tracker__create_issue", "mcp_my_tracker_create_issue"):
        assert memory.why_absent(name, NOTHING, [TRACKER]) == (
            "its server my-tracker is configured, but it failed to start"
        )
    assert memory.why_absent("mcp__other__create_issue", NOTHING, [TRACKER]) is None
