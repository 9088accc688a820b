"""Runs agents inside a Hermes' own process while the things around them change; prints ``OUTCOME`` and a JSON object.

``python sessions_driver.py MODE BASE_URL FOLDER [ARGUMENT]``: the model is at BASE_URL, the replayed servers' catalogs
are in FOLDER. The tests look at what the model was sent; what is printed is only what no request shows.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

CONNECT = 60.0  # seconds that a server may take to start on a loaded machine


class Talk:
    """A conversation of one agent, turn by turn."""

    def __init__(self, base_url: str, **options: Any) -> None:
        from run_agent import AIAgent

        self.agent = AIAgent(
            model="scripted-model",
            provider="custom",
            base_url=base_url,
            api_key="unused",
            quiet_mode=True,
            tool_delay=0,
            **options,
        )
        self.history: list[Any] = []

    def say(self, text: str) -> str:
        """One turn; its answer."""
        done = self.agent.run_conversation(text, conversation_history=list(self.history))
        if done.get("failed"):
            raise RuntimeError(done.get("error"))
        self.history = done["messages"]
        return str(done["final_response"])


def load() -> None:
    """Load Hermes and its plugins, and connect the configured servers."""
    from hermes_cli.plugins import discover_plugins

    discover_plugins()
    import model_tools  # noqa: F401 - it registers the host's own tools

    mcp("discover_mcp_tools")()


def mcp(name: str) -> Callable[..., Any]:
    """A function of the host's MCP client, in whichever of its modules it is."""
    import importlib

    for module in ("mcp_tool", "mcp_tool_discovery", "mcp_tool_lifecycle", "mcp_tool_agent"):
        try:
            found = getattr(importlib.import_module(f"tools.{module}"), name, None)
        except ImportError:
            continue
        if found is not None:
            return found  # type: ignore[no-any-return]
    raise LookupError(name)


def registry_module() -> Any:
    """The host's module of its tool registry."""
    import tools.registry

    return tools.registry


def registered(part: str) -> list[str]:
    """The registered names with ``part`` in them."""
    return sorted(name for name in registry_module().registry.get_tool_to_toolset_map() if part in name)


def wait_for(condition: Callable[[], Any]) -> None:
    """Wait until the host has caught up."""
    end = time.monotonic() + CONNECT
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("the host did not follow")
        time.sleep(0.05)


def reload_servers(servers: dict[str, Any], talk: Talk) -> None:
    """What ``/reload-mcp`` does after the user has edited the configuration, on this host."""
    path = Path(os.environ["HERMES_HOME"]) / "config.yaml"
    config = yaml.safe_load(path.read_text(encoding="utf-8"))
    config["mcp_servers"] = servers
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    mcp("shutdown_mcp_servers")()
    mcp("discover_mcp_tools")()
    rebuild(talk.agent)


def rebuild(agent: Any) -> None:
    """Rebuild an agent's tools as the front ends do, with the shared function where the host has one."""
    try:
        refresh = mcp("refresh_agent_mcp_tools")
    except LookupError:
        import model_tools

        agent.tools = model_tools.get_tool_definitions(
            enabled_toolsets=agent.enabled_toolsets, disabled_toolsets=agent.disabled_toolsets, quiet_mode=True
        )
        agent.valid_tool_names = {tool["function"]["name"] for tool in agent.tools or ()}
        return
    refresh(agent, quiet_mode=True)


def edit(folder: Path, server: str, **tools: str) -> None:
    """Give a replayed server other tools, each with its description."""
    text = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    listed = [{"name": name, "description": said, "inputSchema": text} for name, said in tools.items()]
    path = folder / f"{server}.json"
    path.with_suffix(".new").write_text(json.dumps({"tools": listed}), encoding="utf-8")
    path.with_suffix(".new").replace(path)


def changes(base_url: str, folder: Path, argument: str) -> dict[str, Any]:
    """One conversation while its servers change; which steps there are, the test's scripts say."""
    load()
    servers = yaml.safe_load((Path(os.environ["HERMES_HOME"]) / "config.yaml").read_text())["mcp_servers"]
    spare = json.loads(argument)
    talk = Talk(base_url)
    talk.say("CHANGE: begin")

    edit(folder, "notes", add_note="Write a note down.", burn_note="Burn a note.")
    wait_for(lambda: registered("burn_note") and not registered("list_notes"))
    talk.say("the server announced other tools")

    reload_servers(servers | spare, talk)
    talk.say("a server was added")

    reload_servers(spare, talk)
    talk.say("a server was removed")

    edit(folder, "notes", pin_note="Pin a note to the board.")
    reload_servers(servers | spare, talk)
    talk.say("it came back with other tools")

    reload_servers(servers, talk)
    reload_servers(servers | spare, talk)
    talk.say("the other one came and went")

    again = Talk(base_url, session_id=talk.agent.session_id)
    again.history = talk.history
    again.say("another agent took the session up")
    return {}


