"""What a model wrote for the call tool, and which invocations it states."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Iterator
from typing import Any

import pytest
from granted import BATCH, GITHUB, SCOPE, TERMINAL, scope_of, tool
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from hermes_plugin_toolsearch.calls import MAX_CALLS, Invocation, Refusal, open_call
from hermes_plugin_toolsearch.config import BridgeNames
from hermes_plugin_toolsearch.names import Resolved, Scope

ISSUE = "mcp__github__create_issue"
GIVEN = {"owner": "o", "title": "t"}
RUN = Invocation("terminal", {"command": "ls"})
SPELLINGS = ["create_issue", "github.create_issue", "list_teams", "get-note", "call_tool", "Terminal"]
SPELLINGS += ["nope", "bitbucket/get_note", "mcp__bank__pay", ""]
ENVELOPE_KEYS = {"name", "tool", "tool_name", "function", "arguments", "args", "params", "input", "parameters"}
ENVELOPE_KEYS |= {"calls", "server", "id", "type", "reasoning", "tool_call"}
EXAMPLES = int(os.environ.get("TOOLSEARCH_EXAMPLES", "1000"))


def refused(written: object, scope: Scope = SCOPE) -> dict[str, Any]:
    """Give the message of the one refusal that ``written`` gets."""
    (outcome,) = open_call(written, scope)
    assert isinstance(outcome, Refusal), outcome
    assert json.loads(outcome.text) == outcome.message
    return dict(outcome.message)


# ---- one call ----


def test_a_plain_call_is_taken_as_it_stands() -> None:
    """``{name, arguments}`` is the call, nested values untouched."""
    deep = {"owner": "o", "title": "t", "body": {"x": [1, "2", None]}}
    assert open_call({"name": ISSUE, "arguments": deep}, SCOPE) == (Invocation(ISSUE, deep),)


@pytest.mark.parametrize("empty", ["", "  ", None, {}, [], "{}", "null", '""'])
def test_a_call_without_arguments_has_none(empty: object) -> None:
    """Every way to write no arguments, and leaving them out, is a call with no arguments (D4)."""
    expected = (Invocation("mcp__linear__list_teams", {}),)
    assert expected == open_call({"name": "mcp__linear__list_teams", "arguments": empty}, SCOPE)
    assert expected == open_call({"name": "mcp__linear__list_teams"}, SCOPE)


@pytest.mark.parametrize("times", [1, 2, 3])
def test_json_text_is_read_however_often_it_was_encoded(times: int) -> None:
    """Arguments, the list of calls and the whole envelope may be JSON text, text of text too (D9)."""

    def text(value: object) -> object:
        for _ in range(times):
            value = json.dumps(value)
        return value

    assert open_call({"name": ISSUE, "arguments": text(GIVEN)}, SCOPE) == (Invocation(ISSUE, GIVEN),)
    assert open_call(text({"name": ISSUE, "arguments": text(GIVEN)}), SCOPE) == (Invocation(ISSUE, GIVEN),)
    assert open_call({"calls": text([{"name": ISSUE, "arguments": GIVEN}])}, SCOPE) == (Invocation(ISSUE, GIVEN),)


def test_raw_line_breaks_in_json_text_are_read() -> None:
    """A line break or tab that stands unescaped within a string of JSON text is part of that string."""
    written = {"name": ISSUE, "arguments": '{"owner": "o", "title": "first\n\tsecond"}'}
    assert open_call(written, SCOPE) == (Invocation(ISSUE, {"owner": "o", "title": "first\n\tsecond"}),)


@pytest.mark.parametrize(
    "written",
    [
        {"name": ISSUE, **GIVEN},
        {"name": ISSUE, "arguments": {}, **GIVEN},
        {"name": ISSUE, "arguments": "", **GIVEN},
        {"name": ISSUE, "arguments": None, "calls": [], **GIVEN},
        {"tool": ISSUE, **GIVEN},
        {"tool_name": ISSUE, "args": GIVEN},
        {"toolName": ISSUE, "toolInput": GIVEN},
        {"function": ISSUE, "parameters": GIVEN},
        {"function_name": ISSUE, "params": GIVEN},
        {"name": ISSUE, "input": json.dumps(GIVEN)},
        {"function": {"name": ISSUE, "arguments": GIVEN}},
        {"id": "call_1", "type": "function", "function": {"name": ISSUE, "arguments": json.dumps(GIVEN)}},
        {"tool_calls": [{"id": "call_1", "type": "function", "function": {"name": ISSUE, "arguments": GIVEN}}]},
        {"server_name": "github", "tool_name": "create_issue", "arguments": GIVEN},
        {"name": ISSUE, "server": "github", "arguments": GIVEN},
        {"arguments": {"name": ISSUE, "arguments": GIVEN}},
        {"name": "", "arguments": {"name": ISSUE, "arguments": GIVEN}},
        {"name": ISSUE, "arguments": {"name": ISSUE, "arguments": GIVEN}},
        {"name": ISSUE, "arguments": {"arguments": GIVEN}},
        {"name": ISSUE, "arguments": [GIVEN]},
        {"name": ISSUE, "tool": "github.create_issue", "arguments": GIVEN},
        {"name": ISSUE, "arguments": GIVEN, "reasoning": "the user asked for it"},
        {"name": ISSUE, "arguments": GIVEN, "calls": []},
        {"name": ISSUE, "arguments": GIVEN, "calls": [{"name": ISSUE, "arguments": GIVEN}]},
        {"name": ISSUE, "calls": [{"name": ISSUE, "arguments": GIVEN}]},
        {"name": "", "arguments": {}, "calls": [{"name": ISSUE, "arguments": GIVEN}]},
        {"calls": {"name": ISSUE, "arguments": GIVEN}},
        [{"name": ISSUE, "arguments": GIVEN}],
        {ISSUE: GIVEN},
        {"tool_call": {"name": ISSUE, "arguments": GIVEN}},
        {"name": "tool_call", "arguments": {"name": ISSUE, "arguments": GIVEN}},
        {"name": "tool_call", "arguments": json.dumps({"name": ISSUE, "arguments": GIVEN})},
        {"name": "tool_call", "tool": ISSUE, "args": GIVEN},
        {"name": "tool_call", "calls": [{"name": ISSUE, "arguments": GIVEN}]},
        {"name": "tool_call", "arguments": {"name": "tool_call", "arguments": {"name": ISSUE, "arguments": GIVEN}}},
    ],
)
def test_a_shape_that_can_be_read_in_one_way_is_that_call(written: object) -> None:
    """Flattened, aliased, wrapped, doubled and bridge-in-bridge shapes are the call they state (A5, D3, D9, D13)."""
    assert open_call(written, SCOPE) == (Invocation(ISSUE, GIVEN),)


@pytest.mark.parametrize(
    ("written", "arguments"),
    [
        ({"name": "mcp__crm__create_user", "arguments": {"name": "Bob", "id": "7"}}, {"name": "Bob", "id": "7"}),
        ({"tool": "mcp__crm__create_user", "name": "Bob", "id": "7"}, {"name": "Bob", "id": "7"}),
        ({"name": "mcp__crm__create_user", "id": "7", "email": "e"}, {"id": "7", "email": "e"}),
        ({"name": "mcp__unreal__call_tool", "tool_name": "spawn", "arguments": {"x": 1}}, "all"),
        ({"name": "mcp__unreal__call_tool", "arguments": {"tool_name": "spawn", "arguments": {"x": 1}}}, "arguments"),
        ({"name": "call_tool", "arguments": {"tool_name": ISSUE, "arguments": GIVEN}}, "arguments"),
        ({"name": "mcp__lark__send", "params": {"q": 1}}, {"params": {"q": 1}}),
        ({"name": "mcp__lark__send", "params": {"q": 1}, "data": {}}, {"params": {"q": 1}, "data": {}}),
        ({"name": "mcp__lark__send", "arguments": {"params": {"q": 1}}}, {"params": {"q": 1}}),
        ({"name": "mcp__phone__dial", "calls": ["Bob"]}, {"calls": ["Bob"]}),
    ],
)
def test_a_tools_own_parameters_may_be_called_like_the_envelopes(written: dict[str, Any], arguments: Any) -> None:
    """A target's ``name``, ``id``, ``arguments``, ``params`` or ``calls`` is its argument (D9, C10)."""
    if arguments == "all":
        arguments = {key: value for key, value in written.items() if key != "name"}
    elif arguments == "arguments":
        arguments = written["arguments"]
    (outcome,) = open_call(written, SCOPE)
    assert isinstance(outcome, Invocation)
    assert outcome.arguments == arguments


