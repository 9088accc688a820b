"""The core under the names that Hermes 0.16 to 0.19 import from ``tools.tool_search``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .. import bridge, tokens
from ..assembly import Assembly
from ..calls import Invocation, open_call
from ..catalog import Catalog, Definition, make_entry
from ..catalog import build_catalog as core_catalog
from ..config import DEFAULT_NAMES, ToolSearchConfig
from ..names import Scope
from ..partition import Partition
from . import assembly_hook, bridge_tools, host, seams
from .session import current, raw_definitions

__all__ = [
    "BRIDGE_TOOL_NAMES",
    "CHARS_PER_TOKEN",
    "TOOL_CALL_NAME",
    "TOOL_DESCRIBE_NAME",
    "TOOL_SEARCH_NAME",
    "AssemblyResult",
    "CatalogEntry",
    "ToolSearchConfig",
    "assemble_tool_defs",
    "bridge_tool_schemas",
    "build_catalog",
    "classify_tools",
    "dispatch_tool_describe",
    "dispatch_tool_search",
    "estimate_tokens_from_schemas",
    "is_bridge_tool",
    "is_deferrable_tool_name",
    "load_config",
    "resolve_underlying_call",
    "scoped_deferrable_names",
    "search_catalog",
    "should_activate",
]

TOOL_SEARCH_NAME = DEFAULT_NAMES.search
TOOL_DESCRIBE_NAME = DEFAULT_NAMES.describe
TOOL_CALL_NAME = DEFAULT_NAMES.call
BRIDGE_TOOL_NAMES = DEFAULT_NAMES.as_set()

CHARS_PER_TOKEN = 4.0
"""What the host's own estimate divides by. Nothing here uses it: tokens are counted."""

AssemblyResult = Assembly


class CatalogEntry(NamedTuple):
    """A deferred tool in the host's form: ``schema`` is its whole definition, ``source_name`` its toolset."""

    name: str
    description: str
    schema: Definition
    source: str
    source_name: str


def load_config() -> ToolSearchConfig:
    """The configuration as the user wrote it."""
    seams.install_on_agent()
    return host.user_config()[0]


def is_bridge_tool(name: str) -> bool:
    """Whether ``name`` is one of the three bridge tools, and not a tool of somebody else under such a name."""
    return name in BRIDGE_TOOL_NAMES and host.toolset_of(name) in (None, host.TOOLSET)


def is_deferrable_tool_name(name: str) -> bool:
    """Whether a tool of this name would be deferred."""
    return not is_bridge_tool(name) and not host.Surface(load_config()).stays_visible(name)


def classify_tools(tool_defs: Iterable[Definition]) -> tuple[list[Definition], list[Definition]]:
    """``(visible, deferrable)``, each in the order given, without our own bridge tools."""
    given = [definition for definition in tool_defs if not bridge.is_bridge_definition(definition, DEFAULT_NAMES)]
    parts = _partition(given)
    hidden = parts.catalog.by_name
    return list(parts.visible), [definition for definition in given if _name(definition) in hidden]


def estimate_tokens_from_schemas(tool_defs: Iterable[Definition]) -> int:
    """What these definitions cost each turn, in tokens."""
    return tokens.count_definitions(tool_defs)


def should_activate(config: ToolSearchConfig, deferrable_tokens: int, context_length: int | None) -> bool:
    """Whether a deferrable surface of this many tokens goes behind the bridge."""
    if config.enabled == "off" or deferrable_tokens <= 0:
        return False
    return deferrable_tokens >= config.activation_pct / 100 * (context_length or 0)


def assemble_tool_defs(
    tool_defs: Iterable[Definition], *, context_length: int | None = None, config: ToolSearchConfig | None = None
) -> Assembly:
    """What the model should see of ``tool_defs``; ``config`` defaults to the user's."""
    return assembly_hook.draft(list(tool_defs), context_length, config)


