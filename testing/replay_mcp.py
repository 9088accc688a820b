"""An MCP server over stdio that offers a captured tool list and answers every call with what arrived.

Run by path under any Python 3.11 or later; standard library only, and the protocol is written here directly, so that a
malformed schema goes out as it was captured, whatever MCP library the other side has.

The catalog file is `{"tools": [{"name", "description", "inputSchema"}, …]}`, as captured from a real server. A call is
answered with the JSON text `{"name": …, "arguments": …}`; a tool that has a `"result"` of its own in the catalog is
answered with that `tools/call` result.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from pathlib import Path

METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602


class Server:
    """One client's connection: standard input and output."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.write_lock = threading.Lock()
        self.tools: list[dict] = []
        self.load()

    def load(self) -> None:
        """Read the catalog file."""
        self.tools = json.loads(self.options.catalog.read_text(encoding="utf-8"))["tools"]

    def serve(self) -> None:
        """Answer requests until the client closes standard input; calls run in threads, so that they may overlap."""
        if self.options.watch:
            threading.Thread(target=self.watch, daemon=True).start()
        for line in sys.stdin:
            if not line.strip():
                continue
            message = json.loads(line)
            if "id" not in message:
                continue
            if message.get("method") == "tools/call":
                threading.Thread(target=self.answer, args=(message,), daemon=True).start()
            else:
                self.answer(message)

    def watch(self) -> None:
        """Announce a changed tool list whenever the catalog file changes."""
        seen = self.options.catalog.stat().st_mtime_ns
        while True:
            time.sleep(0.05)
            now = self.options.catalog.stat().st_mtime_ns
            if now != seen:
                seen = now
                self.load()
                self.send({"method": "notifications/tools/list_changed"})

    def answer(self, message: dict) -> None:
        """Send the response to one request."""
        params = message.get("params") or {}
        match message["method"]:
            case "initialize":
                body = self.initialize(params)
            case "tools/list":
                body = self.list_page(int(params.get("cursor") or 0))
            case "tools/call":
                body = self.call(params)
            case "ping":
                body = {"result": {}}
            case other:
                body = {"error": {"code": METHOD_NOT_FOUND, "message": f"Method not found: {other}"}}
        self.send({"id": message["id"], **body})

    def initialize(self, params: dict) -> dict:
        """Agree to the protocol version that the client asked for."""
        return {
            "result": {
                "protocolVersion": params.get("protocolVersion", "2025-06-18"),
                "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": self.options.catalog.stem, "version": "1.0"},
            }
        }

    def list_page(self, start: int) -> dict:
        """The tools from `start` on, at most `--page` of them, as they stand in the catalog."""
        end = start + self.options.page
        tools = [{key: value for key, value in tool.items() if key != "result"} for tool in self.tools[start:end]]
        return {"result": {"tools": tools} | ({"nextCursor": str(end)} if end < len(self.tools) else {})}

    def call(self, params: dict) -> dict:
        """Echo a call, after the delay that was asked for; an unknown tool is an error."""
        started = time.time()
        tool = next((tool for tool in self.tools if tool["name"] == params["name"]), None)
        time.sleep(self.options.call_delay)
        if self.options.log:
            record = {
                "name": params["name"],
                "arguments": params.get("arguments"),
                "start": started,
                "end": time.time(),
            }
            with self.write_lock, self.options.log.open("a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")
        if tool is None:
            return {"error": {"code": INVALID_PARAMS, "message": f"Unknown tool: {params['name']}"}}
        if "result" in tool:
            return {"result": tool["result"]}
        echo = json.dumps({"name": params["name"], "arguments": params.get("arguments")}, ensure_ascii=False)
        return {"result": {"content": [{"type": "text", "text": echo}]}}

    def send(self, message: dict) -> None:
        """Write one JSON-RPC message as a line."""
        with self.write_lock:
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            sys.stdout.flush()


def main() -> None:
    """Serve a catalog, as the options say."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("catalog", type=Path)
    parser.add_argument(
        "--log", type=Path, help="append every call to this JSON-lines file: name, arguments, start, end"
    )
    parser.add_argument("--page", type=int, default=100, help="tools in one tools/list answer")
    parser.add_argument("--start-delay", type=float, default=0, help="seconds before the first answer")
    parser.add_argument("--call-delay", type=float, default=0, help="seconds that each call takes")
    parser.add_argument("--watch", action="store_true", help="announce a changed list when the catalog file changes")
    parser.add_argument("--crash", action="store_true", help="exit with status 1 at once")
    options = parser.parse_args()
    if options.crash:
        sys.exit(1)
    time.sleep(options.start_delay)
    Server(options).serve()


if __name__ == "__main__":
    main()