def test_a_flat_call_that_says_type_function_is_not_given_it_as_an_argument() -> None:
    """What a provider's envelope holds beside the arguments is no argument, even where the tool has one so called."""
    scope = scope_of(tool("mcp__zoo__add", {"type": {"type": "string"}}))
    written = {"type": "function", "name": "mcp__zoo__add", "arguments": {"type": "cat"}}
    assert open_call(written, scope) == (Invocation("mcp__zoo__add", {"type": "cat"}),)


def test_an_exact_name_counts_for_more_than_another_spelling() -> None:
    """With ``tool`` exact and ``name`` only like a tool's bare name, ``name`` is an argument."""
    written = {"tool": "mcp__crm__create_user", "name": "get_note", "email": "e"}
    expected = Invocation("mcp__crm__create_user", {"name": "get_note", "email": "e"})
    assert open_call(written, SCOPE) == (expected,)


def test_a_visible_tool_runs_under_its_own_name() -> None:
    """A core tool sent through the bridge is a call of that tool (J1, C3, D13)."""
    assert open_call({"name": "terminal", "arguments": {"command": "ls"}}, SCOPE) == (RUN,)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ({"name": "tool_search", "arguments": {"query": "issues"}}, Invocation("tool_search", {"query": "issues"})),
        ({"name": "tool_search", "query": "issues"}, Invocation("tool_search", {"query": "issues"})),
        ({"name": "tool_describe", "arguments": {"name": ISSUE}}, Invocation("tool_describe", {"name": ISSUE})),
    ],
)
def test_search_and_describe_through_the_call_tool_are_what_they_say(written: object, expected: Invocation) -> None:
    """The harmless bridge tools run when they are sent through the third (D13)."""
    assert open_call(written, SCOPE) == (expected,)


