"""What the commands look at: the tools that a session would have, and what becomes of them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from .. import tokens
from ..assembly import Assembly, assemble
from ..catalog import Catalog, Definition, split_name
from ..config import Notice, ToolSearchConfig
from ..names import Scope
from . import place

CONTEXT = 200_000
"""The context length, in tokens, that a file of tools is looked at with unless another is asked for."""

TIMEOUT = 30
"""Seconds that servers are given to connect in, unless another time is asked for."""


class NoViewError(Exception):
    """There are no tools to look at; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Server:
    """A configured MCP server; ``reason`` says why it is not ``connected``."""

    name: str
    state: Literal["connected", "failed", "disabled", "waiting"]
    reason: str = ""


@dataclass(frozen=True)
class View:
    """The tools of one session, real or as it would be, and what the model is given of them.

    ``origin`` names where they come from. ``definitions`` are all of them before anything is deferred; ``own`` says
    of a name whether it is one of the host's. ``model`` and ``context_length`` (tokens) are those of the session.
    ``would_defer`` is the assembly with tool search on, which is ``assembly`` itself where it is. ``provider`` is the
    host side's knowledge of where requests go.
    """

    origin: str
    config: ToolSearchConfig
    notices: tuple[Notice, ...]
    definitions: Sequence[Definition]
    assembly: Assembly
    scope: Scope
    servers: tuple[Server, ...] = ()
    model: str = ""
    context_length: int | None = None
    server_of: Callable[[str], str | None] = lambda name: None
    own: Callable[[str], bool] = lambda name: False
    toolset_of: Callable[[str], str | None] = lambda name: None
    would_defer: Assembly | None = field(default=None)
    provider: Any = None

    @property
    def catalog(self) -> Catalog:
        """The deferred tools."""
        return self.assembly.partition.catalog

    @cached_property
    def by_server(self) -> dict[str, list[Definition]]:
        """Server or plugin -> its definitions, without the host's own tools."""
        found: dict[str, list[Definition]] = {}
        for definition in self.definitions:
            name = name_of(definition)
            if not self.own(name):
                found.setdefault(split_name(name, self.server_of(name))[0], []).append(definition)
        return dict(sorted(found.items()))

    @cached_property
    def eager_tokens(self) -> int:
        """What every definition costs without a bridge, in tokens."""
        return tokens.count_definitions(self.definitions)

    @cached_property
    def tokens_now(self) -> int:
        """What the tools array costs as it is, in tokens."""
        return tokens.count_definitions(self.assembly.tool_defs)


def deferrable(view: View) -> Catalog:
    """The deferred tools of ``view``; where nothing is deferred, those that could be."""
    return (view.would_defer or view.assembly).partition.catalog


def name_of(definition: Definition) -> str:
    """The name in a definition."""
    function = definition.get("function") or {}
    return str(function.get("name", ""))


def add_source(parser: Any) -> None:
    """Declare the options that say which tools to look at."""
    parser.add_argument(
        "--tools",
        type=Path,
        metavar="FILE",
        help="look at a file of tools (JSON or JSON lines, also .gz), not at Hermes",
    )
    parser.add_argument("--context", type=int, metavar="N", help="the model's context length in tokens")
    parser.add_argument("--model", metavar="NAME", help="look at it as for this model")
    parser.add_argument(
        "--timeout",
        type=float,
        default=TIMEOUT,
        metavar="S",
        help=f"seconds for servers to connect (default {TIMEOUT})",
    )


def open_view(options: argparse.Namespace) -> View:
    """The tools that ``options`` ask for: those of a file, else those of the Hermes that is installed here.

    Raises NoViewError where there is neither, and UnreadableFileError.
    """
    if options.tools is not None:
        return view_of_file(options.tools, context_length=options.context or CONTEXT, model=options.model or "")
    if not place.in_hermes():
        raise NoViewError("there is no Hermes in this environment; give a file of tools with --tools FILE")
    from ..hermes import surroundings

    return surroundings.view(context_length=options.context, model=options.model, timeout=options.timeout)


def view_of_file(path: Path, *, context_length: int, model: str = "") -> View:
    """The tools in ``path``, all of them deferrable, under the default configuration. Raises UnreadableFileError."""
    from ..evaluation import read_catalog

    config = ToolSearchConfig()
    catalog, _ = read_catalog(path)
    definitions = [
        {
            "type": "function",
            "function": {"name": entry.name, "description": entry.description, "parameters": entry.parameters},
        }
        for entry in catalog.entries
    ]
    servers = {entry.name: entry.server for entry in catalog.entries}
    assembly = assemble(
        definitions,
        config=config,
        context_length=context_length,
        stays_visible=lambda name: False,
        server_of=servers.get,
    )
    scope = Scope(assembly.partition.catalog, {}, assembly.names)
    return View(
        path.name,
        config,
        (),
        definitions,
        assembly,
        scope,
        (),
        model,
        context_length,
        servers.get,
        would_defer=assembly,
    )
