"""Every kind of session, and change under way: what each is offered, finds, calls and is told; on any host."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from testing.hermes_home import HermesHome, replay
from testing.scripted_model import After, Call, Request, ScriptedModel, Step, text_of
from testing.strict_providers import unique_names

DRIVER = Path(__file__).with_name("sessions_driver.py")
BRIDGE = {"tool_search", "tool_describe", "tool_call"}
TOLD = "[tool search]"
NO_REVIEW = {"skills": {"creation_nudge_interval": 0}, "memory": {"nudge_interval": 0}}
"""Keeps the host from reviewing a long conversation beside it."""


@pytest.fixture
def server(tmp_path: Path) -> Any:
    """Makes a replayed server of tools that take a text; what it ran is in a log of its name."""

    def make(label: str, *options: str, names: Iterable[str] = ("add_note", "list_notes")) -> dict[str, Any]:
        text = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
        tools = [{"name": name, "description": f"{name} of {label}.", "inputSchema": text} for name in names]
        catalog = tmp_path / f"{label}.json"
        catalog.write_text(json.dumps({"tools": tools}), encoding="utf-8")
        return replay(catalog, "--log", str(tmp_path / f"{label}.log"), *options)

    return make


@pytest.fixture
def drive(tmp_path: Path) -> Any:
    """Runs a mode of the driver in a home and returns what it printed."""

    def run(home: HermesHome, mode: str, argument: Any = "", env: Any = None) -> dict[str, Any]:
        argument = argument if isinstance(argument, str) else json.dumps(argument)
        command = [str(home.host.python), str(DRIVER), mode, home.model.base_url, str(tmp_path), argument]
        done = home.run(command, env=env, timeout=400)
        # The terminal interface's server moves standard output to standard error.
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("OUTCOME ")]
        assert lines, done.stdout[-2000:] + done.stderr[-4000:] + home.log[-4000:]
        found: dict[str, Any] = json.loads(lines[-1].removeprefix("OUTCOME "))
        return found

    return run


def through(name: str, text: str = "milk") -> list[Call]:
    """One call through the bridge."""
    return [Call("tool_call", {"name": name, "arguments": {"text": text}})]


def searched(query: str) -> list[Call]:
    """One search."""
    return [Call("tool_search", {"query": query})]


def offer(request: Request) -> str:
    """The tools array as it went over the wire."""
    return json.dumps(request.tools)


def told(request: Request) -> list[str]:
    """What the last user message says of changed tools; earlier hosts do not keep that for later turns."""
    text = json.dumps([message for message in request.messages if message["role"] == "user"][-1], ensure_ascii=False)
    return text.split(TOLD)[1:]


def ran(folder: Path, server: str) -> list[Any]:
    """The ``(tool, text)`` that reached a server, in order."""
    log = folder / f"{server}.log"
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return [(call["name"], (call["arguments"] or {}).get("text")) for call in map(json.loads, lines)]


def starts(model: ScriptedModel, key: str) -> list[Request]:
    """The first request of each turn of a conversation: those whose last message is the user's."""
    return [request for request in model.conversation(key) if request.messages[-1]["role"] == "user"]


