"""Real turns of a real Hermes with real MCP servers, with and without tool search; no key, no network.

    make demo        # or: python -m testing.demo, in an environment that `python -m testing.hosts 0.19.0` has built

The model is scripted: it asks for what it needs, takes the tool from the answer to its search, and reads its answer off
the tool's result. All the rest is real: `hermes chat`, the plugin, five MCP servers over stdio, what they answer.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from pathlib import Path

from hermes_plugin_toolsearch import tokens

from . import hosts
from .hermes_home import HermesHome, Run
from .scripted_model import Call, Json, Request, ScriptedModel, Step

TIME = "What time is it in Tokyo when it is 09:30 in Berlin?"
COMMITS = "What were the last three commits here?"
LIST = "Start a shopping list with milk and bread, then read it back to me."


def best_match(request: Request) -> str:
    """The first tool in the answer to the model's last search."""
    return json.loads(request.results[-1])["matches"][0]["name"]


def payload(request: Request) -> str:
    """The last tool result without the frame that Hermes draws around a third party's words."""
    return re.sub(
        r"</?untrusted_tool_result.*?>|The following content was retrieved.*?\n\n", "", request.results[-1], flags=re.S
    )


def describe_match(request: Request) -> Step:
    """Ask for the schema of the best match."""
    return [Call("tool_describe", {"name": best_match(request)})]


def convert(request: Request) -> Step:
    """Call the tool that was described."""
    arguments = {"source_timezone": "Europe/Berlin", "target_timezone": "Asia/Tokyo", "time": "09:30"}
    return [Call("tool_call", {"name": json.loads(request.results[-1])["name"], "arguments": arguments})]


def tell_time(request: Request) -> Step:
    """Read the answer off the server's result."""
    result = json.loads(json.loads(payload(request))["result"])
    return f"{result['target']['datetime'][11:16]} in Tokyo ({result['time_difference']} from Berlin)."


def log_call(request: Request) -> Step:
    """Call the best match at once: the signature in a search result is enough for it."""
    arguments = {"repo_path": str(hosts.ROOT), "max_count": 3}
    return [Call("tool_call", {"name": best_match(request), "arguments": arguments})]


def tell_commits(request: Request) -> Step:
    """Read the subjects off the server's result."""
    subjects = re.findall(r"Message: '?(.+?)(?:\\n|'?\\?\n|'$)", json.loads(payload(request))["result"])
    return "The last commits: " + "; ".join(subjects) + "."


def sqlite_batch(request: Request) -> Step:
    """Three calls in one: create, fill, read."""
    server = best_match(request).rsplit("__", 1)[0]
    queries = (
        ("create_table", "CREATE TABLE shopping (item TEXT)"),
        ("write_query", "INSERT INTO shopping VALUES ('milk'), ('bread')"),
        ("read_query", "SELECT item FROM shopping"),
    )
    calls = [{"name": f"{server}__{tool}", "arguments": {"query": query}} for tool, query in queries]
    return [Call("tool_call", {"calls": calls})]


def tell_list(request: Request) -> Step:
    """Read the rows off the last of the three results."""
    items = re.findall(r"'item': '(\w+)'", request.results[-1])
    return f"On your list: {' and '.join(items)}."


SCRIPTS = {
    TIME: [[Call("tool_search", {"query": "convert time between timezones"})], describe_match, convert, tell_time],
    COMMITS: [[Call("tool_search", {"query": "git commit log"})], log_call, tell_commits],
    LIST: [[Call("tool_search", {"query": "sqlite create table"})], sqlite_batch, tell_list],
    "": ["Hello."],
}


def is_checkout() -> bool:
    """Whether there is a history to ask about, and a `git` to read it with."""
    return (hosts.ROOT / ".git").exists() and shutil.which("git") is not None


def servers(binaries: Path, home: Path) -> dict[str, Json]:
    """Five keyless servers from PyPI; Google Workspace only lists its tools here, a call would need a login."""
    return {
        "time": {"command": str(binaries / "mcp-server-time")},
        "git": {"command": str(binaries / "mcp-server-git")},
        "fetch": {"command": str(binaries / "mcp-server-fetch")},
        "sqlite": {"command": str(binaries / "mcp-server-sqlite"), "args": ["--db-path", str(home / "demo.db")]},
        "workspace": {"command": str(binaries / "workspace-mcp")},
    }


def show_offer(label: str, run: Run) -> None:
    """Print what the model was offered: what its user pays for in every request."""
    offered = run.turns[0].tools
    print(f"  {label:<22}{len(offered):>5} tools {tokens.count_definitions(offered):>8,} tokens", flush=True)


def show_turn(prompt: str, run: Run) -> None:
    """Print a turn as a person saw it: the prompt, the feed, the answer."""
    feed = [line for line in run.stdout.splitlines() if "┊" in line and "preparing" not in line]
    answer = run.stdout.split("╮", 1)[-1].split("╰", 1)[0].strip()
    print(f"\n> {prompt}", *feed, f"  {answer}", sep="\n", flush=True)


def main() -> None:
    """Run the demo."""
    host, binaries = hosts.get(), hosts.real_servers()
    root = Path(tempfile.mkdtemp(prefix="toolsearch-demo-"))
    try:
        with ScriptedModel(SCRIPTS) as model:
            home = HermesHome(root, host, model, plugins=(), servers=servers(binaries, root))
            print(f"Hermes {host.version}, MCP servers: {', '.join(home.config['mcp_servers'])}", flush=True)
            print("\nThe model is offered", flush=True)
            home.config["tools"] = {"tool_search": {"enabled": "off"}}
            home.write_config()
            show_offer("without tool search", home.oneshot("Hello"))

            del home.config["tools"]
            home.config["plugins"]["enabled"] = ["toolsearch"]
            home.write_config()
            first, *others = [TIME, COMMITS, LIST] if is_checkout() else [TIME, LIST]
            run = home.chat(first)
            show_offer("with this plugin", run)
            show_turn(first, run)
            for prompt in others:
                show_turn(prompt, home.chat(prompt))
    finally:
        shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    main()
