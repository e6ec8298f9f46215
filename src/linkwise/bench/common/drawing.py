"""Pictures as SVG text: lines, and ranks on an axis. Nothing has to be installed for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import floor, log10

Points = Sequence[tuple[float, float]]
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999933")
WIDTH, HEIGHT, MARGIN = 640, 360, 56


def lines(series: Mapping[str, Points], across: str, up: str, *, logarithmic: bool = False) -> str:
    """Draw one line for each name; both axes by powers of ten if ``logarithmic``."""
    shown = {
        name: [(_place(x, logarithmic), _place(y, logarithmic)) for x, y in points]
        for name, points in series.items()
        if points
    }
    every = [point for points in shown.values() for point in points]
    if not every:
        return "<p>Nothing to draw yet.</p>"
    low_x, high_x = _span([x for x, _ in every])
    low_y, high_y = _span([y for _, y in every])

    def at(x: float, y: float) -> tuple[float, float]:
        return (
            MARGIN + (x - low_x) / (high_x - low_x) * (WIDTH - 2 * MARGIN),
            HEIGHT - MARGIN - (y - low_y) / (high_y - low_y) * (HEIGHT - 2 * MARGIN),
        )

    parts = [_text(WIDTH / 2, HEIGHT - 8, across, "middle"), _text(6, 16, up)]
    for value in (low_x, (low_x + high_x) / 2, high_x):
        parts.append(_text(at(value, low_y)[0], HEIGHT - 28, _number(value, logarithmic), "middle"))
    for value in (low_y, (low_y + high_y) / 2, high_y):
        x, y = at(low_x, value)
        parts.append(_text(x - 6, y + 4, _number(value, logarithmic), "end"))
        parts.append(f'<path d="M{x:.1f} {y:.1f}H{WIDTH - MARGIN}" stroke="#ddd"/>')
    for number, (name, points) in enumerate(shown.items()):
        colour = COLOURS[number % len(COLOURS)]
        dashed = ' stroke-dasharray="5 3"' if number >= len(COLOURS) else ""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in points))
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}"{dashed}/>')
        parts += [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'
            for x, y in (at(*point) for point in points)
        ]
        parts.append(_text(WIDTH + 4, 24 + 16 * number, name, colour=colour))
    return _svg(WIDTH + 260, max(HEIGHT, 40 + 16 * len(shown)), parts)


def rank_axis(ranks: Mapping[str, float], critical: float) -> str:
    """Draw each method's mean rank; the bar reaches as far as chance does from the best."""
    if not ranks:
        return "<p>Nothing to draw yet.</p>"
    best, worst = min(ranks.values()), max(max(ranks.values()), 2.0)
    left, right = 260.0, float(WIDTH + 200)

    def at(rank: float) -> float:
        return left + (rank - 1) / (worst - 1) * (right - left - 60)

    height = 40 + 18 * len(ranks)
    parts = []
    if critical == critical:
        reach = at(min(best + critical, worst)) - at(best)
        parts.append(
            f'<rect x="{at(best):.1f}" y="22" width="{reach:.1f}" height="{height - 26}" '
            'fill="#eef4fb"/>'
        )
    for number, (name, rank) in enumerate(sorted(ranks.items(), key=lambda item: item[1])):
        y = 36 + 18 * number
        parts.append(_text(left - 10, y + 4, name, "end"))
        parts.append(f'<circle cx="{at(rank):.1f}" cy="{y}" r="4" fill="{COLOURS[0]}"/>')
        parts.append(_text(at(rank) + 8, y + 4, f"{rank:.1f}"))
    return _svg(int(right), height, parts)


def _place(value: float, logarithmic: bool) -> float:
    return log10(max(value, 1e-4)) if logarithmic else value


def _number(value: float, logarithmic: bool) -> str:
    shown = 10**value if logarithmic else value
    if not shown:
        return "0"
    digits = 0 if shown >= 10 else 2 - min(0, floor(log10(max(abs(shown), 1e-9))) + 1)
    return f"{shown:.{min(digits, 4)}f}"


def _span(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _text(x: float, y: float, words: str, anchor: str = "start", colour: str = "#222") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}"'
    return f"<text {place}>{escape(words)}</text>"


def _svg(width: int, height: int, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'font-family="sans-serif" font-size="12">{"".join(parts)}</svg>'
    )
