"""The engines that are compared, one adapter a file.

An adapter says what it is (``TITLE``), what to install (``REQUIREMENTS``, pinned; the first is the engine itself) and
defines ``build(tools)``, which takes MCP tool definitions and returns ``search(query, limit)``: names, best first. It
imports the engine inside its functions, since this process reads the adapter without having the engine.
Optional:

- ``prepare(tools)``: what a session has made of the tools before it indexes them; ``build`` takes it in their place;
- ``settle(prepared)``: to have now what a session makes in the background;
- ``ENVIRONMENT``: adapters with one name share an environment; ``PYTHON``: the least minor version;
- ``assemble(definitions, context_length)``, ``answer(definitions)`` and ``describe(definitions)``: what a host sends
  and answers, see hermes_0_19.py.
"""

from __future__ import annotations

import importlib
from typing import Any

OURS = "toolsearch"

PEERS = (
    "hermes_0_19",
    "hermes_0_22",
    "hermes_0_22_ungated",
    "rank_bm25_okapi",
    "bm25s_lucene",
    "fastmcp_bm25",
    "pydantic_ai_keywords",
    "dehydrator_bm25l",
    "ratel_bm25",
    "graph_tool_call",
    "toolhunch_bm25",
    "turbomcp_keywords",
)

ENGINES = (OURS, *PEERS)


def prepared(module: Any, tools: list[dict[str, Any]]) -> Any:
    """What the adapter's ``build`` takes."""
    return module.prepare(tools) if hasattr(module, "prepare") else tools


def adapter(name: str) -> Any:
    """The adapter module of that name."""
    return importlib.import_module(f"benchmarks.engines.{name}")
