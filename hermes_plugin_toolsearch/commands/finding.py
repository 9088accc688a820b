"""``search``, ``describe`` and ``why``: what the model would be told of a tool, and why."""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from .. import answers
from ..catalog import split_name
from ..names import Resolved, Unresolved
from ..schema import signature
from ..summary import plain_text
from .output import Subcommands, parser, plain, positive, show
from .view import View, add_source, deferrable, name_of, open_view

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True, slots=True)
class Found:
    """One hit: its rank's figures, and with ``--explain`` a line for each word that it earned its score with."""

    name: str
    server: str
    signature: str
    description: str
    score: float
    how: str
    earned: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search found; ``model_reads`` is the bridge's own answer, as the model gets it."""

    query: str
    hits: tuple[Found, ...]
    confidence: float
    unknown: tuple[str, ...]
    model_reads: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Why:
    """The state of one tool or server in a session, the reason for it, and what to do about it, if anything."""

    name: str
    state: str
    reason: str
    next: str = ""


def add_search(commands: Subcommands) -> None:
    """``search``: what a query of the model's would find."""
    command = parser(commands, "search", "show what the model would find", run_search)
    command.add_argument("query")
    command.add_argument("--limit", type=positive, metavar="N", help="hits (default: search_default_limit)")
    command.add_argument("--explain", action="store_true", help="show what each hit earned, and for what")
    add_source(command)


def run_search(options: argparse.Namespace) -> int:
    """Print the hits of ``options.query``; 1 where there are none."""
    found = search(open_view(options), options.query, limit=options.limit, explain=options.explain)
    show(options, found, render_search)
    return 0 if found.hits else 1


def search(view: View, query: str, *, limit: int | None = None, explain: bool = False) -> Answer:
    """The hits of ``query`` among the deferred tools of ``view``, or among those that could be where none are."""
    from .. import retrieval

    catalog = deferrable(view)
    limit = min(limit or view.config.search_default_limit, view.config.max_search_limit)
    # A command is one search: what a session would have by its second one is made now.
    semantic: Literal["on", "off"] = "off" if view.config.semantic == "off" else "on"
    results = retrieval.search(catalog, query, limit, semantic=semantic)
    return Answer(
        query,
        tuple(
            Found(
                hit.entry.name,
                hit.entry.server,
                signature(hit.entry),
                plain_text(hit.entry.description, answers.DESCRIPTION_CHARS),
                round(float(hit.score), 3),
                hit.how,
                retrieval.explain(catalog, query, hit.entry, semantic=semantic) if explain else (),
            )
            for hit in results.hits
        ),
        round(float(results.confidence), 3),
        tuple(results.unknown),
        answers.search_answer({"query": query, "limit": limit}, catalog, view.config, view.assembly.names),
    )


def render_search(answer: Answer, console: Console) -> None:
    """A block of two lines a hit."""
    for place, hit in enumerate(answer.hits, 1):
        console.print(
            f"{place:2}. [bold]{plain(hit.name)}[/]  [dim]{hit.score:.2f}, {plain(hit.how)}[/]", soft_wrap=True
        )
        if hit.description:
            console.print(f"    {plain(hit.description)}", soft_wrap=True)
        for line in hit.earned:
            console.print(f"      [dim]{plain(line)}[/]", soft_wrap=True)
    words = "".join(f"; no tool says {word!r}" for word in answer.unknown)
    console.print(f"confidence {answer.confidence:.2f}{plain(words)}", soft_wrap=True)
    if note := answer.model_reads.get("note"):
        console.print(f"[yellow]The model is told:[/] {plain(note)}")


def add_describe(commands: Subcommands) -> None:
    """``describe``: one tool as the model is told of it."""
    command = parser(commands, "describe", "show a tool's description and schema as the model gets them", run_describe)
    command.add_argument("name", metavar="NAME")
    add_source(command)


def run_describe(options: argparse.Namespace) -> int:
    """Print what ``tool_describe`` answers; 1 where that is an error."""
    answer = describe(open_view(options), options.name)
    show(options, answer, render_describe)
    return 1 if "error" in answer else 0


def describe(view: View, name: str) -> dict[str, Any]:
    """What the describe tool answers to ``name`` in the session of ``view``."""
    return answers.describe_answer({"name": name}, view.scope, view.assembly.names)


