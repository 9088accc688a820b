"""Charts as SVG, drawn for a given width in pixels, coloured by the page's style sheet."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from .figures import Recall, Rung, Speed, Step

WIDE, PHONE = 860, 320


@dataclass(frozen=True, slots=True)
class Bar:
    """One row of a bar chart: a label and its two values."""

    label: str
    before: float
    now: float


def svg(width: float, height: float, title: str, body: Sequence[str]) -> str:
    """An image that says what it shows to whoever cannot see it."""
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{escape(printable(title), quote=True)}" '
        f'xmlns="http://www.w3.org/2000/svg">{"".join(body)}</svg>'
    )


def bars(rows: Sequence[Bar], *, width: int, title: str) -> str:
    """A pair of bars a row, the label above them on a phone and before them elsewhere."""
    phone = width < WIDE
    left, room = (0, width - 62) if phone else (190, width - 190 - 78)
    pitch = 52 if phone else 34
    most = max((max(row.before, row.now) for row in rows), default=1) or 1
    body = []
    for place, row in enumerate(rows):
        top = place * pitch
        if phone:
            body.append(text(0, top + 13, clip(row.label, 40)))
            top += 20
        else:
            body.append(text(left - 14, top + 17, clip(row.label, 25), "end"))
        for at, value, kind in ((top + 2, row.before, "before"), (top + 14, row.now, "now")):
            length = max(room * value / most, 1.5)
            body.append(f'<rect class="{kind}" x="{left}" y="{at}" width="{length:.1f}" height="10" rx="2"/>')
            body.append(
                text(left + length + 6, at + 9.5, short(value), "soft" if kind == "before" else "strong", size=11)
            )
    return svg(width, len(rows) * pitch, title, body)


def ladder(rungs: Sequence[Rung], *, width: int, title: str) -> str:
    """A column a context length: the listing within its budget, and the form it has."""
    phone = width < WIDE
    left, top, height = 44, 34, 190
    pitch = (width - left) / len(rungs)
    scale = linear(max(max(rung.budget, rung.tokens) for rung in rungs), height)
    body = axis(scale, left, top, height, width)
    for place, rung in enumerate(rungs):
        at, wide = left + place * pitch + pitch * 0.2, pitch * 0.6
        tall = scale.length(rung.tokens)
        line = top + height - scale.length(rung.budget)
        body.append(
            rect("now" if rung.tier == 1 else "before", at, top + height - tall, width=wide, height=max(tall, 1.5))
        )
        body.append(f'<path class="budget" d="M{at - 4:.1f} {line:.1f}h{wide + 8:.1f}"/>')
        middle = at + wide / 2
        if not phone or place % 2 == 0:
            body.append(text(middle, top + height + 18, short(rung.context), "mid"))
            body.append(text(middle, top + height + 35, rung.form, "mid soft", size=12))
        if not phone:
            edge = top + height - tall
            edge = edge if edge - line > 24 else min(edge, line)  # never across the budget's line
            body.append(text(middle, edge - 7, f"{rung.tokens:,}", "mid strong", size=12))
    return svg(width, top + height + 42, title, body)


def growth(steps: Sequence[Step], *, width: int, title: str) -> str:
    """Two curves over the number of servers, the space between them being what is saved."""
    left, top, height, right = 48, 14, 230, 16
    scale = linear(max(max(step.before, step.now) for step in steps), height)
    across = (width - left - right) / max(steps[-1].servers, 1)

    def points(value: Callable[[Step], int]) -> list[tuple[float, float]]:
        return [(left + step.servers * across, top + height - scale.length(value(step))) for step in steps]

    before, now = points(lambda step: step.before), points(lambda step: step.now)
    body = axis(scale, left, top, height, width)
    body.append(f'<path class="wash" d="{path([*before, *reversed(now)])}Z"/>')
    for line, kind in ((before, "before"), (now, "now")):
        body.append(f'<path class="line {kind}" d="{path(line)}"/>')
        body.append(f'<circle class="{kind}" cx="{line[-1][0]:.1f}" cy="{line[-1][1]:.1f}" r="4.5"/>')
    for mark in sorted({0, steps[-1].servers // 2, steps[-1].servers}):
        kind = "end" if mark == steps[-1].servers else "mid"
        body.append(
            text(left + mark * across + (right / 2 if kind == "end" else 0), top + height + 20, f"{mark}", kind)
        )
    body.append(text(left + (width - left) / 2, top + height + 40, "servers", "mid soft"))
    return svg(width, top + height + 46, title, body)


def recall(sets: Sequence[Recall], *, width: int, title: str) -> str:
    """A row a judged set: every engine as a dot on a scale from 0 to 1, this project's the large one."""
    phone = width < WIDE
    left, right = (8, 40) if phone else (190, 56)
    pitch, room = (48 if phone else 34), width - left - right
    body = []
    bottom = len(sets) * pitch
    for tick in (0, 0.25, 0.5, 0.75, 1):
        at = left + room * tick
        body.append(f'<path class="grid" d="M{at:.1f} 0V{bottom + 4}"/>')
        body.append(text(at, bottom + 22, f"{tick:g}", "mid soft"))
    for place, one in enumerate(sets):
        row = place * pitch + (34 if phone else 17)
        body.append(
            text(*((0, row - 14) if phone else (left - 14, row + 5)), clip(one.name, 28), "" if phone else "end")
        )
        values = list(one.engines.items())
        for engine, value in reversed(values):
            ours = engine == values[0][0]
            label = f"<title>{escape(printable(engine))}: {value:.3f}</title>"
            kind, radius = ("now", 7) if ours else ("before", 4.5)
            body.append(
                f'<circle class="{kind}" cx="{left + room * value:.1f}" cy="{row}" r="{radius}">{label}</circle>'
            )
        body.append(text(width, row + 5, f"{values[0][1]:.2f}", "end strong"))
    return svg(width, bottom + 28, title, body)


