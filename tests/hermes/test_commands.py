"""The commands in a real Hermes: with its servers, with none, with a broken configuration, with one that hangs."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import time

import pytest

from testing.hermes_home import replay
from testing.scripted_model import Call


def test_status_of_the_configured_servers(make_model, make_home, notes):
    """Connected servers are counted, a pin is shown, and what the table says of tokens adds up."""
    home = make_home(make_model(), servers={"notes": notes, "more": notes}, tool_search={"pin": ["mcp-notes"]})

    run = home.hermes("toolsearch", "status", "--json")

    found = json.loads(run.stdout)
    rows = {row["server"]: row for row in found["servers"]}
    assert 0 == run.returncode and found["active"]
    assert (2, "connected") == (rows["notes"]["pinned"], rows["notes"]["state"])
    assert rows["notes"]["eager"] == rows["notes"]["now"]
    assert rows["more"]["now"] < rows["more"]["eager"]
    assert "" == run.stderr


def test_preview_is_what_the_model_is_offered(make_model, make_home, notes):
    """The array that a preview shows is the one in the next turn's request."""
    model = make_model(["Hello."])
    home = make_home(model, servers={"notes": notes})

    shown = json.loads(home.hermes("toolsearch", "preview", "--json").stdout)["tools"]
    offered = home.oneshot("Hello").turns[0].tools

    names = {"tool_search", "tool_describe", "tool_call"}
    assert [tool for tool in offered if tool["function"]["name"] in names] == [
        tool for tool in shown if tool["function"]["name"] in names
    ]


def test_why_in_a_real_session(make_model, make_home, host, notes):
    """Deferred, of Hermes' own, not granted, failed: each with its reason, on the very session's grant."""
    gone = {"command": "no-such-program-anywhere"}
    home = make_home(
        make_model(),
        servers={"notes": notes, "other": notes, "gone": gone},
        extra={"agent": {"disabled_toolsets": ["other"]}},
    )
    states = {
        name: json.loads(home.hermes("toolsearch", "why", name, "--json", "--timeout", "10").stdout)["state"]
        for name in (host.mcp_name("notes", "add_note"), "terminal", "gone", host.mcp_name("other", "add_note"))
    }

    assert ["deferred", "visible"] == list(states.values())[:2]
    assert states["gone"] in ("failed", "waiting")
    assert "not granted" == states[host.mcp_name("other", "add_note")]


def test_doctor_is_content(make_model, make_home, notes):
    """In a sound installation every finding is fine and the status is 0."""
    run = make_home(make_model(), servers={"notes": notes}).hermes("toolsearch", "doctor", "--json")

    answer = json.loads(run.stdout)
    assert 0 == run.returncode and answer["ok"], run.stdout
    assert {"host", "seams", "vocabulary", "provider", "bridge", "servers"} <= {
        f["subject"] for f in answer["findings"]
    }


def test_doctor_names_a_server_that_hangs(make_model, make_home, tmp_path, notes):
    """A server that does not answer is not waited for beyond the time-out; the others count (B3, I4)."""
    catalog = tmp_path / "slow.json"
    catalog.write_text('{"tools": []}')
    home = make_home(make_model(), servers={"notes": notes, "slow": replay(catalog, "--start-delay", "600")})

    run = home.hermes("toolsearch", "doctor", "--json", "--timeout", "6", timeout=100)

    problems = [finding for finding in json.loads(run.stdout)["findings"] if finding["level"] == "problem"]
    assert 1 == run.returncode
    assert [("server", "hermes mcp test slow")] == [(problem["subject"], problem["fix"]) for problem in problems]


def test_doctor_says_what_was_corrected(make_model, make_home, notes):
    """A value out of range and an unknown key are notes, which do not fail a script (G12)."""
    settings = {"threshold_pct": 500, "nonsense": 1}
    run = make_home(make_model(), servers={"notes": notes}, tool_search=settings).hermes(
        "toolsearch", "doctor", "--json"
    )

    notes_found = [finding for finding in json.loads(run.stdout)["findings"] if finding["level"] == "note"]
    assert 0 == run.returncode
    assert "hermes config set tools.tool_search.threshold_pct 100" in [finding["fix"] for finding in notes_found]
    assert any("nonsense" in finding["text"] for finding in notes_found)


