"""What a model does until the right tool has run, by a fixed policy, and what that costs.

The policy, which never misreads anything: a tool in the array is called at once. Otherwise, if the array's text names
the tool exactly, it is called, after a describe if its schema is needed. Otherwise the model searches with the need's
words; on a miss once more for the most hits the host gives; then it gives up. A tool that was found is called, after a
describe if its schema is needed and the hit does not tell enough. A schema is needed if the tool requires a parameter.
A hit tells enough if it gives a signature that leaves no required object open, or if it names the required parameters
and all of these are plain values without a list of choices.

When the same tool is needed later in the session, its name and schema are known: it is called at once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Prices:
    """Of a token, in units of an input token without caching. The defaults are Anthropic's published ratios."""

    written: float = 5.0
    cache_read: float = 0.1
    cache_write: float = 1.25


@dataclass(frozen=True, slots=True)
class Call:
    """One model call: tokens added to the request since the previous call, and tokens that the model writes."""

    added: int
    written: int


@dataclass(frozen=True, slots=True)
class Run:
    """The model calls until the right tool has run, or until the model gave up."""

    calls: tuple[Call, ...]
    found: bool

    @property
    def transcript(self) -> int:
        """Tokens that this leaves in the conversation."""
        return sum(call.added + call.written for call in self.calls)

    def read(self, prefix: int) -> int:
        """Input tokens of all calls together, over a request that already held ``prefix`` tokens."""
        total, held = 0, prefix
        for call in self.calls:
            held += call.added
            total += held
            held += call.written
        return total

    def price(self, prefix: int, prices: Prices, *, cached: int | None) -> float:
        """Of all calls. ``cached`` is how much of ``prefix`` the provider's cache holds; None means no caching."""
        total, held, known = 0.0, prefix, cached
        for call in self.calls:
            held += call.added
            if known is None:
                total += held
            else:
                total += known * prices.cache_read + (held - known) * prices.cache_write
                known = held
            total += call.written * prices.written
            held += call.written
        return total


@dataclass(frozen=True, slots=True)
class Host:
    """What one host shows: its tools array, and the texts with which it answers."""

    array: list[dict[str, Any]]
    search: Mapping[str, str]
    wide: Mapping[str, str]
    describe: Mapping[str, str]

    @property
    def visible(self) -> frozenset[str]:
        return frozenset(definition["function"]["name"] for definition in self.array)


@dataclass(frozen=True, slots=True)
class Need:
    """A query and the tools that serve it, by name, with their schemas."""

    query: str
    schemas: Mapping[str, Mapping[str, Any]]


def listed_names(array: list[dict[str, Any]]) -> frozenset[str]:
    """Full names of the tools that the listing in the array names.

    A listing has lines ``- name: description``, or names between commas, or these, indented, under a heading
    ``prefix* (n):`` whose prefix belongs before them.
    """
    found: set[str] = set()
    for definition in array:
        prefix = ""
        for line in definition["function"].get("description", "").splitlines():
            heading = re.match(r"(\S+)\* \(\d+\):", line)
            if heading:
                prefix, rest = heading[1], line[heading.end() :]
            elif line.startswith(("- ", " ")):
                rest = line.lstrip("- ").partition(":")[0]
            else:
                rest = line
            if "not listed" not in line:
                found.update(prefix + name.strip() for name in rest.split(",") if name.strip())
                found.update(name.strip() for name in rest.split(","))
    return frozenset(found)


def hit_tells_enough(answer: str, name: str, schema: Mapping[str, Any]) -> bool:
    """Whether the search answer's record of ``name`` suffices to call it."""
    record = _record(json.loads(answer), name)
    if isinstance(record.get("signature"), str):
        return not re.search(r"[(,] ?[^\s?:,]+: (object|any)\b", record["signature"])
    if "required" in record:
        properties = schema.get("properties") or {}
        return all(_plain(properties.get(parameter)) for parameter in schema.get("required") or ())
    return False


def _record(answer: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    tools = answer.get("tools")
    if isinstance(tools, Mapping):
        return tools.get(name) or {}
    return next((match for match in answer.get("matches") or () if match.get("name") == name), {})


def _plain(schema: Any) -> bool:
    return (
        isinstance(schema, Mapping)
        and schema.get("type") in ("string", "integer", "number", "boolean")
        and ("enum" not in schema)
    )


def run(host: Host, listed: frozenset[str], need: Need, count: Count, *, arguments: int) -> Run:
    """The calls of the policy for a need that comes up for the first time.

    ``arguments`` is what the tool's own arguments cost, in tokens.
    """
    asked = count(need.query)
    direct = sorted(need.schemas.keys() & host.visible)
    if direct:
        return Run((Call(asked, count(direct[0]) + arguments),), True)
    calls: list[Call] = []
    named = sorted(need.schemas.keys() & listed)
    if named:
        target, known = named[0], False
    else:
        target, known = "", False
        for limit, answers in (("", host.search), (',"limit":20', host.wide)):
            answer = answers[need.query]
            calls.append(Call(asked, count(f'tool_search{{"query":"{need.query}"{limit}}}')))
            asked = count(answer)
            shown = [name for name in need.schemas if f'"{name}"' in answer]
            if shown:
                target = min(shown, key=answer.index)
                known = hit_tells_enough(answer, target, need.schemas[target])
                break
        if not target:
            return Run((*calls, Call(asked, 0)), False)
    if not known and need.schemas[target].get("required"):
        calls.append(Call(asked, count(f'tool_describe{{"name":"{target}"}}')))
        asked = count(host.describe[target])
    calls.append(Call(asked, count(f'tool_call{{"name":"{target}","arguments":}}') + arguments))
    return Run(tuple(calls), True)


def again(need: Need, found: Run, host: Host, count: Count, *, arguments: int) -> Run:
    """The same need later in the session: one call."""
    name = sorted(need.schemas)[0]
    wrapper = 0 if need.schemas.keys() & host.visible else count('tool_call{"name":"","arguments":}')
    return Run((Call(count(need.query), count(name) + wrapper + arguments),), found.found)
