"""What tools cost in tokens, by exact count: eager, by the hosts' own tool search, and by this project.

    python -m benchmarks.cost

Writes the section "cost" of docs/benchmarks.md and its plot.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from statistics import mean, quantiles
from typing import Any

from benchmarks import common, data
from benchmarks.common import UnavailableError
from benchmarks.cost.deployments import Deployment, alike, deployments
from benchmarks.cost.policy import Host, Prices, Run, again, listed_names, run
from benchmarks.engines import OURS, adapter
from hermes_plugin_toolsearch import tokens

EAGER = "eager"
HOSTS = (EAGER, "hermes_0_19", "hermes_0_22", OURS)
CONTEXT = 200_000
OTHER = 10_000
"""Tokens of a request besides the tools array: system prompt, core tools, conversation so far."""
ARGUMENTS = 40
"""Tokens of a tool's own arguments; the same for every host."""
WIDE = 20
TURNS = 20
"""Model calls of the session that is priced."""
PRICES = Prices()


@dataclass(frozen=True, slots=True)
class Measured:
    """One host over the needs of one deployment: tokens of its array, and means over the needs."""

    array: int
    cold: list[Run]
    warm: list[Run]

    def row(self) -> dict[str, float]:
        prefix = self.array + OTHER
        figures: dict[str, float] = {"array": self.array}
        if self.cold:
            figures |= {
                "found": mean(run.found for run in self.cold),
                "calls": mean(len(run.calls) for run in self.cold),
                "tokens": mean(run.read(prefix) for run in self.cold),
                "price": mean(run.price(prefix, PRICES, cached=None) for run in self.cold),
                "price_cached": mean(run.price(prefix, PRICES, cached=prefix) for run in self.cold),
                "warm_calls": mean(len(run.calls) for run in self.warm),
                "warm_tokens": mean(
                    later.read(prefix + first.transcript) for first, later in zip(self.cold, self.warm, strict=True)
                ),
                "warm_price_cached": mean(
                    later.price(prefix + first.transcript, PRICES, cached=prefix + first.transcript)
                    for first, later in zip(self.cold, self.warm, strict=True)
                ),
            }
        return figures


def session(row: dict[str, float], needs: int) -> float:
    """Price of ``TURNS`` turns with prompt caching, ``needs`` of which need a tool for the first time.

    The cache is written once, at the first turn. A turn without a tool is one model call that reads it.
    """
    prefix = row["array"] + OTHER
    return (
        prefix * (PRICES.cache_write - PRICES.cache_read)
        + (TURNS - needs) * prefix * PRICES.cache_read
        + needs * row["price_cached"]
    )


def break_even(eager: dict[str, float], other: dict[str, float]) -> float | None:
    """From how many first needs in a session of ``TURNS`` turns the eager list is cheaper; None if it never is."""
    return next((n for n in range(TURNS + 1) if session(eager, n) < session(other, n)), None)


def ask(engine: str, deployment: Deployment) -> Host:
    """The host's array and answers for a deployment; eager is the array as it is."""
    if engine == EAGER:
        return Host(data.definitions(deployment.tools), {}, {}, {})
    folder = data.WORK / "cost"
    folder.mkdir(parents=True, exist_ok=True)
    job, out = folder / "job.json", folder / "out.json"
    names = sorted({name for need in deployment.needs for name in need.schemas})
    queries = [need.query for need in deployment.needs]
    job.write_text(
        json.dumps({"tools": deployment.tools, "queries": queries, "names": names, "context": CONTEXT, "wide": WIDE})
    )
    common.run_engine(engine, "cost/hosts.py", job, out)
    return Host(**json.loads(out.read_text()))


def measure(engine: str, deployment: Deployment) -> Measured:
    host = ask(engine, deployment)
    listed = listed_names(host.array)
    cold = [run(host, listed, need, tokens.count, arguments=ARGUMENTS) for need in deployment.needs]
    warm = [
        again(need, first, host, tokens.count, arguments=ARGUMENTS)
        for need, first in zip(deployment.needs, cold, strict=True)
    ]
    return Measured(tokens.count_definitions(host.array), cold, warm)


def saved_share(tools: list[dict[str, Any]]) -> float:
    """Which share of the eager array's tokens this project saves."""
    eager = data.definitions(tools)
    array = adapter(OURS).assemble(eager, CONTEXT)
    return 1 - tokens.count_definitions(array) / tokens.count_definitions(eager)


def title(engine: str) -> str:
    return "every tool eager" if engine == EAGER else adapter(engine).TITLE