def rebuilt(base_url: str, folder: Path, argument: str) -> dict[str, Any]:
    """Two turns with a change between them."""
    load()
    talk = Talk(base_url)
    talk.say("CHANGE: begin")
    edit(folder, "notes", add_note="Write a note down.", burn_note="Burn a note.")
    wait_for(lambda: registered("burn_note"))
    talk.say("go on")
    for server in ("notes", "letters"):
        Talk(base_url, enabled_toolsets=[server, "skills"]).say(f"SKILLS of {server}")
    return {}


def flapping(base_url: str, folder: Path, argument: str) -> dict[str, Any]:
    """A restricted session whose only server is away for a turn, next to one that stays."""
    load()
    servers = yaml.safe_load((Path(os.environ["HERMES_HOME"]) / "config.yaml").read_text())["mcp_servers"]
    talk = Talk(base_url, enabled_toolsets=["notes", "file"])
    talk.say("FLAP: begin")
    reload_servers({name: server for name, server in servers.items() if name != "notes"} | json.loads(argument), talk)
    talk.say("away")
    reload_servers(servers, talk)
    talk.say("back")
    return {}


def models(base_url: str, folder: Path, argument: str) -> dict[str, Any]:
    """A change of model, compaction, and the conversation taken up by a new agent."""
    load()
    talk = Talk(base_url)
    talk.say("MODEL: begin")
    talk.agent.switch_model("scripted-small", "custom", api_key="unused", base_url=base_url)
    talk.agent.context_compressor.context_length = 64_000  # not all hosts read it from a custom provider's entry
    talk.say("smaller")
    talk.agent.switch_model("scripted-model", "custom", api_key="unused", base_url=base_url)
    talk.say("back")
    for turn in range(16):
        talk.say(f"turn {turn}")
    talk.history, _ = talk.agent._compress_context(talk.history, None, approx_tokens=150_000)
    talk.say("compacted")
    again = Talk(base_url)
    again.history = talk.history
    again.say("resumed")
    return {"compacted": len(talk.history)}


def children(base_url: str, folder: Path, argument: str) -> dict[str, Any]:
    """Parents of every kind, each with children."""
    load()
    Talk(base_url).say("PARENT-ALL: have notes written")
    Talk(base_url, enabled_toolsets=["notes", "delegation"]).say("PARENT-ONE: have notes written")
    Talk(base_url, enabled_toolsets=["notes", "kanban"]).say("IDLE: wait")
    os.environ["HERMES_KANBAN_TASK"] = "t_1"
    registry_module().invalidate_check_fn_cache()  # a worker has the variable from its start
    Talk(base_url, enabled_toolsets=["notes", "kanban"]).say("WORKER: work")
    Talk(base_url, enabled_toolsets=["notes", "file"], disabled_toolsets=["kanban"]).say("DISABLED: finish the card")
    return {}


