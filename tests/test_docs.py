"""The documents: what they show of commands and settings is what those do, and what they point to is there."""

from __future__ import annotations

import argparse
import re
import shlex

import pytest

from hermes_plugin_toolsearch import cli
from hermes_plugin_toolsearch.commands import place
from hermes_plugin_toolsearch.config import KEYS
from testing import documents

PAGES = sorted(
    [*documents.ROOT.glob("*.md"), *documents.ROOT.glob("docs/*.md"), *documents.ROOT.glob("benchmarks/*.md")]
)


def named(path):
    """How a test is called after a page."""
    return str(path.relative_to(documents.ROOT))


@pytest.mark.parametrize("path", documents.DOCUMENTS, ids=named)
def test_outputs_and_settings_are_what_they_are(path):
    """Every command of a document is run, and its output is what stands there; the table is that of ``config.KEYS``."""
    if place.in_hermes():
        pytest.skip("the documents show the commands without a Hermes, and there is one in this environment")
    text = path.read_text(encoding="utf-8")

    assert text == documents.rendered(text)


def test_the_page_names_every_setting():
    """No key is missing from the table, none is there that the code does not have."""
    rows = re.findall(r"^\| `(\w+)` \|", documents.config_table(), re.MULTILINE)

    assert [key.name for key in KEYS] == rows
    assert documents.config_table() in (documents.ROOT / "docs" / "tool-search.md").read_text(encoding="utf-8")


def anchors(path):
    """The anchors that GitHub gives to a page's headings."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_links_lead_somewhere(path):
    """Files that a page links to exist, and so do headings."""
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    missing = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith(("http://", "https://")):
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        if not file.exists() or (anchor and anchor not in anchors(file)):
            missing.append(target)

    assert [] == missing


def commands(text):
    """The commands of this project that a text names, as argument lists; a placeholder counts as an argument."""
    for line in re.findall(r"hermes[ -]toolsearch ((?:[^`\n|]|\\\|)+)", text):
        words = shlex.split(line.replace("…", "").split("  #")[0])
        if words and words[0].isalpha() and words[0].islower():
            yield words


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_commands_that_are_named_exist(path, capsys):
    """Each ``hermes toolsearch VERB`` in a text of ours is a verb that there is."""
    parser = argparse.ArgumentParser()
    cli.add_commands(parser)
    verbs = parser._subparsers._group_actions[0].choices
    text = "\n".join(re.findall(r"`[^`\n]+`|^\$ .*|^hermes.*", path.read_text(encoding="utf-8"), re.MULTILINE))

    assert [] == [words for words in commands(text) if words[0] not in verbs]


def test_the_architecture_names_every_module():
    """A newcomer finds each module in the table, and no module is named that is not there."""
    package = documents.ROOT / "hermes_plugin_toolsearch"
    text = (documents.ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    there = {
        str(path.relative_to(package))
        for folder in (package, package / "hermes", package / "retrieval")
        for path in folder.glob("*.py")
        if path.name != "__init__.py"
    }
    told = set(re.findall(r"`((?:hermes/|retrieval/)?\w+\.py)`", text))

    assert set() == there - told
    assert set() == {name for name in told if not (package / name).exists()}


def test_the_readme_says_why_each_dependency_is_there():
    """Every run-time dependency has a row, and nothing else has."""
    declared = re.search(r"install_requires =\n((?:    .*\n)+)", (documents.ROOT / "setup.cfg").read_text())[1]
    needed = {re.match(r"[\w.-]+", line.strip())[0] for line in declared.splitlines()}
    readme = (documents.ROOT / "README.md").read_text(encoding="utf-8")
    section = readme.split("## Dependencies", 1)[1].split("\n## ", 1)[0]

    assert needed == set(re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE))