def test_a_renamed_call_tool_is_peeled_under_either_name() -> None:
    """Bridge inside bridge is understood where a provider made us rename it, too (A5)."""
    scope = scope_of(TERMINAL, visible=["terminal"], bridge=BridgeNames(call="run_tool"))
    for outer in ("run_tool", "tool_call"):
        written = {"name": outer, "arguments": {"name": "terminal", "arguments": {"command": "ls"}}}
        assert open_call(written, scope) == (RUN,)


# ---- several calls ----


def test_several_calls_come_out_in_order_and_each_fails_alone() -> None:
    """One entry that cannot be read does not stop the others (D6)."""
    written = {
        "calls": [
            {"name": "terminal", "arguments": {"command": "ls"}},
            {"name": "nope"},
            '{"name": "terminal", "command": "ls"}',
            "garbage",
            7,
            {"name": "mcp__linear__list_teams"},
        ]
    }
    outcomes = open_call(written, SCOPE)
    assert [True, False, True, False, False, True] == [isinstance(outcome, Invocation) for outcome in outcomes]
    assert outcomes[2] == RUN


def test_two_calls_of_visible_tools_in_one_envelope_run() -> None:
    """Two searches or two core calls in one envelope are two calls (D6)."""
    entries = [{"name": "tool_search", "arguments": {"query": word}} for word in ("a", "b")]
    expected = tuple(Invocation("tool_search", {"query": word}) for word in ("a", "b"))
    assert open_call({"calls": entries}, SCOPE) == expected


def test_the_number_of_calls_in_one_envelope_is_bounded() -> None:
    """Of very many entries the first are taken and one refusal stands for the others."""
    one = {"name": "terminal", "arguments": {"command": "ls"}}
    outcomes = open_call({"calls": [one] * 10_000}, SCOPE)
    assert outcomes[:-1] == (RUN,) * MAX_CALLS
    assert isinstance(outcomes[-1], Refusal)
    assert len(open_call({"calls": [one] * MAX_CALLS}, SCOPE)) == MAX_CALLS
    assert len(open_call([[[one] * 50] * 50] * 50, SCOPE)) == MAX_CALLS + 1


