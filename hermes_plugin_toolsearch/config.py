"""Every key of ``tools.tool_search``: its default, its range and its meaning, in one place.

The documentation's table is written from :data:`KEYS`, so what stands here is what users read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any, Literal, NamedTuple

Trust = Literal["full", "names", "counts"]


class BridgeNames(NamedTuple):
    """The names under which the three bridge tools are declared to the model."""

    search: str = "tool_search"
    describe: str = "tool_describe"
    call: str = "tool_call"

    def as_set(self) -> frozenset[str]:
        """The three names."""
        return frozenset((self.search, self.describe, self.call))


DEFAULT_NAMES = BridgeNames()


class Notice(NamedTuple):
    """A value that was not used as written: the key, what was read, what is used, and why."""

    key: str
    read: object
    used: object
    reason: str

    def __str__(self) -> str:
        return f"tools.tool_search.{self.key}: read {self.read!r}, using {self.used!r} ({self.reason})"


@dataclass(frozen=True, slots=True)
class ToolSearchConfig:
    """The resolved configuration; every field is a key of ``tools.tool_search``."""

    enabled: Literal["auto", "on", "off"] = "auto"
    threshold_pct: float = 5.0
    search_default_limit: int = 5
    max_search_limit: int = 20
    listing: Literal["auto", "on", "off"] = "auto"
    listing_max_tokens: int = 20_000
    activation_pct: float = 0.0
    pin: tuple[str, ...] = ()
    defer: tuple[str, ...] = ()
    listing_trust: Mapping[str, Trust] = field(default_factory=dict)
    description_max_chars: int = 0
    catalog_changes: Literal["announce", "rebuild"] = "announce"
    bridge_names: Mapping[str, str] = field(default_factory=dict)
    semantic: Literal["auto", "on", "off"] = "auto"
    stats: Literal["on", "queries", "off"] = "on"

    @classmethod
    def from_raw(cls, raw: object) -> ToolSearchConfig:
        """The configuration that ``raw``, the value of ``tools.tool_search``, stands for."""
        return read_config(raw)[0]

    def pinned(self, name: str, server: str) -> bool:
        """Whether the tool ``name`` of ``server`` stays visible because the user pinned it."""
        return _listed(self.pin, name, server)

    def trust(self, server: str) -> Trust:
        """How much of ``server``'s own text the listing may show; the longest pattern that fits decides."""
        for pattern in sorted(self.listing_trust, key=lambda pattern: (pattern != server, -len(pattern), pattern)):
            if fnmatchcase(server, pattern):
                return self.listing_trust[pattern]
        return "full"

    def names(self, default: BridgeNames = DEFAULT_NAMES) -> BridgeNames:
        """The bridge's names: the user's own where they are set, else ``default``."""
        return default._replace(**self.bridge_names)


def _listed(patterns: tuple[str, ...], name: str, server: str) -> bool:
    """Whether a pin names the tool: by its name, a glob over it, or its server as ``mcp-<server>``."""
    return any(fnmatchcase(name, pattern) or fnmatchcase(f"mcp-{server}", pattern) for pattern in patterns)


class Key(NamedTuple):
    """One key: how a raw value is read (``ValueError`` carries the reason), and what the documentation says."""

    name: str
    read: Callable[[Any], tuple[Any, str | None]]
    range: str
    meaning: str


def _choice(*allowed: str) -> Callable[[Any], tuple[Any, str | None]]:
    def read(raw: Any) -> tuple[Any, str | None]:
        if isinstance(raw, bool):  # YAML reads a bare on/off as true/false
            raw = "on" if raw else "off"
        if isinstance(raw, str) and raw.strip().lower() in allowed:
            return raw.strip().lower(), None
        raise ValueError("one of " + ", ".join(allowed))

    return read


def _number(low: float, high: float, kind: type[int] | type[float]) -> Callable[[Any], tuple[Any, str | None]]:
    def read(raw: Any) -> tuple[Any, str | None]:
        if isinstance(raw, str):
            try:
                raw = float(raw)
            except ValueError:
                raise ValueError("a number is needed") from None
        if isinstance(raw, bool) or not isinstance(raw, int | float) or math.isnan(raw):
            raise ValueError("a number is needed")
        used = kind(min(max(raw, low), high))
        return used, None if used == raw else f"clamped to {low:g}–{high:g}"

    return read


def _strings(raw: Any) -> tuple[Any, str | None]:
    if isinstance(raw, str):
        return (raw,), None
    if isinstance(raw, list | tuple) and all(isinstance(item, str) for item in raw):
        return tuple(raw), None
    raise ValueError("a list of names is needed")


def _trusts(raw: Any) -> tuple[Any, str | None]:
    if not isinstance(raw, Mapping):
        raise ValueError("a mapping of server to full, names or counts is needed")
    used = {str(key): value for key, value in raw.items() if value in ("full", "names", "counts")}
    return used, None if len(used) == len(raw) else "values other than full, names and counts were left out"