def test_disabled_late_and_broken_servers_in_a_oneshot(
    make_model: Any, make_home: Any, host: Any, server: Any, tmp_path: Path
) -> None:
    """``-z``: a disabled server is out of reach, a slow one is used once it is there, a broken one is named.

    Nothing is cached before the first turn (B3, B4, B5, H2, H3, I4, I5).
    """
    secret, late = host.mcp_name("secret", "add_note"), host.mcp_name("late", "add_note")
    script = [
        searched("add a note"),
        searched("broken server's notes"),
        through(secret),
        [Call(secret, {"text": "milk"})],
        [Call("tool_describe", {"name": secret})],
        through(late),
        "Done.",
    ]
    servers = {
        "secret": server("secret"),
        "late": server("late", "--start-delay", "2"),
        "notes": server("notes"),
        "broken": server("broken", "--crash"),
    }
    home = make_home(make_model(script), servers=servers, extra={"agent": {"disabled_toolsets": ["secret"]}})
    run = home.oneshot("Note it.")
    found, broken, *refused, done = run.turns[-1].results
    assert late in found and secret not in found
    assert "secret" not in offer(run.turns[0])
    # A host with tiers answers searches in its own shape; what it knows of servers stands in its listing.
    assert host.form == "tiered" or "broken" in json.loads(broken)["unavailable"]
    assert all("milk" not in result and '"parameters"' not in result for result in refused)
    assert "milk" in done
    assert (ran(tmp_path, "secret"), ran(tmp_path, "late")) == ([], [("add_note", "milk")])


def test_children_reach_what_they_inherit_and_no_more(
    make_model: Any, make_home: Any, host: Any, server: Any, drive: Any, tmp_path: Path
) -> None:
    """An unrestricted parent's child and grandchild have its servers; a child of one server has that one alone.

    The last has nothing but the bridge, and what only its parent or nobody was granted is out of its reach. A
    worker's own lifecycle tools are never deferred, and a session of the worker's process that has them disabled
    cannot reach them through the bridge; what the process made before is not served to either (I1, I2, I6, I8, I10,
    B1, S3).
    """
    notes, letters = host.mcp_name("notes", "add_note"), host.mcp_name("letters", "add_note")
    grandchild = [searched("add a note"), through(notes, "grandchild"), through(letters, "grandchild"), "Written."]
    child = [[Call("delegate_task", {"goal": "GRANDCHILD: write"})], through(letters, "child"), "Delegated."]
    card = {"summary": "done by another"}
    disabled = [
        searched("complete the kanban card"),
        [Call("tool_describe", {"name": "kanban_complete"})],
        [Call("tool_call", {"name": "kanban_complete", "arguments": card})],
        [Call("kanban_complete", card)],
        "Tried.",
    ]
    alone = [
        searched("add a note"),
        through(letters, "stolen"),
        [Call(letters, {"text": "stolen"})],
        through("terminal", "stolen"),
        through(notes, "alone"),
        "Written.",
    ]
    scripts = {
        "GRANDCHILD": grandchild,
        "CHILD-ALL": child,
        "CHILD-ONE": alone,
        "IDLE": ["Done."],
        "WORKER": ["Done."],
        "DISABLED": disabled,
        "PARENT-ALL": [
            [Call("delegate_task", {"goal": "CHILD-ALL: write", "role": "orchestrator"})],
            After("CHILD-ALL", len(child), "Done."),
        ],
        "PARENT-ONE": [[Call("delegate_task", {"goal": "CHILD-ONE: write"})], After("CHILD-ONE", len(alone), "Done.")],
    }
    model = make_model(scripts)
    deep = {"delegation": {"max_spawn_depth": 2, "orchestrator_enabled": True}}
    servers = {"notes": server("notes"), "letters": server("letters")}
    home = make_home(model, servers=servers, tool_search={"defer": ["kanban_*"]}, extra=deep)
    drive(home, "children")

    lower, one = model.conversation("GRANDCHILD"), model.conversation("CHILD-ONE")
    assert set(lower[0].tool_names) >= BRIDGE
    assert notes in lower[-1].results[0] and letters in lower[-1].results[0]
    assert set(one[0].tool_names) - {"delegate_task"} == BRIDGE  # the newest hosts leave it to a child to try
    assert notes in one[-1].results[0] and letters not in one[-1].results[0]
    assert ran(tmp_path, "letters") == [("add_note", "grandchild"), ("add_note", "child")]
    assert ran(tmp_path, "notes") == [("add_note", "grandchild"), ("add_note", "alone")]

    assert "kanban_complete" not in model.conversation("IDLE")[0].tool_names
    worker, others = model.conversation("WORKER")[0], model.conversation("DISABLED")[-1]
    assert {"kanban_complete", "kanban_block", "kanban_show"} | BRIDGE <= set(worker.tool_names)
    assert "kanban_complete" not in others.tool_names
    assert "kanban_complete" not in offer(others) + others.results[0].replace("complete the kanban card", "")
    refused = ("not enabled in this session", "exist")
    assert [result for result in others.results[1:] if not any(reason in result for reason in refused)] == []