def render_describe(answer: dict[str, Any], console: Console) -> None:
    """The description as text, the schema as JSON."""
    if "error" in answer:
        console.print(plain(answer["error"]), soft_wrap=True)
        return
    console.print(f"[bold]{plain(answer['name'])}[/]")
    for line in str(answer["description"]).splitlines():
        console.print(plain(line), soft_wrap=True)
    schema = json.dumps(answer["parameters"], ensure_ascii=False, indent=2)
    console.print(plain_lines(schema), soft_wrap=True)


def plain_lines(text: str) -> str:
    """Text of several lines as :func:`plain` makes each."""
    return "\n".join(map(plain, text.splitlines()))


def add_why(commands: Subcommands) -> None:
    """``why``: why a tool is where it is."""
    command = parser(commands, "why", "say why a tool is visible, deferred, pinned, not granted or missing", run_why)
    command.add_argument("name", metavar="NAME", help="a tool or a server")
    add_source(command)


def run_why(options: argparse.Namespace) -> int:
    """Print the reason; 1 where there is no such tool or server."""
    found = why(open_view(options), options.name)
    show(options, found, render_why)
    return 1 if found.state in ("unknown", "ambiguous") else 0


def why(view: View, name: str) -> Why:
    """Why the tool or server ``name`` is where it is in the session of ``view``."""
    name = name.strip()
    resolved = view.scope.resolve(name)
    if isinstance(resolved, Resolved):
        return _granted(view, resolved)
    return _server(view, name) or _not_there(view, name, resolved)


def _granted(view: View, resolved: Resolved) -> Why:
    name, assembly = resolved.name, view.assembly
    if resolved.kind == "bridge":
        return Why(name, "bridge", "one of the three tools through which the deferred ones are reached")
    server = split_name(name, view.server_of(name))[0]
    if resolved.kind == "deferred":
        return Why(
            name,
            "deferred",
            f"a tool of {server}; found with {assembly.names.search}, run with {assembly.names.call}",
            f"hermes toolsearch pin {name}",
        )
    if view.own(name):
        return Why(name, "visible", "one of Hermes' own tools; those stay visible unless `defer` names them")
    pins = [pattern for pattern in view.config.pin if view.config.pinned(name, server) and _pins(pattern, name, server)]
    if pins:
        return Why(
            name, "pinned", f"a tool of {server}, visible by the pin {pins[0]}", f"hermes toolsearch unpin {pins[0]}"
        )
    if not assembly.activated:
        return Why(name, "visible", f"nothing is deferred: {assembly.reason}")
    return Why(name, "visible", "no server or toolset of Hermes' registry owns it")


def _pins(pattern: str, name: str, server: str) -> bool:
    from ..config import ToolSearchConfig

    return ToolSearchConfig(pin=(pattern,)).pinned(name, server)


def _server(view: View, name: str) -> Why | None:
    """The answer where ``name`` is a server's."""
    label = name.removeprefix("mcp-")
    for server in view.servers:
        if server.name == label and server.state != "connected":
            return Why(label, server.state, server.reason, "hermes toolsearch doctor")
    definitions = view.by_server.get(label)
    if definitions is None:
        return None
    deferred = sum(name_of(definition) in view.catalog.by_name for definition in definitions)
    many = f"{len(definitions)} tools" if len(definitions) != 1 else "1 tool"
    return Why(label, "connected", f"{many}, {deferred} of them deferred")


def _not_there(view: View, name: str, unresolved: Unresolved) -> Why:
    if unresolved.reason == "ambiguous":
        return Why(name, "ambiguous", f"it means more than one tool: {', '.join(unresolved.candidates)}")
    if unresolved.reason == "not granted":
        toolset = view.toolset_of(name)
        of = f" of the toolset {toolset}" if toolset else ""
        return Why(name, "not granted", f"a tool{of}, which this session does not have", "hermes tools")
    for server in view.servers:
        slug = "".join(letter if letter.isalnum() else "_" for letter in server.name)
        if server.state != "connected" and name.startswith((f"mcp__{slug}__", f"mcp_{slug}_")):
            return Why(name, server.state, f"its server {server.name}: {server.reason}", "hermes toolsearch doctor")
    like = f"; did you mean {' or '.join(unresolved.candidates)}?" if unresolved.candidates else ""
    return Why(
        name, "unknown", f"no tool or server of this session has that name{like}", f"hermes toolsearch search {name!r}"
    )


def render_why(found: Why, console: Console) -> None:
    """One or two lines."""
    console.print(f"[bold]{plain(found.name)}[/] is {found.state}: {plain(found.reason)}.", soft_wrap=True)
    if found.next:
        console.print(f"[dim]{plain(found.next)}[/]", soft_wrap=True)