# ---- refusals ----


def test_a_call_without_a_name_is_answered_with_the_tool_that_takes_its_arguments() -> None:
    """Flat arguments alone get the payload to send, with the one granted tool that they fit (A5, D13, J3)."""
    assert refused({"project": "p", "title": "t"})["corrected_call"] == {
        "name": "mcp__gitlab__create_issue",
        "arguments": {"project": "p", "title": "t"},
    }


def test_a_call_without_a_name_that_fits_no_tool_still_shows_its_own_values() -> None:
    """The corrected call holds the caller's values beside a place for the name (A5, J3)."""
    message = refused({"topic": "news", "limit": 5})
    assert message["corrected_call"] == {"name": "<tool name>", "arguments": {"topic": "news", "limit": 5}}
    assert "tool_search" in message["next"]


def test_a_search_sent_to_the_call_tool_is_answered_with_the_search() -> None:
    """A query without a name that no tool takes becomes the search to send (A5)."""
    message = refused({"query": "news", "limit": 5})
    assert message["corrected_call"] == {"name": "tool_search", "arguments": {"query": "news", "limit": 5}}


def test_a_mixture_of_nested_and_flat_arguments_is_refused_with_both_put_together() -> None:
    """Arguments beside and under ``arguments`` are not guessed at; the merged call is shown (D9)."""
    message = refused({"name": ISSUE, "arguments": {"owner": "o"}, "title": "t"})
    assert message["corrected_call"] == {"name": ISSUE, "arguments": GIVEN}


def test_arguments_that_fit_in_two_ways_are_refused_with_both() -> None:
    """``params`` that may be the tool's parameter or the envelope's is shown in both readings (D9)."""
    inner = {"params": {"q": 1}}
    message = refused({"name": "mcp__lark__send", "params": inner})
    assert [{"name": "mcp__lark__send", "arguments": reading} for reading in (inner, {"params": inner})] == message[
        "one_of"
    ]


def test_two_named_tools_are_refused_with_a_call_of_each() -> None:
    """``name`` and ``tool`` that are both tools run neither."""
    message = refused({"name": ISSUE, "tool": "mcp__gitlab__create_issue", "arguments": {"title": "t"}})
    assert [call["name"] for call in message["one_of"]] == [ISSUE, "mcp__gitlab__create_issue"]


def test_a_single_call_beside_different_calls_is_refused_with_one_list() -> None:
    """``name`` and ``calls`` that say different things are shown as one list of calls (D6)."""
    other = {"name": "mcp__linear__list_teams", "arguments": {}}
    message = refused({"name": "terminal", "arguments": {"command": "ls"}, "calls": [other]})
    assert message["corrected_call"] == {"calls": [{"name": "terminal", "arguments": {"command": "ls"}}, other]}


def test_arguments_that_belong_to_no_particular_call_are_refused() -> None:
    """Something beside ``calls`` is not given to one of them."""
    entry = {"name": "terminal", "arguments": {"command": "ls"}}
    assert refused({"calls": [entry], "command": "rm"})["corrected_call"] == {"calls": [entry]}


def test_a_server_that_does_not_have_the_tool_is_not_overlooked() -> None:
    """A named server the session lacks refuses the call although another server has such a tool (B11)."""
    message = refused({"server": "bitbucket", "tool": "get_note", "arguments": {"path": "p"}})
    assert message["did_you_mean"] == ["mcp__obsidian_graph__get_note"]
    assert message["corrected_call"]["arguments"] == {"path": "p"}


def test_a_tool_that_was_not_granted_is_neither_run_nor_recommended() -> None:
    """The answer says 'not enabled in this session' and names no way to call it (B1, A6)."""
    message = refused({"name": "mcp__bank__pay", "arguments": {"amount": 1}})
    assert "not enabled in this session" in message["error"]
    assert {"error", "next"} == set(message)


