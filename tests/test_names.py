"""Which tool a written name means."""

from __future__ import annotations

from dataclasses import replace

import pytest
from granted import GITHUB, GITLAB, NOTE, SCOPE, STRING, scope_of, tool

from hermes_plugin_toolsearch.config import BridgeNames
from hermes_plugin_toolsearch.names import Resolved, Scope, Unresolved


def meaning(written: str, scope: Scope = SCOPE) -> str | None:
    """Give the name that ``written`` resolves to."""
    resolved = scope.resolve(written)
    return resolved.name if isinstance(resolved, Resolved) else None


def test_an_exact_name_is_the_tool_and_says_where_it_stands() -> None:
    """A name as registered resolves exactly, be the tool deferred, visible or of the bridge (J1, C3)."""
    kinds = {name: SCOPE.resolve(name) for name in ("mcp__github__create_issue", "terminal", "tool_search")}
    assert [("deferred", True), ("visible", True), ("bridge", True)] == [
        (found.kind, found.exact) for found in kinds.values() if isinstance(found, Resolved)
    ]


@pytest.mark.parametrize(
    "written",
    [
        "mcp__obsidian-graph__get_note",
        "mcp_obsidian_graph_get_note",
        "mcp__obsidian_graph__get-note",
        "MCP__Obsidian_Graph__Get_Note",
        "obsidian-graph__get_note",
        "obsidian-graph.get_note",
        "obsidian_graph/get_note",
        "obsidian-graph:getNote",
        "mcp__mcp__obsidian_graph__get_note",
        "mcp_mcp_obsidian_graph_get_note",
        "mcp__obsidian_graph__mcp__obsidian_graph__get_note",
        "obsidian-graph.obsidian-graph.get_note",
        "mcp__get_note",
        "get_note",
        "getNote",
        "functions.mcp__obsidian_graph__get_note",
        " `get_note` ",
        "get_note()",
    ],
)
def test_a_name_as_people_write_it_is_the_one_granted_tool_it_can_mean(written: str) -> None:
    """Hyphens, case, separators, a dropped or doubled prefix and the bare name resolve where unique (D7, D8)."""
    assert meaning(written) == "mcp__obsidian_graph__get_note"


def test_both_naming_schemes_of_hermes_mean_the_same_tool() -> None:
    """A session that registers ``mcp_server_tool`` understands ``mcp__server__tool`` and the other way round (S6)."""
    old = scope_of(tool("mcp_my_notes_read_page"), servers={"mcp_my_notes_read_page": "my-notes"})
    assert meaning("mcp__my_notes__read_page", old) == "mcp_my_notes_read_page"
    assert meaning("my-notes.read_page", old) == "mcp_my_notes_read_page"
    new = scope_of(tool("mcp__my_notes__read_page"))
    assert meaning("mcp_my_notes_read_page", new) == "mcp__my_notes__read_page"


def test_the_older_scheme_needs_no_knowledge_of_the_servers_name() -> None:
    """``mcp_obsidian_graph_get_note`` is found under its server's written name though its label is a guess (D7)."""
    scope = scope_of(tool("mcp_obsidian_graph_get_note"))
    assert meaning("obsidian-graph.get_note", scope) == "mcp_obsidian_graph_get_note"


def test_a_servers_name_that_its_tool_repeats_may_be_left_out() -> None:
    """``linear.getIssue`` is the ``linear_getIssue`` of the server ``linear`` (D8)."""
    scope = scope_of(tool("mcp__linear__linear_getIssue"))
    assert meaning("mcp__linear__getIssue", scope) == "mcp__linear__linear_getIssue"
    assert meaning("linear_getIssue", scope) == "mcp__linear__linear_getIssue"


def test_a_bare_name_of_two_servers_runs_neither() -> None:
    """A bare name that two servers have comes back with both full names (D8, B11)."""
    assert SCOPE.resolve("create_issue") == Unresolved(
        "create_issue", "ambiguous", ("mcp__github__create_issue", "mcp__gitlab__create_issue")
    )


@pytest.mark.parametrize("written", ["bitbucket.create_issue", "mcp__bitbucket__create_issue", "git__hub_create_issue"])
def test_a_name_that_states_another_server_is_never_this_servers_tool(written: str) -> None:
    """With one server granted, a call that names another server resolves to nothing and is only suggested (B11)."""
    scope = scope_of(GITHUB)
    assert scope.resolve(written) == Unresolved(written, "unknown", ("mcp__github__create_issue",))


def test_a_tool_that_was_not_granted_is_told_apart_from_one_that_does_not_exist() -> None:
    """A tool that exists elsewhere in the process is 'not granted', with no candidates and no other name (B1, A6)."""
    found = SCOPE.resolve("mcp__bank__pay")
    assert found == Unresolved("mcp__bank__pay", "not granted")
    assert isinstance(found, Unresolved)
    assert "not enabled in this session" in found.text
    assert "mcp__" not in found.text.replace("mcp__bank__pay", "")


def test_a_tool_that_was_not_granted_never_stands_for_a_granted_one_of_its_bare_name() -> None:
    """An exact name that the session lacks is not taken as another server's bare tool name (B1, B11)."""
    scope = scope_of(GITHUB, known=["create_issue"])
    assert scope.resolve("create_issue") == Unresolved("create_issue", "not granted")