def test_platforms_share_a_process_and_nothing_else(
    make_model: Any, make_home: Any, host: Any, server: Any, drive: Any, tmp_path: Path
) -> None:
    """Six concurrent sessions of two platforms: each its own tools; an evicted agent comes back with the same bytes.

    The active platform's own tools stay visible beside the bridge (A9, B4, B12, F1).
    """
    notes, letters = host.mcp_name("notes", "add_note"), host.mcp_name("letters", "add_note")
    script = [searched("add a note"), through(notes), through(letters), "One.", through(notes), "Two."]
    model = make_model(script)
    extra = {"platform_toolsets": {"discord": ["hermes-discord", "notes"], "api_server": ["file", "letters"]}}
    home = make_home(model, servers={"notes": server("notes"), "letters": server("letters")}, extra=extra)
    outcome = drive(home, "platforms", env={"DISCORD_BOT_TOKEN": "unused"})
    assert outcome["faults"] == []
    for platform, own, other in (("discord", notes, letters), ("api_server", letters, notes)):
        requests = model.conversation(f"{platform} ")
        assert len({offer(request) for request in requests}) == 1
        last = [request for request in requests if request.answered == 5]
        assert len(last) == 3
        for request in last:
            assert own in request.results[0] and other not in request.results[0]
    assert len(ran(tmp_path, "notes")) == 7 and len(ran(tmp_path, "letters")) == 3
    assert "terminal" not in model.conversation("api_server")[0].tool_names


def test_a_cron_job_has_its_tools_from_the_first_request(
    make_model: Any, make_home: Any, host: Any, server: Any, tmp_path: Path
) -> None:
    """A job in a fresh process is offered the bridge, and reaches slow servers through it (H2, H3, I3, I5, I11)."""
    late = host.mcp_name("late", "add_note")
    model = make_model([searched("add a note"), through(late), "Noted."])
    home = make_home(model, servers={"late": server("late", "--start-delay", "2")})
    home.hermes("cron", "create", "every 1h", "JOB: note it", "--name", "job")
    jobs = json.loads((home.path / "cron" / "jobs.json").read_text(encoding="utf-8"))
    job = (jobs["jobs"] if isinstance(jobs, dict) else jobs)[0]
    home.hermes("cron", "run", job["id"])
    home.hermes("cron", "tick")
    turns = model.turns
    assert set(turns[0].tool_names) >= BRIDGE
    assert late in turns[-1].results[0]
    assert ran(tmp_path, "late") == [("add_note", "milk")]


def test_the_sandbox_is_what_it_was(make_model: Any, make_home: Any, host: Any, server: Any, drive: Any) -> None:
    """``execute_code`` declares and offers the same tools with and without the plugin (B1, L1, S4)."""
    code = "import hermes_tools; print('OFFERS', sorted(n for n in dir(hermes_tools) if not n.startswith('_')))"
    seen = []
    for plugins in (("toolsearch",), ()):
        model = make_model([searched("add a note"), [Call("execute_code", {"code": code})], "Done."])
        home = make_home(model, servers={"notes": server("notes")}, plugins=plugins)
        outcome = drive(home, "sandbox")
        declared = [tool for tool in model.turns[0].tools if tool["function"]["name"] == "execute_code"]
        resolved = [name for name in outcome["after"] if name not in BRIDGE]
        seen.append((declared, model.turns[-1].results[-1].partition("OFFERS")[2].partition("]")[0], resolved))
        assert outcome["before"] == outcome["after"]
    assert seen[0][1].count("'") > 4
    assert seen[0] == seen[1]


