"""Asks, from a restricted session, for everything it was not granted; runs inside a Hermes.

Prints one JSON object: how many attempts were made, which tools ran, and which answers named something foreign.
"""

from __future__ import annotations

import contextlib
import json
import logging
import random
import re
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from hermes_plugin_toolsearch.hermes.assembly_hook import settle
from hermes_plugin_toolsearch.hermes.session import running, session_of

RAN: list[str] = []


def register_captures(folder: Path) -> dict[str, list[str]]:
    """Put every captured tool into the registry; returns server -> names."""
    from tools.registry import registry

    names: dict[str, list[str]] = {}
    for file in sorted(folder.glob("*.json")):
        if file.stem == "index":
            continue
        for tool in json.loads(file.read_text(encoding="utf-8"))["tools"]:
            name = f"mcp__{file.stem}__{tool['name']}"
            schema = {"name": name, "description": tool.get("description", ""), "parameters": tool["inputSchema"]}
            registry.register(name=name, toolset=f"mcp-{file.stem}", schema=schema, handler=_handler(name))
            names.setdefault(file.stem, []).append(name)
    return names


def _handler(name: str) -> Any:
    def handler(arguments: Any, **kwargs: Any) -> str:
        RAN.append(name)
        return json.dumps({"ran": name})

    return handler


def make_agent(toolsets: list[str], base_url: str) -> Any:
    """An agent of these toolsets, with its tools array settled as at the start of a turn."""
    from run_agent import AIAgent

    agent = AIAgent(
        model="scripted-model",
        provider="custom",
        base_url=base_url,
        api_key="unused",
        enabled_toolsets=toolsets,
        quiet_mode=True,
        tool_delay=0,
    )
    settle(session_of(agent))
    return agent


def ask(agent: Any, calls: list[tuple[str, Any]]) -> list[str]:
    """Have the agent carry out one message with these calls; returns the results' texts."""
    message = SimpleNamespace(
        content="",
        tool_calls=[
            SimpleNamespace(
                id=f"call_{number}",
                type="function",
                function=SimpleNamespace(
                    name=name, arguments=arguments if isinstance(arguments, str) else json.dumps(arguments)
                ),
            )
            for number, (name, arguments) in enumerate(calls)
        ],
    )
    messages: list[dict[str, Any]] = []
    with running(session_of(agent)), contextlib.redirect_stdout(sys.stderr):
        agent._execute_tool_calls(message, messages, "attack")
    return [str(message.get("content")) for message in messages]


def shapes(name: str) -> list[tuple[str, Any]]:
    """Every way to ask the bridge for one tool."""
    bare = name.split("__", 2)[2]
    inner = {"name": name, "arguments": {}}
    return [
        ("tool_search", {"query": name}),
        ("tool_describe", {"name": name}),
        ("tool_call", inner),
        ("tool_call", json.dumps(json.dumps(inner))),
        ("tool_call", {"calls": [inner, {"name": bare}]}),
        ("tool_call", {"name": "tool_call", "arguments": inner}),
        ("tool_call", {"name": name.replace("_", "-"), "arguments": "{}"}),
        ("tool_call", {"tool": name[:-1] + ("y" if name[-1] != "y" else "z")}),
        ("tool_call", {"function": inner}),
        ("tool_describe", {"names": [name, bare]}),
    ]


def attack(folder: Path, base_url: str) -> dict[str, Any]:
    """Ask a session that has one server for every tool of the fifty-eight others."""
    names = register_captures(folder)
    agent = make_agent(["mcp-git"], base_url)
    granted = set(names["git"])
    foreign = [name for server, tools in names.items() if server != "git" for name in tools]
    leaks: list[str] = []
    attempts = 0
    for name in foreign:
        for call in shapes(name):
            attempts += 1
            answer = ask(agent, [call])[0]
            stated = json.dumps(call[1])
            # An answer may repeat what the model itself wrote, and name what it was granted; nothing else.
            told = {word for word in re.findall(r"mcp__[A-Za-z0-9_.-]+", answer) if word not in stated}
            leaks += [f"{call} -> {word}" for word in told - granted if not word.startswith("mcp__git__")]
            if '"parameters"' in answer:
                leaks.append(f"{call} -> a schema")
        attempts += 1
        if name in agent.valid_tool_names or agent._repair_tool_call(name) == name:
            leaks.append(f"{name} may be called directly")
    return {
        "attempts": attempts,
        "foreign": len(foreign),
        "ran": sorted(set(RAN) - granted),
        "leaks": leaks[:20],
        "granted_works": "ran"
        in ask(agent, [("tool_call", {"name": names["git"][0], "arguments": _required(names["git"][0])})])[0],
    }


