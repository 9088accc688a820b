"""Hosts with the tiered tool search of their own: what they lack is there, and what they have stays theirs."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_plugin_toolsearch import tokens
from testing import hosts
from testing.hermes_home import replay
from testing.scripted_model import Call, Request
from testing.strict_providers import description_limit, matching_result_names, no_references, reserved_name

TIERED = ("0.20.1.2", "0.22.2.post1")
WANTED = os.environ.get("HOSTS", ",".join(TIERED)).split(",")
DRIVER = Path(__file__).with_name("tiered_driver.py")
JUDGED = hosts.ROOT.parent / "shared" / "data" / "judged"
SAMPLE = 25
"""Queries of a judged set that are asked: some of each answer their whole set's recall well enough to compare two."""


@pytest.fixture(scope="module", params=TIERED, ids=lambda version: f"hermes-{version}")
def host(request: Any) -> Iterator[hosts.Host]:
    """A host with tiers, the plugin installed in it."""
    if request.param not in WANTED and WANTED != ["all"]:
        pytest.skip(f"HOSTS leaves {request.param} out")
    yield hosts.get(request.param)


@pytest.fixture
def drive(make_model: Any, make_home: Any) -> Any:
    """Runs a mode of the driver in a home and returns its outcome."""

    def run(mode: str, argument: str = "", *, plugin: bool = True, **options: Any) -> dict[str, Any]:
        home = make_home(make_model([]), plugins=("toolsearch",) if plugin else (), **options)
        done = home.run([str(home.host.python), str(DRIVER), mode, argument], timeout=570)
        lines = [line for line in done.stdout.splitlines() if line.startswith("OUTCOME ")]
        assert lines, done.stdout[-2000:] + done.stderr[-4000:] + home.log[-4000:]
        found: dict[str, Any] = json.loads(lines[-1].removeprefix("OUTCOME ")) | {"log": done.stderr + home.log}
        return found

    return run


