"""The commands without a Hermes: what each prints, as text and as JSON, and how it ends."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest

from hermes_plugin_toolsearch import cli, settings
from hermes_plugin_toolsearch.commands import finding, output, place, prices, status, usage
from hermes_plugin_toolsearch.commands.view import Server, view_of_file
from hermes_plugin_toolsearch.names import Scope
from hermes_plugin_toolsearch.stats import Log

TOOLS = [
    {"name": "mcp__notes__add_note", "description": "Write a note down.", "server": "notes"},
    {"name": "mcp__notes__list_notes", "description": "List all notes.", "server": "notes"},
    {"name": "mcp__time__now", "description": "Tell the time in a timezone.", "server": "time"},
]


@pytest.fixture
def tools(tmp_path):
    """A file of three tools of two servers."""
    path = tmp_path / "tools.jsonl"
    text = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    path.write_text("".join(json.dumps({**tool, "inputSchema": text}) + "\n" for tool in TOOLS), encoding="utf-8")
    return path


@pytest.fixture
def view(tools):
    """What a session with these tools has."""
    return view_of_file(tools, context_length=200_000)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A Hermes home of its own, and no Hermes beside it."""
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(place, "in_hermes", lambda: False)
    return tmp_path / "home"


def test_status_counts_before_and_after(view):
    """Tools, tokens and servers add up; what is deferred costs its part of the listing."""
    found = status.status(view)

    assert (True, 3, 0, 3) == (found.active, found.tools, found.visible, found.deferred)
    assert found.now == view.tokens_now and found.before == view.eager_tokens
    assert [("notes", 2), ("time", 1)] == [(row.server, row.tools) for row in found.servers]
    assert sum(row.now for row in found.servers) < found.listing_tokens


def test_status_says_when_deferring_does_not_pay(view):
    """Three small tools cost less than a bridge, and the advice says what to set."""
    found = status.status(view)

    assert found.now > found.before
    assert "activation_pct: 10" in found.advice


def test_status_knows_the_money_of_known_models(view):
    """A known model has a price with and without its cache, under its maker's name too; an unknown one has none."""
    known = status.status(replace(view, model="anthropic/claude-sonnet-5")).cost

    assert known is not None
    assert known.plain_before == pytest.approx(view.eager_tokens * prices.price_of("claude-sonnet-5").plain / 1e6)
    assert known.cached_now < known.plain_now
    assert status.status(replace(view, model="nobody-knows")).cost is None


def test_status_shows_servers_that_are_not_there(view):
    """A server that did not connect has a row with its reason."""
    servers = (Server("time", "connected"), Server("gone", "failed", "no such program"))
    rows = {row.server: row for row in status.status(replace(view, servers=servers)).servers}

    assert ("failed", "no such program", 0) == (rows["gone"].state, rows["gone"].reason, rows["gone"].tools)
    assert "connected" == rows["time"].state


@pytest.mark.parametrize(
    "command", ["status", "preview", "search note", "describe mcp__time__now", "why mcp__time__now"]
)
def test_json_is_one_value(capsys, tools, command):
    """With --json every command prints one JSON value and nothing else."""
    assert 0 == cli.main([*command.split(), "--tools", str(tools), "--json"])

    assert isinstance(json.loads(capsys.readouterr().out), dict)


def test_preview_is_the_array_as_it_is_sent(capsys, tools, view):
    """The JSON holds the very tools array of a session."""
    cli.main(["preview", "--tools", str(tools), "--json"])

    assert list(view.assembly.tool_defs) == json.loads(capsys.readouterr().out)["tools"]


def test_search_shows_what_the_model_would_find(capsys, tools):
    """Hits come best first with their reasons; a query without any ends with status 1."""
    assert 0 == cli.main(["search", "write a note", "--explain", "--tools", str(tools)])
    assert "1. mcp__notes__add_note" in capsys.readouterr().out.replace(" 1.", "1.")
    assert 1 == cli.main(["search", "zzzz", "--tools", str(tools)])
    assert "The model is told:" in capsys.readouterr().out