def test_a_broken_configuration_is_named(make_model, make_home):
    """Hermes loads no plugins from a broken file; the console script beside it still says where it is broken."""
    home = make_home(make_model())
    path = home.path / "config.yaml"
    path.write_text(path.read_text() + "tools: [1\nb: 2\n")

    run = home.run([str(home.host.root / "bin" / "hermes-toolsearch"), "doctor"])

    assert 1 == run.returncode
    assert "config.yaml" in run.stdout and "it is broken (line" in run.stdout
    assert "Traceback" not in run.stderr


def test_enable_and_disable_work_on_every_host(make_model, make_home, host, notes):
    """The console script puts the plugin into the configuration, Hermes loads it, and it takes it out again."""
    home = make_home(make_model(["Hello.", "Hello."]), servers={"notes": notes}, plugins=())
    script = str(home.host.root / "bin" / "hermes-toolsearch")

    assert 0 == home.run([script, "enable"]).returncode
    with_it = home.oneshot("Hello").turns[0].tool_names
    assert 0 == home.run([script, "disable"]).returncode
    without = home.oneshot("Hello").turns[0].tool_names

    assert "tool_search" in with_it
    if host.form != "tiered":  # such a host has a tool search of its own to go back to
        assert host.mcp_name("notes", "add_note") in without and "tool_search" not in without


def test_stats_tell_what_happened(make_model, make_home, host, notes):
    """Searches, calls on both ways and refusals of a turn are in the log, query texts are not."""
    add = host.mcp_name("notes", "add_note")
    model = make_model(
        [
            [Call("tool_search", {"query": "zebra note"})],
            [Call("tool_call", {"name": add, "arguments": {"text": "milk"}})],
            [Call(add, {"text": "bread"})],
            [Call("tool_call", {"name": "no_such_tool", "arguments": {}})],
            "Done.",
        ]
    )
    home = make_home(model, servers={"notes": notes})
    home.oneshot("Take two notes")

    found = json.loads(home.hermes("toolsearch", "stats", "--json").stdout)

    assert (1, 1, 1, 1) == (found["searches"], found["called"], found["direct"], found["refused"])
    assert {add: 2} == found["calls"]
    assert [host.mcp_name("notes", "list_notes")] == found["unused"]["notes"]
    log = home.path / "toolsearch" / "usage.jsonl"
    assert "zebra" not in log.read_text()
    assert 0o600 == log.stat().st_mode & 0o777


def test_stats_off_keeps_no_log(make_model, make_home, notes):
    """With the switch off nothing is written."""
    home = make_home(
        make_model([[Call("tool_search", {"query": "note"})], "Done."]),
        servers={"notes": notes},
        tool_search={"stats": "off"},
    )
    home.oneshot("Go")

    assert not (home.path / "toolsearch").exists()


SLASH = """
import json, types
from hermes_cli.plugins import discover_plugins, get_plugin_manager, get_plugin_command_handler
discover_plugins()
import hermes_cli.commands  # as everything that takes commands does
import run_agent
from tools import mcp_tool
discover = getattr(mcp_tool, "discover_mcp_tools", None)
if discover is None:
    from tools.mcp_tool_discovery import discover_mcp_tools as discover
discover()
options = dict(base_url={url!r}, api_key="unused", provider="custom", model="scripted-model", quiet_mode=True)
agent = run_agent.AIAgent(**options)
handler = get_plugin_command_handler("toolsearch")
print(json.dumps(["no session", handler("off")]))
get_plugin_manager()._cli_ref = types.SimpleNamespace(agent=agent)
for words in ("status", "search note", "why {name}", "off", "nonsense"):
    print(json.dumps([words, handler(words)]))
agent.run_conversation("Hello")
print(json.dumps(["offered", [tool["function"]["name"] for tool in agent.tools]]))
print(json.dumps(["on", handler("on")]))
get_plugin_manager()._cli_ref = None
from gateway.run import GatewayRunner
from hermes_cli.plugins import invoke_hook
print(json.dumps(["runner", hasattr(GatewayRunner, "_session_key_for_source")]))
runner = types.SimpleNamespace(_agent_cache={{"key": (agent, "")}}, _session_key_for_source={{"chat": "key"}}.get)
invoke_hook("pre_gateway_dispatch", event=types.SimpleNamespace(source="chat"), gateway=runner, session_store=None)
print(json.dumps(["gateway", handler("off")]))
invoke_hook("pre_gateway_dispatch", event=types.SimpleNamespace(source="stranger"), gateway=runner, session_store=None)
print(json.dumps(["stranger", handler("off")]))
import os, sys
sys.stdout.flush()
os._exit(0)
"""


