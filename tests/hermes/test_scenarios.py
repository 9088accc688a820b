"""What must hold on every Hermes: one set of scenarios for all releases (`HOSTS=all`)."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from testing import hosts
from testing.hermes_home import replay
from testing.scripted_model import After, Call, Request

BRIDGE = {"tool_search", "tool_describe", "tool_call"}
LOCAL_TIME = {"source_timezone": "Asia/Tokyo", "time": "17:30", "target_timezone": "Asia/Kolkata"}


def bridged(tool: str, **arguments: Any) -> list[Call]:
    """One call through the bridge."""
    return [Call("tool_call", {"name": tool, "arguments": arguments})]


def described(request: Request) -> str:
    """What the three bridge tools say about themselves, the listing among it."""
    return " ".join(tool["function"]["description"] for tool in request.tools if tool["function"]["name"] in BRIDGE)


def ran(folder: Path, server: str = "notes") -> list[str]:
    """The texts that reached a notes server, in order."""
    log = folder / f"{server}.log"
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return [json.loads(line)["arguments"]["text"] for line in lines]


@pytest.fixture
def real_time() -> dict[str, Any]:
    """The real `mcp-server-time`."""
    return {"command": str(hosts.real_servers() / "mcp-server-time")}


@pytest.fixture
def letters(tmp_path: Path, notes: Any) -> Any:
    """A second server with the tools of the first, and a log of its own."""
    return replay(tmp_path / "notes.json", "--log", str(tmp_path / "letters.log"))


def test_smoke_a_deferred_tool_is_found_described_and_called(
    make_model: Any, make_home: Any, host: Any, real_time: Any
) -> None:
    """Search, describe, call, direct call and a batch reach a real MCP server, and its answers come back."""
    convert, now = host.mcp_name("time", "convert_time"), host.mcp_name("time", "get_current_time")
    batch = [{"name": convert, "arguments": LOCAL_TIME}, {"name": now, "arguments": {"timezone": "Asia/Tokyo"}}]
    script = [
        [Call("tool_search", {"query": "convert a time to another timezone"})],
        [Call("tool_describe", {"name": convert})],
        bridged(convert, **LOCAL_TIME),
        [Call(convert, LOCAL_TIME)],
        [Call("tool_call", {"calls": batch})],
        "It is 14:00 there.",
    ]
    run = make_home(make_model(script), servers={"time": real_time}).oneshot("What time is it in Kolkata?")

    assert run.stdout == "It is 14:00 there.\n"
    assert set(run.turns[0].tool_names) >= BRIDGE
    assert not {convert, now} & set(run.turns[0].tool_names)
    search, describe, call, direct, *several = run.turns[-1].results  # the newest hosts answer a batch call by call
    assert convert in search
    assert "target_timezone" in describe
    assert "T14:00:00+05:30" in call
    assert "T14:00:00+05:30" in direct
    assert "T14:00:00+05:30" in several[0]
    assert "".join(several).count("datetime") == 3  # two in a conversion, one in the time of day


def test_the_listing_names_tools_or_only_servers(make_model: Any, make_home: Any, host: Any, captures: Path) -> None:
    """Tier 1 lists tools by name, tier 2 servers, when names do not fit; tools are found all the same (F5, F8)."""
    servers = {name: replay(captures / f"{name}.json") for name in ("github", "ms365", "hostinger")}
    issue = host.mcp_name("github", "create_issue")
    script = {"": [[Call("tool_search", {"query": "create an issue in a repository"})], "Done."]}
    home = make_home(make_model(script), servers=servers, context_length=1_000_000)
    roomy = home.oneshot("Find it.")
    home.config["tools"] = {"tool_search": {"listing_max_tokens": 200}}
    home.write_config()
    tight = home.oneshot("Find it.")

    assert "create_issue" in described(roomy.turns[0])
    assert "create_issue" not in described(tight.turns[0])
    assert all(server in described(tight.turns[0]) for server in servers)
    assert issue in roomy.turns[-1].results[0]
    assert issue in tight.turns[-1].results[0]
    assert tight.turns[0].tool_names == roomy.turns[0].tool_names


@pytest.mark.parametrize("tool_search", [{"enabled": "off"}, False], ids=["off", "false"])
def test_off_is_off(make_model: Any, make_home: Any, host: Any, notes: Any, tool_search: Any) -> None:
    """Switched off, the tools array is byte for byte that of a Hermes without the plugin (G1)."""
    home = make_home(make_model({"": ["Hello."]}), servers={"notes": notes}, tool_search=tool_search, plugins=())
    without = home.oneshot("Hello")
    home.config["plugins"]["enabled"] = ["toolsearch"]
    home.write_config()
    switched_off = home.oneshot("Hello")

    assert host.mcp_name("notes", "add_note") in without.turns[0].tool_names
    assert json.dumps(switched_off.turns[0].tools) == json.dumps(without.turns[0].tools)


def test_nothing_to_defer_changes_nothing(make_model: Any, make_home: Any, host: Any) -> None:
    """Without any MCP or plugin tool, the tools array is byte for byte that of a Hermes without the plugin."""
    # The newest hosts defer some core tools of their own accord; here they are told not to.
    home = make_home(make_model({"": ["Hello."]}), plugins=(), tool_search={"defer": []})
    without = home.oneshot("Hello")
    home.config["plugins"]["enabled"] = ["toolsearch"]
    home.write_config()
    with_plugin = home.oneshot("Hello")

    assert json.dumps(with_plugin.turns[0].tools) == json.dumps(without.turns[0].tools)


def test_every_process_sends_the_same_bytes(make_model: Any, make_home: Any, notes: Any, letters: Any) -> None:
    """Two processes with the same servers send the same tools array, so a provider's prompt cache holds (F1, F2)."""
    home = make_home(make_model({"": ["Hello."]}), servers={"notes": notes, "letters": letters})
    first, second = home.oneshot("Hello"), home.oneshot("Hello again")

    assert set(first.turns[0].tool_names) >= BRIDGE
    assert json.dumps(first.turns[0].tools) == json.dumps(second.turns[0].tools)