def platforms(base_url: str, folder: Path, argument: str) -> dict[str, Any]:
    """Sessions of two platforms at once, each from threads of its own, as a gateway has them."""
    load()
    from hermes_cli.config import load_config
    from hermes_cli.tools_config import _get_platform_tools

    config = load_config()
    toolsets = {name: sorted(_get_platform_tools(config, name)) for name in ("discord", "api_server")}
    faults: list[str] = []

    def session(platform: str, number: int) -> None:
        try:
            talk = Talk(base_url, enabled_toolsets=toolsets[platform], platform=platform)
            for turn in range(2):
                talk.say(f"{platform} {number}: turn {turn}")
        except Exception as error:
            faults.append(repr(error))

    threads = [threading.Thread(target=session, args=(name, number)) for number in range(3) for name in toolsets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # An evicted agent is built again from the same toolsets.
    Talk(base_url, enabled_toolsets=toolsets["discord"], platform="discord").say("discord again")
    return {"toolsets": toolsets, "faults": faults}


def tui(base_url: str, folder: Path, argument: str) -> dict[str, Any]:
    """A session of the terminal interface's server, which a desktop shares; a server is added under way."""
    load()
    from tui_gateway import server

    class Client:
        """Collects what the server sends."""

        def __init__(self) -> None:
            self.sent: list[dict[str, Any]] = []

        def write(self, message: dict[str, Any]) -> bool:
            self.sent.append(message)
            return True

        def close(self) -> None:
            pass

    client = Client()

    def ask(method: str, **params: Any) -> dict[str, Any]:
        number = len(client.sent) + 1_000
        answer = server.dispatch({"jsonrpc": "2.0", "id": number, "method": method, "params": params}, client)
        if answer is None:
            wait_for(lambda: any(message.get("id") == number for message in client.sent))
            answer = next(message for message in client.sent if message.get("id") == number)
        if "error" in answer:
            raise RuntimeError(answer)
        return dict(answer["result"])

    def finished() -> int:
        return sum((message.get("params") or {}).get("type") == "message.complete" for message in client.sent)

    session = ask("session.create", cols=80)["session_id"]
    for turn, text in enumerate(("TUI: begin", "a server was added"), 1):
        ask("prompt.submit", session_id=session, text=text)
        wait_for(lambda turn=turn: finished() == turn)
        if turn == 1:
            add_to_config(json.loads(argument))
            ask("reload.mcp", session_id=session, confirm=True)
    return {"granted": server._sessions[session]["agent"].enabled_toolsets}


def add_to_config(servers: dict[str, Any]) -> None:
    """What a user does with an editor."""
    path = Path(os.environ["HERMES_HOME"]) / "config.yaml"
    config = yaml.safe_load(path.read_text(encoding="utf-8"))
    config["mcp_servers"] |= servers
    path.write_text(yaml.safe_dump(config), encoding="utf-8")


def sandbox(base_url: str, folder: Path, argument: str) -> dict[str, Any]:
    """What ``execute_code`` offers, and what the host last resolved, before and after lookups."""
    import model_tools

    load()
    talk = Talk(base_url, enabled_toolsets=["notes", "file", "terminal", "code_execution"])
    before = sorted(model_tools._last_resolved_tool_names)
    talk.say("SANDBOX: look around")
    return {"before": before, "after": sorted(model_tools._last_resolved_tool_names)}


def names(base_url: str, folder: Path, argument: str) -> dict[str, Any]:
    """Servers with the names of the host's own things, for all and for a session of one of them."""
    load()
    schema = {"name": "big_report", "description": "Report.", "parameters": {"type": "object", "properties": {}}}
    registry_module().registry.register(
        name="big_report",
        toolset="reports",
        schema=schema,
        handler=lambda arguments, **kwargs: "long " * 2_000,
        max_result_size_chars=400,
    )
    Talk(base_url).say("NAMES: use them all")
    Talk(base_url, enabled_toolsets=["mcp-memory", "file"]).say("MEMORY: use one")
    return {"registered": registered("note")}


def half(base_url: str, folder: Path, argument: str) -> dict[str, Any]:
    """A session that disabled the bridge's toolset, and with an argument a foreign tool under a bridge name."""
    if argument:
        schema = {"name": argument, "description": "Somebody else's.", "parameters": {"type": "object"}}
        registry_module().registry.register(
            name=argument, toolset="others", schema=schema, handler=lambda arguments, **kwargs: '{"ran": "theirs"}'
        )
    load()
    Talk(base_url, disabled_toolsets=[] if argument else ["toolsearch"]).say("HALF: go")
    return {}


def profiles(base_url: str, folder: Path, argument: str) -> dict[str, Any]:
    """Two homes in one process, asked in turns."""
    load()
    from hermes_plugin_toolsearch.hermes import host

    seen = []
    for home in json.loads(argument) * 2:
        os.environ["HERMES_HOME"] = home
        try:
            from hermes_constants import set_hermes_home_override

            set_hermes_home_override(home)
        except ImportError:  # hosts to 0.14 have one home a process
            pass
        seen.append(host.user_config()[0].search_default_limit)
        talk = Talk(base_url)
        talk.say(f"PROFILE {Path(home).name}")
    return {"limits": seen}


MODES = {
    mode.__name__: mode
    for mode in (changes, rebuilt, flapping, models, children, platforms, tui, sandbox, names, half, profiles)
}

if __name__ == "__main__":
    outcome = MODES[sys.argv[1]](sys.argv[2], Path(sys.argv[3]), sys.argv[4] if len(sys.argv) > 4 else "")
    print("OUTCOME " + json.dumps(outcome), flush=True)
    os._exit(0)  # children of a subagent's threads are not waited for