def bridge_tool_schemas(deferred_count: int) -> list[Definition]:
    """The three bridge definitions without a listing. The count is read off a catalog nowadays, and not used."""
    return bridge.definitions(DEFAULT_NAMES, Catalog((), ""), "")


def build_catalog(tool_defs: Iterable[Definition]) -> list[CatalogEntry]:
    """The definitions as entries that :func:`search_catalog` takes, in their order."""
    surface = host.Surface(host.user_config()[0])
    catalog = []
    for definition in tool_defs:
        name = _name(definition)
        toolset = surface.toolset_of(name) or ""
        source = "mcp" if toolset.startswith("mcp-") else "plugin" if toolset else "other"
        description = (definition.get("function") or {}).get("description")
        catalog.append(CatalogEntry(name, str(description or ""), definition, source, toolset))
    return catalog


def search_catalog(catalog: Iterable[CatalogEntry], query: str, limit: int = 5) -> list[CatalogEntry]:
    """The at most ``limit`` entries that fit ``query`` best."""
    by_name = {entry.name: entry for entry in catalog}
    entries = []
    for item in by_name.values():
        entry, _ = make_entry(item.schema["function"], server=item.source_name.removeprefix("mcp-"))
        if entry is not None:
            entries.append(entry)
    from .. import retrieval

    results = retrieval.search(core_catalog(entries), query, limit)
    return [by_name[hit.entry.name] for hit in results.hits]


def dispatch_tool_search(args: Any, *, current_tool_defs: Iterable[Definition]) -> str:
    """Answer a search over the session's tools, as JSON."""
    session = current()
    if session is not None:
        return bridge_tools.search_in(session, args)
    catalog = _partition(current_tool_defs).catalog
    from ..answers import search_answer

    return json.dumps(search_answer(args, catalog, load_config(), DEFAULT_NAMES), ensure_ascii=False)


def dispatch_tool_describe(args: Any, *, current_tool_defs: Iterable[Definition]) -> str:
    """Answer a describe over the session's tools, as JSON."""
    from ..answers import describe_answer

    return json.dumps(describe_answer(args, _scope(current_tool_defs), DEFAULT_NAMES), ensure_ascii=False)


def scoped_deferrable_names(tool_defs: Iterable[Definition]) -> frozenset[str]:
    """The names that a session with these definitions may reach through the bridge."""
    return frozenset(_partition(tool_defs).catalog.by_name)


def resolve_underlying_call(args: Any) -> tuple[str | None, dict[str, Any], str | None]:
    """``(name, arguments, error)`` of one bridge call; a call with several entries is opened before it gets here."""
    if not is_bridge_tool(TOOL_CALL_NAME):
        return None, {}, f"{TOOL_CALL_NAME} is another plugin's tool here"
    if isinstance(args, Mapping) and isinstance(args.get(bridge_tools.REFUSED), Mapping):
        return None, {}, sentence(args[bridge_tools.REFUSED])
    first = open_call(args, _scope(raw_definitions(None, None)))[0]
    if isinstance(first, Invocation):
        return first.name, first.arguments, None
    return None, {}, sentence(first.message)


def _scope(definitions: Iterable[Definition]) -> Scope:
    session = current()
    if session is not None:
        return session.scope()
    parts = _partition(definitions)
    return Scope(parts.catalog, {_name(item): item for item in parts.visible}, DEFAULT_NAMES, host.is_known)


def _partition(definitions: Iterable[Definition]) -> Partition:
    return assembly_hook.draft(list(definitions), None).partition


def sentence(message: Mapping[str, Any]) -> str:
    """A refusal as one text, since the host puts what it gets under ``error`` itself."""
    rest = {key: value for key, value in message.items() if key != "error"}
    return f"{message.get('error')} {json.dumps(rest, ensure_ascii=False)}" if rest else str(message.get("error"))


def _name(definition: Definition) -> str:
    return str((definition.get("function") or {}).get("name") or "")
