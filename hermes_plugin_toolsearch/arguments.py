"""Arguments of a call against the schema of its tool: repaired, checked, and told what to send where they do not fit.

A schema is foreign text: it is evaluated with a bounded number of steps and nothing is fetched. Whatever cannot be
evaluated lets the call through: the server checks again, and knows better.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from typing import TYPE_CHECKING, Any

from . import refusals
from .catalog import Entry
from .names import squash
from .refusals import Refusal
from .repair import Steps, repaired
from .schema import Schema, completed, inline_refs, shape, signature, type_of
from .validation import violations

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

MAX_STEPS = 100_000
"""Of repairing and checking one call. Of 2,932 captured tools none takes more than 2,017 with its arguments given."""

MAX_PROBLEMS = 8

MAX_CHOICES = 30
"""Values of an enumeration that an answer lists."""

_LONGEST_SCHEMA = 4_000  # characters in an answer; beyond it the signature and the parts at fault stand for it


@dataclass(frozen=True, slots=True)
class Checked:
    """Arguments to call the tool with: they fit its schema, or it could not be told whether they do."""

    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Problem:
    """One value that does not fit: the way to it, the keyword of the schema that says so, and what it wants.

    ``instead`` is the declared name, or the value of the enumeration, that was probably meant.
    """

    steps: tuple[str | int, ...]
    rule: str
    expected: str
    instead: str | None = None

    @property
    def path(self) -> str:
        """The way as one writes it: ``labels[0].name``; empty for the arguments as a whole."""
        return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.steps).lstrip(".")


def check(entry: Entry, arguments: object) -> Checked | Refusal:
    """Convert ``arguments`` to the types that ``entry`` declares and check them by the draft that it declares.

    The refusal names up to ``MAX_PROBLEMS`` problems (path, rule, expected), the schema, and the call to send
    instead. A name that the schema does not declare is a problem too, unless the schema says that it takes others
    (``additionalProperties``) or declares none at all: the usual servers drop such an argument in silence, and the
    model would take the answer for one to what it asked. ``arguments`` is not changed. Never raises.
    """
    if not isinstance(arguments, Mapping):
        return refusals.malformed("the arguments are no object.", entry.name, {})
    steps = Steps(MAX_STEPS)
    given = dict(arguments)
    try:
        given = repaired(given, entry.parameters, entry.parameters, steps)
        found = {(problem.steps, problem.rule): problem for problem in _problems(entry, given, steps)}
    except Exception:  # an external reference, a schema that explodes or is none: by design no reason to refuse
        return Checked(given)
    if not found:
        return Checked(given)
    return _refusal(entry, given, list(found.values())[:MAX_PROBLEMS])


def _problems(entry: Entry, arguments: Mapping[str, Any], steps: Steps) -> Iterator[Problem]:
    form = shape(entry.parameters)
    if form.properties and form.open is None:
        yield from _undeclared((), arguments, form.properties)
    for error in islice(violations(entry, arguments, steps), MAX_PROBLEMS):
        yield from _described(error, entry.parameters)


def _described(error: ValidationError, root: Schema) -> Iterator[Problem]:
    place = tuple(error.absolute_path)
    schema = error.schema if isinstance(error.schema, Mapping) else {}
    properties = schema.get("properties")
    properties = properties if isinstance(properties, Mapping) else {}
    rule = str(error.validator)
    value: Any = error.validator_value
    if rule == "required" and isinstance(error.instance, Mapping):
        for name in value:
            if name not in error.instance:
                wanted = properties.get(name, shape(root).properties.get(name))
                yield Problem((*place, name), rule, type_of(wanted, root))
    elif rule in ("additionalProperties", "unevaluatedProperties") and value is False:
        yield from _undeclared(place, error.instance, properties or shape(schema).properties)
    elif rule in ("anyOf", "oneOf"):
        branch = _meant_branch(error)
        if branch:
            for inner in branch:
                yield from _described(inner, root)
            return
        alternatives = shape(schema).alternatives
        needed = " or ".join(f"({', '.join(names)})" for names in alternatives[:6])
        yield Problem(place, rule, f"one of these: {needed}" if needed else type_of(schema, root))
    elif rule == "enum" and isinstance(value, list):
        values = [choice for choice in value if isinstance(choice, str)]
        meant = _likely(error.instance, values) if isinstance(error.instance, str) else None
        yield Problem(place, rule, type_of({"enum": value}, root, most=MAX_CHOICES), meant)
    elif rule in ("type", "const"):
        yield Problem(place, rule, type_of(schema, root))
    else:
        yield Problem(place, rule, f"{rule} {json.dumps(refusals.shown(value), default=str)[:120]}")


def _meant_branch(error: ValidationError) -> list[ValidationError]:
    """Return the errors of the one branch whose type the value has, if there is just one."""
    branches: dict[Any, list[ValidationError]] = {}
    for inner in error.context or ():
        branches.setdefault(inner.schema_path[0], []).append(inner)
    close = [
        inners
        for inners in branches.values()
        if not any(inner.validator in ("type", "const", "enum") and not inner.path for inner in inners)
        and not any(inner.validator in ("const", "enum") and len(inner.path) == 1 for inner in inners)
    ]
    return close[0] if len(close) == 1 and len(branches) > 1 else []


def _undeclared(place: tuple[str | int, ...], given: Any, declared: Mapping[str, Any]) -> Iterator[Problem]:
    unused = [str(name) for name in declared if name not in given]
    listed = ", ".join(list(map(str, declared))[:30])
    expected = f"one of the declared names: {listed}" if listed else "no arguments"
    for name in given:
        if name not in declared:
            yield Problem((*place, name), "additionalProperties", expected, _likely(str(name), unused))


def _likely(written: str, choices: list[str]) -> str | None:
    """Return the choice that ``written`` was probably meant for. Shown in the corrected call, never applied."""
    written = squash(written[:64])
    by_key = {squash(other): other for other in choices[:200]}
    if written in by_key:
        return by_key[written]
    starts = [key for key in by_key if len(min(key, written, key=len)) >= 3 and _one_starts_other(key, written)]
    near = get_close_matches(written, by_key, n=1, cutoff=0.75) or (starts if len(starts) == 1 else [])
    return by_key[near[0]] if near else None


def _one_starts_other(first: str, second: str) -> bool:
    return first.startswith(second) or second.startswith(first)


def _refusal(entry: Entry, arguments: dict[str, Any], problems: list[Problem]) -> Refusal:
    rows = []
    for problem in problems:
        row = {"path": problem.path, "rule": problem.rule, "expected": problem.expected}
        if problem.instead is not None:
            row["did_you_mean"] = problem.instead
        rows.append(row)
    message: dict[str, Any] = {
        "error": f"{entry.name} was not run: the arguments do not fit. Send corrected_call with real values.",
        "problems": rows,
        "corrected_call": refusals.call(entry.name, _corrected(entry, arguments, problems)),
    }
    message.update(_schema_to_show(entry, problems))
    return Refusal(message)


def _schema_to_show(entry: Entry, problems: list[Problem]) -> dict[str, Any]:
    schema = inline_refs(entry.parameters)
    if len(json.dumps(schema, default=str)) <= _LONGEST_SCHEMA:
        return {"schema": schema}
    properties = schema.get("properties", {})
    tops = [problem.steps[0] for problem in problems if problem.steps]
    at_fault = {name: properties[name] for name in tops if name in properties}
    shown: dict[str, Any] = {"signature": signature(entry, 1_000)}
    if len(json.dumps(at_fault, default=str)) <= _LONGEST_SCHEMA:
        shown["schema"] = {"properties": at_fault}
    return shown


def _corrected(entry: Entry, arguments: dict[str, Any], problems: list[Problem]) -> dict[str, Any]:
    """Return ``arguments`` put right, with a placeholder where only the caller knows the value."""
    corrected = deepcopy(arguments)
    required = shape(entry.parameters).required
    for problem in sorted(problems, key=lambda problem: problem.rule != "additionalProperties"):
        if not problem.steps:
            continue
        holder: Any = corrected
        *way, last = problem.steps
        for step in way:
            holder = holder[step]
        if problem.rule == "additionalProperties":
            value = holder.pop(last, None)
            if problem.instead is not None:
                holder.setdefault(problem.instead, value)
        elif problem.rule == "enum" and problem.instead is not None:
            holder[last] = problem.instead
        elif holder is corrected and last not in required and corrected.get(last, last) is None:
            del corrected[last]  # null for "not given"
        elif problem.rule != "required" or last not in holder:
            holder[last] = f"<{problem.expected}>"
    return completed(corrected, entry.parameters)
