"""Draw the retrieval plots: ``plots.py RESULT.json FOLDER``, inside the plotting environment."""

import json
import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")
mpl.rcParams.update(
    {"svg.hashsalt": "toolsearch", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False}
)
import matplotlib.pyplot as plt  # noqa: E402

OURS, OTHERS = "#c2410c", "#94a3b8"


def recall(result: dict, path: Path) -> None:
    """One row of dots a set: recall at five of every engine, this project's in colour."""
    sets = list(result["sets"].items())
    figure, axes = plt.subplots(figsize=(8, 0.62 * len(sets) + 1))
    for row, (_, compared) in enumerate(sets):
        for engine, values in compared["engines"].items():
            if "r5" not in values:
                continue
            ours = engine == "toolsearch"
            colour = OURS if ours else OTHERS
            face = colour if values["asked"] == compared["queries"] else "none"
            axes.scatter(values["r5"], row, s=70 if ours else 36, color=colour, facecolor=face, zorder=3 if ours else 2)
        others = [
            (values["r5"], engine)
            for engine, values in compared["engines"].items()
            if engine != "toolsearch" and values.get("asked") == compared["queries"]
        ]
        if others:
            best, engine = max(others)
            axes.annotate(
                result["titles"][engine], (best, row), (0, -12), textcoords="offset points", ha="center", size=7
            )
    axes.set_yticks(range(len(sets)), [name for name, _ in sets])
    axes.invert_yaxis()
    axes.set_xlim(0, 1.02)
    axes.set_xlabel(
        "recall@5 (this project in colour; hollow: asked a part of the queries; the best of the full others is named)"
    )
    axes.grid(axis="x", color="#e2e8f0")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def unanswerable(result: dict, path: Path) -> None:
    """The curve of every set, with the hosts' points."""
    figure, axes = plt.subplots(figsize=(6.5, 5))
    for (name, measured), colour in zip(result["unanswerable"].items(), mpl.color_sequences["tab10"], strict=False):
        if measured.get("curve"):
            wrong, caught = zip(*measured["curve"], strict=True)
            axes.plot(wrong, caught, label=name, color=colour, drawstyle="steps-post")
        for engine, marker in (("hermes_0_19", "s"), ("hermes_0_22", "^")):
            point = measured["points"].get(engine)
            if isinstance(point, list):
                axes.scatter(*point, marker=marker, color=colour, s=28)
    axes.axvline(0.10, color="#94a3b8", linestyle=":")
    axes.set(xlim=(0, 0.6), ylim=(0, 1.02), xlabel="share of answerable queries flagged")
    axes.set_ylabel("share of unanswerable queries flagged")
    axes.scatter([], [], marker="s", color="#475569", label="Hermes 0.19 (empty answers)")
    axes.scatter([], [], marker="^", color="#475569", label="Hermes 0.22 (empty answers)")
    axes.legend(fontsize=7, frameon=False, loc="lower right")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    data, folder = json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2])
    recall(data, folder / "retrieval.svg")
    unanswerable(data, folder / "unanswerable.svg")
