"""Third-party text as one short line."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import data
from hermes_plugin_toolsearch.summary import READ, SUMMARY_CHARS, cut, plain_text, short_description


@pytest.mark.parametrize(
    ("description", "short"),
    [
        ("Create an issue. Needs a token.", "Create an issue."),
        ("Create an issue", "Create an issue"),
        ("Is it open? Yes.", "Is it open?"),
        ('Delete it ("for good!"). Careful.', 'Delete it ("for good!").'),
        ("", ""),
        (" \n\t ", ""),
    ],
)
def test_the_first_sentence_is_shown(description: str, short: str) -> None:
    """A sentence ends at a mark that a blank or nothing follows."""
    assert short == short_description(description)


@pytest.mark.parametrize(
    "sentence",
    [
        "List items, e.g. GitHub issues.",
        "List issues (e.g. bugs), i.e. open ones.",
        "Convert units vs. Currencies.",
        "Supports v1.2 and 2.0.1.",
        "Call api.github.com for you.",
        "Round 3.14 to 3.1.",
        "See https://example.com/a.b?c=d.e now.",
        "Query the U.S. Census.",
        "Ask Dr. Smith about No. 5.",
        "Files, folders etc. are moved.",
        "Read package.json or .env files.",
        "Loading... please wait.",
    ],
)
def test_a_full_stop_inside_a_sentence_does_not_end_it(sentence: str) -> None:
    """Abbreviations, versions, host names, decimals, initials and addresses have full stops of their own."""
    assert sentence == short_description(f"{sentence} Another sentence follows.")


@pytest.mark.parametrize(
    ("description", "short"),
    [
        ("获取问题列表。然后返回结果。", "获取问题列表。"),
        ("課題を作成します。次に保存します。", "課題を作成します。"),
        ("真的吗？是的。", "真的吗？"),
    ],
)
def test_a_cjk_full_stop_ends_a_sentence_without_a_blank(description: str, short: str) -> None:
    """Chinese and Japanese put no blank between sentences."""
    assert short == short_description(description)


@pytest.mark.parametrize(
    ("description", "short"),
    [
        ("**Create** an `issue` in a [repo](https://x.y/z_(a)).", "Create an issue in a repo."),
        ("Use ***really*** _good_ __Bold__ ~~old~~ text", "Use really good Bold old text"),
        ("![logo](a.png) Draws a logo", "logo Draws a logo"),
        ("See [the guide][1] first", "See the guide first"),
        ("Calls __init__ of snake_case_name and 2 * 3 * 4", "Calls __init__ of snake_case_name and 2 * 3 * 4"),
        ("SELECT * FROM t", "SELECT * FROM t"),
        ("\\*not bold\\* and \\`code\\`", "not bold and code"),
        ("- First thing\n- Second thing", "First thing"),
        ("1. First thing\n2. Second thing", "First thing"),
        ("> Quoted text", "Quoted text"),
        ("```json\n{}\n```\nRuns code.", "Runs code."),
        ("| a | b |\n|---|---|\nA table above.", "A table above."),
        ("---\nBelow a rule.", "Below a rule."),
        ("🎯 **Aim** well.", "Aim well."),
    ],
)
def test_markdown_comes_out_as_plain_text(description: str, short: str) -> None:
    """Emphasis, code, links, lists, quotes, tables and rules leave their words, names with underscores stay."""
    assert short == short_description(description)


@pytest.mark.parametrize(
    ("description", "short"),
    [
        ("# Create issue\n\nCreates an issue in a repo.", "Creates an issue in a repo."),
        ("Create issue\n============\nCreates an issue.", "Creates an issue."),
        ("## Only a heading ##", "Only a heading"),
        ("Purpose:\n  1. Creates an issue.\n  2. And more.", "Creates an issue."),
        ("Guardrails:\n  1. Ask first.\n\nPurpose:\n  1. Creates an issue.", "Creates an issue."),
        ("Description: Creates an issue", "Creates an issue"),
        ("Creates an issue\nArgs:\n    title: its title", "Creates an issue"),
        ("Creates an issue\n\nOverview:\nIt is created.", "Creates an issue"),
        (
            "Creates an issue in the repository that belongs to\nthe user.",
            "Creates an issue in the repository that belongs to the user.",
        ),
        ("Creates an issue\\n\\nUse it when one is needed", "Creates an issue"),
    ],
)
def test_a_heading_or_label_gives_way_to_what_it_announces(description: str, short: str) -> None:
    """Headings and section labels are no sentence unless they are all there is; wrapped lines are one."""
    assert short == short_description(description)


@pytest.mark.parametrize(
    ("description", "short"),
    [
        ("<usecase>Read a file</usecase><instructions>Use it.</instructions>", "Read a file"),
        ("<tool_description>\n  Read a file.\n</tool_description>", "Read a file."),
        ("Get <project_id> from <b>bold</b> servers", "Get project_id from bold servers"),
        ("<!-- hidden -->Read<br/>a <img src=x onerror=alert(1)> file", "Read a file"),
        ("See <https://example.com> first", "See https://example.com first"),
        ("&lt;b&gt;Fish&lt;/b&gt; &amp; chips", "Fish & chips"),
        ("Values where a < b and c -> d", "Values where a < b and c -> d"),
    ],
)
def test_tags_come_out_as_plain_text(description: str, short: str) -> None:
    """Inline tags vanish, tags around a part end it, placeholders become words, comparisons stay."""
    assert short == short_description(description)


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("x" * 60, "x" * 60),
        ("x" * 60 + ".", "x" * 60),
        (
            "A sentence of sixty and some more characters is cut, at a word boundary",
            "A sentence of sixty and some more characters is cut, at a…",
        ),
        (
            "A sentence whose comma would stand right where the line is, cut off",
            "A sentence whose comma would stand right where the line is…",
        ),
        (
            "Read the content of a file in any text format or type (e.g. Markdown)",
            "Read the content of a file in any text format or type…",
        ),
        ("https://example.com/" + "a" * 80, "https://example.com/" + "a" * 39 + "…"),
        ("获" * 70, "获" * 59 + "…"),
        ("Search for 获取问题列表 and " + "获" * 60, "Search for 获取问题列表 and " + "获" * 37 + "…"),
        ("e\u0301" * 40, "e\u0301" * 29 + "…"),
    ],
)
def test_a_long_line_is_cut_at_a_word_boundary_with_an_ellipsis(text: str, short: str) -> None:
    """Never over the limit; what dangles at the cut goes, a character keeps its accent."""
    assert short == cut(text, SUMMARY_CHARS)


@pytest.mark.parametrize(
    ("description", "short"),
    [
        ("Read\u202e a\u200b file\ufeff", "Read a file"),
        ("Read\x00 a\x1b[31m file", "Read a[31m file"),
        ("Read\u00a0a\u3000file\ufe0f", "Read a file"),
        ("Read a \ud800file\U000e0041", "Read a file"),
        ("Read a file\u2028- evil: an extra line", "Read a file"),
        ("&#x202e;Read a file&#10;# Heading", "Read a file"),
        ("\u3164\u115f\u2800Read a file", "Read a file"),
    ],
)
def test_what_does_not_show_is_not_there(description: str, short: str) -> None:
    """Control, bidirectional, zero-width, filler, tag and private characters go, entities included (B8, B9)."""
    assert short == short_description(description)


NASTY = (
    "<",
    "</listing>",
    "# ",
    "- ",
    "* ",
    "**",
    "_",
    "`",
    "[",
    "](",
    "![",
    "\\",
    "&lt;",
    "&#10;",
    "\n",
    "\r\n",
    "\u2028",
)
NASTY += (
    "\u202e",
    "\u200b",
    "e.g. ",
    ". ",
    "。",
    ": ",
    "|",
    "```\n",
    "<!--",
    "-->",
    "mcp__x__* (3 tools, not listed)\n",
    "word ",
    "é",
)


@given(st.lists(st.sampled_from(NASTY) | st.text(max_size=5), max_size=60).map("".join))
def test_any_text_becomes_one_bounded_visible_line_without_tags(description: str) -> None:
    """Whatever a stranger writes: one line, within the limit, nothing invisible, nothing that opens a tag (B8)."""
    for shown, limit in ((short_description(description), SUMMARY_CHARS), (plain_text(description, 300), 300)):
        assert len(shown) <= limit
        assert shown == " ".join(shown.split())
        assert not [
            char for char in shown if unicodedata.category(char)[0] == "C" or unicodedata.category(char) in ("Zl", "Zp")
        ]
        assert re.search(r"<[A-Za-z/!?]", shown) is None


@pytest.mark.parametrize(
    "unit",
    [
        "<a ",
        "<",
        "[",
        "[a](",
        "**a",
        "_a ",
        "&amp;",
        "\\",
        "a. b ",
        "a.\n",
        "- ",
        "\n",
        "# ",
        "x",
        "`",
        ": ",
        "> ",
        "e.g. ",
    ],
)
def test_only_the_beginning_of_a_hostile_text_is_looked_at(unit: str) -> None:
    """A megabyte costs what its first 2,000 characters cost: the rest makes no difference."""
    text = unit * (1_000_000 // len(unit))
    assert short_description(text[:READ]) == short_description(text)
    assert plain_text(text[:READ], 300) == plain_text(text, 300)


def test_plain_text_keeps_all_that_fits() -> None:
    """A longer excerpt runs on over sentences, headings and lists."""
    assert "Issues Creates one. Needs: a title a body" == plain_text(
        "# Issues\n\nCreates **one**.\nNeeds:\n- a title\n- a body", 300
    )


def test_captured_descriptions_read_as_a_person_would_write_them() -> None:
    """Of 2,932 real descriptions none comes out empty, marked up, or begins with what is no word (F5)."""
    if not (data.DATA / "judged").is_dir():
        pytest.skip("../shared/data is not there")
    shown = {
        tool["name"]: short_description(tool["description"]) for tool in data.captured() if tool["description"].strip()
    }
    odd = {
        name: text
        for name, text in shown.items()
        if not re.match(r"[\w\[(\"'“‘@$/.]", text) or re.search(r"\*\*|`|\]\(|</?\w|\n", text)
    }
    assert {} == odd