def test_an_unknown_name_comes_back_with_a_call_that_can_be_sent() -> None:
    """The one similar name is put into the corrected call with the caller's arguments (D8, J3)."""
    message = refused({"name": "obsidian_grph.get_notes", "arguments": {"path": "p"}})
    assert message["corrected_call"] == {"name": "mcp__obsidian_graph__get_note", "arguments": {"path": "p"}}
    assert refused({"name": "send_fax"})["corrected_call"] == {
        "name": "tool_search",
        "arguments": {"query": "send fax"},
    }


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "terminal", "arguments": {"command": "ls"}',
        '{"name": "terminal", "arguments": {"command": "ls"',
        '{"name": "terminal", "arguments": {"command": "ls',
        '{"name": "terminal", "arguments": {"command": "ls"},}',
        "{'name': 'terminal', 'arguments': {'command': 'ls'}}",
        '```json\n{"name": "terminal", "arguments": {"command": "ls"}}\n```',
    ],
)
def test_broken_json_is_refused_with_what_it_was_meant_to_say(text: str) -> None:
    """Malformed JSON does not run, but the corrected call holds the caller's own values (D4, D13, J3)."""
    assert refused(text)["corrected_call"] == {"name": "terminal", "arguments": {"command": "ls"}}


def test_broken_arguments_are_refused_with_what_they_were_meant_to_say() -> None:
    """Arguments that are no object, text of one or bare text, come back as an object of the tool's parameters (D4)."""
    expected = {"name": "terminal", "arguments": {"command": "ls -la"}}
    assert expected == refused({"name": "terminal", "arguments": "ls -la"})["corrected_call"]
    assert expected == refused({"name": "terminal", "arguments": '{"command": "ls -la"'})["corrected_call"]
    assert expected == refused({"name": "terminal", "arguments": "{'command': 'ls -la'}"})["corrected_call"]
    skeleton = {"name": ISSUE, "arguments": {"owner": "<string>", "title": "<string>"}}
    assert skeleton == refused({"name": ISSUE, "arguments": "title is t"})["corrected_call"]


@pytest.mark.parametrize("nothing", [None, "", {}, [], "{}", "null", {"name": ""}, {"calls": []}, 5, "hello", True])
def test_a_call_that_states_nothing_is_refused_with_the_shape_to_send(nothing: object) -> None:
    """Nothing at all, and what is no call at all, is answered with the form of a call (D13)."""
    assert refused(nothing)["corrected_call"]["name"] == "<tool name>"


def test_envelopes_without_end_are_refused() -> None:
    """Envelopes nested far beyond use, as objects or as text, are refused and not followed."""
    deep: Any = {"name": "terminal", "arguments": {"command": "ls"}}
    for _ in range(50):
        deep = {"name": "tool_call", "arguments": deep}
    refused(deep)
    refused("[" * 100_000)
    refused('{"a":' * 100_000)


def test_an_answer_is_bounded_whatever_was_written() -> None:
    """A refusal does not send a long value or a long name back in full."""
    huge = "x" * 1_000_000
    for written in ({"query": huge}, {"name": huge}, {"name": ISSUE, "arguments": GIVEN, "body": [huge] * 100}, huge):
        assert len(refused(written)["error"]) < 1_000
        assert len(json.dumps(refused(written))) < 20_000


def test_an_answer_can_be_sent_whatever_characters_were_written() -> None:
    """A lone surrogate in a name or a value, which no transport takes, does not come back."""
    for written in ({"name": "\ud800"}, {"query": "\ud800"}, '{"name": "nope", "arguments": "\\ud800"}'):
        (outcome,) = open_call(written, SCOPE)
        assert isinstance(outcome, Refusal)
        assert outcome.text.encode("utf-8")


# ---- generated envelopes ----

NAMES = st.sampled_from([*SCOPE.deferred.by_name, *SPELLINGS, "terminal", "tool_call", "tool_search", "tool_describe"])
ROLES = st.sampled_from(sorted(ENVELOPE_KEYS))
PARAMETERS = st.sampled_from(
    ["owner", "title", "project", "email", "path", "command", "data", "query", "limit", ISSUE, "x"]
)
SCALARS = st.one_of(
    NAMES,
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(allow_nan=False, allow_infinity=False, width=16),
    st.text(max_size=8),
)