def test_names_of_the_hosts_own_things(
    make_model: Any, make_home: Any, host: Any, server: Any, drive: Any, tmp_path: Path
) -> None:
    """Servers called like toolsets, with one tool name among them and a tool listed twice: each reachable once.

    No core tool is shadowed, no name is sent twice, and the bare name they share runs none of them. A result is cut at
    its own tool's limit. A tool of another surface is answered without sending the model round in circles (A11, B11,
    H11, S6, S7).
    """
    labels = ["memory", "web", "file", "terminal", "skills", "kanban", "tool_search"]
    tools = {label: host.mcp_name(label, "add_note") for label in labels}
    script = [
        searched("add a note"),
        *(through(name, label) for label, name in tools.items()),
        through("add_note"),
        [Call("tool_call", {"name": "big_report", "arguments": {}})],
        [Call("terminal", {"command": "echo core"})],
        "Done.",
    ]
    one = [
        searched("add a note"),
        through(tools["web"], "stolen"),
        through("browser_click", "stolen"),
        through(tools["memory"], "one"),
        "Done.",
    ]
    model = make_model({"MEMORY": one, "NAMES": script}, rules=[unique_names])
    servers = {label: server(label) for label in labels}
    servers["web"] = server("web", names=("add_note", "add_note", "list_notes"))
    drive(make_home(model, servers=servers), "names")
    everything, memory = model.conversation("NAMES")[-1], model.conversation("MEMORY")[-1]
    assert model.refusals == []
    assert {"memory", "terminal", "skills_list"} | BRIDGE <= set(everything.tool_names)
    assert not set(tools.values()) & set(everything.tool_names)
    assert "more than one tool" in everything.results[-3]
    assert 0 < everything.results[-2].count("long ") < 500
    assert "not enabled in this session" in memory.results[2] and "tool_search" not in memory.results[2]
    assert '"output": "core' in everything.results[-1]
    assert {label: ran(tmp_path, label) for label in labels if label != "memory"} == {
        label: [("add_note", label)] for label in labels if label != "memory"
    }
    assert ran(tmp_path, "memory") == [("add_note", "memory"), ("add_note", "one")]
    assert tools["memory"] in memory.results[0] and tools["web"] not in memory.results[0]


@pytest.mark.parametrize("foreign", ["", "tool_call", "tool_search"], ids=["disabled", "tool_call", "tool_search"])
def test_half_a_bridge_defers_nothing(
    make_model: Any, make_home: Any, host: Any, server: Any, drive: Any, foreign: str
) -> None:
    """With the bridge's toolset disabled, or a bridge name taken, every tool is shown and the log says why (A15).

    The other plugin's tool is reachable, whatever it is given. A host with tiers has the bridge in no toolset and
    keeps its names to itself: there it is whole.
    """
    direct = [Call(host.mcp_name("notes", "add_note"), {"text": "milk"})]
    theirs = [Call(foreign, {"name": "terminal", "arguments": {"command": "echo stolen"}})] if foreign else direct
    model = make_model([direct, theirs, "Done."], rules=[unique_names])
    home = make_home(model, servers={"notes": server("notes")})
    drive(home, "half", foreign)
    first, last = model.turns[0], model.turns[-1]
    assert model.refusals == []
    assert "milk" in last.results[0]
    if host.form == "tiered":
        assert set(first.tool_names) >= BRIDGE
        return
    assert host.mcp_name("notes", "add_note") in first.tool_names
    assert set(first.tool_names) & BRIDGE == ({foreign} if foreign else set())
    assert ("theirs" if foreign else "milk") in last.results[1]
    assert (f"{foreign} is a tool of the toolset others" if foreign else "the toolset toolsearch is disabled") in (
        home.log
    )


