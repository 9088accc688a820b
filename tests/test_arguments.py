"""Arguments against the schema of their tool."""

from __future__ import annotations

import copy
import json
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from granted import entry
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_plugin_toolsearch.arguments import MAX_PROBLEMS, Checked, check
from hermes_plugin_toolsearch.refusals import Refusal
from hermes_plugin_toolsearch.repair import Steps, TooLargeError
from hermes_plugin_toolsearch.validation import violations

CAPTURES = Path(__file__).parents[2] / "shared" / "data" / "captures"

STEP = {
    "type": "object",
    "properties": {"done": {"type": "boolean"}, "count": {"type": "integer"}},
    "required": ["done"],
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "owner": {"type": "string"},
        "repo": {"type": "string"},
        "number": {"type": "integer"},
        "ratio": {"type": "number"},
        "draft": {"type": "boolean"},
        "state": {"type": "string", "enum": ["open", "closed"]},
        "labels": {"type": "array", "items": {"type": "string"}},
        "steps": {"type": "array", "items": {"$ref": "#/$defs/Step"}},
        "step": {"$ref": "#/$defs/Step"},
        "until": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "note": {"type": "string", "nullable": True},
    },
    "required": ["owner", "repo"],
    "$defs": {"Step": STEP},
}
BASE = {"owner": "o", "repo": "r"}


def checked(arguments: Mapping[str, Any], schema: Mapping[str, Any] = SCHEMA) -> Any:
    """Give the arguments that go through."""
    outcome = check(entry(schema), arguments)
    assert isinstance(outcome, Checked), outcome
    return outcome.arguments


def refused(arguments: object, schema: Mapping[str, Any] = SCHEMA) -> dict[str, Any]:
    """Give the message of the refusal."""
    outcome = check(entry(schema), arguments)
    assert isinstance(outcome, Refusal), outcome
    assert json.loads(outcome.text) == outcome.message
    return dict(outcome.message)


def problems(arguments: object, schema: Mapping[str, Any] = SCHEMA) -> list[tuple[str, str]]:
    """Give path and rule of every problem."""
    return [(row["path"], row["rule"]) for row in refused(arguments, schema)["problems"]]


def through(schema: Any, arguments: Mapping[str, Any]) -> bool:
    """Say whether the arguments go through unchanged."""
    return check(entry(schema), arguments) == Checked(dict(arguments))


# ---- repair ----


@pytest.mark.parametrize(
    ("name", "written", "value"),
    [
        ("number", "42", 42),
        ("number", " -7 ", -7),
        ("number", "3.0", 3),
        ("ratio", "0.5", 0.5),
        ("ratio", "2", 2),
        ("draft", "true", True),
        ("draft", "False", False),
        ("labels", '["a", "b"]', ["a", "b"]),
        ("labels", "a", ["a"]),
        ("steps", '[{"done": true}]', [{"done": True}]),
        ("steps", {"done": "true"}, [{"done": True}]),
        ("steps", ['{"done": "true", "count": "2"}'], [{"done": True, "count": 2}]),
        ("step", '{"done": "false"}', {"done": False}),
        ("step", {"done": True, "count": "2"}, {"done": True, "count": 2}),
        ("until", "null", None),
        ("until", "12", 12),
    ],
)
def test_a_value_is_converted_to_its_declared_type(name: str, written: object, value: object) -> None:
    """Text of numbers, booleans, lists and objects, and one value for a list, as Hermes does, nested (D16, C10)."""
    found = checked({**BASE, name: written})[name]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string"}, "42"),
        ({"type": ["string", "integer"]}, "42"),
        ({"type": ["string", "null"]}, "null"),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "42"),
        ({}, "42"),
        ({"type": "array"}, ["1"]),
        ({"type": "object"}, {"a": "1"}),
        ({"type": "string"}, '{"a": 1}'),
        ({"enum": ["1", "2"]}, "1"),
    ],
)
def test_a_value_that_fits_as_it_is_stays(schema: dict[str, Any], value: object) -> None:
    """Nothing is converted that the schema takes: text of a number is text where text is wanted."""
    assert checked({"x": value}, {"properties": {"x": schema}}) == {"x": value}


@pytest.mark.parametrize("written", ["many", "1.5", "0x10", "1_000", "1e999", "NaN", "", "٣", True, 1.5])
def test_what_is_no_integer_is_not_made_one(written: object) -> None:
    """Nothing is guessed: what does not read as an integer is reported."""
    assert problems({**BASE, "number": written}) == [("number", "type")]