def test_the_slash_command_acts_on_its_session(make_model, make_home, host, notes):
    """It finds its agent in a chat and over a gateway, and no other: it speaks of that session, and off is off."""
    model = make_model(["Hello.", "Hello."])
    home = make_home(model, servers={"notes": notes})
    name = host.mcp_name("notes", "add_note")

    run = home.python(SLASH.format(url=model.base_url, name=name))

    said = {}
    for line in run.stdout.splitlines():
        if line.startswith('["'):
            said.update([json.loads(line)])
    assert "no running session" in said["no session"], run.stderr
    assert said["status"].startswith("Tool search is on")
    assert name in said["search note"]
    assert said[f"why {name}"].startswith(f"{name} is deferred")
    assert said["nonsense"].startswith("/toolsearch")
    if host.form != "tiered":  # such a host keeps the bytes of its array
        assert name in said["offered"] and "tool_search" not in said["offered"]
    assert said["on"].startswith("Tool search is on for this session")
    assert said["runner"], "a gateway finds a conversation's agent in another way here"
    assert said["gateway"].startswith("Tool search is off for this session")
    assert "no running session" in said["stranger"]


def test_the_slash_command_is_there_in_a_chat(make_model, make_home, notes):
    """Typed into a running chat on a terminal, it answers of that chat."""
    asked = {"telemetry": {"shared_metrics": {"enabled": False, "send": False, "offer_version": 2}}}
    home = make_home(make_model(["Hello."]), servers={"notes": notes}, extra=asked)  # the newest host asks otherwise
    ours, theirs = pty.openpty()
    env = home.env | {"TERM": "xterm"}
    command = [str(home.host.command()), "chat"]
    with subprocess.Popen(command, env=env, cwd=home.cwd, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown, end, typed = b"", time.monotonic() + 60, 0.0
        try:
            while b"Tool search is on" not in shown and time.monotonic() < end:
                if select.select([ours], [], [], 0.5)[0]:
                    shown += os.read(ours, 4096)
                elif time.monotonic() > typed + 5:  # what is typed before the prompt is there is lost
                    os.write(ours, b"/toolsearch status")
                    time.sleep(1)  # an Enter that comes with the text would be taken for a pasted line
                    os.write(ours, b"\r")
                    typed = time.monotonic()
        except OSError:  # the terminal is gone with the program
            pass
        process.kill()
    os.close(ours)

    assert "Tool search is on" in shown.decode("utf-8", "replace")


def test_a_terminal_sees_colours_and_progress(make_model, make_home, notes):
    """On a real terminal there is progress while servers connect, and colour in the answer."""
    home = make_home(make_model(), servers={"notes": notes})
    ours, theirs = pty.openpty()
    command = [str(home.host.command()), "toolsearch", "status"]
    env = home.env | {"TERM": "xterm-256color"}
    with subprocess.Popen(command, env=env, cwd=home.cwd, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        try:
            while chunk := os.read(ours, 4096):
                shown += chunk
        except OSError:  # Linux: the other end was closed
            pass
    os.close(ours)

    assert 0 == process.returncode
    assert b"Connecting MCP servers" in shown or b"Starting Hermes" in shown
    assert b"\x1b[1;32mon" in shown


def test_the_real_servers_of_fifty_nine(make_model, make_home, captures):
    """With 59 servers the status comes, each server with its row."""
    files = sorted(path for path in captures.glob("*.json") if path.stem != "index")
    home = make_home(make_model(), servers={path.stem: replay(path) for path in files})

    run = home.hermes("toolsearch", "status", "--json", "--timeout", "120", timeout=300)

    found = json.loads(run.stdout)
    assert len(files) <= len(found["servers"])
    assert found["deferred"] > 1_800  # 2,900, but 0.13 reads only the first hundred tools of a server
    assert found["now"] * 20 < found["before"]


@pytest.mark.parametrize("command", ["status", "doctor", "preview", "report"])
def test_without_any_server(make_model, make_home, command):
    """With nothing to defer every command still answers."""
    run = make_home(make_model()).hermes("toolsearch", command, "--json")

    assert 0 == run.returncode, run.stdout + run.stderr
    json.loads(run.stdout)