def test_a_session_follows_its_servers(
    make_model: Any, make_home: Any, host: Any, server: Any, drive: Any, tmp_path: Path
) -> None:
    """Announced, added, removed, restarted with other tools, flapping: the next call follows, the bytes stay.

    What changed is said once, in the turn that begins; a tool that went says so with the state of its server; and an
    agent that takes the session up after the first was evicted holds the same bytes. Answers that name what is gone
    by now do no harm in the history (F1, F2, F4, H4, H5, H9, H10, S2).
    """
    names = {tool: host.mcp_name("notes", tool) for tool in ("add_note", "list_notes", "burn_note", "pin_note")}
    letter = host.mcp_name("letters", "add_note")
    script = [
        *(through(names["list_notes"], "begin"), "1"),
        searched("burn a note"),
        [Call("tool_describe", {"name": names["burn_note"]})],
        through(names["burn_note"], "announced"),
        through(names["list_notes"], "gone"),
        [Call(names["list_notes"], {"text": "gone"})],
        "2",
        *(searched("letters note"), through(letter, "added"), "3"),
        *(through(names["add_note"], "removed"), searched("add a note"), "4"),
        *(through(names["pin_note"], "back"), through(names["burn_note"], "gone"), "5"),
        *(through(letter, "again"), "6"),
        *(through(letter, "taken up"), "7"),
    ]
    model = make_model(script)
    home = make_home(model, servers={"notes": server("notes", "--watch")}, extra=NO_REVIEW)
    drive(home, "changes", {"letters": server("letters")})
    turns = starts(model, "CHANGE")
    last = model.conversation("CHANGE")[-1]
    # One host makes its array anew where the user reloads the servers, as it says; the other keeps the same names.
    reloads = host.form == "tiered" and not host.version.startswith("0.20")
    same = [offer(turn) == offer(turns[0]) for turn in (turns[:2] if reloads else model.conversation("CHANGE"))]
    assert False not in same
    assert ran(tmp_path, "notes") == [("list_notes", "begin"), ("burn_note", "announced"), ("pin_note", "back")]
    assert ran(tmp_path, "letters") == [("add_note", "added"), ("add_note", "again"), ("add_note", "taken up")]
    _, found, described, _, gone, direct, letters, _, removed, without, _, old, _, _ = last.results
    assert names["burn_note"] in found and '"parameters"' in described
    for answer in (gone, direct):
        assert "its server notes is connected and no longer offers it" in answer
    assert letter in letters
    assert "its server notes is neither connected nor configured any more" in removed
    assert letter in without and names["add_note"] not in without
    assert "its server notes is connected and no longer offers it" in old
    notes = [told(turn) for turn in turns]
    assert [len(note) for note in notes[:2]] == [0, 1]
    assert names["burn_note"] in notes[1][0] and names["list_notes"] in notes[1][0]
    for turn, fresh in ((2, "letters"), (4, "pin_note")):
        assert fresh in (offer(turns[turn]) if reloads else notes[turn][0])
    assert reloads or [len(note) for note in notes[2:]] == [1, 1, 1, 0, 0]
    assert reloads or letter not in notes[3][0]


