"""Third-party text -> one short line that is safe to show.

Descriptions of tools are written by strangers, in Markdown, with tags, for other readers. What comes out of here is
one line of plain text: no line breaks, no control, invisible or bidirectional characters, no headings, lists,
emphasis, links or tags. Only the first :data:`READ` characters are ever looked at and every pattern is bounded, so
the time is the same for a megabyte.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from typing import Literal, NamedTuple

READ = 2000
"""Characters of a description that are looked at."""

SUMMARY_CHARS = 60
"""The longest short description."""

_ELLIPSIS = "…"
_INLINE_TAGS = frozenset(
    "a abbr b bdi bdo br code del em font i ins kbd mark s small span strong sub sup tt u var".split()
)

# What shows as nothing or as blank although Unicode calls it a letter, mark or symbol: fillers, variation selectors,
# the grapheme joiner and the empty Braille pattern.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | frozenset(map(chr, range(0xFE00, 0xFE10)))


class _Visible(dict[int, str | None]):
    """For ``str.translate``: what does not show becomes nothing, every kind of blank a space."""

    def __missing__(self, code: int) -> str | None:
        char = chr(code)
        category = unicodedata.category(char)
        hidden = category[0] == "C" or char in _BLANK or code >= 0xE0000
        kept = " " if category == "Zs" else None if hidden else char
        if len(self) < 1 << 14:
            self[code] = kept
        return kept


_visible = _Visible({ord("\n"): "\n"})
_BREAKS = str.maketrans(dict.fromkeys("\r\v\f\x1c\x1d\x1e\x85\u2028\u2029", "\n") | {"\t": " "})

_SIMPLE = re.compile(r"[A-Za-z][A-Za-z0-9 ,;'\"/()%+=$@-]{0,200}\.?(?:\n\n|$)")
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9_:.-]{0,40})([^<>]{0,200})>")
_COMMENT = re.compile(r"<!--.{0,500}?-->|<[!?][^<>]{0,200}>", re.DOTALL)
_LINK = re.compile(
    r"!?\[([^\[\]\n]{0,200})\]"  # the text, then an address (with a pair of parentheses or a title) or a label
    r"(?:\([^()\s]{0,400}(?:\([^()\s]{0,100}\)[^()\s]{0,100})?(?: \"[^\"\n]{0,100}\")?\)|\[[^\[\]\n]{0,60}\])"
)
_STARS = re.compile(r"(\*{1,3}|~~)(?=[^\s*~])([^*~\n]{1,300})(?<=[^\s*~])\1")
_SCORES = re.compile(r"(?<!\w)(__?)(?=[^\s_])([^_\n]{1,300})(?<=[^\s_])\1(?!\w)")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+.!<>~|-])")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_HEADING = re.compile(r"\s{0,3}#{1,6}(?:\s+|$)")
_RULE = re.compile(r"\s*(?:[-=_*]\s?){3,}\s*")
_QUOTE = re.compile(r"\s*(?:>\s?)+")
_ITEM = re.compile(r"\s*(?:[-*+•‣◦▪–]|\d{1,3}[.)])\s+")
_UNDERLINE = re.compile(r"\s*(?:={3,}|-{3,})\s*")
_PURPOSE = re.compile(r"(?:description|summary|purpose|overview|synopsis|what it does)\s*[:：]+\s*", re.IGNORECASE)
_LEADING = re.compile(r"[^\w\[(\"'“‘«¿¡$/.@&<+-]+|[-+<]+(?=\s)")
_OPENING_TAG = re.compile(r"<+(?=[A-Za-z/!?])")
_DANGLING = re.compile(r"(?:[\s,;:.–—(\[{\"'/&-]|\b(?:e\.g|i\.e)(?=\.))+$")
_CJK = re.compile("[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
_STOP = re.compile(r"[。！？｡]+[」』）”’]*|[.!?]+[\"'”’)\]]*(?=\s|$)")
_LAST_WORD = re.compile(r"[^\s(\[\"'“‘]+$")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_ABBREVIATIONS = frozenset(
    "e.g i.e eg ie etc vs cf approx resp incl excl no nos fig dr mr mrs ms st inc ltd co corp al ca max min esp dept "
    "govt temp addl est jan feb mar apr jun jul aug sep sept oct nov dec".split()
)


def short_description(description: str) -> str:
    """What ``description`` says first, as one line of at most :data:`SUMMARY_CHARS` characters; may be empty."""
    text = description[:READ]
    simple = _SIMPLE.match(text)
    sentence = " ".join(text[: simple.end()].split()) if simple else _first_sentence(text)
    return cut(sentence, SUMMARY_CHARS)


def plain_text(description: str, limit: int) -> str:
    """``description`` as one line of plain text of at most ``limit`` characters, headings and labels included."""
    lines = [line for line in _lines(description[:READ]) if line.text]
    return cut(" ".join(line.text for line in lines), limit)


def cut(text: str, limit: int) -> str:
    """``text`` in at most ``limit`` characters, cut at a word boundary and then ended by an ellipsis.

    A full stop is dropped where that is all that is too much. Scripts without spaces are cut between characters.
    """
    if len(text) <= limit:
        return text
    if len(text) == limit + 1 and text.endswith("."):
        return text[:-1]
    end = limit - 1
    while end > 0 and not _is_boundary(text, end):
        end -= 1
    if end < limit // 4:  # one long word, such as an address: better a piece of it than nothing
        end = limit - 1
        while end > 1 and unicodedata.combining(text[end]):
            end -= 1
    return _DANGLING.sub("", text[:end]) + _ELLIPSIS


class _Line(NamedTuple):
    """One line of text without the marks that it begins with."""

    text: str
    kind: Literal["text", "item", "heading", "label", "purpose", "break"]


def _first_sentence(text: str) -> str:
    """The first sentence of the first paragraph that is more than a heading; else the first heading.

    A text in sections, one of which says what the tool is for, is read from there.
    """
    lines = list(_lines(text))
    first = next((line for line in lines if line.kind != "break"), None)
    if first is not None and first.kind in ("heading", "label"):
        purpose = next((at for at, line in enumerate(lines) if line.kind == "purpose"), 0)
        lines = lines[purpose:]
    paragraph = previous = title = ""
    for line in lines:
        if line.kind in ("heading", "label", "purpose", "break"):
            if paragraph:
                break
            title = title or line.text
            continue
        if paragraph and (line.kind == "item" or _is_complete(previous, line.text)):
            break
        paragraph = f"{paragraph} {line.text}" if paragraph else line.text
        previous = line.text
        end = _sentence_end(paragraph)
        if end or len(paragraph) > 2 * SUMMARY_CHARS:
            return paragraph[: end or None]
    return paragraph or title.rstrip(" :：")


def _lines(text: str) -> Iterator[_Line]:
    """The lines of ``text``, code blocks and tables left out."""
    fenced = False
    raw = _plain(text).split("\n")
    for line, below in zip(raw, [*raw[1:], ""], strict=True):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield _read(line.strip(), underlined=_UNDERLINE.fullmatch(below) is not None)


def _read(line: str, *, underlined: bool) -> _Line:
    if not line or line[0] == "|" or _RULE.fullmatch(line) or _UNDERLINE.fullmatch(line):
        return _Line("", "break")
    heading = _HEADING.match(line)
    if heading:
        line = line[heading.end() :].rstrip("# ")
    item = _ITEM.match(line)
    for mark in (_QUOTE, _ITEM, _LEADING):
        found = mark.match(line)
        line = line[found.end() :] if found else line
    line = " ".join(line.split())
    if _PURPOSE.fullmatch(f"{line}:"):
        return _Line(line, "purpose")
    purpose = _PURPOSE.match(line)
    line = line[purpose.end() :] if purpose else line
    if not line:
        return _Line("", "break")
    if heading or underlined:
        return _Line(line, "heading")
    if line.endswith((":", "：")) and line.count(" ") < 4:
        return _Line(line, "label")
    return _Line(line, "item" if item else "text")


def _plain(text: str) -> str:
    """``text`` without characters that do not show, tags and Markdown, its line breaks all of one kind."""
    text = text.translate(_BREAKS)
    if "\n" not in text:
        text = text.replace("\\n", "\n")  # escaped once too often
    if "&" in text:
        text = html.unescape(text).translate(_BREAKS)
    if not text.isascii() or not text.replace("\n", "").isprintable():
        text = text.translate(_visible)
    if "<" in text:
        text = _without_tags(text)
    if "[" in text:
        text = _LINK.sub(r"\1", text)
    text = _ESCAPE.sub(r"\1", text) if "\\" in text else text
    if "*" in text or "~" in text:
        text = _STARS.sub(r"\2", _STARS.sub(r"\2", text))
    if "_" in text:
        text = _SCORES.sub(_unscore, text)
    if "`" in text:
        text = re.sub(r"(?<!`)`{1,2}(?!`)", "", text)
    return _OPENING_TAG.sub("", text) if "<" in text else text


def _without_tags(text: str) -> str:
    """Tags of inline markup vanish, those around a part of the text end a line; a ``<placeholder>`` is a word."""
    text = _COMMENT.sub("", text)
    closed = {match[2].lower() for match in _TAG.finditer(text) if match[1]}

    def replace(match: re.Match[str]) -> str:
        name = match[2].lower()
        if name in _INLINE_TAGS:
            return " " if name == "br" else ""
        if match[1] or name in closed or match[3].endswith("/"):
            return "\n\n"
        return "" if "=" in match[3] and not name.startswith("http") else match[2] + match[3]

    return _TAG.sub(replace, text)


def _unscore(match: re.Match[str]) -> str:
    """Keep ``__init__``, which is a name, where ``__Note__`` is emphasis."""
    inner = match[2]
    return match[0] if match[1] == "__" and inner.isidentifier() and inner.islower() else inner


def _is_complete(previous: str, following: str) -> bool:
    """Whether a line break was meant: the line above is too short to be a wrapped one, and a new one begins below."""
    return len(previous) < 50 and following[:1].isupper()


def _sentence_end(text: str) -> int:
    """Where the first sentence of ``text`` ends, 0 if nothing ends it."""
    for stop in _STOP.finditer(text):
        if stop[0][0] != ".":
            return stop.end()
        word = _LAST_WORD.search(text, max(0, stop.start() - 40), stop.start())
        if not _continues(word[0].lower() if word else "", text[stop.end() : stop.end() + 2].strip(), stop[0]):
            return stop.end()
    return 0


def _continues(word: str, following: str, stop: str) -> bool:
    """Whether a sentence goes on with ``following`` after ``word`` and the ``stop`` behind it."""
    if not following:
        return False
    if following.islower() and (word in _ABBREVIATIONS or len(word) <= 3 or stop.startswith("..")):
        return True
    if word == "etc":
        return False
    return word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha()) or _INITIALS.fullmatch(word) is not None


def _is_boundary(text: str, at: int) -> bool:
    """Whether a line may be cut before character ``at``."""
    if text[at] == " ":
        return True
    return bool(_CJK.match(text[at]) or _CJK.match(text[at - 1])) and not unicodedata.combining(text[at])
