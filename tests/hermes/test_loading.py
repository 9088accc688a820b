"""How the plugin gets into a host: in both import orders, under the host's own names, without touching its files."""

from __future__ import annotations

import json
from typing import Any

import pytest

PUBLIC = [
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

USE = """
import json, sys
{first}
from hermes_cli.plugins import discover_plugins
discover_plugins()
import model_tools, run_agent
import tools.tool_search as native
from tools.registry import registry

schema = {{"name": "mcp__notes__add_note", "description": "Write a note down.",
           "parameters": {{"type": "object", "properties": {{"text": {{"type": "string"}}}}, "required": ["text"]}}}}
registry.register(name=schema["name"], toolset="mcp-notes", schema=schema, handler=lambda a, **k: json.dumps(a))
raw = [{{"type": "function", "function": schema}},
       {{"type": "function", "function": {{"name": "terminal", "description": "t", "parameters": {{}}}}}}]
config = native.load_config()
visible, deferrable = native.classify_tools(raw)
catalog = native.build_catalog(deferrable)
done = native.assemble_tool_defs(raw, context_length=200000, config=config)
before = list(getattr(model_tools, "_last_resolved_tool_names", []))
seams = sys.modules["hermes_plugin_toolsearch.hermes.seams"]
print("OUTCOME " + json.dumps({{
    "missing": [name for name in {public!r} if not hasattr(native, name)],
    "ours": native.assemble_tool_defs.__module__,
    "visible": [item["function"]["name"] for item in visible],
    "deferrable": [item["function"]["name"] for item in deferrable],
    "found": [entry.name for entry in native.search_catalog(catalog, "write a note", limit=3)],
    "assembled": [item["function"]["name"] for item in done.tool_defs],
    "result": [done.activated, done.deferred_count, done.deferred_tokens > 0, done.threshold_tokens],
    "activate": native.should_activate(config, 100, 200000),
    "tokens": native.estimate_tokens_from_schemas(deferrable) > 10,
    "bridge": [native.is_bridge_tool("tool_call"), native.is_bridge_tool("terminal")],
    "schemas": len(native.bridge_tool_schemas(3)),
    "deferrable_name": [native.is_deferrable_tool_name(name) for name in (schema["name"], "terminal", "tool_call")],
    "scoped": sorted(native.scoped_deferrable_names(raw)),
    "resolved": native.resolve_underlying_call({{"name": schema["name"], "arguments": {{"text": "milk"}}}}),
    "refused": native.resolve_underlying_call({{"name": "no_such_tool", "arguments": {{}}}})[0],
    "search": json.loads(native.dispatch_tool_search({{"query": "note"}}, current_tool_defs=raw))["matches"][0]["name"],
    "describe": json.loads(native.dispatch_tool_describe({{"name": schema["name"]}}, current_tool_defs=raw))["name"],
    "registered": [registry.get_toolset_for_tool(name) for name in ("tool_search", "tool_describe", "tool_call")],
    "advertised": registry.get_definitions({{"tool_search", "tool_describe", "tool_call"}}, quiet=True),
    "emoji": registry.get_emoji("tool_search"),
    "agent": seams.STATUS.get("AIAgent"),
}}))
"""


@pytest.mark.parametrize(
    "first",
    ["", "import run_agent", "import model_tools", "import tools.tool_search"],
    ids=["plugin first", "run_agent first", "model_tools first", "native first"],
)
def test_the_hosts_own_names_are_ours_in_every_import_order(
    make_model: Any, make_home: Any, host: Any, first: str
) -> None:
    """Whoever holds the native module has ours; no public name is missing and each takes what the host passes (G7)."""
    if host.form != "first":
        pytest.skip("only hosts with the first native form ask tools.tool_search for these names")
    run = make_home(make_model([])).python(USE.format(first=first, public=PUBLIC))
    _, mark, text = run.stdout.rpartition("OUTCOME ")
    assert mark, run.stderr[-3000:]
    found = json.loads(text)
    note = "mcp__notes__add_note"
    assert found == {
        "missing": [],
        "ours": "hermes_plugin_toolsearch.hermes.native_names",
        "visible": ["terminal"],
        "deferrable": [note],
        "found": [note],
        "assembled": ["terminal", "tool_search", "tool_describe", "tool_call"],
        "result": [True, 1, True, 10_000],
        "activate": True,
        "tokens": True,
        "bridge": [True, False],
        "schemas": 3,
        "deferrable_name": [True, False, False],
        "scoped": [note],
        "resolved": [note, {"text": "milk"}, None],
        "refused": None,
        "search": note,
        "describe": note,
        "registered": ["toolsearch"] * 3,
        "advertised": [],
        "emoji": "🔎",
        "agent": "installed",
    }


READ = """
import json, sys
from hermes_cli.plugins import discover_plugins
discover_plugins()
host = sys.modules["hermes_plugin_toolsearch.hermes.host"]
for _ in range(3):
    config, notices = host.user_config()
read = [config.threshold_pct, config.search_default_limit, config.listing, config.pin, str(notices)]
print("\\nOUTCOME " + json.dumps(read))
"""


def test_both_files_count_and_the_users_own_values_only(make_model: Any, make_home: Any) -> None:
    """Keys of ``hermes.yaml`` count, ``config.yaml`` wins, no merged default does; a bad value is told once (G7)."""
    home = make_home(make_model([]), tool_search={"search_default_limit": 7, "pin": ["mcp-a"]})
    (home.path / "hermes.yaml").write_text(
        "tools:\n  tool_search:\n    search_default_limit: 3\n    listing: off\n    threshold_pct: 250\n",
        encoding="utf-8",
    )
    run = home.python(READ)
    _, mark, text = run.stdout.rpartition("\nOUTCOME ")
    assert mark, run.stderr[-3000:]
    threshold, limit, listing, pin, notices = json.loads(text)
    assert [threshold, limit, listing, pin] == [100.0, 7, "off", ["mcp-a"]]
    assert "threshold_pct" in notices
    assert (run.stderr + home.log).count("tools.tool_search.threshold_pct: read 250") <= 1
