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
MAX_NAME = 64
MAX_SUMMARY = 300
MAX_DETAIL = 1500
MAX_PARAMETER_TEXT = 300
MAX_TEXT = 4000

_SENTENCE = re.compile(r"[.!?。！？](?=\s|$)|\n")
_NAMED = ("properties", "$defs", "definitions")
_CHOICES = ("anyOf", "oneOf", "allOf")
_FLAT = frozenset(("type", "description", "title", "default", "format", "minimum", "maximum", "examples", "$ref"))


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
    names, texts, values = _schema_texts(entry.parameters)
    if names:
        yield PARAMETER, " ".join(names)
    for text in texts:
        yield PARAMETER_TEXT, text
    if values:
        yield VALUE, " ".join(values)


def _schema_texts(schema: Mapping[str, Any]) -> tuple[list[str], list[str], list[str]]:
    """Names, descriptions and enum values of the parameters in ``schema``, level by level."""
    names: list[str] = []
    texts: list[str] = []
    values: list[str] = []
    nodes, size = MAX_NODES, MAX_TEXT
    level: list[Any] = [schema]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for node in level:
            if not isinstance(node, dict):
                continue
            found = node.get("enum")
            if isinstance(found, list):
                values.extend(value[:MAX_NAME] for value in found[:MAX_VALUES] if isinstance(value, str))
            for key in _NAMED:
                children = node.get(key)
                if not isinstance(children, dict):
                    continue
                if key == "properties":
                    names.extend(str(name)[:MAX_NAME] for name in children)
                nodes -= len(children)
                for child in children.values():
                    if isinstance(child, dict):
                        text = child.get("description")
                        if isinstance(text, str):
                            size -= len(text)
                            texts.append(text[:MAX_PARAMETER_TEXT])
                        if not _FLAT.issuperset(child):
                            below.append(child)
                if nodes < 0 or size < 0:
                    return names[:MAX_NODES], texts, values
            if "items" in node:
                below.append(node["items"])
            for key in _CHOICES:
                options = node.get(key)
                if isinstance(options, list):
                    below.extend(options[:MAX_VALUES])
        if not below:
            break
        level = below
    return names, texts, values