def _required(name: str) -> dict[str, Any]:
    from tools.registry import registry

    schema = registry.get_schema(name)["parameters"]
    values: dict[str, Any] = {"string": "x", "integer": 1, "number": 1, "boolean": True, "array": [], "object": {}}
    return {key: values[schema["properties"][key].get("type", "string")] for key in schema.get("required", ())}


def race(base_url: str, rounds: int) -> dict[str, Any]:
    """Two sessions with disjoint grants, asked from threads while the registry changes under them."""
    from tools.registry import registry

    def register(server: str, number: int) -> None:
        name = f"mcp__{server}__tool_{number}"
        schema = {
            "name": name,
            "description": f"Tool {number} of {server}.",
            "parameters": {"type": "object", "properties": {}},
        }
        registry.register(name=name, toolset=f"mcp-{server}", schema=schema, handler=_handler(name))

    for server in ("left", "right"):
        for number in range(20):
            register(server, number)
    agents = {server: make_agent([f"mcp-{server}"], base_url) for server in ("left", "right")}
    faults: list[str] = []
    stop = threading.Event()

    def change() -> None:
        generator = random.Random(1)
        while not stop.is_set():
            server, number = generator.choice(["left", "right"]), generator.randrange(10, 20)
            registry.deregister(f"mcp__{server}__tool_{number}")
            register(server, number)

    def use(server: str, seed: int) -> None:
        other = "right" if server == "left" else "left"
        generator = random.Random(seed)
        for _ in range(rounds):
            number = generator.randrange(20)
            call = generator.choice(
                [
                    ("tool_search", {"query": f"tool {number} {other}"}),
                    ("tool_describe", {"name": f"mcp__{server}__tool_{number}"}),
                    ("tool_call", {"name": f"mcp__{server}__tool_{number}", "arguments": {}}),
                    ("tool_call", {"name": f"mcp__{other}__tool_{number}", "arguments": {}}),
                ]
            )
            session = session_of(agents[server])
            with running(session):
                scope = session.scope()
            if any(other in entry.name for entry in scope.deferred.entries):
                faults.append("foreign entry in scope")
            try:
                answer = ask(agents[server], [call])[0]
            except Exception as error:
                faults.append(repr(error))
                continue
            if f"mcp__{other}__" in answer and f"mcp__{other}__" not in json.dumps(call[1]):
                faults.append(f"{call} -> {answer[:200]}")
            if f'"ran": "mcp__{other}' in answer:
                faults.append(f"{server} ran a tool of {other}")

    changer = threading.Thread(target=change)
    changer.start()
    # One thread a session: the host carries out one message of an agent at a time.
    with ThreadPoolExecutor(2) as pool:
        for future in [pool.submit(use, server, seed) for seed, server in enumerate(("left", "right"))]:
            future.result()
    stop.set()
    changer.join()
    return {"faults": faults[:20], "rounds": 2 * rounds}


if __name__ == "__main__":
    mode, base_url, argument = sys.argv[1:4]
    import model_tools  # noqa: F401  (loads the plugin as a library user would)
    from hermes_cli.plugins import discover_plugins

    discover_plugins()
    logging.disable()
    outcome = attack(Path(argument), base_url) if mode == "attack" else race(base_url, int(argument))
    print("OUTCOME " + json.dumps(outcome), file=sys.__stdout__)  # the threads have redirected the other one