def arrays_table(results: dict[str, dict[str, Any]]) -> str:
    """What each turn carries in each deployment, a column an engine."""
    rows = []
    for name, result in results.items():
        arrays = [result["hosts"].get(engine, {}).get("array") for engine in HOSTS]
        saved = f"{1 - arrays[-1] / arrays[0]:.1%}"
        rows.append([name, *("-" if tokens_ is None else f"{tokens_:,}" for tokens_ in arrays), saved])
    return common.table(["deployment", *(title(engine) for engine in HOSTS), "saved"], rows)


def report(results: dict[str, dict[str, Any]], others: list[float]) -> str:
    """The section's Markdown."""
    exact = "exact counts with the o200k_base vocabulary" if tokens.method() == "exact" else "ESTIMATED counts"
    sections = [
        f"Tokens of the tools array, each turn ({exact}, context {CONTEXT:,}, default settings; the deferrable tools "
        "only, since the core tools are the same for all):",
    ]
    sections.append(arrays_table(results))
    quarter, half, three = quantiles(others, n=4)
    sections.append(
        f"Of {len(others)} other deployments of five servers and 34 tools, drawn at random from the captured ones, "
        f"this project saves {half:.1%} in the median (quartiles {quarter:.1%} and {three:.1%}; at least "
        f"{min(others):.1%})."
    )
    sections.append(
        "Until the right tool has run, for each judged need, by the fixed policy of `benchmarks/cost/policy.py`: a "
        "tool in the array is called at once; a tool that the listing names exactly is called, after a describe if it "
        "requires a parameter; else the model searches, on a miss once more for "
        f"{WIDE} hits, and describes if the hit does not tell the required parameters. *Cold* is the first time, "
        f"*warm* a later time in the same session. A request holds {OTHER:,} other tokens; a tool's own arguments cost "
        f"{ARGUMENTS}. Prices are in input tokens without caching; written tokens cost {PRICES.written:g}, cache reads "
        f"{PRICES.cache_read:g}, cache writes {PRICES.cache_write:g} of one (with caching: the array and the other "
        "tokens are already in the cache). *found* is the share of needs whose tool was reached."
    )
    for name, result in results.items():
        if not result["needs"]:
            continue
        sections.append(f"**{name}**, {result['needs']} needs")
        rows = [
            [
                title(engine),
                f"{row['found']:.2f}",
                f"{row['calls']:.2f}",
                *(f"{row[k]:,.0f}" for k in ("tokens", "price", "price_cached")),
                f"{row['warm_calls']:.2f}",
                *(f"{row[k]:,.0f}" for k in ("warm_tokens", "warm_price_cached")),
            ]
            for engine, row in result["hosts"].items()
        ]
        head = ["", "found", "calls", "tokens", "price", "price cached"]
        sections.append(common.table([*head, "warm calls", "warm tokens", "warm price cached"], rows))
    sections.append(
        f"**Where eager is cheaper.** A session of {TURNS} turns with prompt caching from its first turn on, priced as "
        "above; the table says from how many turns that need a tool for the first time the eager list is the cheaper "
        "one. Below that, and whenever nothing is cached, deferring is cheaper."
    )
    rows = [
        [name, *(_even(result["hosts"].get(engine, {}).get("break_even", "sends all eagerly")) for engine in HOSTS[1:])]
        for name, result in results.items()
        if result["needs"]
    ]
    sections.append(common.table(["deployment", *(title(engine) for engine in HOSTS[1:])], rows))
    sections.append("![Price of a session over the needs in it](plots/cost.svg)")
    return "\n\n".join(sections)


def _even(value: float | str | None) -> str:
    return "never" if value is None else f"{value}"


def main() -> None:
    results: dict[str, dict[str, Any]] = {}
    for deployment in deployments():
        hosts: dict[str, Any] = {}
        for engine in HOSTS:
            try:
                hosts[engine] = measure(engine, deployment).row()
            except UnavailableError as reason:
                print(f"{engine}: {reason}", file=sys.stderr)
                continue
            if deployment.needs:
                if engine != EAGER and hosts[engine]["array"] != hosts[EAGER]["array"]:
                    hosts[engine]["break_even"] = break_even(hosts[EAGER], hosts[engine])
                hosts[engine]["session"] = [session(hosts[engine], needs) for needs in range(TURNS + 1)]
            print(f"{deployment.title:28} {title(engine):28} {hosts[engine]['array']:,}", file=sys.stderr)
        results[deployment.title] = {"needs": len(deployment.needs), "hosts": hosts}
    saved = common.save("cost", {"deployments": results, "titles": {engine: title(engine) for engine in HOSTS}})
    common.plot("cost", saved)
    common.write_section("cost", report(results, [saved_share(tools) for tools in alike()]))
    common.write_section("tokens", arrays_table(results), path=data.ROOT / "README.md")


if __name__ == "__main__":
    main()