def test_rebuild_publishes_at_the_next_turn(
    make_model: Any, make_home: Any, host: Any, server: Any, drive: Any
) -> None:
    """Under ``catalog_changes: rebuild`` the next turn has a new array and no note (F9, H4).

    A skill that needs a deferred tool, or its toolset, is offered in the sessions that have it and in no other (S1).
    """
    model = make_model(["1", through(host.mcp_name("notes", "burn_note")), "2"])
    rebuild = {"catalog_changes": "rebuild"}
    servers = {"notes": server("notes", "--watch"), "letters": server("letters")}
    home = make_home(model, servers=servers, tool_search=rebuild)
    needs_tool, needs_server = "requires_tools: [%s]", "requires_toolsets: [mcp-%s]"
    for name, needs in (
        ("burner", needs_tool % host.mcp_name("notes", "add_note")),
        ("lighter", needs_tool % host.mcp_name("notes", "no_such_tool")),
        ("writer", needs_server % "letters"),
    ):
        skill = home.path / "skills" / "test" / name / "SKILL.md"
        skill.parent.mkdir(parents=True)
        metadata = f"metadata:\n  hermes:\n    {needs}\n"
        skill.write_text(
            f"---\nname: {name}\ndescription: The {name} skill.\n{metadata}---\nDo it.\n", encoding="utf-8"
        )
    drive(home, "rebuilt")
    first, second = starts(model, "CHANGE")
    assert "burn_note" not in offer(first) and "burn_note" in offer(second)
    assert told(second) == []
    assert "milk" in model.conversation("CHANGE")[-1].results[-1]
    offered = {
        key: [name for name in ("burner", "lighter", "writer") if f"The {name} skill." in json.dumps(turn.messages[0])]
        for key in ("CHANGE", "of notes", "of letters")
        for turn in model.conversation(key)[:1]
    }
    assert offered == {"CHANGE": ["burner", "writer"], "of notes": ["burner"], "of letters": ["writer"]}


def test_a_server_that_flaps_costs_no_bytes(
    make_model: Any, make_home: Any, host: Any, server: Any, drive: Any, tmp_path: Path
) -> None:
    """A session whose only server is away for a turn keeps its array, is told, and goes on when it is back (F1, F4)."""
    add = host.mcp_name("notes", "add_note")
    script = [
        *(through(add, "begin"), "1"),
        *(through(add, "away"), [Call(add, {"text": "away"})], searched("add a note"), "2"),
        *(through(add, "back"), "3"),
    ]
    model = make_model(script)
    home = make_home(model, servers={"notes": server("notes"), "letters": server("letters")})
    drive(home, "flapping", {"notes": server("notes", "--crash")})
    requests = model.conversation("FLAP")
    _, bridged, direct, found, _ = requests[-1].results
    assert ran(tmp_path, "notes") == [("add_note", "begin"), ("add_note", "back")]
    assert "letters" not in found
    if host.form == "tiered":  # such a host makes its array anew where the user reloads, here without any bridge
        assert [set(turn.tool_names) >= BRIDGE for turn in starts(model, "FLAP")] == [True, False, True]
        return
    assert [offer(request) == offer(requests[0]) for request in requests] == [True] * len(script)
    assert [len(told(turn)) for turn in starts(model, "FLAP")] == [0, 1, 1]
    assert "its server notes is configured, but" in bridged
    assert "its server notes is configured, but" in direct
    assert "notes" in json.loads(found)["unavailable"]


def test_another_model_compaction_and_resume(
    make_model: Any, make_home: Any, host: Any, server: Any, drive: Any, tmp_path: Path
) -> None:
    """``/model`` moves the listing into the new model's budget and back; the bridge survives compaction (H6, G2)."""
    add = host.mcp_name("notes", "add_note")
    # In full they cost some 3,500 tokens: more than 5 % of 64,000, and less than any host's budget at 200,000.
    names = [f"note_{number}" for number in range(335)]

    def answer(request: Request) -> Step:
        last = text_of(request.messages[-1])
        if last in ("compacted", "resumed"):
            return through(add, last)
        return "word " * 200

    model = make_model([answer] * 24)
    small = {"name": "scripted", "base_url": model.base_url, "models": {"scripted-small": {"context_length": 64_000}}}
    servers = {"notes": server("notes", "--page", "500", names=("add_note", *names))}
    home = make_home(model, servers=servers, extra={"custom_providers": [small]} | NO_REVIEW)
    outcome = drive(home, "models")
    first, smaller, back, *_ = starts(model, "MODEL")
    assert len(offer(smaller)) < len(offer(first)) == len(offer(back))
    assert outcome["compacted"] < 2 * 19
    assert ran(tmp_path, "notes") == [("add_note", "compacted"), ("add_note", "resumed")]
    assert offer(model.turns[-1]) == offer(first)


