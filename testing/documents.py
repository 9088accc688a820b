"""What the documents show of commands and of the configuration, made from the real thing.

    python -m testing.documents          # write it anew
    python -m testing.documents --check  # only say which document is out of date; status 1 where one is

In a ``console`` block every line that begins with ``$ hermes-toolsearch`` is run in ``docs/`` without a Hermes, in a
home of its own for each document, and what it prints stands below it. The table of the configuration goes between
``<!-- config:begin -->`` and ``<!-- config:end -->``.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

from hermes_plugin_toolsearch.config import KEYS, ToolSearchConfig

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = (ROOT / "README.md", ROOT / "docs" / "tool-search.md")
HOME = "~/.hermes"
"""What a document shows in place of the home that its commands ran in."""

_CONSOLE = re.compile(r"(?<=```console\n).*?(?=```)", re.DOTALL)
_CONFIG = re.compile(r"(?<=<!-- config:begin -->\n).*?(?=<!-- config:end -->)", re.DOTALL)


def rendered(text: str) -> str:
    """A document's ``text`` with the outputs and the table as they are now."""
    with tempfile.TemporaryDirectory() as home:
        text = _CONSOLE.sub(lambda block: _console(block[0], home), text)
    return _CONFIG.sub(config_table(), text)


def config_table() -> str:
    """Every key with its default, its range and its meaning, in Markdown."""
    defaults = ToolSearchConfig()
    lines = ["| key | default | range | meaning |", "| --- | --- | --- | --- |"]
    for key in KEYS:
        value = getattr(defaults, key.name)
        value = list(value) if isinstance(value, tuple) else value
        value = int(value) if isinstance(value, float) and value.is_integer() else value
        shown = yaml.safe_dump(value, default_flow_style=True).splitlines()[0].strip("'")
        lines.append(f"| `{key.name}` | `{shown}` | {key.range} | {key.meaning} |")
    return "\n".join(lines) + "\n"


def _console(block: str, home: str) -> str:
    commands = [line for line in block.splitlines() if line.startswith("$ ")]
    return "".join(f"{command}\n{_output(command.removeprefix('$ '), home)}" for command in commands)


def _output(command: str, home: str) -> str:
    program, *arguments = shlex.split(command)
    if program != "hermes-toolsearch":
        raise ValueError(f"only hermes-toolsearch is run for a document, not {program}")
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; from hermes_plugin_toolsearch.cli import main; sys.exit(main())",
            *arguments,
        ],
        cwd=ROOT / "docs",
        env={**os.environ, "HERMES_HOME": home, "COLUMNS": "100", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    output = (done.stdout + done.stderr).replace(home, HOME)
    return "".join(f"{line.rstrip()}\n" for line in output.splitlines())


def main() -> None:
    """Write the documents, or check them."""
    stale = []
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        if (new := rendered(text)) != text:
            stale.append(path.name)
            if "--check" not in sys.argv:
                path.write_text(new, encoding="utf-8")
    print("\n".join(stale) or "up to date")
    sys.exit(bool(stale) and "--check" in sys.argv)


if __name__ == "__main__":
    main()
