"""The table of scenarios and releases, from the report of a run, written where a document has a place for it.

    HOSTS=all python -m pytest -m hermes --junit-xml=REPORT
    python -m testing.matrix REPORT README.md

The table goes between the lines `<!-- host matrix -->` and `<!-- end of host matrix -->`.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

from .hosts import RELEASES

BEGIN, END = "<!-- host matrix -->", "<!-- end of host matrix -->"
FILES = ("test_install", "test_scenarios")
PASSED, FAILED, SKIPPED, ABSENT = "✓", "✗", "–", ""


def outcomes(report: Path) -> dict[str, dict[str, str]]:
    """Scenario -> release -> mark, in the order of the run; a scenario with parameters fails if one of them does."""
    table: dict[str, dict[str, str]] = {}
    for case in ElementTree.parse(report).iter("testcase"):
        named = re.fullmatch(r"test_(\w+)\[hermes-([\w.]+?)(?:-.+)?\]", case.attrib["name"])
        if named is None or case.attrib["classname"].rsplit(".", 1)[-1] not in FILES:
            continue
        scenario, release = named[1].removeprefix("smoke_").replace("_", " "), named[2]
        tags = {child.tag for child in case}
        mark = FAILED if tags & {"failure", "error"} else SKIPPED if "skipped" in tags else PASSED
        row = table.setdefault(scenario, {})
        row[release] = FAILED if FAILED in (mark, row.get(release)) else mark
    return table


def render(table: dict[str, dict[str, str]]) -> str:
    """The table in Markdown: a row for a scenario, a column for a release."""
    lines = ["| scenario | " + " | ".join(RELEASES) + " |", "| --- |" + " :-: |" * len(RELEASES)]
    for scenario, row in sorted(table.items()):
        lines.append(f"| {scenario} | " + " | ".join(row.get(release, ABSENT) for release in RELEASES) + " |")
    return "\n".join(lines)


def insert(document: str, table: str) -> str:
    """The document with the table in its place; raises ValueError where it has none."""
    if BEGIN not in document or END not in document:
        raise ValueError(f"no place for the table: the lines {BEGIN} and {END} are missing")
    head, rest = document.split(BEGIN, 1)
    return f"{head}{BEGIN}\n{table}\n{END}{rest.split(END, 1)[1]}"


def main() -> None:
    """Print the table of a run, and write it into a document."""
    parser = argparse.ArgumentParser(prog="python -m testing.matrix", description=main.__doc__)
    parser.add_argument("report", type=Path, help="what pytest wrote with --junit-xml")
    parser.add_argument("document", type=Path, nargs="?", help="a Markdown file with a place for the table")
    options = parser.parse_args()
    table = render(outcomes(options.report))
    print(table)
    if options.document:
        try:
            text = insert(options.document.read_text(encoding="utf-8"), table)
        except (OSError, ValueError) as error:
            sys.exit(f"{options.document}: {error}")
        options.document.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
