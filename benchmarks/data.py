"""The tools and judged queries that are measured on; standard library only, since every engine's process reads them.

The real ones are data of other authors and lie beside the repository, in ``../shared/data``; nothing of them is copied
into it. What ``Judged.tools`` holds are MCP definitions (``name``, ``description``, ``inputSchema``, maybe ``server``).
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data"
WORK = ROOT / ".benchmarks"

JUDGED = (
    "pool_agent_keywords",
    "pool_agent_paraphrase",
    "azure_mcp",
    "bfcl_pool",
    "seal_tools",
    "github_rest_gtc",
    "aws_cli_titles",
)


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON-lines file, gzip or not."""
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    return [json.loads(line) for line in text.split("\n") if line.strip()]


@dataclass(frozen=True, slots=True)
class Judged:
    """A set of queries, each with the groups of tools that answer it, and the tools they are asked of."""

    name: str
    tools_path: Path
    queries_path: Path

    def tools(self) -> list[dict[str, Any]]:
        return read_lines(self.tools_path)

    def queries(self) -> list[dict[str, Any]]:
        return read_lines(self.queries_path)


def judged(name: str) -> Judged:
    """The judged set of that name below ``../shared/data/judged``."""
    folder = DATA / "judged" / name
    tools = folder / "tools.jsonl.gz"
    if not tools.exists():  # the paraphrases are asked of the keywords' catalog
        tools = DATA / "judged" / "pool_agent_keywords" / "tools.jsonl.gz"
    return Judged(name, tools, folder / "queries.jsonl")


def captured(servers: list[str] | None = None) -> list[dict[str, Any]]:
    """Tools of the captured MCP servers (all of them by default), under the names that Hermes gives them."""
    tools = judged("pool_agent_keywords").tools()
    return [tool for tool in tools if servers is None or tool["server"] in servers]


def large(name: str) -> list[dict[str, Any]]:
    """One of the flat API surfaces of ``../shared/data/large``."""
    return read_lines(DATA / "large" / f"{name}.jsonl.gz")


def definitions(tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same tools as OpenAI definitions."""
    empty = {"type": "object", "properties": {}}
    return [
        {
            "type": "function",
            "function": {
                "name": tool["name"],
                "description": tool.get("description") or "",
                "parameters": tool.get("inputSchema") or empty,
            },
        }
        for tool in tools
    ]