def test_describe_answers_as_the_bridge_does(capsys, tools):
    """The schema is shown; an unknown name ends with status 1 and names what is like it."""
    assert 0 == cli.main(["describe", "mcp__notes__add_note", "--tools", str(tools)])
    assert '"required"' in capsys.readouterr().out
    assert 1 == cli.main(["describe", "mcp__notes__add_notes", "--tools", str(tools)])
    assert "mcp__notes__add_note" in capsys.readouterr().out


def test_eval_measures_judged_queries(capsys, tmp_path, tools):
    """Recall, latency and the rankings come out."""
    queries = tmp_path / "queries.jsonl"
    queries.write_text('{"id": "1", "query": "write a note", "relevant": ["mcp__notes__add_note"]}\n')
    rankings = tmp_path / "rankings.jsonl"

    code = cli.main(["eval", "--tools", str(tools), "--queries", str(queries), "--json", "--rankings", str(rankings)])

    assert 0 == code
    assert 1.0 == json.loads(capsys.readouterr().out)["recall@1"]
    assert "mcp__notes__add_note" == json.loads(rankings.read_text())["names"][0]


def test_why_names_the_state_and_the_reason(view):
    """Deferred, pinned, of the host, of the bridge, of a failed server, not granted, a server, unknown."""
    config = replace(view.config, pin=("mcp-time",))
    now = next(d for d in view.definitions if d["function"]["name"] == "mcp__time__now")
    catalog = view.catalog
    scope = Scope(
        catalog.__class__(tuple(group for group in catalog.groups if group.server != "time"), "x"),
        {"mcp__time__now": now, "terminal": {"function": {"name": "terminal"}}},
        view.assembly.names,
        known=lambda name: name == "mcp__other__secret",
    )
    here = replace(
        view,
        config=config,
        scope=scope,
        own=lambda name: name == "terminal",
        servers=(Server("gone-one", "failed", "it crashed"),),
        toolset_of=lambda name: "mcp-other",
    )

    states = {
        name: finding.why(here, name).state
        for name in (
            "mcp__notes__add_note",
            "mcp__time__now",
            "terminal",
            "tool_search",
            "mcp__gone_one__x",
            "gone-one",
            "mcp__other__secret",
            "notes",
            "mcp-notes",
            "nonsense",
        )
    }

    assert {
        "mcp__notes__add_note": "deferred",
        "mcp__time__now": "pinned",
        "terminal": "visible",
        "tool_search": "bridge",
        "mcp__gone_one__x": "failed",
        "gone-one": "failed",
        "mcp__other__secret": "not granted",
        "notes": "connected",
        "mcp-notes": "connected",
        "nonsense": "unknown",
    } == states
    assert "hermes toolsearch unpin mcp-time" == finding.why(here, "mcp__time__now").next
    assert "it crashed" in finding.why(here, "mcp__gone_one__x").reason


def test_why_says_that_nothing_is_deferred(view):
    """With the bridge off a tool is visible, and the reason is the assembly's."""
    off = replace(view.assembly, listing=None, reason="enabled: off")
    definition = view.definitions[0]
    scope = Scope(view.catalog.__class__((), ""), {definition["function"]["name"]: definition})

    found = finding.why(replace(view, assembly=off, scope=scope), definition["function"]["name"])

    assert ("visible", "nothing is deferred: enabled: off") == (found.state, found.reason)


def test_editing_says_what_it_did(capsys, home):
    """The text names the file, the change and the backup; the JSON has the same."""
    assert 0 == cli.main(["enable"])
    assert "added toolsearch to plugins.enabled" in capsys.readouterr().out
    assert 0 == cli.main(["pin", "mcp-time", "--json"])
    assert ["pinned mcp-time"] == json.loads(capsys.readouterr().out)["outcome"]["done"]
    assert 0 == cli.main(["trust", "time", "names"])
    assert "config.yaml.before-toolsearch" in capsys.readouterr().out


