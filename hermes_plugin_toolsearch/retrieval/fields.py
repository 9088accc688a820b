"""An entry -> the texts that are searched, field by field."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..catalog import Entry

NAME, SERVER, SUMMARY, DETAIL, PARAMETER, PARAMETER_TEXT, VALUE = range(7)
FIELDS = ("name", "server", "summary", "description", "parameter", "parameter text", "value")

MAX_DEPTH = 6
MAX_NODES = 200
MAX_VALUES = 32
MAX_SUMMARY = 300
MAX_DETAIL = 1500
MAX_PARAMETER_TEXT = 300
MAX_TEXT = 4000

_SENTENCE = re.compile(r"[.!?。！？](?=\s|$)|\n")
_NESTED = ("properties", "$defs", "definitions", "patternProperties")
_ALTERNATIVES = ("anyOf", "oneOf", "allOf", "prefixItems")


def field_texts(entry: Entry) -> Iterator[tuple[int, str]]:
    """``(field, text)`` for everything of ``entry`` that is searched, bounded in depth and size.

    The bounds keep one generated schema (the largest captured one has 30,000 nodes) from costing the index more
    than the rest of its server.
    """
    yield NAME, entry.tool
    yield SERVER, entry.server
    description = entry.description[: MAX_SUMMARY + MAX_DETAIL].strip()
    end = _SENTENCE.search(description, 0, MAX_SUMMARY)
    cut = end.end() if end else MAX_SUMMARY
    yield SUMMARY, description[:cut]
    if len(description) > cut:
        yield DETAIL, description[cut:]
    yield from _schema_texts(entry.parameters)


def _schema_texts(schema: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    nodes = MAX_NODES
    size = MAX_TEXT
    level: list[Any] = [schema]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for node in level:
            if not isinstance(node, dict):
                continue
            for key in _NESTED:
                named = node.get(key)
                if isinstance(named, dict):
                    for name, child in named.items():
                        nodes -= 1
                        if nodes < 0 or size < 0:
                            return
                        if key == "properties":
                            yield PARAMETER, str(name)[:64]
                        if isinstance(child, dict):
                            text = child.get("description")
                            if isinstance(text, str) and text:
                                size -= len(text)
                                yield PARAMETER_TEXT, text[:MAX_PARAMETER_TEXT]
                            values = child.get("enum")
                            if isinstance(values, list):
                                yield from _values(values)
                            if len(child) > 1:
                                below.append(child)
            for key in _ALTERNATIVES:
                options = node.get(key)
                if isinstance(options, list):
                    below.extend(options[:MAX_VALUES])
            items = node.get("items")
            if isinstance(items, dict):
                values = items.get("enum")
                if isinstance(values, list):
                    yield from _values(values)
                below.append(items)
        if not below:
            return
        level = below


def _values(values: list[Any]) -> Iterator[tuple[int, str]]:
    for value in values[:MAX_VALUES]:
        if isinstance(value, str):
            yield VALUE, value[:64]
