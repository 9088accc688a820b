"""Asks a Hermes with tiers, inside its own process, what its tool search does; prints ``OUTCOME`` and a JSON object.

``python tiered_driver.py MODE ARGUMENT``. The plugin is there where the home enables it; nothing here imports it but
what is said to.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import time
import types
from pathlib import Path
from typing import Any

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
SERVERS = {
    "notes": {"add_note": "Write a note down.", "list_notes": "List all notes."},
    "clock": {"get_current_time": "Get the current time in a timezone.", "convert_time": "Convert between timezones."},
}
RAN: list[str] = []


def register(name: str, server: str, description: str, parameters: Any) -> None:
    """Put one tool into the registry, as an MCP server's connection does."""
    from tools.registry import registry

    def handler(arguments: Any, **kwargs: Any) -> str:
        RAN.append(name)
        return json.dumps({"ran": name, "arguments": arguments})

    schema = {"name": name, "description": description, "parameters": parameters}
    registry.register(name=name, toolset=f"mcp-{server}", schema=schema, handler=handler)


def small_servers() -> None:
    """Register two servers of two tools each."""
    for server, tools in SERVERS.items():
        for tool, description in tools.items():
            register(f"mcp__{server}__{tool}", server, description, TEXT)


def load() -> Any:
    """The host's module, after its plugins were loaded as the ``hermes`` command loads them."""
    from hermes_cli.plugins import discover_plugins

    discover_plugins()
    import model_tools  # noqa: F401 - it registers the host's own tools

    import tools.tool_search as native

    return native


def searched(query: str, limit: int = 5) -> list[str]:
    """The names that the host's own ``tool_search`` answers, whichever its shape."""
    import model_tools

    plural = takes_several()
    arguments = {"queries": [query], "limit": limit} if plural else {"query": query, "limit": limit}
    answer = json.loads(model_tools.handle_function_call("tool_search", arguments))
    return list(answer["results"][0]["matches"]) if plural else [match["name"] for match in answer["matches"]]


def takes_several() -> bool:
    """Whether this host declares ``queries`` and ``names``."""
    import tools.tool_search as native

    return "queries" in native.bridge_tool_schemas(1)[0]["function"]["parameters"]["properties"]


def search(argument: str) -> dict[str, Any]:
    """Ask a judged catalog's queries, and where the plugin is loaded ask its own ranking for the same."""
    tools_path, queries_path = argument.split(",")
    for line in gzip.decompress(Path(tools_path).read_bytes()).decode().splitlines():
        tool = json.loads(line)
        server = tool["name"].split("__")[1]
        register(tool["name"], server, tool.get("description") or "", tool.get("inputSchema") or {"type": "object"})
    native = load()
    queries = [json.loads(line)["query"] for line in Path(queries_path).read_text(encoding="utf-8").splitlines()]
    if "hermes_plugin_toolsearch.hermes.plugin" not in sys.modules:
        return {"host": {query: searched(query) for query in queries}}
    import model_tools

    from hermes_plugin_toolsearch import retrieval, vectors
    from hermes_plugin_toolsearch.hermes import host
    from hermes_plugin_toolsearch.partition import partition

    definitions = model_tools.get_tool_definitions(quiet_mode=True, skip_tool_search_assembly=True)
    hidden = native.scoped_deferrable_names(definitions)
    surface = host.Surface(host.user_config()[0])
    catalog = partition(definitions, stays_visible=lambda name: name not in hidden, server_of=surface.server_of).catalog
    searched(queries[0])  # has the vectors of the tools made; until they are there, words alone answer
    deadline = time.monotonic() + 60
    while vectors.STORE.at_work and time.monotonic() < deadline:
        time.sleep(0.05)
    answers = {query: searched(query) for query in queries}
    ours = {
        query: [hit.entry.name for hit in retrieval.search(catalog, query, 5, semantic="on").hits] for query in queries
    }
    return {"host": answers, "ours": ours}


def shapes(argument: str) -> dict[str, Any]:
    """The keys, at every depth, of what each bridge tool answers and of the assembly."""
    import model_tools

    small_servers()
    native = load()
    several = takes_several()
    lookups = [
        ("tool_search", {"queries": ["add note", "zzz qqq"]} if several else {"query": "add note"}),
        ("tool_search", {}),
        ("tool_describe", {"names": ["mcp__notes__add_note"]} if several else {"name": "mcp__notes__add_note"}),
        ("tool_describe", {"names": ["nope"]} if several else {"name": "nope"}),
        ("tool_call", {"name": "mcp__notes__add_note", "arguments": {"text": "milk"}}),
        ("tool_call", {"name": "mcp__notes__add_note", "arguments": {}}),
        ("tool_call", {"name": "nope", "arguments": {}}),
    ]
    answers = [json.loads(model_tools.handle_function_call(name, dict(asked))) for name, asked in lookups]
    definitions = model_tools.get_tool_definitions(quiet_mode=True, skip_tool_search_assembly=True)
    assembly = native.assemble_tool_defs(definitions, context_length=200_000)
    bridge = [item["function"] for item in assembly.tool_defs if item["function"]["name"].startswith("tool_")]
    return {
        "answers": [keys(answer) for answer in answers],
        "assembly": sorted(vars(assembly)),
        "form": assembly.listing_form,
        "tier": assembly.tier,
        "deferred": assembly.deferred_count,
        "parameters": [function["parameters"] for function in bridge],
    }


