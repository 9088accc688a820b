"""The rig itself, on a Hermes without the plugin: what these tests see is the host alone."""

from __future__ import annotations

import json

from testing.scripted_model import Call
from testing.strict_providers import reserved_name

WITHOUT = {"plugins": (), "tool_search": {"enabled": "off"}}


def test_a_turn_through_the_command(make_model, make_home, host, notes):
    """A one-shot turn offers the server's tools, carries the call to the server and prints the model's last answer."""
    add = host.mcp_name("notes", "add_note")
    model = make_model([[Call(add, {"text": "milk"})], "Noted."])
    home = make_home(model, servers={"notes": notes}, **WITHOUT)

    run = home.oneshot("Note that we need milk")

    assert run.stdout == "Noted.\n", home.log
    assert {add, host.mcp_name("notes", "list_notes"), "terminal"} <= set(run.turns[0].tool_names)
    assert len(run.turns) == 2
    assert json.dumps({"name": "add_note", "arguments": {"text": "milk"}}) in run.turns[1].results[0].replace("\\", "")
    [call] = map(json.loads, (home.root / "notes.log").read_text().splitlines())
    assert (call["name"], call["arguments"]) == ("add_note", {"text": "milk"})


def test_a_chat_and_its_resumption(make_model, make_home, host, notes):
    """A chat shows its answer and its id, and the resumed session goes on in the script where the first left it."""
    model = make_model([[Call(host.mcp_name("notes", "list_notes"))], "None yet.", "Still none."])
    home = make_home(model, servers={"notes": notes}, **WITHOUT)

    first = home.chat("Which notes are there?")
    second = home.resume(first.session_id, "And now?")

    assert "None yet." in first.stdout
    assert "Still none." in second.stdout
    assert second.turns[0].answered + 1 == 3


def test_a_gateway_turn(make_model, make_home, host, notes):
    """A gateway session takes a prompt over HTTP, calls the server and returns the answer."""
    model = make_model([[Call(host.mcp_name("notes", "list_notes"))], "None yet."])
    home = make_home(model, servers={"notes": notes}, **WITHOUT)

    with home.gateway() as gateway:
        assert gateway.ask("Which notes are there?") == "None yet."

    assert "list_notes" in model.turns[-1].results[0]


def test_an_acp_turn(make_model, make_home, host, notes):
    """An editor's session sees the call's title and the answer; the MCP server comes from the editor."""
    model = make_model([[Call(host.mcp_name("notes", "list_notes"))], "None yet."])
    home = make_home(model, **WITHOUT)
    server = {"name": "notes", "command": notes["command"], "args": notes["args"], "env": []}

    with home.acp([server]) as session:
        stop = session.prompt("Which notes are there?")

    assert stop["stopReason"] == "end_turn"
    assert session.text == "None yet."
    assert len(session.tool_titles) == 1


def test_a_provider_that_refuses(make_model, make_home):
    """A rule's objection reaches Hermes as HTTP 400, and the model's script is not consumed by it."""
    model = make_model(["Hello."], rules=[reserved_name("terminal")])
    run = make_home(model, **WITHOUT).oneshot("Hello")

    assert "Hello." not in run.stdout
    assert model.refusals[0]["error"]["code"] == "invalid_function_name"


def test_python_inside_the_host(make_model, make_home):
    """A piece of Python runs with Hermes' own modules, and never with a folder of the same name at hand."""
    home = make_home(make_model(), **WITHOUT)
    (home.cwd / "tools").mkdir()
    (home.cwd / "tools" / "__init__.py").write_text("raise ImportError('the wrong one')")

    run = home.python("import tools.registry; print(tools.registry.__file__)")

    assert str(home.host.site_packages) in run.stdout, run.stderr