@pytest.fixture
def sampled(tmp_path: Path) -> Any:
    """Writes a seeded sample of a judged set to a file; its queries, and the driver's argument for it."""

    def sample(name: str) -> tuple[dict[str, Any], str]:
        folder, catalog = JUDGED / name, JUDGED / "pool_agent_keywords" / "tools.jsonl.gz"
        if not catalog.exists():
            pytest.skip("../shared/data/judged is not there")
        lines = (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
        chosen = random.Random(7).sample(lines, SAMPLE)
        path = tmp_path / f"{name}.jsonl"
        path.write_text("\n".join(chosen), encoding="utf-8")
        return {query["query"]: query for query in map(json.loads, chosen)}, f"{catalog},{path}"

    return sample


@pytest.fixture
def clock(tmp_path: Path) -> dict[str, Any]:
    """A replayed server of three tools, one of them with an enumeration."""
    zone = {"type": "object", "properties": {"timezone": {"type": "string"}}, "required": ["timezone"]}
    style = {"type": "object", "properties": {"style": {"type": "string", "enum": ["analog", "digital"]}}}
    tools = [
        {"name": "get_current_time", "description": "Get the current time in a timezone.", "inputSchema": zone},
        {"name": "convert_time", "description": "Convert a time between timezones.", "inputSchema": zone},
        {"name": "set_face", "description": "Choose what the clock looks like.", "inputSchema": style},
    ]
    catalog = tmp_path / "clock.json"
    catalog.write_text(json.dumps({"tools": tools}), encoding="utf-8")
    return replay(catalog, "--log", str(tmp_path / "clock.log"))


def description(request: Request, name: str = "tool_search") -> str:
    """The search tool's description in a request."""
    texts = {tool["function"]["name"]: tool["function"]["description"] for tool in request.tools}
    return str(texts[name])


def ran(tmp_path: Path) -> list[tuple[str, Any]]:
    """What reached the replayed clock."""
    log = tmp_path / "clock.log"
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return [(call["name"], call["arguments"]) for call in map(json.loads, lines)]


def recall(answers: dict[str, list[str]], judged: dict[str, Any]) -> float:
    """Recall@5 as the data's own table counts it."""
    shares = [
        sum(bool(set(group) & set(answers[text])) for group in query["groups"]) / len(query["groups"])
        for text, query in judged.items()
    ]
    return sum(shares) / len(shares)


@pytest.mark.parametrize("name", ["pool_agent_keywords", "pool_agent_paraphrase"])
def test_the_hosts_own_search_ranks_as_ours(drive: Any, sampled: Any, name: str) -> None:
    """``tool_search`` of the host answers over 2,932 tools what our ranking answers, name by name (E1, E2, K3)."""
    judged, argument = sampled(name)
    with_plugin = drive("search", argument)
    assert with_plugin["ours"] == with_plugin["host"]
    without = drive("search", argument, plugin=False)
    assert recall(without["host"], judged) < recall(with_plugin["host"], judged)


def test_a_sentence_finds_its_tool(make_model: Any, make_home: Any, host: Any, clock: Any) -> None:
    """A question in plain words is answered, where the newest host's own search finds nothing (E5, W7)."""
    question = "what time is it in Berlin right now?"
    script = [[Call("tool_search", {"queries": [question]})], "Late."]
    current = host.mcp_name("clock", "get_current_time")
    found = make_home(make_model(script), servers={"clock": clock}).oneshot("Time?").turns[-1].results[-1]
    assert current in found
    if host.version == "0.22.2.post1":
        alone = make_home(make_model(script), servers={"clock": clock}, plugins=()).oneshot("Time?")
        assert json.loads(alone.turns[-1].results[-1])["results"][0]["matches"] == []


@pytest.mark.parametrize("context_length", [64_000, 200_000])
def test_the_listing_stays_within_the_budget(
    make_model: Any, make_home: Any, captures: Path, context_length: int
) -> None:
    """The listing in the host's description costs at most 5 % of the context and 4,000 tokens, exactly counted (F6)."""
    model = make_model(["Done."])
    servers = {name: replay(captures / f"{name}.json") for name in ("linear", "ms365", "time")}
    home = make_home(model, servers=servers, context_length=context_length)
    [turn, *_] = home.oneshot("Hello").turns
    text = description(turn)
    listing = text[text.rindex("\n\n") + 2 :]
    assert listing.endswith("</listing>")
    assert "mcp__time__* (2)" in listing
    assert tokens.count(listing) <= min(4_000, context_length * 5 // 100)


def test_a_deferred_tool_runs_by_its_real_name(
    make_model: Any, make_home: Any, host: Any, clock: Any, tmp_path: Path
) -> None:
    """A direct call runs, is checked like any other, and an unknown name's error lists no deferred tool (A6, W3)."""
    current, face = host.mcp_name("clock", "get_current_time"), host.mcp_name("clock", "set_face")
    script = [[Call(current, {"timezone": "UTC"})], [Call(face, {"style": "round"})], [Call("mcp__x__y")], "Done."]
    run = make_home(make_model(script), servers={"clock": clock}).chat("Time?")
    assert ran(tmp_path) == [("get_current_time", {"timezone": "UTC"})]
    results = run.turns[-1].results
    assert "analog" in results[1]
    assert "convert_time" not in results[2]
    assert "Auto-repaired" not in run.stdout


def test_a_batch_of_local_calls_runs_in_order(
    make_model: Any, make_home: Any, host: Any, clock: Any, tmp_path: Path
) -> None:
    """Several entries in one call run as several calls, and a wrong one fails alone (W4, D2)."""
    entries = [
        {"name": host.mcp_name("clock", "get_current_time"), "arguments": {"timezone": zone}} for zone in ("UTC", "CET")
    ]
    calls = [entries[0], {"name": "no_such_tool", "arguments": {}}, entries[1]]
    run = make_home(make_model([[Call("tool_call", {"calls": calls})], "Done."]), servers={"clock": clock}).oneshot("?")
    assert run.stdout == "Done.\n"
    assert ran(tmp_path) == [("get_current_time", {"timezone": zone}) for zone in ("UTC", "CET")]
    text = " ".join(run.turns[-1].results)
    assert text.index("UTC") < text.index("no_such_tool") < text.index("CET")


@pytest.mark.parametrize(
    "arguments",
    [
        {"name": "mcp-clock-get-current-time", "arguments": {"timezone": "UTC"}},
        {"name": "get_current_time", "arguments": '{"timezone": "UTC"}'},
        {"name": "mcp__clock__get_current_time", "timezone": "UTC"},
        {"calls": '[{"name": "mcp__clock__get_current_time", "arguments": {"timezone": "UTC"}}]'},
    ],
    ids=["hyphens", "bare name", "flat", "calls in a string"],
)
def test_what_the_host_refuses_is_repaired(
    make_model: Any, make_home: Any, clock: Any, tmp_path: Path, arguments: Any
) -> None:
    """A call that has one meaning runs, however it was written (D1, D4, D8, D9)."""
    make_home(make_model([[Call("tool_call", arguments)], "Done."]), servers={"clock": clock}).oneshot("Time?")
    assert ran(tmp_path) == [("get_current_time", {"timezone": "UTC"})]


def test_a_core_tool_through_the_bridge_runs(make_model: Any, make_home: Any, clock: Any) -> None:
    """A visible tool runs under its own name when it is called through the bridge (J1)."""
    call = Call("tool_call", {"name": "search_files", "arguments": {"pattern": "x", "path": "."}})
    run = make_home(make_model([[call], "Done."]), servers={"clock": clock}).oneshot("Look")
    assert "directly" not in run.turns[-1].results[-1]
    assert "total_count" in run.turns[-1].results[-1]


def test_lookups_are_understood_in_either_shape(make_model: Any, make_home: Any, host: Any, clock: Any) -> None:
    """One query or several, one name or several: the host gets its own shape, and answers in it (D5)."""
    current = host.mcp_name("clock", "get_current_time")
    script = [
        [Call("tool_search", {"query": "current time"})],
        [Call("tool_search", {"queries": ["current time", "clock face"]})],
        [Call("tool_describe", {"name": current})],
        [Call("tool_describe", {"names": ["clock.get_current_time"]})],
        "Done.",
    ]
    results = make_home(make_model(script), servers={"clock": clock}).oneshot("Time?").turns[-1].results
    assert all(current in result for result in results)
    assert host.mcp_name("clock", "set_face") in results[1]
    assert '"timezone"' in results[2] and '"timezone"' in results[3]


def test_other_names_at_the_provider(make_model: Any, make_home: Any, host: Any, clock: Any, tmp_path: Path) -> None:
    """A provider that reserves the bridge's names gets others, and results named as their calls (A1, A3, A5)."""
    arguments = {"name": host.mcp_name("clock", "get_current_time"), "arguments": {"timezone": "UTC"}}
    script = [[Call("find_tools", {"query": "time"})], [Call("run_tool", arguments)], "Done."]
    rules = [reserved_name("tool_search"), reserved_name("tool_call"), matching_result_names]
    home = make_home(
        make_model(script, rules=rules),
        servers={"clock": clock},
        tool_search={"bridge_names": {"search": "find_tools", "call": "run_tool"}},
    )
    run = home.chat("Time?")
    assert "Done." in run.stdout
    assert "run_tool" in description(run.turns[0], "find_tools")
    assert ran(tmp_path) == [("get_current_time", {"timezone": "UTC"})]
    assert "Auto-repaired" not in run.stdout and "run_tool" not in run.stdout


def test_a_limit_on_descriptions_is_learned(make_model: Any, make_home: Any, clock: Any, captures: Path) -> None:
    """Where a provider refuses a long description, the listing is shortened once and the turn goes on (F11)."""

    def limit(body: Any) -> Any:
        """Of the bridge alone: some of these hosts' own tools have longer descriptions than the limit allows."""
        bridge = [tool for tool in body.get("tools") or () if tool["function"]["name"].startswith("tool_")]
        return description_limit()({"tools": bridge})

    model = make_model(["Done."], rules=[limit])
    servers = {"clock": clock, "linear": replay(captures / "linear.json")}
    run = make_home(model, servers=servers).oneshot("Hello")
    assert run.stdout == "Done.\n"
    assert len(description(model.turns[-1])) <= 1_024


def test_a_schema_reaches_the_model_without_references(
    make_model: Any, make_home: Any, host: Any, tmp_path: Path
) -> None:
    """What is described, and what a refusal shows of a schema, has no ``$ref`` and no ``$defs`` (A4)."""
    schema = {
        "type": "object",
        "properties": {"where": {"$ref": "#/$defs/Place"}},
        "required": ["where"],
        "$defs": {"Place": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}},
    }
    catalog = tmp_path / "map.json"
    catalog.write_text(json.dumps({"tools": [{"name": "find", "description": "Find.", "inputSchema": schema}]}))
    find = host.mcp_name("map", "find")
    script = [[Call("tool_describe", {"name": find})], [Call("tool_call", {"name": find, "arguments": {}})], "Done."]
    model = make_model(script, rules=[no_references])
    run = make_home(model, servers={"map": replay(catalog)}).oneshot("Where?")
    assert run.stdout == "Done.\n"
    assert "city" in run.turns[-1].results[0] and "city" in run.turns[-1].results[1]


def test_pins_stay_visible(make_model: Any, make_home: Any, host: Any, clock: Any, notes: Any) -> None:
    """A pinned tool and a pinned server are in the array and neither listed nor found; the rest is deferred (G4)."""
    pinned = [host.mcp_name("clock", "set_face"), "mcp-notes"]
    model = make_model([[Call("tool_search", {"queries": ["note", "clock face"]})], "Done."])
    home = make_home(model, servers={"clock": clock, "notes": notes}, tool_search={"pin": pinned})
    run = home.oneshot("?")
    names = run.turns[0].tool_names
    assert {host.mcp_name("clock", "set_face"), host.mcp_name("notes", "add_note"), "tool_call"} <= set(names)
    assert host.mcp_name("clock", "convert_time") not in names
    assert "set_face" not in description(run.turns[0]) and "add_note" not in description(run.turns[0])
    assert "set_face" not in run.turns[-1].results[-1].replace("clock face", "")


def test_trust_rules_hold_in_the_hosts_listing(make_model: Any, make_home: Any, clock: Any, notes: Any) -> None:
    """A server's text is shown as far as ``listing_trust`` says (B8, B9)."""
    trust = {"listing_trust": {"clock": "names", "notes": "counts"}}
    home = make_home(make_model(["Done."]), servers={"clock": clock, "notes": notes}, tool_search=trust)
    text = description(home.oneshot("?").turns[0])
    assert "set_face" in text and "looks like" not in text
    assert "add_note" not in text and "2 tools" in text


@pytest.mark.parametrize("file", ["config.yaml", "hermes.yaml"])
def test_off_is_off(make_model: Any, make_home: Any, clock: Any, file: str) -> None:
    """With ``enabled: off``, in either file, the request is what it is without the plugin, byte for byte (G1, F2)."""
    section = {"enabled": "off"}
    alone = make_home(make_model(["Hi."]), servers={"clock": clock}, plugins=(), tool_search=section).oneshot("Hello")
    home = make_home(
        make_model(["Hi."]), servers={"clock": clock}, tool_search=section if file == "config.yaml" else None
    )
    if file == "hermes.yaml":
        (home.path / file).write_text("tools: {tool_search: {enabled: 'off'}}\n", encoding="utf-8")
    run = home.oneshot("Hello")
    assert "mcp__clock__set_face" in run.turns[0].tool_names
    assert json.dumps(run.turns[0].tools) == json.dumps(alone.turns[0].tools)


def test_shapes_stay_the_hosts(drive: Any) -> None:
    """Arguments, answers and assemblies have with the plugin the fields that they have without it (G11)."""
    with_plugin, without = drive("shapes"), drive("shapes", plugin=False)
    for outcome in (with_plugin, without):
        # A hint that comes only with an empty answer: the plugin finds what the host does not.
        outcome["log"] = ""
        outcome["answers"][0]["results"] = outcome["answers"][0].get("results", [])[:1]
    assert with_plugin == without


def test_the_hosts_defaults_hold(drive: Any, host: Any) -> None:
    """Where the user set nothing, the host's own figures are ours too (F6, G2)."""
    found = drive("config")
    assert found["host"] == {key: value for key, value in found["ours"].items() if key != "defer"}
    assert found["ours"]["listing_max_tokens"] == 4_000
    newest = host.version == "0.22.2.post1"
    assert found["ours"]["max_search_limit"] == (25 if newest else 20)
    assert ("session_search" in found["ours"]["defer"]) is newest


def test_a_users_value_wins(drive: Any) -> None:
    """A value that the user wrote counts, on the host's side and on ours."""
    written = {"listing_max_tokens": 900, "max_search_limit": 12, "defer": []}
    found = drive("config", tool_search=written)
    assert (found["host"]["listing_max_tokens"], found["host"]["max_search_limit"]) == (900, 12)
    assert (found["ours"]["listing_max_tokens"], found["ours"]["max_search_limit"]) == (900, 12)
    assert found["ours"]["defer"] == []


def test_a_change_under_way_is_told(make_model: Any, make_home: Any, host: Any) -> None:
    """Tools that come and go between two turns are announced in the next; the array keeps its bytes (F1, H10)."""
    mail = "mcp__mail__send_mail"
    model = make_model(["One.", [Call(mail, {"text": "hi"})], "Two."])
    home = make_home(model)
    done = home.run([str(home.host.python), str(DRIVER), "conversation", f"{model.base_url},Hello"], timeout=300)
    [outcome] = [line for line in done.stdout.splitlines() if line.startswith("OUTCOME ")]
    assert json.loads(outcome.removeprefix("OUTCOME ")) == {"answers": ["One.", "Two."], "ran": [mail]}
    first, second = model.turns[0], model.turns[1]
    told = json.dumps(second.messages[-1])
    assert mail in told and "mcp__clock__convert_time" in told
    assert json.dumps(first.tools) == json.dumps(second.tools)


def test_a_session_is_switched_off_and_on(make_model: Any, make_home: Any) -> None:
    """A session that is switched off has every tool in its array and no bridge; on again, it has what it had."""
    add = "mcp__notes__add_note"
    model = make_model(["One.", [Call(add, {"text": "hi"})], "Two.", "Three."])
    home = make_home(model)
    done = home.run([str(home.host.python), str(DRIVER), "switched", f"{model.base_url},Hello"], timeout=300)
    assert f'OUTCOME {{"ran": ["{add}"]}}' in done.stdout, done.stderr
    on, off, _, again = (set(turn.tool_names) for turn in model.turns)
    bridge = {"tool_search", "tool_describe", "tool_call"}
    assert {add, "mcp__clock__get_current_time"} <= off - on
    assert on - off == bridge
    assert again == on


RENAMED = {
    "search_catalog": "tools.tool_search.search_catalog",
    "build_catalog": "tools.tool_search.build_catalog",
    "build_catalog_listing_with_form": "tools.tool_search.build_catalog_listing_with_form",
    "is_deferrable_tool_name": "tools.tool_search.is_deferrable_tool_name",
    "classify_tools": "tools.tool_search.classify_tools",
    "_dispatch_delegate_task": "AIAgent._dispatch_delegate_task",
}


@pytest.mark.parametrize("name", RENAMED)
def test_a_name_that_is_gone_turns_one_feature_off(drive: Any, name: str) -> None:
    """On a host that calls something otherwise, that alone is off, said once in the log and in the status (G12)."""
    found = drive("renamed", name)
    assert found["form"] == "tiered"
    assert "tool_call" in found["names"] and "mcp__notes__add_note" not in found["names"]
    assert "mcp__notes__add_note" in found["found"]
    assert json.loads(found["ran"])["ran"] == "mcp__notes__add_note"
    off = [seam for seam, status in found["status"].items() if status == "missing on this host"]
    assert off == [RENAMED[name]]
    assert found["log"].count(f"this host has no {RENAMED[name]};") >= 1


def test_isolated_plugins_do_no_harm(make_model: Any, make_home: Any, host: Any, clock: Any) -> None:
    """Under ``plugins.isolation: host`` everything is off, the log says so, and requests are the host's own."""
    if host.version != "0.22.2.post1":
        pytest.skip("this host has no plugins.isolation")
    plugins = {"plugins": {"isolation": "host", "enabled": ["toolsearch"]}}
    alone = make_home(make_model(["Hi."]), servers={"clock": clock}, plugins=()).oneshot("Hello")
    home = make_home(make_model(["Hi."]), servers={"clock": clock}, extra=plugins)
    run = home.oneshot("Hello")
    assert run.stdout == "Hi.\n"
    assert json.dumps(run.turns[0].tools) == json.dumps(alone.turns[0].tools)
    assert "plugins.isolation is 'host'" in home.log + run.stderr
