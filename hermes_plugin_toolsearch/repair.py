"""Values converted to the types that a schema declares, as Hermes converts the arguments of a tool it shows.

Models write ``"42"`` for 42, ``"true"`` for true, JSON text for lists and objects, and one value for a list of one. A
value that its schema takes as it is stays; one that cannot be converted stays too, for the check to report. The facts
follow ``coerce_tool_args`` of Hermes 0.19, carried on into nested values.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .schema import Schema, target

_NUMBER = re.compile(r"[+-]?[0-9]{1,300}(\.[0-9]{1,300})?([eE][+-]?[0-9]{1,3})?")


class TooLargeError(Exception):
    """A schema or a value takes more steps than a call is worth."""


class Steps:
    """A budget of steps; ``take`` raises TooLargeError when it is spent."""

    def __init__(self, budget: int) -> None:
        self.left = budget

    def take(self, count: int = 1) -> None:
        """Spend ``count`` steps."""
        self.left -= count
        if self.left < 0:
            raise TooLargeError


def repaired(value: Any, schema: object, root: Schema, steps: Steps) -> Any:
    """Return ``value`` with whatever its schema does not take converted; a copy where anything was.

    References are looked up in ``root``. Raises TooLargeError, or RecursionError for values nested too deeply.
    """
    kinds = _kinds(schema, root, steps)
    if kinds is not None and not kinds & kinds_of(value):
        value = _converted(value, kinds)
    if isinstance(value, list):
        views = list(_views(value, schema, root, steps))
        return [repaired(item, _item_schema(views, index), root, steps) for index, item in enumerate(value)]
    if isinstance(value, Mapping):
        views = list(_views(value, schema, root, steps))
        return {key: repaired(part, _property_schema(views, key), root, steps) for key, part in value.items()}
    return value


def kinds_of(value: object) -> frozenset[str]:
    """The JSON schema types that ``value`` is of."""
    if value is None:
        return frozenset(("null",))
    if isinstance(value, bool):
        return frozenset(("boolean",))
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return frozenset(("integer", "number"))
    names = {float: "number", str: "string", list: "array", dict: "object"}
    return frozenset((names.get(type(value), "object"),))


def _converted(value: Any, kinds: frozenset[str]) -> Any:
    if isinstance(value, str):
        text = value.strip()
        number = _number(text) if kinds & {"integer", "number"} else None
        if number is not None and kinds & kinds_of(number):
            return number
        if "boolean" in kinds and text.lower() in ("true", "false"):
            return text.lower() == "true"
        if "null" in kinds and text.lower() == "null":
            return None
        if kinds & {"array", "object"} and text[:1] in ("[", "{"):
            try:
                parsed = json.loads(text)
            except (ValueError, RecursionError):
                return value
            if kinds & kinds_of(parsed):
                return parsed
            value = parsed if "array" in kinds else value
    return [value] if "array" in kinds and value is not None else value


def _number(text: str) -> int | float | None:
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    if match[1] is None and match[2] is None:
        return int(text)
    number = float(text)
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _kinds(schema: object, root: Schema, steps: Steps) -> frozenset[str] | None:
    """Return the types that ``schema`` takes; None where it does not say."""
    steps.take()
    if not isinstance(schema, Mapping):
        return None
    said: list[frozenset[str] | None] = []
    reference = schema.get("$ref")
    if isinstance(reference, str):
        said.append(_kinds(target(reference, root), root, steps))
    declared = schema.get("type")
    if isinstance(declared, str):
        said.append(frozenset((declared,)))
    elif isinstance(declared, list):
        said.append(frozenset(str(name) for name in declared))
    elif "const" in schema:
        said.append(kinds_of(schema["const"]))
    elif isinstance(schema.get("enum"), list):
        steps.take(len(schema["enum"]))
        said.append(frozenset().union(*(kinds_of(value) for value in schema["enum"])))
    for word in ("anyOf", "oneOf"):
        branches = schema.get(word)
        if isinstance(branches, list) and branches:
            kinds = [_kinds(branch, root, steps) for branch in branches]
            said.append(None if None in kinds else frozenset().union(*(kind for kind in kinds if kind is not None)))
    if isinstance(schema.get("allOf"), list):
        said.extend(_kinds(part, root, steps) for part in schema["allOf"])
    stated = [kinds for kinds in said if kinds is not None]
    if not stated:
        return None
    common = frozenset.intersection(*stated)
    return common | {"null"} if schema.get("nullable") is True else common


def _views(value: object, schema: object, root: Schema, steps: Steps) -> Iterator[Schema]:
    """Yield what says what is inside ``value``: ``schema``, what it refers to, the one branch that fits."""
    steps.take()
    if not isinstance(schema, Mapping):
        return
    yield schema
    if isinstance(schema.get("$ref"), str):
        yield from _views(value, target(schema["$ref"], root), root, steps)
    if isinstance(schema.get("allOf"), list):
        for part in schema["allOf"]:
            yield from _views(value, part, root, steps)
    for word in ("anyOf", "oneOf"):
        branches = schema.get(word)
        if isinstance(branches, list):
            fitting = [branch for branch in branches if (_kinds(branch, root, steps) or frozenset()) & kinds_of(value)]
            if len(fitting) == 1:
                yield from _views(value, fitting[0], root, steps)


def _item_schema(views: list[Schema], index: int) -> object:
    for view in views:
        for word in ("prefixItems", "items"):
            items = view.get(word)
            if isinstance(items, list) and index < len(items):
                return items[index]
            if isinstance(items, Mapping):
                return items
    return None


def _property_schema(views: list[Schema], key: str) -> object:
    for view in views:
        properties = view.get("properties")
        if isinstance(properties, Mapping) and key in properties:
            return properties[key]
    for view in views:
        if isinstance(view.get("additionalProperties"), Mapping):
            return view["additionalProperties"]
    return None
