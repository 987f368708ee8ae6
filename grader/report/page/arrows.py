"""RoPE's rotation as arrows: one dial for every pair."""

from __future__ import annotations

import math

from grader.pictures import RotatedPair, Rotation
from grader.report.page import svg
from grader.report.page.svg import At, Element

_WIDTH, _HEIGHT, _RADIUS = 170.0, 182.0, 66.0


def rotation(picture: Rotation) -> Element:
    """Dials, two in a row: the pair as given, where it should be, and where the submission put it."""
    columns = min(2, len(picture.pairs))
    rows = math.ceil(len(picture.pairs) / columns)
    root = svg.drawing(2 * _WIDTH, rows * _HEIGHT)  # one dial is as large as one of several
    for index, pair in enumerate(picture.pairs):
        left = (index % columns) * _WIDTH + (_WIDTH / 2 if columns == 1 else 0)
        _dial(root, At(left + _WIDTH / 2, (index // columns) * _HEIGHT + _RADIUS + 10), pair)
    return root


def _dial(root: Element, centre: At, pair: RotatedPair) -> None:
    longest = max(math.hypot(*point) for point in (pair.given, pair.right, pair.yours))
    scale = _RADIUS / longest if longest else 0.0

    def place(point: tuple[float, float]) -> At:
        return At(centre.x + scale * point[0], centre.y - scale * point[1])

    reach = _RADIUS + 4
    svg.line(root, At(centre.x - reach, centre.y), At(centre.x + reach, centre.y), "axis")
    svg.line(root, At(centre.x, centre.y - reach), At(centre.x, centre.y + reach), "axis")
    svg.circle(root, centre, scale * math.hypot(*pair.given), "axis")  # a rotation stays on this circle
    svg.arrow(root, centre, place(pair.given), "given")
    svg.arrow(root, centre, place(pair.right), "right")
    svg.arrow(root, centre, place(pair.yours), "yours")
    below = centre.y + _RADIUS + 20
    svg.text(root, At(centre.x, below), f"({2 * pair.pair}, {2 * pair.pair + 1})", "strong")
    svg.text(root, At(centre.x, below + 14), f"p\u03b8 = {pair.angle:.4g} rad", "small")
