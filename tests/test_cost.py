"""What the whole bridge costs each turn: three schemas and the listing."""

import json
import os
from pathlib import Path

import pytest

from benchmarks import data
from hermes_plugin_toolsearch import tokens
from hermes_plugin_toolsearch.assembly import assemble
from hermes_plugin_toolsearch.config import ToolSearchConfig

GOLDEN = Path(__file__).parent / "golden" / "bridge_cost.json"
DEPLOYMENTS = {
    "linear": ["linear"],
    "github": ["github"],
    "five servers": ["github", "filesystem", "time", "fetch", "git"],
    "twelve servers": [
        *("github", "slack", "notion", "asana", "stripe", "postgres"),
        *("playwright", "google_calendar", "gmail", "sentry", "trello", "fetch"),
    ],
    "all 59 servers": None,
}


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_the_cost_of_the_bridge_is_known(name: str) -> None:
    """Exact tokens a turn at a context of 200,000, eager and behind the bridge, for five real catalogs (F11).

    After a wanted change: ``UPDATE_GOLDEN=1 python -m pytest tests/test_cost.py``, then read the diff.
    """
    if not (data.DATA / "judged").is_dir():
        pytest.skip("../shared/data is not there")
    definitions = data.definitions(data.captured(DEPLOYMENTS[name]))
    made = assemble(definitions, config=ToolSearchConfig(), context_length=200_000, stays_visible=lambda tool: False)
    assert made.listing is not None
    cost = tokens.count_definitions(made.tool_defs)
    found = {
        "tools": len(definitions),
        "eager": tokens.count_definitions(definitions),
        "bridge": cost,
        "listing": made.listing.tokens,
        "form": made.listing.form,
    }
    golden = json.loads(GOLDEN.read_text()) if GOLDEN.exists() else {}
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(json.dumps(golden | {name: found}, indent=1, sort_keys=True) + "\n")
        golden[name] = found
    assert golden[name] == found
    assert cost < 10_000 + 1_000  # the budget, the schemas, and the escapes of line breaks in JSON