def test_a_denied_approval_stops_the_real_tool(make_model: Any, make_home: Any, notes: Any) -> None:
    """A dangerous command sent through the bridge asks for approval as itself and does not run when denied (B10)."""
    model = make_model([bridged("terminal", command="rm -rf precious"), "It was denied."])
    home = make_home(model, servers={"notes": notes})
    (home.cwd / "precious").mkdir()

    with home.acp() as session:
        session.decision = "reject_once"
        session.prompt("Clean up.")

    assert ["rm -rf precious" in json.dumps(asked) for asked in session.permissions] == [True]
    assert (home.cwd / "precious").is_dir()
    assert session.text == "It was denied."


def test_an_editor_sees_the_real_tool(make_model: Any, make_home: Any, host: Any, notes: Any, tmp_path: Path) -> None:
    """A server that the editor brings is deferred, found and called; the call's title names the real tool (H1, C8)."""
    add = host.mcp_name("notes", "add_note")
    home = make_home(
        make_model([[Call("tool_search", {"query": "write a note"})], bridged(add, text="milk"), "Noted."])
    )
    server = {"name": "notes", "command": notes["command"], "args": notes["args"], "env": []}

    with home.acp([server]) as session:
        session.prompt("Note it.")

    first, last = home.model.turns[0], home.model.turns[-1]
    assert set(first.tool_names) >= BRIDGE
    assert add in last.results[0]
    assert ran(tmp_path) == ["milk"]
    assert session.text == "Noted."
    assert not any("tool_call" in title for title in session.tool_titles)
    assert "add_note" in session.tool_titles[-1].replace(" ", "_")


def test_a_gateway_session_uses_the_bridge(
    make_model: Any, make_home: Any, host: Any, notes: Any, tmp_path: Path
) -> None:
    """A session over the gateway's HTTP API is offered the bridge and calls through it."""
    add = host.mcp_name("notes", "add_note")
    home = make_home(make_model([bridged(add, text="milk"), "Noted."]), servers={"notes": notes})

    with home.gateway() as gateway:
        answer = gateway.ask("Note it.")

    assert answer == "Noted."
    assert set(home.model.turns[0].tool_names) >= BRIDGE
    assert ran(tmp_path) == ["milk"]


