"""What the benchmarks share: environments of the engines, statistics, and the sections of docs/benchmarks.md."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data import ROOT, WORK
from benchmarks.engines import OURS, adapter

DOC = ROOT / "docs" / "benchmarks.md"
PLOTS = ROOT / "docs" / "plots"
LONGEST = 1800
PLOTTING = ("matplotlib==3.10.7",)


# Environments


class UnavailableError(Exception):
    """An engine cannot run here; the message says why, for the report."""


def interpreter(minor: int) -> str:
    """A CPython 3.``minor`` or later of this machine.

    Raises:
        UnavailableError: there is none.

    """
    if sys.version_info >= (3, minor):
        return sys.executable
    for candidate in range(minor, minor + 3):
        found = shutil.which(f"python3.{candidate}")
        if found and subprocess.run([found, "-c", ""], capture_output=True, check=False).returncode == 0:
            return found
        installed = sorted(Path.home().glob(f".pyenv/versions/3.{candidate}.*/bin/python"))
        if installed:
            return str(installed[-1])
    raise UnavailableError(f"needs Python 3.{minor} or later; none is on this machine")


def environment(name: str, requirements: tuple[str, ...], *, minor: int = 11) -> Path:
    """The Python of the virtual environment ``.benchmarks/venvs/NAME`` with ``requirements``, made if it is missing.

    Raises:
        UnavailableError: it cannot be installed.

    """
    folder = WORK / "venvs" / name
    python, stamp = folder / "bin" / "python", folder / "requirements.json"
    if stamp.exists() and json.loads(stamp.read_text()) == list(requirements):
        return python
    print(f"installing {', '.join(requirements)}", file=sys.stderr)
    subprocess.run([interpreter(minor), "-m", "venv", "--clear", folder], check=True)
    install = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *requirements]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise UnavailableError(errors[-1].removeprefix("ERROR: ") if errors else "pip install failed")
    stamp.write_text(json.dumps(requirements))
    return python


def engine_python(name: str) -> Path:
    """The Python that has the engine; this project's is the running one."""
    if name == OURS:
        return Path(sys.executable)
    module = adapter(name)
    return environment(getattr(module, "ENVIRONMENT", name), module.REQUIREMENTS, minor=getattr(module, "PYTHON", 11))


def run_engine(name: str, script: str, *arguments: str | Path) -> None:
    """Run ``benchmarks/SCRIPT`` with the engine's name and ``arguments`` in its environment.

    Raises:
        UnavailableError: the engine cannot be installed, its process failed, or it took over ``LONGEST`` seconds.

    """
    home = WORK / "hermes-home"  # an empty one: no user's configuration takes part
    home.mkdir(parents=True, exist_ok=True)
    variables = {k: v for k, v in os.environ.items() if not k.startswith(("OPENBLAS_", "HERMES_", "TOOLSEARCH_"))}
    variables |= {"HERMES_HOME": str(home), "PYTHONHASHSEED": "0"}
    command = [engine_python(name), "-P", ROOT / "benchmarks" / script, name, *arguments]
    try:
        done = subprocess.run(
            command, env=variables, cwd=WORK, stderr=subprocess.PIPE, text=True, check=False, timeout=LONGEST
        )
    except subprocess.TimeoutExpired:
        raise UnavailableError(f"stopped after {LONGEST // 60} minutes") from None
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise UnavailableError(f"failed: {lines[-1][:200]}")


# Statistics


def hits_at(names: list[str], groups: list[list[str]], k: int) -> float:
    """Share of ``groups`` with one of their tools among the first ``k`` names."""
    first = set(names[:k])
    return sum(not first.isdisjoint(group) for group in groups) / len(groups)


def reciprocal_rank(names: list[str], relevant: list[str]) -> float:
    """1 / rank of the first relevant name, 0 where there is none."""
    return next((1 / rank for rank, name in enumerate(names, 1) if name in relevant), 0.0)


def measures(rankings: dict[str, list[str]], queries: list[dict[str, Any]]) -> dict[str, np.ndarray]:
    """Per query: recall at 1, 5 and 10, the reciprocal rank within the first ten, and whether nothing was found."""
    rows = [
        (
            *(hits_at(rankings[query["id"]], query["groups"], k) for k in (1, 5, 10)),
            reciprocal_rank(rankings[query["id"]][:10], query["relevant"]),
            float(not rankings[query["id"]]),
        )
        for query in queries
    ]
    return dict(zip(("r1", "r5", "r10", "mrr", "unanswered"), np.array(rows, dtype=float).T, strict=True))


def interval(differences: np.ndarray, *, resamples: int = 4000, seed: int = 20261130) -> tuple[float, float]:
    """95 % interval of the mean of paired ``differences`` by the percentile bootstrap (Efron and Tibshirani, 1993)."""
    draws = np.random.default_rng(seed)
    n = len(differences)
    means = [
        draws.multinomial(n, np.full(n, 1 / n), size=500) @ differences / n for _ in range(max(1, resamples // 500))
    ]
    low, high = np.percentile(np.concatenate(means), (2.5, 97.5))
    return float(low), float(high)


def growth(sizes: list[int], values: list[float]) -> float:
    """The exponent b of the least-squares fit values = a * sizes ** b."""
    return float(np.polyfit(np.log(sizes), np.log(np.maximum(values, 1e-12)), 1)[0])


# Report


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table; the first column is text, the others are figures."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def write_section(name: str, text: str, *, path: Path = DOC) -> None:
    """Replace what stands between ``<!-- NAME:begin -->`` and ``<!-- NAME:end -->``.

    Raises:
        ValueError: the markers are missing.

    """
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    document = path.read_text(encoding="utf-8")
    before, found, rest = document.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"{path.name} has no section {name}")
    path.write_text(f"{before}{begin}\n{text.strip()}\n{end}{after}", encoding="utf-8")


def machine() -> str:
    """Processor, cores, memory and system in one line."""
    model = platform.processor()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        models = [line.partition(":")[2].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        model = models[0] if models else model
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{model or platform.machine()}, {os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()}"


def save(name: str, result: Any) -> Path:
    """Keep a result as ``.benchmarks/NAME.json``."""
    path = WORK / f"{name}.json"
    path.write_text(json.dumps(result, indent=1))
    return path


def plot(name: str, result: Path) -> None:
    """Draw the plots of benchmark ``name`` from its saved result into docs/plots."""
    PLOTS.mkdir(parents=True, exist_ok=True)
    python = environment("plots", PLOTTING)
    subprocess.run([python, ROOT / "benchmarks" / name / "plots.py", result, PLOTS], check=True)
