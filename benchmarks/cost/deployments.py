"""Deployments made of the captured servers, from a small one to all of them, and the judged needs that they serve."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from benchmarks import data
from benchmarks.cost.policy import Need

FIVE = ("aws_documentation", "filesystem", "slack", "tavily", "time")
TWELVE = (
    "filesystem", "git", "github", "gmail", "google_calendar", "google_maps", "kubernetes", "notion", "sentry", "slack",
    "stripe", "tavily",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Deployment:
    title: str
    tools: list[dict[str, Any]]
    needs: list[Need]


def needs_of(tools: list[dict[str, Any]]) -> list[Need]:
    """The judged needs, as keywords and as paraphrases, that one of ``tools`` serves."""
    schemas = {tool["name"]: tool.get("inputSchema") or {} for tool in tools}
    found = []
    for name in ("pool_agent_keywords", "pool_agent_paraphrase"):
        for query in data.judged(name).queries():
            serving = {tool: schemas[tool] for tool in query["relevant"] if tool in schemas}
            if serving:
                found.append(Need(query["query"], serving))
    return found


def _deployment(servers: tuple[str, ...] | None) -> Deployment:
    tools = data.captured(list(servers) if servers else None)
    count = len({tool["server"] for tool in tools})
    return Deployment(f"{count} servers, {len(tools):,} tools", tools, needs_of(tools))


def alike(count: int = 200) -> list[list[dict[str, Any]]]:
    """The tools of ``count`` other deployments of five servers and as many tools as ``FIVE``, drawn with a seed."""
    of_server: dict[str, list[dict[str, Any]]] = {}
    for tool in data.captured():
        of_server.setdefault(tool["server"], []).append(tool)
    size = sum(len(of_server[server]) for server in FIVE)
    chance, drawn = random.Random(20261130), set()
    while len(drawn) < count:
        servers = tuple(sorted(chance.sample(sorted(of_server), len(FIVE))))
        if sum(len(of_server[server]) for server in servers) == size:
            drawn.add(servers)
    return [[tool for server in servers for tool in of_server[server]] for servers in sorted(drawn)]


def deployments() -> list[Deployment]:
    """Five servers, twelve, all; and one server with a flat API of 2,747 tools, for which no needs were judged."""
    cloudflare = [tool | {"name": f"mcp__cloudflare__{tool['name']}"} for tool in data.large("cloudflare_api")]
    single = Deployment(f"1 server, {len(cloudflare):,} tools", cloudflare, [])
    return [_deployment(FIVE), _deployment(TWELVE), _deployment(None), single]