def test_the_arguments_that_were_written_are_not_changed() -> None:
    """Repairs are made in a copy."""
    written = {**BASE, "number": "1", "steps": [{"done": "true"}]}
    before = copy.deepcopy(written)
    checked(written)
    assert written == before


# ---- check ----


def test_missing_mistyped_unknown_and_out_of_enum_values_come_back_at_once() -> None:
    """One answer names every problem by path and rule, and nothing ran (D2, D3)."""
    written = {"owner": "o", "state": "opened", "number": "many", "colour": "red", "steps": [{"count": 1}]}
    assert set(problems(written)) == {
        ("repo", "required"),
        ("state", "enum"),
        ("number", "type"),
        ("colour", "additionalProperties"),
        ("steps[0].done", "required"),
    }


def test_the_answer_holds_the_schema_and_a_call_to_send() -> None:
    """One retry suffices: what is expected, the inlined schema, and the caller's values in a call (D3, J3)."""
    message = refused({"owner": "o", "state": "merged", "number": 5})
    assert message["problems"] == [
        {"path": "state", "rule": "enum", "expected": '"open" | "closed"'},
        {"path": "repo", "rule": "required", "expected": "string"},
    ]
    assert message["corrected_call"] == {
        "name": "mcp__server__tool",
        "arguments": {"owner": "o", "state": '<"open" | "closed">', "number": 5, "repo": "<string>"},
    }
    assert message["schema"]["properties"]["steps"]["items"] == STEP


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("repository", "repo"),
        ("Repo", "repo"),
        ("repos", "repo"),
        ("is-draft", "draft"),
        ("dratf", "draft"),
        ("assignee", None),
    ],
)
def test_an_unknown_argument_is_renamed_in_the_corrected_call_only(written: str, meant: str | None) -> None:
    """A likely name is suggested with the caller's value; the call itself is not made with it."""
    given_arguments = {"owner": "o", "repo": "r", written: "v"}
    given_arguments.pop(str(meant), None)
    message = refused(given_arguments)
    row = message["problems"][0]
    assert (row["path"], row.get("did_you_mean")) == (written, meant)
    arguments = message["corrected_call"]["arguments"]
    assert written not in arguments
    if meant is not None:
        assert arguments[meant] == "v"


def test_a_value_like_one_of_the_enumeration_is_put_into_the_corrected_call() -> None:
    """A wrong case or form of an enumerated value is suggested, not applied; long enumerations are listed (D2)."""
    message = refused({**BASE, "state": "OPENED"})
    assert message["problems"][0]["did_you_mean"] == "open"
    assert message["corrected_call"]["arguments"]["state"] == "open"
    many = {"properties": {"x": {"enum": [f"v{number}" for number in range(25)]}}}
    assert '"v24"' in refused({"x": "none of them"}, many)["problems"][0]["expected"]


def test_null_for_an_optional_argument_is_left_out_of_the_corrected_call() -> None:
    """Null where the schema does not take it is a problem; the call to send is the one without it."""
    message = refused({**BASE, "number": None, "repo": None})
    assert [(row["path"], row["rule"]) for row in message["problems"]] == [("repo", "type"), ("number", "type")]
    assert message["corrected_call"]["arguments"] == {"owner": "o", "repo": "<string>"}


def test_an_undeclared_argument_is_reported_unless_the_schema_takes_others() -> None:
    """Servers drop undeclared arguments in silence, so they are told; an open or empty schema takes any (D2)."""
    declared = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert problems({"b": 1}, declared) == [("b", "additionalProperties")]
    assert problems({"b": 1}, {**declared, "additionalProperties": False}) == [("b", "additionalProperties")]
    assert through({**declared, "additionalProperties": True}, {"b": 1})
    assert through({**declared, "additionalProperties": {"type": "integer"}}, {"b": 1})
    assert through({**declared, "patternProperties": {"^b": {}}}, {"b": 1})
    assert through({"type": "object", "properties": {}}, {"b": 1})
    assert through({"type": "object"}, {"b": 1})
    assert problems({"b": 1}, {"type": "object", "properties": {}, "additionalProperties": False})


def test_arguments_declared_in_parts_of_a_schema_are_known() -> None:
    """Names declared through ``allOf``, ``oneOf``, a reference or a condition are not unknown (D15)."""
    part = {"properties": {"b": {"type": "integer"}}}
    for word in ("allOf", "oneOf", "anyOf"):
        assert through({"properties": {"a": {}}, word: [part]}, {"a": 1, "b": 1})
    assert through({"properties": {"a": {}}, "allOf": [{"$ref": "#/$defs/P"}], "$defs": {"P": part}}, {"b": 1})
    assert through({"properties": {"a": {}}, "if": {"required": ["a"]}, "then": part}, {"a": 1, "b": 1})
    assert through({"properties": {"a": {}}, "allOf": [{"$ref": "https://example.org"}]}, {"b": 1})