def test_a_restricted_session_reaches_only_its_toolsets(
    make_model: Any, make_home: Any, host: Any, notes: Any, letters: Any
) -> None:
    """A server outside the session's toolsets is not found, not described and not run, by either way (B1, B10)."""
    foreign = host.mcp_name("letters", "add_note")
    script = [
        [Call("tool_search", {"query": "write a note"})],
        [Call("tool_describe", {"name": foreign})],
        bridged(foreign, text="a letter"),
        [Call(foreign, {"text": "a letter"})],
        bridged(host.mcp_name("notes", "add_note"), text="milk"),
        "Done.",
    ]
    home = make_home(make_model(script), servers={"notes": notes, "letters": letters})
    run = home.chat("Note it.", "-t", "notes,file")

    assert "letters" not in described(run.turns[0])
    assert foreign not in run.turns[-1].results[0]
    assert ran(home.root, "letters") == []
    assert ran(home.root) == ["milk"]


def test_a_subagent_keeps_its_parents_servers_and_no_others(
    make_model: Any, make_home: Any, host: Any, notes: Any, letters: Any
) -> None:
    """A child that inherits reaches its parent's deferred tools through a bridge of its own, and no other (I1, I8)."""
    child = [
        [Call("tool_search", {"query": "write a note"})],
        bridged(host.mcp_name("notes", "add_note"), text="from the child"),
        bridged(host.mcp_name("letters", "add_note"), text="from the child"),
        "Written.",
    ]
    parent = [[Call("delegate_task", {"goal": "CHILD: write a note"})], After("CHILD", len(child), "Delegated.")]
    model = make_model({"CHILD": child, "": parent})
    home = make_home(model, servers={"notes": notes, "letters": letters})
    home.chat("Have a note written.", "-t", "notes,file,delegation")

    turns = model.conversation("CHILD")
    assert set(turns[0].tool_names) >= BRIDGE
    assert host.mcp_name("notes", "add_note") in turns[-1].results[0]
    assert host.mcp_name("letters", "add_note") not in turns[-1].results[0]
    assert ran(home.root) == ["from the child"]
    assert ran(home.root, "letters") == []


def test_a_kanban_worker_keeps_its_lifecycle_tools(make_model: Any, make_home: Any, host: Any, notes: Any) -> None:
    """A worker sees the tools that finish its card as they are, next to the bridge (I6)."""
    run = make_home(make_model(["Done."]), servers={"notes": notes}).kanban_worker("A card", "Work on it.")

    assert {"kanban_complete", "kanban_block", "kanban_show"} <= set(run.turns[0].tool_names)
    assert set(run.turns[0].tool_names) >= BRIDGE


def test_a_server_that_changes_is_searched_as_it_is_now(
    make_model: Any, make_home: Any, host: Any, notes: Any, tmp_path: Path
) -> None:
    """A tool that a server adds in the middle of a turn is found and called; one that it drops is gone (H10, H2)."""
    catalog, late = tmp_path / "notes.json", host.mcp_name("notes", "burn_note")
    tools = json.loads(catalog.read_text(encoding="utf-8"))["tools"]

    def change(request: Request) -> list[Call]:
        changed = [tools[0] | {"name": "burn_note", "description": "Burn a note."}, tools[0]]
        catalog.write_text(json.dumps({"tools": changed}), encoding="utf-8")
        time.sleep(2)  # the server looks every 50 ms, then Hermes fetches the list
        return [Call("tool_search", {"query": "burn a note"})]

    model = make_model([change, bridged(late, text="milk"), bridged(host.mcp_name("notes", "list_notes")), "Done."])
    watching = notes | {"args": [*notes["args"], "--watch"]}
    run = make_home(model, servers={"notes": watching}).oneshot("Burn it.")

    found, burnt, gone = run.turns[-1].results
    assert late in found
    assert "burn_note" in burnt
    assert ran(tmp_path) == ["milk"]
    assert "burn_note" not in gone or "list_notes" in gone


def test_a_broken_tool_leaves_its_neighbours(make_model: Any, make_home: Any, host: Any, captures: Path) -> None:
    """A server whose schemas have neither type nor properties is deferred, found and called like any other."""
    tool = json.loads((captures / "gitlab_ref.json").read_text(encoding="utf-8"))["tools"][0]["name"]
    name = host.mcp_name("gitlab", tool)
    model = make_model([[Call("tool_describe", {"name": name})], "Done."])
    run = make_home(model, servers={"gitlab": replay(captures / "gitlab_ref.json")}).oneshot("Describe it.")

    assert run.stdout == "Done.\n"
    assert name in run.turns[-1].results[0]
    assert "error" not in run.turns[-1].results[0].lower()