def _bridge_names(raw: Any) -> tuple[Any, str | None]:
    roles = BridgeNames._fields
    if not isinstance(raw, Mapping) or not all(isinstance(value, str) for value in raw.values()):
        raise ValueError("a mapping of search, describe, call to names is needed")
    used = {key: value for key, value in raw.items() if key in roles and value.isidentifier() and len(value) <= 64}
    if len({*used.values(), *(getattr(DEFAULT_NAMES, role) for role in roles if role not in used)}) < len(roles):
        raise ValueError("the three names must differ")
    return used, None if len(used) == len(raw) else "only search, describe and call, as plain identifiers, are used"


KEYS: tuple[Key, ...] = (
    Key(
        "enabled",
        _choice("auto", "on", "off"),
        "`auto`, `on`, `off`",
        "`auto` and `on` activate the bridge when at least one deferrable tool exists; `off` changes nothing at all. "
        "`true` / `false` in place of the whole mapping mean `auto` / `off`.",
    ),
    Key("threshold_pct", _number(0, 100, float), "0–100", "The listing's budget, in % of the model's context."),
    Key("search_default_limit", _number(1, 50, int), "1–`max_search_limit`", "Hits when the model gives no limit."),
    Key("max_search_limit", _number(1, 50, int), "1–50", "The most hits a model may ask for."),
    Key(
        "listing",
        _choice("auto", "on", "off"),
        "`auto`, `on`, `off`",
        "`auto` lists what the budget allows, `on` always lists something, `off` gives the bare bridge.",
    ),
    Key("listing_max_tokens", _number(200, 60_000, int), "200–60000", "The most tokens that the listing may cost."),
    Key(
        "activation_pct",
        _number(0, 100, float),
        "0–100",
        "0: any deferrable tool activates the bridge. Above 0: only when the deferrable schemas cost at least that "
        "share of the context.",
    ),
    Key(
        "pin",
        _strings,
        "names, globs, servers",
        "Tools that stay visible: a name, a glob over names (`mcp__github__*`) or a server (`mcp-github`). "
        "A pin never grants access.",
    ),
    Key("defer", _strings, "names, globs", "Core tools to defer too. Empty keeps all of them direct."),
    Key(
        "listing_trust",
        _trusts,
        "`full`, `names`, `counts` per server or glob",
        "How much of a server's own text the listing shows: names and descriptions, names only, or its tool count.",
    ),
    Key(
        "description_max_chars",
        _number(0, 200_000, int),
        "0–200000",
        "The longest function description that the provider accepts; 0 uses what is known of the provider.",
    ),
    Key(
        "catalog_changes",
        _choice("announce", "rebuild"),
        "`announce`, `rebuild`",
        "When tools come or go in a running session: tell the model in the next turn and leave the cached request "
        "prefix alone, or publish a new tools array.",
    ),
    Key(
        "bridge_names",
        _bridge_names,
        "`search`, `describe`, `call`",
        "Other names for the bridge tools, for a provider that refuses the usual ones.",
    ),
    Key(
        "semantic",
        _choice("auto", "on", "off"),
        "`auto`, `on`, `off`",
        "Whether search also compares meanings, with the word vectors in the package.",
    ),
    Key(
        "stats",
        _choice("on", "queries", "off"),
        "`on`, `queries`, `off`",
        "The local usage log behind `hermes toolsearch stats`; `queries` keeps the query texts too.",
    ),
)


def read_config(
    raw: object, defaults: ToolSearchConfig = ToolSearchConfig()
) -> tuple[ToolSearchConfig, tuple[Notice, ...]]:
    """The configuration that ``raw``, the value of ``tools.tool_search``, stands for, and what was corrected in it.

    A value out of range is clamped, one of a wrong type falls back to the default, an unknown key is ignored;
    each of these gives one notice. ``defaults`` differ only on hosts that ship defaults of their own.
    """
    if raw is None:
        return defaults, ()
    if isinstance(raw, bool):
        return replace(defaults, enabled="auto" if raw else "off"), ()
    if not isinstance(raw, Mapping):
        return defaults, (Notice("", raw, "the defaults", "a mapping, true or false is needed"),)
    values: dict[str, Any] = {}
    notices: list[Notice] = []
    known = {key.name: key for key in KEYS}
    for name, value in raw.items():
        key = known.get(name)
        if key is None:
            notices.append(Notice(str(name), value, None, "no such key; it is ignored"))
            continue
        try:
            used, note = key.read(value)
        except ValueError as reason:
            notices.append(Notice(name, value, _shown(getattr(defaults, name)), str(reason)))
            continue
        values[name] = used
        if note is not None:
            notices.append(Notice(name, value, _shown(used), note))
    config = replace(defaults, **values)
    if config.search_default_limit > config.max_search_limit:
        if "search_default_limit" in values:
            notices.append(
                Notice(
                    "search_default_limit",
                    config.search_default_limit,
                    config.max_search_limit,
                    "clamped to the maximum",
                )
            )
        config = replace(config, search_default_limit=config.max_search_limit)
    return config, tuple(notices)


def _shown(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