def test_nullable_is_honoured() -> None:
    """``nullable: true`` takes null, with an enum, a reference or a union too; without it null is a problem (D2)."""
    nullable = {"nullable": True}
    for schema in ({"type": "string", **nullable}, {"enum": ["a"], **nullable}, {"$ref": "#/$defs/T", **nullable}):
        whole = {"properties": {"x": schema}, "$defs": {"T": {"type": "integer"}}}
        assert through(whole, {"x": None})
        schema_without = {word: value for word, value in schema.items() if word != "nullable"}
        assert problems({"x": None}, {**whole, "properties": {"x": schema_without}})


@pytest.mark.parametrize(
    ("dialect", "fits"),
    [("http://json-schema.org/draft-04/schema#", False), ("https://json-schema.org/draft/2020-12/schema", True)],
)
def test_the_declared_draft_is_used(dialect: str, fits: bool) -> None:
    """``exclusiveMinimum: true`` excludes in draft 4, and is a broken schema, which lets through, in 2020-12 (D2)."""
    schema = {"$schema": dialect, "properties": {"x": {"type": "number", "minimum": 0, "exclusiveMinimum": True}}}
    assert through(schema, {"x": 0}) is fits


def test_without_a_declared_draft_the_newest_one_is_used() -> None:
    """``prefixItems``, new in 2020-12, is understood; an unknown draft is read as the newest."""
    for more in ({}, {"$schema": "https://example.org/unknown"}):
        schema = {"properties": {"x": {"type": "array", "prefixItems": [{"type": "integer"}]}}, **more}
        assert problems({"x": ["a"]}, schema) == [("x[0]", "type")]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "objekt"},
        {"type": 5, "properties": {"x": 1}},
        {"properties": {"x": "string"}},
        {"properties": {"x": {"type": "string", "minLength": "5"}}},
        {"required": "x"},
        {"properties": {"x": {"$ref": "#/$defs/Missing"}}},
        {"properties": {"x": {"$ref": "https://example.org/x.json"}}},
        {"properties": {"x": {"$ref": "file:///etc/passwd"}}},
        {"$schema": ["x"], "properties": {"x": {"type": "integer"}}},
        {"$ref": "#"},
        {"allOf": [{"$ref": "#"}, {"$ref": "#"}]},
        {"properties": {"x": {"enum": "v"}}},
    ],
)
def test_a_broken_schema_lets_the_call_through(schema: dict[str, Any]) -> None:
    """Broken schemas, circular ones and references that lead nowhere are the server's business (D2)."""
    assert through(schema, {"x": "v"})


def test_an_external_reference_is_never_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checking opens no socket, whatever a schema refers to (D2)."""
    opened: list[object] = []

    def note(*args: object, **kwargs: object) -> Any:
        opened.append(args)
        raise OSError("no network")

    monkeypatch.setattr(socket, "socket", note)
    monkeypatch.setattr(socket, "getaddrinfo", note)
    for reference in ("http://127.0.0.1:9/a.json", "https://example.org/a.json#/x", "//host/a", "a.json"):
        assert through({"$id": "http://127.0.0.1:9/", "properties": {"x": {"$ref": reference}}}, {"x": 1})
    assert opened == []


def test_without_jsonschema_a_call_goes_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder plugin brings no packages: repairs are still made, and the server checks (D2)."""
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    schema = {"properties": {"n": {"type": "integer"}, "only_here": {"type": "string"}}, "required": ["only_here"]}
    assert checked({"n": "5"}, schema) == {"n": 5}


def test_importing_the_check_does_not_import_jsonschema() -> None:
    """The package ``jsonschema`` is loaded by the first check, not by importing the package."""
    import subprocess

    code = "import sys, hermes_plugin_toolsearch.arguments; print('jsonschema' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "False"


def test_the_branch_that_was_meant_is_explained() -> None:
    """Of a union the one branch of the value's type, or with its constant, is reported, not the union (D15)."""
    circle = {"type": "object", "properties": {"kind": {"const": "circle"}, "r": {"type": "number"}}}
    square = {"type": "object", "properties": {"kind": {"const": "square"}}}
    branches = [{**circle, "required": ["kind", "r"]}, {**square, "required": ["kind"]}]
    schema = {"properties": {"shape": {"oneOf": branches}, "who": {"anyOf": [STEP, {"type": "null"}]}}}
    assert problems({"shape": {"kind": "circle"}}, schema) == [("shape.r", "required")]
    assert problems({"who": {}}, schema) == [("who.done", "required")]