def test_the_terminal_interface_follows_a_reload(
    make_model: Any, make_home: Any, host: Any, server: Any, drive: Any, tmp_path: Path
) -> None:
    """A session of the TUI's server, which a desktop shares, uses the bridge and a server added under way (B5, H2)."""
    script = [
        *(searched("add a note"), through(host.mcp_name("notes", "add_note"), "tui"), "1"),
        *(through(host.mcp_name("letters", "add_note"), "tui"), "2"),
    ]
    if host.version == "0.22.2.post1":
        pytest.skip("this release's own terminal server cannot be imported: a name is missing in methods_onboarding")
    model = make_model(script)
    home = make_home(model, servers={"notes": server("notes")})
    granted = drive(home, "tui", {"letters": server("letters")})["granted"]
    requests = model.conversation("TUI")
    assert set(requests[0].tool_names) >= BRIDGE
    assert ran(tmp_path, "notes") == [("add_note", "tui")]
    # Hosts to 0.16 do not grant what was added to a session that is there.
    assert ran(tmp_path, "letters") == ([("add_note", "tui")] if "letters" in granted else [])
    assert [offer(request) == offer(requests[0]) for request in requests] == [True] * len(script)


def test_editor_sessions_have_the_servers_that_each_brought(
    make_model: Any, make_home: Any, host: Any, server: Any, tmp_path: Path
) -> None:
    """A server that a client brings into one ACP session is used there and out of reach in another.

    A command through the bridge that is approved there runs (H1, B5, B12, B14).
    """
    add, own = host.mcp_name("brought", "add_note"), host.mcp_name("notes", "add_note")
    tidy = [Call("tool_call", {"name": "terminal", "arguments": {"command": "rm -rf scrap"}})]
    model = make_model([searched("add a note"), through(add), through(own), "Done.", tidy, "Tidy."])
    home = make_home(model, servers={"notes": server("notes")})
    brought = server("brought")
    (home.cwd / "scrap").mkdir()
    with home.acp([{"name": "brought", "command": brought["command"], "args": brought["args"], "env": []}]) as session:
        session.prompt("FIRST: note it")
        answer = session.request("session/new", {"cwd": str(home.cwd), "mcpServers": []})
        session.session_id = answer["sessionId"]
        session.prompt("SECOND: note it")
        session.prompt("and tidy up")
    first, second = model.conversation("FIRST"), model.conversation("SECOND")
    assert add in first[-1].results[0] and own in first[-1].results[0]
    assert own in second[-1].results[0]
    assert add not in second[-1].results[0] and add not in offer(second[0])
    assert (len(ran(tmp_path, "brought")), len(ran(tmp_path, "notes"))) == (1, 2)
    assert ["rm -rf scrap" in json.dumps(asked) for asked in session.permissions] == [True]
    assert not (home.cwd / "scrap").exists()


def test_profiles_in_one_process_share_nothing(
    make_model: Any, make_home: Any, host: Any, server: Any, drive: Any, tmp_path: Path
) -> None:
    """Two homes asked in turns: each its own configuration and array, the second time as the first (B12)."""
    model = make_model(["Done."])
    home = make_home(model, servers={"notes": server("notes")}, tool_search={"search_default_limit": 3})
    other = tmp_path / "other"
    other.mkdir()
    text = (home.path / "config.yaml").read_text(encoding="utf-8").replace("search_default_limit: 3", "listing: 'off'")
    (other / "config.yaml").write_text(text, encoding="utf-8")
    outcome = drive(home, "profiles", [str(home.path), str(other)])
    assert outcome["limits"] == [3, 5, 3, 5]
    first, second, third, fourth = map(offer, model.turns)
    assert "add_note" in first and "add_note" not in second
    assert (first, second) == (third, fourth)
