"""Charts as SVG: bars of shares, each part with its own colour and pattern, and the numbers as its description."""

from collections.abc import Sequence
from dataclasses import dataclass

from groundtrace_app.audit_page.markup import joined, tag, text

WIDTH = 1_000
"""The length of a whole bar in units of the drawing; a page scales it."""

_GAP = 3
_LEAST = 6
"""A part that is there at all is never thinner than this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a bar: its class in the page's style, its name, and its number."""

    kind: str
    name: str
    number: int


def bar(parts: Sequence[Part], /, *, most: int | None = None, height: int = 36, name: str = "") -> str:
    """Return one bar; it is as long as its sum is to `most`, or whole. Its numbers are its accessible name."""
    there = [part for part in parts if part.number > 0]
    total = sum(part.number for part in there)
    length = WIDTH if most is None or most <= 0 else max(WIDTH * total / most, min(total, 1) * _LEAST)
    said = ", ".join(f"{part.number:,} {part.name}" for part in there) or "nothing"
    label = f"{name}: {said}" if name else said
    return tag(
        "svg",
        tag("rect", class_="ground", x=0, y=0, width=WIDTH, height=height) if most is not None else "",
        joined(_drawn(there, total, length, height)),
        class_="bar",
        viewBox=f"0 0 {WIDTH} {height}",
        preserveAspectRatio="none",
        role="img",
        aria_label=label,
    )


def legend(parts: Sequence[Part], /) -> str:
    """Return what the colours mean, each with its number; what is not there is left out."""
    return tag(
        "ul",
        joined(
            tag("li", swatch(part.kind), tag("b", f"{part.number:,}"), " ", text(part.name))
            for part in parts
            if part.number > 0
        ),
        class_="legend",
    )


def swatch(kind: str, /) -> str:
    """Return one small field of a colour."""
    square = tag("rect", class_=kind, x=0, y=0, width=12, height=12, rx=3)
    return tag("svg", square, class_="swatch", viewBox="0 0 12 12", aria_hidden="true")


def _drawn(parts: Sequence[Part], total: int, length: float, height: int) -> list[str]:
    widths = _widths([part.number for part in parts], total, length)
    drawn, at = [], 0.0
    for part, width in zip(parts, widths, strict=True):
        last = part is parts[-1]
        title = tag("title", text(f"{part.number:,} {part.name}"))
        shown = max(width - (0 if last else _GAP), 1)
        rect = f'<rect class="{text(part.kind)}" x="{at:.1f}" y="0" width="{shown:.1f}" height="{height}">'
        drawn.append(f"{rect}{title}</rect>")
        at += width
    return drawn


def _widths(numbers: Sequence[int], total: int, length: float) -> list[float]:
    """Return the lengths of parts; thin ones are widened at the cost of the others."""
    least = min(float(_LEAST), length / max(len(numbers), 1))
    bare = [max(length * number / total, least) for number in numbers]
    over = sum(bare) - length
    spare = sum(width - least for width in bare)
    return [width - over * (width - least) / spare for width in bare] if over > 0 and spare > 0 else bare
