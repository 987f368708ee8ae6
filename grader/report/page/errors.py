"""The error of every token or pair on a logarithmic scale, beside what is allowed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from grader.report.page import svg
from grader.report.page.svg import At, Element

_WIDTH, _HEIGHT = 340.0, 190.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 14.0, 12.0, 36.0
_DIGIT = 7.0
"""Width of a digit of a label."""
_MOST_TICKS = 5
_MOST_DECADES = 12
"""Smaller values stand on the ground: exact zeros are allowed to differ by 1e-45, which would flatten the rest."""


def errors(places: Sequence[int], error: Sequence[float], allowed: Sequence[float], axis: dict[str, str]) -> Element:
    """A stem for every place, and a dashed line for what is allowed there.

    Args:
        places: labels below.
        error: differences, not negative; zero stands on the ground.
        axis: what the places are, by language.
    """
    root = svg.drawing(_WIDTH, _HEIGHT)
    sizes = [value for value in (*error, *allowed) if value > 0]
    high = math.ceil(math.log10(max(sizes, default=1.0)))
    low = min(max(math.floor(math.log10(min(sizes, default=1.0))), high - _MOST_DECADES), high - 1)
    ground = _HEIGHT - _BOTTOM

    def height(value: float) -> float:
        share = (math.log10(value) - low) / (high - low) if value > 0 else 0.0
        return ground - max(share, 0.0) * (ground - _TOP)

    _ticks(root, low, high, height)
    pitch = (_WIDTH - _LEFT - _RIGHT) / len(places)
    middles = [_LEFT + (index + 0.5) * pitch for index in range(len(places))]
    for middle, value, most in zip(middles, error, allowed, strict=True):
        style = "wrong" if value > most else "fine"
        svg.line(root, At(middle, ground), At(middle, height(value)), f"stem {style}")
        svg.circle(root, At(middle, height(value)), 4, f"dot {style}")
    ends = [
        At(middle + side * pitch / 2, height(most))
        for middle, most in zip(middles, allowed, strict=True)
        for side in (-1, 1)
    ]
    svg.polyline(root, ends, "allowed")
    every = math.ceil((max(len(str(place)) for place in places) * _DIGIT + 4) / pitch)
    for index, (middle, place) in enumerate(zip(middles, places, strict=True)):
        if index % every == 0:
            svg.text(root, At(middle, ground + 14), str(place), "small")
    svg.words(root, At(_LEFT + (_WIDTH - _LEFT - _RIGHT) / 2, _HEIGHT - 5), axis, "small")
    return root


def _ticks(root: Element, low: int, high: int, height: Callable[[float], float]) -> None:
    for power in range(low, high + 1, math.ceil((high - low) / _MOST_TICKS)):
        at = height(10.0**power)
        svg.line(root, At(_LEFT, at), At(_WIDTH - _RIGHT, at), "axis")
        svg.text(root, At(_LEFT - 5, at + 4), f"1e{power}" if power else "1", "small", anchor="end")
