"""Tool definitions in, what the model should see out: the one place where the decision to defer is made."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from . import bridge, tokens
from .cache import Cache
from .catalog import Catalog, Definition, split_name
from .config import DEFAULT_NAMES, BridgeNames, ToolSearchConfig
from .partition import Partition, partition

if TYPE_CHECKING:
    from .listing import Listing

TOLD_CHARS = 9_500
"""The longest listing for the conversation: Hermes moves what a hook tells beyond 10,000 characters into a file."""

NOTHING_TO_DEFER = "no deferrable tool"


@dataclass(frozen=True)
class Assembly:
    """A tools array and how it came about.

    ``tool_defs`` is the array; ``listing`` is None where nothing is deferred, and ``reason`` then says why.
    ``overflow`` is the listing that the budget allows where the provider's limit on a description does not: it
    belongs into the conversation, once, where text may be long.
    """

    tool_defs: list[Definition]
    partition: Partition
    listing: Listing | None
    reason: str
    names: BridgeNames
    overflow: str = ""

    @property
    def activated(self) -> bool:
        """Whether tools are deferred behind the bridge."""
        return self.listing is not None

    @property
    def tier(self) -> int:
        """0 without a bridge; 1 where every tool or server is listed; 2 where only servers are."""
        return self.listing.tier if self.listing else 0

    @property
    def deferred_count(self) -> int:
        """How many tools are deferred."""
        return len(self.partition.catalog) if self.activated else 0

    @cached_property
    def deferred_tokens(self) -> int:
        """What the deferred tools' definitions would cost each turn, in tokens; counted when asked for."""
        return eager_tokens(self.partition.catalog) if self.activated else 0

    @property
    def threshold_tokens(self) -> int:
        """The listing's budget, in tokens."""
        return self.listing.budget if self.listing else 0

    def summary(self) -> str:
        """The decision in one line, for a log."""
        if self.listing is None:
            return f"tool search: nothing deferred ({self.reason}); {len(self.tool_defs)} tools visible"
        return (
            f"tool search: {self.deferred_count} tools of {len(self.partition.catalog.groups)} servers deferred, "
            f"{len(self.partition.visible)} visible; tier {self.tier}, listing {self.listing.form}, "
            f"{self.listing.tokens} of {self.listing.budget} tokens"
        )


def assemble(
    definitions: Iterable[Definition],
    *,
    config: ToolSearchConfig,
    context_length: int | None,
    stays_visible: Callable[[str], bool],
    server_of: Callable[[str], str | None] = lambda name: None,
    names: BridgeNames = DEFAULT_NAMES,
    max_chars: int | None = None,
    bridge_problem: str | None = None,
) -> Assembly:
    """Decide what of ``definitions`` the model sees.

    Stateless, and idempotent: an array that was assembled before gives itself. ``stays_visible`` and ``server_of``
    are the host's knowledge of a tool name; the user's pins are applied here. ``max_chars`` is the longest function
    description that the provider takes. ``bridge_problem`` says why the bridge cannot work in this session; a
    bridge of which a part is missing would strand the tools behind it, so then, as under ``enabled: off`` and with
    nothing to defer, the definitions come back as they are.
    """
    given = list(definitions)

    def as_given(reason: str) -> Assembly:
        return Assembly(given, Partition(tuple(given), Catalog((), "")), None, reason, names)

    if config.enabled == "off":
        return as_given("enabled: off")
    if bridge_problem is not None:
        return as_given(bridge_problem)
    reserved = names.as_set()
    named = [definition for definition in given if _name(definition) in reserved] if _may_hold(given, reserved) else []
    ours = [definition for definition in named if bridge.is_bridge_definition(definition, names)]
    if len(ours) < len(named):
        taken = sorted(_name(definition) for definition in named if definition not in ours)
        return as_given(f"another tool is called {', '.join(taken)}")
    foreign = [definition for definition in given if definition not in ours] if ours else given

    def pinned_or_visible(name: str) -> bool:
        return stays_visible(name) or config.pinned(name, split_name(name, server_of(name))[0])

    visible = pinned_or_visible if config.pin else stays_visible
    parts = partition(foreign, stays_visible=visible, server_of=server_of)
    if not len(parts.catalog):
        return as_given(NOTHING_TO_DEFER)
    if config.activation_pct > 0:
        share = eager_tokens(parts.catalog)
        needed = int(config.activation_pct / 100 * (context_length or 0))
        if share < needed:
            return as_given(f"the deferrable tools cost {share} tokens, under activation_pct ({needed})")
    from .listing import listing_budget, make_listing  # its expressions take 10 ms to compile, where nothing is listed

    budget = listing_budget(config.threshold_pct, config.listing_max_tokens, context_length)
    room = None
    if max_chars:
        bare = bridge.definitions(names, parts.catalog, "")[0]
        room = max(0, max_chars - len(bare["function"]["description"]) - 1)

    def listed(chars: int | None) -> Listing:
        return make_listing(parts.catalog, budget=budget, mode=config.listing, max_chars=chars, trust=config.trust)

    listing = listed(room)
    told = listed(TOLD_CHARS).text if room is not None else ""
    tool_defs = [*parts.visible, *bridge.definitions(names, parts.catalog, listing.text)]
    return Assembly(tool_defs, parts, listing, "", names, told if told != listing.text else "")


def eager_tokens(catalog: Catalog) -> int:
    """What the definitions of every tool in ``catalog`` would cost each turn, in tokens."""
    functions = (
        {"name": entry.name, "description": entry.description, "parameters": entry.parameters}
        for entry in catalog.entries
    )
    return _eager.get(
        catalog.fingerprint,
        lambda: tokens.count_definitions({"type": "function", "function": function} for function in functions),
    )


_eager: Cache[str, int] = Cache(32)


def _may_hold(definitions: list[Definition], names: frozenset[str]) -> bool:
    """Whether one of ``definitions`` may have one of ``names``; most arrays hold none, which is seen at once."""
    try:
        return not names.isdisjoint([definition["function"]["name"] for definition in definitions])
    except (LookupError, TypeError):
        return True


def _name(definition: Definition) -> str:
    try:
        name = definition["function"]["name"]
    except (LookupError, TypeError):
        return ""
    return name if isinstance(name, str) else ""
