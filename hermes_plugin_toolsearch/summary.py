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
_LABEL = re.compile(
    r"(?:description|summary|purpose|overview|synopsis|what it does|usage|use case)\s*[:：]\s*", re.IGNORECASE
)
_LEADING = re.compile(r"[^\w\[(\"'“‘«¿¡$/.@&<+-]+|[-+<]+(?=\s)")
_SPACES = re.compile(r"\s+")
_OPENING_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_CJK = re.compile("[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
_STOP = re.compile(r"[。！？｡]+[」』）”’]*|[.!?]+[\"'”’)\]]*(?=\s|$)")
_ABBREVIATIONS = frozenset(
    "e.g i.e eg ie etc vs cf approx resp incl excl no nos fig dr mr mrs ms st inc ltd co corp al ca max min esp dept "
    "est jan feb mar apr jun jul aug sep sept oct nov dec".split()
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
    return text[:end].rstrip(" ,;:.-–—([{\"'/&") + _ELLIPSIS


class _Line:
    """One line of text, what it begins with taken off."""

    __slots__ = ("indent", "kind", "text")

    def __init__(self, text: str, kind: str) -> None:
        self.text = text
        self.kind = kind  # "text", "item", "heading", "label" or "break"


def _first_sentence(text: str) -> str:
    """The first sentence of the first paragraph that is more than a heading; else the first heading."""
    paragraph = ""
    fallback = ""
    previous = ""
    for line in _lines(text):
        if line.kind in ("heading", "label", "break"):
            if paragraph:
                break
            fallback = fallback or line.text
            continue
        if paragraph and (line.kind == "item" or _ends_line(previous, line.text)):
            break
        paragraph = f"{paragraph} {line.text}" if paragraph else line.text
        previous = line.text
        end = _sentence_end(paragraph)
        if end or len(paragraph) > 2 * SUMMARY_CHARS:
            return paragraph[: end or None]
    return paragraph or fallback.rstrip(":：")


def _lines(text: str) -> Iterator[_Line]:
    """The lines of ``text`` as plain text, without what is empty of words."""
    fenced = False
    for raw in _plain(text).split("\n"):
        if _FENCE.match(raw):
            fenced = not fenced
            continue
        line = raw.strip()
        if fenced:
            continue
        if not line or _RULE.fullmatch(line) or line.startswith("|"):
            yield _Line("", "break")
            continue
        kind = "text"
        heading = _HEADING.match(line)
        quote = _QUOTE.match(line)
        if heading:
            kind, line = "heading", line[heading.end() :].rstrip("# ")
        elif quote:
            line = line[quote.end() :]
        item = _ITEM.match(line)
        if item:
            kind, line = "item", line[item.end() :]
        leading = _LEADING.match(line)
        line = line[leading.end() :] if leading else line
        label = _LABEL.match(line)
        line = line[label.end() :] if label and label.end() < len(line) else line
        line = _SPACES.sub(" ", line).strip()
        if kind != "heading" and line.endswith((":", "：")) and line.count(" ") < 4:
            kind = "label"
        yield _Line(line, kind if line else "break")


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
        if name.startswith(("http:", "https:", "mailto:")):
            return match[2] + match[3]
        return "\n\n" if name in closed or match[1] or match[3].endswith("/") else match[2] + match[3]

    return _TAG.sub(replace, text)


def _unscore(match: re.Match[str]) -> str:
    """Keep ``__init__``, which is a name, where ``__Note__`` is emphasis."""
    inner = match[2]
    return match[0] if match[1] == "__" and inner.isidentifier() and inner.islower() else inner


def _ends_line(previous: str, following: str) -> bool:
    """Whether a line break was meant: the line above is no wrapped one, and a new one begins below."""
    return len(previous) < 50 and following[:1].isupper()


def _sentence_end(text: str) -> int:
    """Where the first sentence of ``text`` ends, 0 if nothing ends it."""
    for stop in _STOP.finditer(text):
        if stop[0][0] not in ".":
            return stop.end()
        word = text[: stop.start()].rsplit(None, 1)[-1].lstrip("([\"'“‘").lower() if stop.start() else ""
        following = text[stop.end() : stop.end() + 40].lstrip()
        if following[:1].islower() or (len(word) == 1 and word.isalpha()):
            continue
        if word in _ABBREVIATIONS and not (word == "etc" or not following):
            continue
        if "." in word and all(len(part) == 1 for part in word.split(".")) and following:  # U.S.
            continue
        return stop.end()
    return 0


def _is_boundary(text: str, at: int) -> bool:
    """Whether a line may be cut before character ``at``."""
    if text[at] == " ":
        return True
    return bool(_CJK.match(text[at]) or _CJK.match(text[at - 1])) and not unicodedata.combining(text[at])