def test_alternatives_are_named_and_one_is_shown() -> None:
    """Where one of several sets is required, the sets are named and the first stands in the corrected call (D15)."""
    schema = {
        "properties": {"id": {"type": "integer"}, "name": {"type": "string"}},
        "anyOf": [{"required": ["id"]}, {"required": ["name"]}],
    }
    message = refused({}, schema)
    assert message["problems"] == [{"path": "", "rule": "anyOf", "expected": "one of these: (id) or (name)"}]
    assert message["corrected_call"]["arguments"] == {"id": "<integer>"}


@pytest.mark.parametrize("arguments", [None, 5, "text", ["a"]])
def test_arguments_that_are_no_object_are_refused(arguments: object) -> None:
    """A hook may have left anything there."""
    assert "no object" in refused(arguments)["error"]


# ---- foreign schemas ----


def test_a_schema_that_explodes_lets_the_call_through() -> None:
    """Definitions that double at each of 60 levels end after a bounded number of steps."""
    doubling = {f"d{level}": {"allOf": [{"$ref": f"#/$defs/d{level + 1}"}] * 2} for level in range(60)}
    assert through({"properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": doubling}, {"x": "v"})


def test_the_steps_of_a_validation_are_counted() -> None:
    """Evaluation ends when the steps are used up, also where only the validator looks."""
    doubling = {f"d{level}": {"allOf": [{"$ref": f"#/$defs/d{level + 1}"}] * 2} for level in range(12)}
    schema = {"properties": {"x": {"not": {"$ref": "#/$defs/d0"}}}, "$defs": {**doubling, "d12": {"type": "string"}}}
    with pytest.raises(TooLargeError):
        list(violations(entry(schema), {"x": "v"}, Steps(1_000)))


def test_checks_at_the_same_time_do_not_mix() -> None:
    """Calls that are checked in several threads get each its own answer (C4)."""
    from concurrent.futures import ThreadPoolExecutor

    tool = entry(SCHEMA)
    written = [{**BASE, "number": str(number) if number % 2 else f"no {number}"} for number in range(200)]
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(lambda arguments: check(tool, arguments), written))
    for number, outcome in enumerate(outcomes):
        if number % 2:
            assert outcome == Checked({**BASE, "number": number})
        else:
            assert isinstance(outcome, Refusal)
            assert [row["path"] for row in outcome.message["problems"]] == ["number"]


def test_a_foreign_regular_expression_is_not_run() -> None:
    """An expression that backtracks for ages has no effect, as pattern and as a pattern of names."""
    evil = "^(a+)+$"
    attack = "a" * 60 + "!"
    assert through({"properties": {"x": {"type": "string", "pattern": evil}}}, {"x": attack})
    assert through({"properties": {"x": {}}, "patternProperties": {evil: {"type": "integer"}}}, {attack: "v"})
    assert through({"properties": {"x": {}}, "propertyNames": {"pattern": evil}}, {"x": 1})


def test_a_schema_with_patterns_is_never_stricter_than_it_was() -> None:
    """Parts that tell values apart by pattern do not make a valid call fail once the pattern is left out."""
    iso, slug = {"type": "string", "pattern": "^[0-9]+$"}, {"type": "string", "pattern": "^[a-z]+$"}
    assert through({"properties": {"x": {"oneOf": [iso, slug]}}}, {"x": "abc"})
    assert through({"properties": {"x": {"not": {"pattern": "^-"}}}}, {"x": "abc"})
    assert through(
        {"properties": {"x": {"type": "string"}}, "if": {"properties": {"x": iso}}, "then": False}, {"x": "a"}
    )
    inner = {"type": "object", "patternProperties": {"^x-": {}}, "additionalProperties": False}
    assert through({"properties": {"x": inner}}, {"x": {"x-a": 1}})


def test_a_parameter_called_pattern_weakens_nothing() -> None:
    """A search tool's ``pattern`` parameter is no regular expression of the schema."""
    schema = {"properties": {"pattern": {"type": "string"}, "x": {"oneOf": [{"type": "integer"}, {"minimum": 0}]}}}
    assert problems({"x": 5}, schema) == [("x", "oneOf")]