def test_a_tool_whose_server_is_away_is_answered_with_its_state() -> None:
    """A tool that the session has at other times runs nothing else in its place, and says why it is not there (H10)."""
    away = {"create_issue": "its server tracker is configured, but it failed to start"}
    scope = scope_of(GITHUB, known=["create_issue"], absent=away)
    found = scope.resolve("create_issue")
    assert found == Unresolved("create_issue", "absent", state=away["create_issue"])
    assert isinstance(found, Unresolved)
    assert found.text == f"'create_issue' is not available now: {away['create_issue']}. It was not run."


def test_the_process_is_asked_only_about_the_name_as_written() -> None:
    """Whether a tool exists outside the grant is asked of the written name alone, so no other name can leak (B1)."""
    asked: list[str] = []

    def known(name: str) -> bool:
        asked.append(name)
        return False

    scope = replace(SCOPE, known=known)
    scope.resolve("Mcp-Bank-Pay")
    scope.resolve("mcp__github__create_issue")
    assert asked == ["Mcp-Bank-Pay"]


def test_a_misspelt_name_is_answered_with_the_granted_names_like_it() -> None:
    """The likest granted names come first, at most five, and nothing runs (D8)."""
    found = SCOPE.resolve("mcp__gitlab__creat_isue")
    assert isinstance(found, Unresolved)
    assert found.reason == "unknown"
    assert found.candidates[0] == "mcp__gitlab__create_issue"
    many = scope_of(*(tool(f"mcp__s{number}__export_report") for number in range(30)))
    assert len(many.resolve("exportt_report").candidates) == 5  # type: ignore[union-attr]


def test_a_visible_tool_is_suggested_and_respelt_like_any_other() -> None:
    """A core tool's other spelling resolves, and its misspelling is suggested."""
    assert meaning("Terminal") == "terminal"
    found = SCOPE.resolve("termnal")
    assert isinstance(found, Unresolved)
    assert found.candidates == ("terminal",)


def test_a_servers_own_tool_may_be_called_like_the_bridge() -> None:
    """A server's ``tool_search`` or ``call_tool`` is just a tool under its full name (C10)."""
    scope = scope_of(tool("mcp__finder__tool_search"), tool("mcp__unreal__call_tool"))
    assert meaning("mcp__finder__tool_search", scope) == "mcp__finder__tool_search"
    assert meaning("finder.tool_search", scope) == "mcp__finder__tool_search"
    assert meaning("call_tool", scope) == "mcp__unreal__call_tool"


def test_a_renamed_bridge_still_answers_to_its_usual_names() -> None:
    """Where a provider refuses a bridge name, the usual one still means the tool: older turns show it (A1)."""
    scope = scope_of(NOTE, bridge=BridgeNames(search="find_tools", call="run_tool"), known=["tool_search", "tool_call"])
    assert [meaning(name, scope) for name in ("tool_search", "find_tools", "tool_call")] == [
        "find_tools",
        "find_tools",
        "run_tool",
    ]


def test_names_that_differ_only_in_separators_stay_apart() -> None:
    """Two tools with the same letters are each found by their exact name; another spelling means neither."""
    scope = scope_of(tool("mcp__a__get_item"), tool("mcp__a__getItem"))
    assert meaning("mcp__a__getItem", scope) == "mcp__a__getItem"
    assert meaning("mcp__a__get-item", scope) is None


@pytest.mark.parametrize("written", ["", " ", "__", "mcp", "mcp__", "\x00", "名前", "ﬁle", "a" * 10_000, "_" * 10_000])
def test_any_text_can_be_resolved(written: str) -> None:
    """Text that is no name resolves to nothing, without an error, and the answer does not repeat all of it."""
    found = SCOPE.resolve(written)
    assert isinstance(found, Unresolved)
    assert len(found.text) < 700


def test_a_changed_catalog_is_resolved_anew() -> None:
    """Spellings are kept by content: a tool that came or went is seen at once (H1, H10)."""
    before, after = scope_of(GITHUB), scope_of(GITHUB, GITLAB)
    assert meaning("create_issue", before) == "mcp__github__create_issue"
    assert meaning("create_issue", after) is None
    assert meaning("create_issue", before) == "mcp__github__create_issue"


def test_suggesting_compares_few_names_of_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over 20,000 tools a misspelt name is compared letter by letter with a short list only."""
    from hermes_plugin_toolsearch import names

    scope = scope_of(*(tool(f"mcp__server{number % 60}__describe_thing_{number}") for number in range(20_000)))
    compared: list[str] = []
    likeness = names._likeness

    def counted(first: str, second: str) -> float:
        compared.append(first)
        return likeness(first, second)

    monkeypatch.setattr(names, "_likeness", counted)
    found = scope.resolve("mcp__server7__descrbe_thing_67")
    assert isinstance(found, Unresolved)
    assert found.candidates[0] == "mcp__server7__describe_thing_67"
    assert len(compared) < 400


def test_the_definition_of_a_visible_tool_becomes_its_entry() -> None:
    """A visible tool resolves with its parameters, so that its call can be read like a deferred one's."""
    found = SCOPE.resolve("terminal")
    assert isinstance(found, Resolved)
    assert found.entry.parameters["properties"] == {"command": STRING}
