"""Draw the cost plot: ``plots.py RESULT.json FOLDER``, inside the plotting environment."""

import json
import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")
mpl.rcParams.update({"svg.hashsalt": "toolsearch", "font.size": 9})
mpl.rcParams.update({"axes.spines.top": False, "axes.spines.right": False})
import matplotlib.pyplot as plt  # noqa: E402

COLOURS = {"eager": "#0f172a", "hermes_0_19": "#94a3b8", "hermes_0_22": "#2563eb", "toolsearch": "#c2410c"}


def main(result: dict, path: Path) -> None:
    """One panel a deployment: what a session costs over the number of needs in it."""
    shown = {name: found for name, found in result["deployments"].items() if found["needs"]}
    figure, panels = plt.subplots(1, len(shown), figsize=(3.6 * len(shown), 3.4))
    for axes, (name, found) in zip(panels, shown.items(), strict=True):
        for engine, row in found["hosts"].items():
            style = "--" if engine == "eager" else "-"
            axes.plot(row["session"], style, color=COLOURS[engine], label=result["titles"][engine])
        axes.set(title=name, xlabel="turns of 20 that need a new tool", yscale="log" if "2,9" in name else "linear")
        if axes.get_yscale() == "linear":
            axes.set_ylim(bottom=0)
    panels[0].set_ylabel("price of the session, cached (input tokens)")
    panels[0].legend(fontsize=7, frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]) / "cost.svg")