FORMS = ("call", "call", "flat", "flat", "object", "calls", "list")


def build(form: str, name: str, keys: list[str], parts: list[Any], text: int) -> Any:
    """Give one object or list made of ``parts``, as it is, as JSON text, or as JSON text that was cut off."""
    value: Any = parts
    if form == "call":
        value = {"name": name, "arguments": parts[0] if parts else None}
    elif form == "flat":
        value = {"name": name, **dict(zip(keys, parts, strict=False))}
    elif form == "object":
        value = dict(zip(keys, parts, strict=False))
    elif form == "calls":
        value = {"calls": parts}
    return value if text < 4 else json.dumps(value)[: None if text < 6 else -1]


def containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Give objects that look like envelopes or arguments, lists, and either as JSON text."""
    keys = st.lists(st.one_of(ROLES, PARAMETERS), min_size=5, max_size=5)
    return st.builds(build, st.sampled_from(FORMS), NAMES, keys, st.lists(inner, max_size=5), st.integers(0, 6))


ENVELOPES = st.recursive(SCALARS, containers, max_leaves=12)


def spread(value: object) -> Iterator[object]:
    """Give every value in ``value``, JSON text also decoded, keys too."""
    yield value
    if isinstance(value, str):
        try:
            yield from spread(json.loads(value))
        except (ValueError, RecursionError):
            return
    elif isinstance(value, dict):
        for key, part in value.items():
            yield key
            yield from spread(part)
    elif isinstance(value, list):
        for part in value:
            yield from spread(part)


def same(first: object, second: object) -> bool:
    """Say whether two values are the same JSON, 1 and true told apart."""
    return json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)


def states(values: list[Any], invocation: Invocation, scope: Scope) -> bool:
    """Say whether ``values``, all that was written, hold the invocation's name and its arguments as one object."""
    objects = [value for value in values if isinstance(value, dict)]
    texts = [value for value in values if isinstance(value, str)]
    qualified = [f"{one.get('server')}/{text}" for one in objects if "server" in one for text in texts]
    meant = (scope.resolve(text) for text in [*texts, *qualified])
    named = any(isinstance(found, Resolved) and found.name == invocation.name for found in meant)
    whole = any(same(one, invocation.arguments) for one in objects)
    beside = any(
        # Flat: every argument stands in one object, and what else stands there is of the envelope.
        all(key in one and same(one[key], value) for key, value in invocation.arguments.items())
        and all(key in invocation.arguments or key in ENVELOPE_KEYS for key in one)
        for one in objects
    )
    return named and (whole or beside or not invocation.arguments)


generated = settings(
    max_examples=EXAMPLES, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)


@generated
@given(ENVELOPES)
def test_no_invocation_holds_what_the_input_does_not_state(written: object) -> None:
    """Whatever is written: no exception, no change of it, answers as JSON, and only invocations that it states.

    TOOLSEARCH_EXAMPLES=100000 makes the long run.
    """
    before = copy.deepcopy(written)
    outcomes = open_call(written, SCOPE)
    assert same(before, written)
    assert 1 <= len(outcomes) <= MAX_CALLS + 1
    values = list(spread(written))
    for outcome in outcomes:
        if isinstance(outcome, Refusal):
            assert outcome.message["error"]
            assert json.loads(outcome.text) == outcome.message
        else:
            assert states(values, outcome, SCOPE)


def plain(name: str, arguments: Any) -> Any:
    """Give the advertised shape."""
    return {"name": name, "arguments": arguments}