def test_decimal_steps_are_not_refused_for_binary_rounding() -> None:
    """19.99 is a multiple of 0.01; whole numbers are still checked."""
    assert through({"properties": {"x": {"multipleOf": 0.01}}}, {"x": 19.99})
    assert problems({"x": 7}, {"properties": {"x": {"multipleOf": 5}}}) == [("x", "multipleOf")]


def test_many_problems_are_reported_in_bounds() -> None:
    """A large broken call gets a bounded answer."""
    schema = {"properties": {f"p{number}": {"type": "integer"} for number in range(500)}}
    message = refused({f"p{number}": "x" * 10_000 for number in range(500)}, schema)
    assert len(message["problems"]) == MAX_PROBLEMS
    assert len(json.dumps(message)) < 30_000


def test_a_large_schema_is_answered_with_the_parts_at_fault() -> None:
    """Of a schema too large to send back the signature and the properties at fault are shown (D3)."""
    description = "d" * 200
    names = [f"p{number}" for number in range(100)]
    schema = {"properties": {name: {"type": "integer", "description": description} for name in names}}
    message = refused({"p7": "x"}, schema)
    assert message["schema"] == {"properties": {"p7": {"type": "integer", "description": description}}}
    assert message["signature"].startswith("tool(p0?: integer")


def test_duplicates_among_many_items_are_found() -> None:
    """``uniqueItems`` is checked over many objects."""
    schema = {"properties": {"x": {"type": "array", "uniqueItems": True}}}
    items = [{"n": number} for number in range(5_000)]
    assert through(schema, {"x": items})
    assert problems({"x": [*items, {"n": 3}]}, schema) == [("x", "uniqueItems")]


def test_deeply_nested_arguments_go_through() -> None:
    """Arguments nested as deeply as a parser lets them be are the server's business."""
    deep: Any = {}
    for _ in range(400):
        deep = {"x": deep}
    assert through({"type": "object", "properties": {"x": {"$ref": "#"}}}, deep)


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=6)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from([*SCHEMA["properties"], "done", "x"]), inner)
    ),
    max_leaves=8,
)
WORDS = ["type", "properties", "required", "items", "enum", "$ref", "anyOf", "oneOf", "allOf", "not", "nullable"]
WORDS += ["additionalProperties", "const", "minimum", "$defs", "pattern", "uniqueItems", "x", "$schema", "default"]
VALUES = ["object", "string", "integer", "array", "#", "#/$defs/x", "https://example.org", "x"]
SCHEMAS = st.recursive(
    st.one_of(st.sampled_from(VALUES), st.booleans(), st.integers(-2, 2), st.none()),
    lambda inner: st.one_of(st.dictionaries(st.sampled_from(WORDS), inner, max_size=4), st.lists(inner, max_size=3)),
    max_leaves=12,
)
generated = settings(max_examples=500, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))


@generated
@given(JSON)
def test_a_repaired_call_is_stable(value: object) -> None:
    """What goes through goes through again unchanged, and what is refused is refused with JSON."""
    outcome = check(entry(SCHEMA), {**BASE, "steps": value, "labels": value, "step": value})
    if isinstance(outcome, Checked):
        assert check(entry(SCHEMA), outcome.arguments) == outcome
    else:
        assert json.loads(outcome.text)["problems"]


@generated
@given(st.dictionaries(st.sampled_from(WORDS), SCHEMAS), st.dictionaries(st.sampled_from(["x", "type"]), JSON))
def test_no_schema_and_no_arguments_raise(schema: dict[str, Any], arguments: dict[str, Any]) -> None:
    """Whatever a server calls a schema, a check ends in arguments or in an answer."""
    outcome = check(entry(schema), arguments)
    assert isinstance(outcome, Checked | Refusal)
    if isinstance(outcome, Refusal):
        json.loads(outcome.text)


@pytest.mark.skipif(not CAPTURES.is_dir(), reason="no captured tools: ../shared/data is not there")
def test_no_captured_schema_is_broken() -> None:
    """A call without arguments of every eighth captured tool that requires some is refused, and they are named (D3)."""
    for path in sorted(CAPTURES.glob("*.json")):
        if path.name == "index.json":
            continue
        for tool in json.loads(path.read_text())["tools"][::8]:
            schema = tool["inputSchema"]
            missing = schema.get("required", [])
            outcome = check(entry(schema, tool["name"]), {})
            assert isinstance(outcome, Refusal) is bool(missing), tool["name"]
            if isinstance(outcome, Refusal):
                named = {row["path"] for row in outcome.message["problems"]}
                assert named == set(missing[:MAX_PROBLEMS]), tool["name"]