def keys(value: Any) -> Any:
    """Names of fields without their values; of a mapping by tool or of a list, those of the first."""
    if isinstance(value, dict):
        return {key: keys([*part.values()] if key == "tools" else part) for key, part in value.items()}
    return [keys(part) for part in value[:1]] if isinstance(value, list) else type(value).__name__


def config(argument: str) -> dict[str, Any]:
    """The configuration as the plugin and the host read it."""
    native = load()
    from hermes_plugin_toolsearch.hermes import host

    ours, theirs = host.user_config()[0], native.load_config()
    fields = ("enabled", "listing_max_tokens", "max_search_limit", "search_default_limit", "threshold_pct")
    return {
        "ours": {field: getattr(ours, field) for field in fields} | {"defer": sorted(ours.defer)},
        "host": {field: getattr(theirs, field) for field in fields},
    }


def renamed(argument: str) -> dict[str, Any]:
    """A host that calls ``argument`` otherwise: what still works, and what is said of the rest."""
    small_servers()
    if argument.startswith("_"):
        import run_agent

        delattr(run_agent.AIAgent, argument)
    else:
        rename(argument)
    native = load()
    import model_tools

    from hermes_plugin_toolsearch.hermes import host, seams

    names = [item["function"]["name"] for item in model_tools.get_tool_definitions(quiet_mode=True)]
    native.load_config()
    found = searched("add note")
    ran = model_tools.handle_function_call("tool_call", {"name": "mcp__notes__add_note", "arguments": {"text": "milk"}})
    return {"form": host.native(), "names": names, "found": found, "ran": ran, "status": seams.STATUS}


def rename(name: str) -> None:
    """Give the host's modules of tool search another name for ``name``, as an update might."""
    import importlib.util

    import tools

    for module in ("tools.tool_search_catalog", "tools.tool_search"):
        spec = importlib.util.find_spec(module)
        if spec is None or spec.origin is None:
            continue
        source = re.sub(rf"\b{name}\b", f"new_{name}", Path(spec.origin).read_text(encoding="utf-8"))
        changed = types.ModuleType(module)
        changed.__file__, changed.__spec__, changed.__package__ = spec.origin, spec, "tools"
        sys.modules[module] = changed
        exec(compile(source, spec.origin, "exec"), changed.__dict__)
        setattr(tools, module.removeprefix("tools."), changed)


def conversation(argument: str) -> dict[str, Any]:
    """Two turns of one agent, a tool of ``clock`` gone and a new server there in the second."""
    base_url, prompt = argument.split(",")
    small_servers()
    load()
    from run_agent import AIAgent
    from tools.registry import registry

    agent = AIAgent(
        model="scripted-model", provider="custom", base_url=base_url, api_key="unused", quiet_mode=True, tool_delay=0
    )
    first = agent.run_conversation(prompt)
    registry.deregister("mcp__clock__convert_time")
    register("mcp__mail__send_mail", "mail", "Send a mail.", TEXT)
    second = agent.run_conversation(prompt, conversation_history=first["messages"])
    return {"answers": [first["final_response"], second["final_response"]], "ran": RAN}


def switched(argument: str) -> dict[str, Any]:
    """Three turns of one agent: as it is, switched off, and on again."""
    base_url, prompt = argument.split(",")
    small_servers()
    load()
    from run_agent import AIAgent

    from hermes_plugin_toolsearch.hermes.session import session_of

    agent = AIAgent(
        model="scripted-model", provider="custom", base_url=base_url, api_key="unused", quiet_mode=True, tool_delay=0
    )
    messages: list[Any] = []
    for off in (False, True, False):
        session_of(agent).off = off
        messages = agent.run_conversation(prompt, conversation_history=messages)["messages"]
    return {"ran": RAN}


MODES = {mode.__name__: mode for mode in (search, shapes, config, renamed, conversation, switched)}

if __name__ == "__main__":
    outcome = MODES[sys.argv[1]](sys.argv[2])
    print("OUTCOME " + json.dumps(outcome), flush=True)
