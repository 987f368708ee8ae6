"""Who read what: heads, keys and positions."""

from __future__ import annotations

import math

from grader.pictures import Causal, Heads, Timeline
from grader.report.page import svg
from grader.report.page.svg import At, Element

_WIDTH = 340.0
_COLUMNS = ((3, 8), (4, 6), (6, 5))
"""Digits of the longest position, and how many columns still fit beside each other."""
_QUERIES = {"en": "query heads", "zh": "Q 头"}
_KEYS = {"en": "key/value heads", "zh": "KV 头"}
_QUERY, _KEY = {"en": "query", "zh": "query"}, {"en": "key", "zh": "key"}
_TOKEN, _RIGHT, _YOURS = {"en": "token", "zh": "token"}, {"en": "right", "zh": "正确"}, {"en": "yours", "zh": "你的"}


def heads(picture: Heads) -> Element:
    """Query heads above, key/value heads below: dashed where each should read, a full line where it read."""
    count = len(picture.right)
    pitch = max(22.0, min(40.0, (_WIDTH - 20) / count))
    width = max(_WIDTH, count * pitch + 20)
    root = svg.drawing(width, 184)
    above = _spread(count, pitch, width)
    below = _spread(picture.key_heads, min(2 * pitch, (width - 20) / picture.key_heads), width)
    upper, lower, radius = 44.0, 136.0, 9.0
    for query, (right, yours) in enumerate(zip(picture.right, picture.yours, strict=True)):
        top = At(above[query], upper + radius)
        svg.line(root, top, At(below[right], lower - radius), "right thin")
        style = "fine" if right == yours else "yours"
        svg.line(root, top, At(below[yours], lower - radius), style)
    for row, at in ((above, upper), (below, lower)):
        for index, middle in enumerate(row):
            svg.circle(root, At(middle, at), radius, "node")
            svg.text(root, At(middle, at + 4), str(index), "small")
    svg.words(root, At(width / 2, 20), _QUERIES, "small")
    svg.words(root, At(width / 2, 172), _KEYS, "small")
    return root


def causal(picture: Causal) -> Element:
    """A row for every query, a column for every key: seen rightly, seen wrongly, missed, rightly hidden."""
    left, top = 62.0, 40.0
    size = min(30.0, (_WIDTH - left - 8) / picture.keys)
    root = svg.drawing(_WIDTH, top + len(picture.right) * size + 10)
    svg.words(root, At(left + picture.keys * size / 2, 14), _KEY, "small")
    svg.words(root, At(4, top + len(picture.right) * size / 2 + 4), _QUERY, "small", anchor="start")
    for key in range(picture.keys):
        svg.text(root, At(left + (key + 0.5) * size, top - 6), str(key), "small")
    for query, (right, yours) in enumerate(zip(picture.right, picture.yours, strict=True)):
        middle = top + (query + 0.5) * size
        svg.text(root, At(left - 8, middle + 4), str(query), "small", anchor="end")
        for key in range(picture.keys):
            _cell(root, At(left + key * size, top + query * size), size, may=key in right, saw=key in yours)
    return root


def timeline(picture: Timeline) -> Element:
    """A column for every token: its index, the right position, the position that was used."""
    longest = max(len(str(place)) for place in (*picture.right, *picture.yours))
    columns = next((columns for digits, columns in _COLUMNS if longest <= digits), 3)
    left, high = 42.0, 78.0
    pitch = (_WIDTH - left - 4) / columns
    rows = math.ceil(len(picture.right) / columns)
    root = svg.drawing(_WIDTH, rows * high - 4)
    for row in range(rows):
        for said, below in ((_TOKEN, 14), (_RIGHT, 36), (_YOURS, 62)):
            svg.words(root, At(2, row * high + below), said, "small", anchor="start")
    for token, (right, yours) in enumerate(zip(picture.right, picture.yours, strict=True)):
        corner = At(left + (token % columns) * pitch, (token // columns) * high)
        middle = corner.x + pitch / 2
        svg.text(root, At(middle, corner.y + 14), str(token), "small")
        for place, below, style in ((right, 21, "plain"), (yours, 47, "plain" if right == yours else "off")):
            svg.box(root, At(corner.x + 1, corner.y + below), pitch - 2, 22, style)
            svg.text(root, At(middle, corner.y + below + 16), str(place), style)
    return root


def _cell(root: Element, corner: At, size: float, *, may: bool, saw: bool) -> None:
    """One query and one key; the shape alone says what happened, without its colour."""
    style = {(True, True): "seen", (True, False): "missed", (False, True): "peeked", (False, False): "unseen"}[may, saw]
    svg.box(root, At(corner.x + 1.5, corner.y + 1.5), size - 3, size - 3, style)
    if may == saw:
        return
    low, high = size * 0.32, size * 0.68
    svg.line(root, At(corner.x + low, corner.y + low), At(corner.x + high, corner.y + high), f"cross {style}")
    if saw:
        svg.line(root, At(corner.x + low, corner.y + high), At(corner.x + high, corner.y + low), f"cross {style}")


def _spread(count: int, pitch: float, width: float) -> list[float]:
    start = (width - (count - 1) * pitch) / 2
    return [start + index * pitch for index in range(count)]