def test_a_pin_says_what_it_costs(capsys, home):
    """With the tools known that were there last, a pin tells how many it means and their tokens."""
    Log(home).keep_tools({"time": {"mcp__time__now": 100, "mcp__time__zone": 50}, "notes": {"mcp__notes__add": 7}})

    cli.main(["pin", "mcp-time"])

    assert "That is 2 tools and 150 tokens of schemas in each request." in capsys.readouterr().out


def test_a_file_that_cannot_be_edited_ends_with_a_sentence(capsys, home):
    """A broken configuration gives status 2 and the reason on standard error, no traceback."""
    home.mkdir()
    (home / "config.yaml").write_text("a: [1\n")

    assert 2 == cli.main(["enable"])
    assert "it is broken" in capsys.readouterr().err


def test_without_hermes_a_file_is_asked_for(capsys, home):
    """A command that needs a session's tools says how to give it some."""
    assert 2 == cli.main(["status"])
    assert "--tools FILE" in capsys.readouterr().err


@pytest.mark.parametrize("content", ["", "[1, 2]", "{", '{"tools": []}'])
def test_a_file_without_tools_ends_with_a_sentence(capsys, tmp_path, content):
    """Empty, broken and other files are named with the reason."""
    path = tmp_path / "tools.json"
    path.write_text(content)

    assert 2 == cli.main(["status", "--tools", str(path)])
    assert str(path) in capsys.readouterr().err


def test_doctor_ends_with_one_where_something_is_wrong(capsys, home):
    """Not being enabled is a problem with a command that fixes it."""
    assert 1 == cli.main(["doctor", "--json"])

    findings = json.loads(capsys.readouterr().out)["findings"]
    assert "hermes-toolsearch enable" in [finding["fix"] for finding in findings]
    assert all(finding["fix"] for finding in findings if finding["level"] == "problem")


def test_doctor_names_the_line_of_a_broken_file(capsys, home):
    """A configuration that Hermes could not read either is a problem, with its line."""
    home.mkdir()
    (home / "config.yaml").write_text("a: 1\nb: [\n")

    cli.main(["doctor"])

    assert "it is broken (line 3" in capsys.readouterr().out


def test_stats_switches_its_log(capsys, home):
    """``--off`` writes the setting in a form that stays the word off."""
    assert 0 == cli.main(["stats"])
    assert "Nothing is logged yet" in capsys.readouterr().out
    assert 0 == cli.main(["stats", "--off"])
    assert "off" == settings.read(home / "config.yaml")["tools"]["tool_search"]["stats"]


@pytest.mark.parametrize(("text", "seconds"), [("30m", 1800), ("12h", 43_200), ("7d", 604_800), ("4W", 2_419_200)])
def test_a_span_is_a_number_and_a_unit(text, seconds):
    """Minutes, hours, days and weeks are understood."""
    assert seconds == usage.span(text)


def test_a_pipe_gets_no_colours(capsys, tools):
    """What is not read on a terminal has no escape codes in it."""
    cli.main(["status", "--tools", str(tools)])

    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize(("no_color", "coloured"), [(None, True), ("1", False)])
def test_a_terminal_gets_colours_unless_it_wants_none(monkeypatch, no_color, coloured):
    """On a terminal there are colours, and NO_COLOR turns them off."""

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    screen = Terminal()
    monkeypatch.setattr("sys.stdout", screen)
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    if no_color:
        monkeypatch.setenv("NO_COLOR", no_color)

    output.console().print("[green]fine[/]")

    assert coloured == ("\x1b[32m" in screen.getvalue())


def test_progress_is_silent_in_a_pipe(capsys):
    """Long work says nothing where nobody watches."""
    with output.progress("Working") as say:
        say("Still working")

    assert ("", "") == tuple(capsys.readouterr())


def test_foreign_text_cannot_style_or_move_the_cursor():
    """Markup and control characters of third parties are shown as text (B8)."""
    assert "\\[red]x\\[/] [2J" == output.plain("[red]x[/]\x1b[2J").replace("\\[2J", "[2J")
