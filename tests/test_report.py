"""The report: one page that needs nothing else, says its numbers in words too, and can be read by everybody."""

from __future__ import annotations

import json
import re
import struct
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from hermes_plugin_toolsearch import report
from hermes_plugin_toolsearch.commands.view import view_of_file
from hermes_plugin_toolsearch.report import charts, picture, style

HOSTILE = 'x"><script>alert(1)</script>\x1b[31m'


def write_tools(path, *, servers=3, tools=4, name="server"):
    """A file of tools: servers of a few tools each, with descriptions and parameters."""
    lines = [
        {
            "server": f"{name}{number}",
            "tools": [
                {
                    "name": f"{'abcdefgh'[number]}_tool_{place}",
                    "description": f"Do thing {place} of a longer kind. " * 5,
                    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
                }
                for place in range(tools)
            ],
        }
        for number in range(servers)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def view(tmp_path):
    """Three servers of four tools."""
    return view_of_file(write_tools(tmp_path / "tools.jsonl"), context_length=200_000, model="claude-sonnet-5")


class Outline(HTMLParser):
    """The tags of a page, with their attributes, and what is open where."""

    VOID = frozenset({"meta", "rect", "circle", "path", "br", "link", "img"})

    def __init__(self, page):
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert tag == self.open.pop(), f"</{tag}> closes another tag"

    def all(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


def test_the_page_loads_nothing(view):
    """No script, no link, no picture, no address: and a policy in the page that forbids all of them."""
    page = report.html(report.gather(view))
    outline = Outline(page)

    assert [] == [tag for tag in ("script", "link", "img", "iframe") if outline.all(tag)]
    assert not re.search(r"url\(|@import|https?://(?!www\.w3\.org/2000/svg)", page)
    policy = next(meta["content"] for meta in outline.all("meta") if "http-equiv" in meta)
    assert "default-src 'none'" in policy


def test_every_tag_is_closed(view):
    """The page is well formed, down to the charts, which are XML of their own."""
    page = report.html(report.gather(view))

    assert [] == Outline(page).open
    for drawn in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        ElementTree.fromstring(drawn)


def test_the_page_can_be_found_ones_way_in(view):
    """One main heading, landmarks, a language, a way past the header, and every section named by its heading."""
    outline = Outline(report.html(report.gather(view)))

    assert [1, 1, 1, 1] == [len(outline.all(tag)) for tag in ("h1", "header", "main", "footer")]
    assert [{"lang": "en"}] == outline.all("html")
    assert "#figures" == next(a["href"] for a in outline.all("a"))
    names = {heading["id"] for heading in outline.all("h2")}
    assert names == {section["aria-labelledby"] for section in outline.all("section")}
    assert {"servers", "ladder", "growth"} <= names


def test_every_chart_says_what_it_shows(view):
    """Charts are images with a text for who cannot see them, and each has its numbers as a table with headings."""
    outline = Outline(report.html(report.gather(view)))

    images = outline.all("svg")
    assert images and all("img" == image["role"] and image["aria-label"] for image in images)
    assert len(outline.all("section")) == len(outline.all("table"))
    assert all("col" == head["scope"] for head in outline.all("th"))


def _contrast(one, other):
    """The contrast ratio of WCAG 2.2, section 1.4.3."""

    def luminance(colour):
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("palette", [style.LIGHT, style.DARK], ids=["light", "dark"])
def test_colours_have_the_contrast_that_wcag_asks_for(palette):
    """Text has 4.5 to 1 on what it stands on, bars and lines 3 to 1."""
    for ground in ("paper", "card"):
        assert all(_contrast(palette[text], palette[ground]) >= 4.5 for text in ("ink", "soft", "now"))
    assert all(_contrast(palette[mark], palette["card"]) >= 3 for mark in ("now", "before", "third"))


def test_both_themes_and_a_phone_are_provided_for():
    """The style sheet has dark colours, and charts of their own for a narrow screen."""
    assert "prefers-color-scheme:dark" in style.CSS
    assert f"max-width:{style.NARROW}px" in style.CSS


def test_a_servers_name_stays_text(tmp_path):
    """Markup and control characters in third-party names reach the page as text or not at all (B8)."""
    path = write_tools(tmp_path / "tools.jsonl", name=HOSTILE)
    page = report.html(report.gather(view_of_file(path, context_length=200_000)))

    assert "<script" not in page
    assert "\x1b" not in page


def test_what_a_bigger_context_shows(view):
    """The ladder never shows less for more context, and never more than its budget."""
    rungs = report.gather(view).ladder

    assert sorted(rung.named for rung in rungs) == [rung.named for rung in rungs]
    assert all(rung.tokens <= rung.budget for rung in rungs)


def test_growth_ends_at_what_the_session_costs(view):
    """The last point of the curve is the array that the session gets, before and after."""
    figures = report.gather(view)

    last = figures.growth[-1]
    assert figures.status.now == last.now
    assert abs(figures.status.before - last.before) <= 2 * len(figures.servers)  # brackets of the arrays
    assert [0, 1, 2, 3] == [step.servers for step in figures.growth]


def test_benchmarks_are_shown_where_there_are_any(view, tmp_path):
    """Results of the retrieval and speed benchmarks give sections; broken and other files are passed over."""
    engines = {"peer": {"r5": 0.5}, "toolsearch": {"r5": 0.9}}
    titles = {"toolsearch": "ours", "peer": "a peer"}
    retrieval = tmp_path / "retrieval.json"
    retrieval.write_text(json.dumps({"titles": titles, "sets": {"azure": {"tools": 235, "engines": engines}}}))
    speed = tmp_path / "speed.json"
    sizes = {size: {"peer": {"search": size / 10}, "toolsearch": {"search": 0.5}} for size in (100, 1000)}
    speed.write_text(json.dumps({"titles": titles, "sizes": sizes}))
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "other.json").write_text("[1]")

    figures = report.gather(view, sorted(tmp_path.glob("*.json")))
    page = report.html(figures)

    assert ["ours", "a peer"] == list(figures.recall[0].engines)
    assert ["ours", "a peer"] == [one.engine for one in figures.speed]
    assert {"recall", "speed"} <= {heading["id"] for heading in Outline(page).all("h2")}


@pytest.mark.parametrize(
    ("value", "shown"), [(0, "0"), (950, "950"), (1234, "1.2k"), (34_000, "34k"), (999_900, "1M"), (1_315_164, "1.3M")]
)
def test_numbers_are_short(value, shown):
    """Three digits say enough in a chart."""
    assert shown == charts.short(value)


def test_a_picture_needs_a_browser(mocker, tmp_path):
    """Where there is none, the message says so, and what to do."""
    mocker.patch.object(picture, "browser", return_value=None)

    with pytest.raises(picture.NoPictureError, match="apt install chromium"):
        picture.take("<html></html>", tmp_path / "out.png")


@pytest.mark.parametrize("width", [1080, 500])
def test_the_picture_shows_the_whole_page(view, tmp_path, width):
    """A real browser shows the page at its full height, nothing of it beyond the sides, in light and dark."""
    if picture.browser() is None:
        pytest.skip("no Chromium or Chrome on this machine")
    page = report.html(report.gather(view))
    for dark in (False, True):
        target = tmp_path / f"{dark}.png"
        picture.take(page, target, width=width, dark=dark, scale=1)
        assert target.read_bytes().startswith(b"\x89PNG")
        assert width == struct.unpack(">I", target.read_bytes()[16:20])[0]
        assert struct.unpack(">I", target.read_bytes()[20:24])[0] > 1000
    assert (tmp_path / "True.png").read_bytes() != (tmp_path / "False.png").read_bytes()


def test_an_empty_view_gives_a_page(view):
    """With nothing to defer there is a page that says so."""
    from dataclasses import replace

    from hermes_plugin_toolsearch.assembly import assemble
    from hermes_plugin_toolsearch.config import ToolSearchConfig

    nothing = assemble([], config=ToolSearchConfig(), context_length=1000, stays_visible=lambda name: True)
    empty = replace(view, definitions=[], assembly=nothing, would_defer=nothing)

    assert "Nothing to show yet" in report.html(report.gather(empty))