def speed(engines: Sequence[Speed], *, width: int, title: str) -> str:
    """Milliseconds of a search over the number of tools, both on logarithmic scales."""
    left, top, height, right = 56, 12, 240, 16
    points = [point for engine in engines for point in engine.points]
    low_x, high_x = (math.log10(end([size for size, _ in points])) for end in (min, max))
    low_y, high_y = (
        math.floor(math.log10(min(y for _, y in points))),
        math.ceil(math.log10(max(y for _, y in points))),
    )
    high_y = max(high_y, low_y + 1)

    def place(size: float, value: float) -> tuple[float, float]:
        x = (math.log10(size) - low_x) / ((high_x - low_x) or 1)
        y = (math.log10(value) - low_y) / (high_y - low_y)
        return left + x * (width - left - right), top + height - y * height

    body = []
    for power in range(low_y, high_y + 1):
        _, at = place(10**low_x, 10**power)
        body.append(f'<path class="grid" d="M{left} {at:.1f}H{width}"/>')
        body.append(text(left - 8, at + 4, f"{10.0**power:g}", "end soft"))
    for size in sorted({size for size, _ in points}):
        if width >= WIDE or size in (min(points)[0], max(points)[0]):
            x, _ = place(size, 10**low_y)
            body.append(text(x, top + height + 20, short(size), "mid" if size < max(points)[0] else "end"))
    for engine in reversed(engines):
        kind = "now" if engine is engines[0] else "before"
        line = [place(size, value) for size, value in engine.points]
        body.append(
            f'<path class="line {kind}" d="{path(line)}"><title>{escape(printable(engine.engine))}</title></path>'
        )
    body.append(text(left + (width - left) / 2, top + height + 40, "tools", "mid soft"))
    return svg(width, top + height + 46, title, body)


@dataclass(frozen=True, slots=True)
class Scale:
    """From values to pixels, with the values at which lines are drawn."""

    top: float
    height: float
    ticks: tuple[float, ...]

    def length(self, value: float) -> float:
        """The pixels of ``value``."""
        return self.height * value / self.top


def linear(most: float, height: float) -> Scale:
    """A scale from 0 to a round number at or above ``most``, in at most five steps."""
    most = most or 1
    unit = 10 ** math.floor(math.log10(most))
    step = next(unit * part for part in (0.2, 0.25, 0.5, 1, 2, 2.5, 5, 10) if math.ceil(most / (unit * part)) <= 5)
    count = math.ceil(most / step)
    return Scale(step * count, height, tuple(step * number for number in range(count + 1)))


def axis(scale: Scale, left: float, top: float, height: float, width: float) -> list[str]:
    """Lines across with their values."""
    body = []
    for tick in scale.ticks:
        at = top + height - scale.length(tick)
        body.append(f'<path class="grid" d="M{left} {at:.1f}H{width}"/>')
        body.append(text(left - 8, at + 4, short(tick), "end soft"))
    return body


def rect(kind: str, x: float, y: float, *, width: float, height: float) -> str:
    """A bar."""
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="3"/>'


def path(points: Sequence[tuple[float, float]]) -> str:
    """A line through ``points``."""
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def text(x: float, y: float, content: str, kind: str = "", *, size: int | None = None) -> str:
    """Words, escaped."""
    style = f' style="font-size:{size}px"' if size else ""
    name = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{name}{style}>{escape(printable(content))}</text>'


def printable(label: str) -> str:
    """``label`` without control characters, which no markup may hold."""
    return "".join(letter if letter.isprintable() else " " for letter in label)


def clip(label: str, most: int) -> str:
    """At most ``most`` characters of a label, printable ones."""
    label = printable(label)
    return label if len(label) <= most else label[: most - 1] + "…"


def short(value: float) -> str:
    """A number in three digits: 950, 1.2k, 34k, 1.3M."""
    for size, unit in ((1e6, "M"), (1e3, "k")):
        if value >= size * 0.9995:
            scaled = value / size
            return (f"{scaled:.1f}".removesuffix(".0") if scaled < 9.95 else f"{scaled:.0f}") + unit
    return f"{value:.0f}"
