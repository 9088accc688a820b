"""Which Hermes this is: its registry's knowledge of a tool name, and what the user wrote in its configuration."""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

from ..config import DEFAULT_NAMES, Notice, ToolSearchConfig, read_config

log = logging.getLogger(__name__.split(".hermes.", maxsplit=1)[0])

CONFIG_FILES = ("config.yaml", "hermes.yaml")
"""Where ``tools.tool_search`` is read, the first file winning where both set a key."""

TOOLSET = "toolsearch"
"""The toolset that the bridge tools are registered in; a session that disables it has no bridge."""

Native = Literal["none", "first", "tiered"]


_TIERED_KNOW = ("listing_token_budget", "build_catalog_listing_with_form", "validate_deferred_call_args")
"""Names of which each host with tiers has at least one, and none of the first form."""


@functools.cache
def native() -> Native:
    """What the host has of its own: no tool search (to 0.15), the first form (0.16 to 0.19), or the tiered one.

    Told by what its module knows. A module that is not wholly of the first form counts as tiered, because there every
    seam is optional.
    """
    try:
        import tools.tool_search as module
    except ImportError:
        return "none"
    from . import native_names

    if getattr(module, "__file__", None) == native_names.__file__:
        return "none"
    first = all(hasattr(module, name) for name in native_names.__all__)
    return "first" if first and not any(hasattr(module, name) for name in _TIERED_KNOW) else "tiered"


def isolated() -> bool:
    """Whether this process is the one in which a Hermes under ``plugins.isolation: host`` keeps its plugins."""
    return os.environ.get("HERMES_PLUGIN_HOST_PROCESS") == "1"


def home() -> Path:
    """``$HERMES_HOME`` as the host resolves it, with the profile of the running session where it has profiles."""
    from hermes_constants import get_hermes_home

    return Path(get_hermes_home())


def cache_folder() -> Path:
    """Where derived data of the running session's profile is kept on disk."""
    return home() / "cache" / "toolsearch"


_config_cache: dict[tuple[tuple[str, int, int], ...], tuple[ToolSearchConfig, tuple[Notice, ...]]] = {}


def user_config() -> tuple[ToolSearchConfig, tuple[Notice, ...]]:
    """The configuration as the user wrote it, and what was corrected in it; read anew when a file changes.

    The host's own ``load_config()`` is no use here: it merges defaults in which ``threshold_pct`` means something
    else, so that what the user set can no longer be told from what nobody did.
    """
    stamps = tuple(_stamp(home() / name) for name in CONFIG_FILES)
    cached = _config_cache.get(stamps)
    if cached is None:
        written, _ = _written(stamps)
        cached = read_config(written, defaults())
        for notice in cached[1]:
            log.warning("%s", notice)
        if len(_config_cache) >= 16:
            _config_cache.clear()
        _config_cache[stamps] = cached
    return cached


def written_in_both() -> Mapping[str, Any] | None:
    """What the files say together, where one that the host does not read says anything; else None."""
    if not (home() / CONFIG_FILES[1]).exists():
        return None
    written, names = _written(tuple(_stamp(home() / name) for name in CONFIG_FILES))
    return written if CONFIG_FILES[1] in names else None


def _written(stamps: Iterable[tuple[str, int, int]]) -> tuple[dict[str, Any], list[str]]:
    """The section as the user wrote it, and the names of the files that have one."""
    written: dict[str, Any] = {}
    names = []
    for path, _, size in reversed(tuple(stamps)):
        section = _section(Path(path)) if size >= 0 else None
        if isinstance(section, Mapping):
            written.update(section)
        elif section is not None:
            written = {"enabled": section}
        if section is not None:
            names.append(Path(path).name)
    return written, names


def defaults() -> ToolSearchConfig:
    """The defaults on this host: a host with tiers of its own keeps its own figures where the user set none."""
    if native() != "tiered":
        return ToolSearchConfig()
    from hermes_cli.config import DEFAULT_CONFIG

    shipped = DEFAULT_CONFIG.get("tools", {}).get("tool_search", {})
    keys = ("listing_max_tokens", "max_search_limit", "defer")
    return read_config({key: shipped[key] for key in keys if key in shipped})[0]


def _stamp(path: Path) -> tuple[str, int, int]:
    try:
        status = path.stat()
    except OSError:
        return (str(path), 0, -1)
    return (str(path), status.st_mtime_ns, status.st_size)


def _section(path: Path) -> Any:
    import yaml

    try:
        content = yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        tools = content.get("tools") if isinstance(content, Mapping) else None
        return tools.get("tool_search") if isinstance(tools, Mapping) else None
    except (OSError, ValueError, yaml.YAMLError) as error:
        log.warning("tool search: %s cannot be read (%s); its settings are not used", path.name, error)
        return None


def toolset_of(name: str) -> str | None:
    """The toolset under which the registry knows ``name``, or None where it does not."""
    from tools.registry import registry

    return registry.get_toolset_for_tool(name)  # type: ignore[no-any-return]


def is_known(name: str) -> bool:
    """Whether any session of this process could have the tool ``name``."""
    return toolset_of(name) is not None


def is_workers_own(name: str) -> bool:
    """Whether ``name`` is how a kanban worker, which this process then is, moves its own card."""
    return name.startswith("kanban_") and bool(os.environ.get("HERMES_KANBAN_TASK"))


class Surface:
    """What the host knows of its tools' names at one moment: which stay visible, and where each comes from.

    Visible are core tools, the own tools of the session's platform, and names that the registry does not know. A
    core tool defers only where the user listed it under ``defer``; a kanban worker's lifecycle tools never do, since
    a worker that cannot find them leaves its card running for ever.
    """

    def __init__(self, config: ToolSearchConfig, toolsets: Iterable[str] | None = None) -> None:
        import toolsets as host_toolsets
        from tools.registry import registry

        self._toolsets: Mapping[str, str] = registry.get_tool_to_toolset_map()
        self._defer = config.defer
        self._direct = frozenset(host_toolsets._HERMES_CORE_TOOLS) | {
            name
            for toolset in toolsets or ()
            if toolset.startswith("hermes-")
            for name in (host_toolsets.TOOLSETS.get(toolset) or {}).get("tools", ())
        }

    def stays_visible(self, name: str) -> bool:
        """Whether a session's model sees ``name`` whatever else is deferred."""
        if name not in self._direct:
            return name not in self._toolsets
        if is_workers_own(name):
            return True
        return not any(fnmatchcase(name, pattern) for pattern in self._defer)

    def toolset_of(self, name: str) -> str | None:
        """The toolset of ``name``; for all tools of a list at once, since the registry takes 0.06 ms to be asked."""
        return self._toolsets.get(name)

    def server_of(self, name: str) -> str | None:
        """The label of where a tool comes from: its MCP server, else its plugin's toolset."""
        toolset = self._toolsets.get(name)
        return toolset.removeprefix("mcp-") if toolset else None


def foreign_bridge_tool() -> str | None:
    """Say which bridge name belongs to somebody else in the registry, or None."""
    for name in sorted(DEFAULT_NAMES.as_set()):
        owner = toolset_of(name)
        if owner not in (None, TOOLSET):
            return f"{name} is a tool of the toolset {owner}"
    return None
