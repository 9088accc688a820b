"""A tool's JSON schema as a reader needs it: its parameters at a glance, one line of signature, references inlined.

Schemas come from foreign servers: references may be circular, explode when they are expanded, or point nowhere, and
names may hold anything. Every walk here is bounded by a count of nodes; none follows a reference out of the schema.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

from .catalog import Entry

Schema = Mapping[str, Any]

_MAX_NODES = 10_000
"""Of one inlined schema; beyond it references are left out. The largest of 2,932 captured tools needs 2,024."""

_REPEATED_NODES = 2
"""A referenced schema larger than this is written out once. Written out at every place, the schemas of one captured
server grow from 88 to 472 kB."""

_ONE = {
    "items",
    "additionalItems",
    "contains",
    "additionalProperties",
    "unevaluatedItems",
    "unevaluatedProperties",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
}
_SEVERAL = {"allOf", "anyOf", "oneOf", "prefixItems", "items"}
_NAMED = {"properties", "patternProperties", "dependentSchemas"}
_UNSURE = ("patternProperties", "if", "dependentSchemas", "$dynamicRef")  # may declare parameters that are not seen
_BOOKKEEPING = {"$schema", "$id", "$comment", "$anchor", "$dynamicAnchor", "$vocabulary", "$defs", "definitions"}
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.$@-]{1,64}")


class Shape(NamedTuple):
    """The parameters of a tool: all it declares, those always required, and whether it takes others too.

    ``alternatives`` are sets of names of which at least one set is required besides (``anyOf`` and ``oneOf``).
    ``open`` is None where the schema does not say.
    """

    properties: Mapping[str, Any]
    required: tuple[str, ...]
    alternatives: tuple[tuple[str, ...], ...]
    open: bool | None


def shape(schema: Schema) -> Shape:
    """Read the top of ``schema``, through its references and combinators."""
    properties: dict[str, Any] = {}
    required: dict[str, None] = {}
    alternatives: list[tuple[str, ...]] = []
    extra: list[bool] = []
    for part, choice in _parts(schema, schema):
        declared = part.get("properties")
        if isinstance(declared, Mapping):
            for name, value in declared.items():
                properties.setdefault(str(name), value)
        names = [name for name in _listed(part.get("required")) if isinstance(name, str)]
        if not choice:
            required.update(dict.fromkeys(names))
        if any(word in part for word in _UNSURE):
            extra.append(True)
        if isinstance(part.get("$ref"), str) and not isinstance(target(part["$ref"], schema), Mapping):
            extra.append(True)
        for word in ("additionalProperties", "unevaluatedProperties"):
            if word in part:
                extra.append(part[word] is not False)
        for word in ("anyOf", "oneOf"):
            branches = [_required_of(branch, schema) for branch in _listed(part.get(word))[:16]]
            if any(branches):
                alternatives.extend(branches)
                shared = [name for name in branches[0] if all(name in branch for branch in branches)]
                if not choice:
                    required.update(dict.fromkeys(shared))
    always = tuple(required)
    rest = dict.fromkeys(tuple(name for name in branch if name not in required) for branch in alternatives)
    conditional = () if () in rest else tuple(rest)
    return Shape(properties, always, conditional, any(extra) if extra else None)


def signature(entry: Entry, max_chars: int = 200) -> str:
    """``create_issue(owner: string, repo: string, body?: string)``, at most ``max_chars`` long.

    Required parameters come first. Optional ones that do not fit are counted (``+3 optional``), required ones named
    without their type before they are counted too.
    """
    form = shape(entry.parameters)
    root = entry.parameters
    required = [name for name in form.required if name in form.properties]
    optional = [
        f"{_plain(name)}?: {type_of(value, root)}" for name, value in form.properties.items() if name not in required
    ]
    typed = [f"{_plain(name)}: {type_of(form.properties[name], root)}" for name in required]
    shown, line = _fitted(entry.tool, [*typed, *optional], len(required), max_chars)
    if shown < len(required):
        _, line = _fitted(entry.tool, [*map(_plain, required), *optional], len(required), max_chars)
    return line[:max_chars]


def _fitted(tool: str, pieces: list[str], required: int, max_chars: int) -> tuple[int, str]:
    """Return how many of ``pieces`` fit, and the line with them and the number of the others."""
    line = ""
    for count in range(min(len(pieces), max_chars // 3), -1, -1):
        hidden = len(pieces) - count
        rest = [f"+{hidden} {'optional' if count >= required else 'more'}"] if hidden else []
        line = f"{tool}({', '.join([*pieces[:count], *rest])})"
        if len(line) <= max_chars:
            return count, line
    return 0, line


def completed(arguments: Mapping[str, Any], parameters: Schema) -> dict[str, Any]:
    """``arguments`` with a placeholder (``<string>``) for each required parameter that they lack."""
    form = shape(parameters)
    missing = [name for name in form.required if name not in arguments]
    if not missing and form.alternatives and not any(set(names) <= set(arguments) for names in form.alternatives):
        missing = [name for name in form.alternatives[0] if name not in arguments]
    return {**arguments, **{name: f"<{type_of(form.properties.get(name), parameters)}>" for name in missing}}


def type_of(schema: object, root: Schema, depth: int = 0, *, most: int = 6) -> str:
    """Write the type that ``schema`` allows in a few words: ``integer``, ``string[]``, ``"open" | "closed"``.

    Of an enumeration at most ``most`` values are written.
    """
    if not isinstance(schema, Mapping) or depth > 4:
        return "any"
    reference = schema.get("$ref")
    if isinstance(reference, str):
        return type_of(target(reference, root), root, depth + 1)
    if "const" in schema:
        return _literal(schema["const"])
    values = _listed(schema.get("enum"))
    if values:
        shown = [_literal(value) for value in values[:most]]
        return " | ".join([*shown, "…"] if len(values) > len(shown) else shown)
    kind = schema.get("type")
    if kind == "array":
        item = type_of(schema.get("items"), root, depth + 1)
        return f"({item})[]" if "|" in item else f"{item}[]"
    if isinstance(kind, str):
        return _plain(kind)
    kinds = [_plain(str(name)) for name in _listed(kind)[:6] if name != "null"]
    for word in ("anyOf", "oneOf"):
        branches = [type_of(branch, root, depth + 1) for branch in _listed(schema.get(word))[:6]]
        kinds += [branch for branch in branches if branch != "null"]
    if not kinds and len(_listed(schema.get("allOf"))) == 1:
        return type_of(schema["allOf"][0], root, depth + 1)
    return " | ".join(dict.fromkeys(kinds)) or ("object" if "properties" in schema else "any")


def inline_refs(schema: Schema) -> dict[str, Any]:
    """``schema`` for a reader: every local reference replaced by what it points to, bookkeeping left out.

    No ``$ref`` or ``$defs`` remains (a model provider resolves them in any JSON it is handed). A reference that
    leads back into itself, out of the schema or nowhere becomes a short note. Titles that only repeat a name are
    dropped; a parameter that is called ``title`` stays. What is required in every branch of a top-level ``anyOf``
    or ``oneOf`` is also listed in ``required``.
    """
    inlined = _Inliner(schema).schema(schema, "", None, ())
    result = dict(inlined)
    required = [name for name in shape(schema).required if name not in _listed(result.get("required"))]
    if required:
        result["required"] = [*_listed(result.get("required")), *required]
    return result


class _Inliner:
    """One walk over one schema; it knows where each reference was expanded first, and how large that was."""

    def __init__(self, root: Schema) -> None:
        self.root = root
        self.nodes = 0
        self.expanded: dict[str, tuple[str, int]] = {}

    def schema(self, schema: object, place: str, name: str | None, trail: tuple[str, ...]) -> Any:
        if not isinstance(schema, Mapping):
            return schema if isinstance(schema, bool) else {}
        self.nodes += 1
        reference = schema.get("$ref", schema.get("$dynamicRef"))
        if isinstance(reference, str):
            return self.referred(reference, schema, place, name, trail)
        branches = schema.get("allOf")
        if isinstance(branches, list) and len(branches) == 1 and isinstance(branches[0], Mapping):
            # How older pydantic writes a reference that has a description beside it.
            only = {word: value for word, value in schema.items() if word != "allOf"}
            if not only.keys() & branches[0].keys():
                return self.schema({**only, **branches[0]}, place, name, trail)
        result: dict[str, Any] = {}
        for word, value in schema.items():
            if word in _BOOKKEEPING or (word == "title" and _automatic(value, name)):
                continue
            if word in _NAMED and isinstance(value, Mapping):
                result[word] = {
                    key: self.schema(part, f"{place}.{_plain(str(key))}".lstrip("."), str(key), trail)
                    for key, part in value.items()
                }
            elif word in _SEVERAL and isinstance(value, list):
                result[word] = [self.schema(part, place, name, trail) for part in value]
            elif word in _ONE and isinstance(value, Mapping):
                result[word] = self.schema(value, f"{place}[]" if word == "items" else place, name, trail)
            elif not _mentions_reference(value):
                result[word] = value
        return result

    def referred(self, reference: str, schema: Schema, place: str, name: str | None, trail: tuple[str, ...]) -> Any:
        beside = {word: value for word, value in schema.items() if word not in ("$ref", "$dynamicRef")}
        found = target(reference, self.root)
        if isinstance(found, bool):
            return found
        if not isinstance(found, Mapping):
            expanded: dict[str, Any] = {"description": "defined elsewhere"}
        else:
            first, size = self.expanded.get(reference, ("", 0))
            if reference in trail or size > _REPEATED_NODES or self.nodes > _MAX_NODES:
                kind = found.get("type")
                expanded = {"type": kind} if isinstance(kind, str) else {}
                expanded["description"] = f"same as {first or 'the whole'}" if self.nodes <= _MAX_NODES else "not shown"
            else:
                before = self.nodes
                self.expanded.setdefault(reference, (place, 0))
                expanded = self.schema(found, place, reference.rsplit("/", 1)[-1], (*trail, reference))
                self.expanded[reference] = (self.expanded[reference][0], self.nodes - before)
        return {**expanded, **self.schema(beside, place, name, trail)}


def target(reference: str, root: Schema) -> object:
    """Return what the local ``reference`` (``#/$defs/Label``, ``#``) points to in ``root``; None if nothing."""
    if not reference.startswith("#"):
        return None
    found: object = root
    for step in reference[1:].split("/")[1:]:
        key = unquote(step).replace("~1", "/").replace("~0", "~")
        if isinstance(found, Mapping) and key in found:
            found = found[key]
        elif isinstance(found, list) and key.isdecimal() and int(key) < len(found):
            found = found[int(key)]
        else:
            return None
    return None if reference[1:2] not in ("", "/") else found


def _parts(schema: object, root: Schema) -> Iterator[tuple[Schema, bool]]:
    """Yield ``schema`` and all that its top is combined from; the flag says that a part is one choice of several."""
    waiting: list[tuple[object, bool]] = [(schema, False)]
    seen: set[int] = set()
    while waiting and len(seen) < 64:
        part, choice = waiting.pop(0)
        if not isinstance(part, Mapping) or id(part) in seen:
            continue
        seen.add(id(part))
        yield part, choice
        if isinstance(part.get("$ref"), str):
            waiting.append((target(part["$ref"], root), choice))
        waiting.extend((branch, choice) for branch in _listed(part.get("allOf")))
        waiting.extend((branch, True) for word in ("anyOf", "oneOf") for branch in _listed(part.get(word)))


def _required_of(branch: object, root: Schema) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for part, choice in _parts(branch, root):
        if not choice:
            names.update(dict.fromkeys(name for name in _listed(part.get("required")) if isinstance(name, str)))
    return tuple(names)


def _automatic(title: object, name: str | None) -> bool:
    """Say whether ``title`` was made from the name by a generator (``Repo Name`` of ``repo_name``)."""
    if not isinstance(title, str):
        return False
    return name is None or _letters(title) == _letters(name)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _mentions_reference(value: object) -> bool:
    """Say whether plain data (a default, an example) holds a key that a provider would take for a reference."""
    waiting: list[object] = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping):
            if part.keys() & {"$ref", "$defs"}:
                return True
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
    return False


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _plain(name: str) -> str:
    """``name`` if it is harmless inside a line of text, else quoted, escaped and cut."""
    return name if _PLAIN_NAME.fullmatch(name) else json.dumps(name[:40])


def _literal(value: object) -> str:
    if isinstance(value, str):
        return json.dumps(value[:40])
    return json.dumps(value) if isinstance(value, int | float | bool | None) else "object"