SHAPES = (
    plain,
    lambda name, arguments: {"name": name, "arguments": json.dumps(arguments)},
    lambda name, arguments: {"function": {"name": name, "arguments": json.dumps(arguments)}, "type": "function"},
    lambda name, arguments: {"tool": name, "arguments": arguments},
    lambda name, arguments: {"name": name, "arguments": arguments, "index": 0, "reasoning": "so"},
    lambda name, arguments: {"name": name, "calls": [plain(name, arguments)]},
)
WRAPPERS = (
    json.dumps,
    lambda envelope: {"calls": [envelope]},
    lambda envelope: [envelope],
    lambda envelope: {"arguments": envelope},
    lambda envelope: {"name": "tool_call", "arguments": envelope},
    lambda envelope: {"tool_call": envelope},
)
PARAMETERS_OF = {name: sorted(entry.parameters["properties"]) for name, entry in SCOPE.deferred.by_name.items()}


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """Give a granted name and arguments of its parameters, with any values."""
    name = draw(st.sampled_from(sorted(PARAMETERS_OF)))
    keys = st.sampled_from(PARAMETERS_OF[name]) if PARAMETERS_OF[name] else st.nothing()
    return name, draw(st.dictionaries(keys, ENVELOPES))


@generated
@given(calls(), st.sampled_from(SHAPES), st.lists(st.sampled_from(WRAPPERS), max_size=3))
def test_a_call_in_any_wrapping_is_that_very_call(call: Any, shape: Any, wrappers: list[Any]) -> None:
    """Whatever its argument values look like, a call loses and gains nothing in any shape and wrapping (D9, C10)."""
    name, arguments = call
    envelope = shape(name, arguments)
    assume(not ("calls" in envelope and "calls" in PARAMETERS_OF[name]))  # there it is the tool's parameter
    for wrapper in wrappers:
        envelope = wrapper(envelope)
    (outcome,) = open_call(envelope, SCOPE)
    assert isinstance(outcome, Invocation), envelope
    assert outcome.name == name
    assert same(outcome.arguments, arguments)


@generated
@given(calls())
def test_flat_arguments_are_all_taken_or_none(call: Any) -> None:
    """Arguments beside the name become exactly those arguments, or the call is refused (D9)."""
    name, arguments = call
    again = SCOPE.resolve(str(arguments.get("name")))
    assume(not (isinstance(again, Resolved) and again.name == name))  # there it only says the name twice
    (outcome,) = open_call({**arguments, "tool" if "name" in arguments else "name": name}, SCOPE)
    if isinstance(outcome, Invocation):
        assert outcome.name == name
        nested = arguments.get("arguments") or {}  # a parameter of this name, alone, is read as the envelope's
        assert same(outcome.arguments, arguments) or same(outcome.arguments, nested)


@generated
@example({"name": "mcp__crm__create_user", "arguments": '{"name": "mcp__crm__create_user", "arguments": "get_note"'})
@given(ENVELOPES)
def test_a_corrected_call_can_be_sent(written: object) -> None:
    """A corrected call without a placeholder for the name is opened as an invocation of that very tool (J3)."""
    for outcome in open_call(written, SCOPE):
        if isinstance(outcome, Invocation):
            continue
        corrected = outcome.message.get("corrected_call", {})
        calls = corrected.get("calls", [corrected])
        for call in (*calls, *outcome.message.get("one_of", ())):
            if not call or call["name"].startswith("<"):
                continue
            (again,) = open_call(call, SCOPE)
            assert isinstance(again, Invocation), (written, call, again)
            assert again.name == call["name"]


def test_every_granted_tool_can_be_called_by_its_own_name() -> None:
    """What is granted is callable, deferred or visible, and nothing else is (A12, B13)."""
    names = [*SCOPE.deferred.by_name, *SCOPE.visible]
    opened = [open_call({"name": name, "arguments": {}}, SCOPE) for name in names]
    assert opened == [(Invocation(name, {}),) for name in names]
    assert all(isinstance(open_call({"name": name}, scope_of(TERMINAL))[0], Refusal) for name in SCOPE.deferred.by_name)


def test_a_parameter_called_calls_is_not_a_list_of_calls() -> None:
    """A target's ``calls`` parameter keeps entries that look like calls, too, when it stands under ``arguments``."""
    scope = scope_of(BATCH, GITHUB)
    arguments = {"calls": [{"name": ISSUE, "arguments": GIVEN}]}
    expected = (Invocation("mcp__phone__dial", arguments),)
    assert open_call({"name": "mcp__phone__dial", "arguments": arguments}, scope) == expected
