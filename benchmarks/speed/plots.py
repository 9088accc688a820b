"""Draw the speed plot: ``plots.py RESULT.json FOLDER``, inside the plotting environment."""

import json
import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")
mpl.rcParams.update({"svg.hashsalt": "toolsearch", "font.size": 9})
mpl.rcParams.update({"axes.spines.top": False, "axes.spines.right": False})
import matplotlib.pyplot as plt  # noqa: E402

COLOURS = ("#c2410c", "#94a3b8", "#2563eb", "#16a34a", "#9333ea", "#ca8a04")
PANELS = {"search": "warm search, engine alone", "tool_search": "whole tool_search", "assembly_warm": "warm assembly"}


def main(result: dict, path: Path) -> None:
    """One panel a measure, both axes logarithmic, in multiples of this project's time at the smallest size."""
    figure, panels = plt.subplots(1, len(PANELS), figsize=(3.6 * len(PANELS), 3.4))
    for axes, (measure, title) in zip(panels, PANELS.items(), strict=True):
        unit = next(iter(result["sizes"].values()))["toolsearch"][measure]
        for (engine, label), colour in zip(result["titles"].items(), COLOURS, strict=True):
            points = [
                (int(size), row[engine][measure] / unit)
                for size, row in result["sizes"].items()
                if measure in row.get(engine, {})
            ]
            if points:
                axes.plot(*zip(*points, strict=True), marker="o", markersize=3, color=colour, label=label)
        axes.set(title=title, xscale="log", yscale="log", xlabel="tools")
    panels[0].set_ylabel("times this project's at the smallest size")
    panels[0].legend(fontsize=7, frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]) / "speed.svg")
