"""The few shapes that the pictures are made of, as elements; colours come from the page's style by class."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple
from xml.etree import ElementTree

from markupsafe import Markup

Element = ElementTree.Element
_HEAD, _HEAD_ANGLE = 9.0, 0.42
"""An arrow's head: length in units of the drawing, half its opening in radians."""


class At(NamedTuple):
    """A place in the drawing; y grows downwards."""

    x: float
    y: float


def drawing(width: float, height: float) -> Element:
    """An empty drawing."""
    return ElementTree.Element("svg", viewBox=f"0 0 {_short(width)} {_short(height)}", role="img")


def markup(root: Element, *, labelled_by: str) -> Markup:
    """The finished drawing as markup; every text in it is escaped by the serialiser.

    Args:
        labelled_by: id of the element that says in words what the drawing shows.
    """
    root.set("aria-labelledby", labelled_by)
    return Markup(ElementTree.tostring(root, encoding="unicode"))  # noqa: S704 - serialised XML, see above


def line(root: Element, start: At, end: At, style: str) -> None:
    """A straight line."""
    x1, y1, x2, y2 = (_short(value) for value in (*start, *end))
    ElementTree.SubElement(root, "line", {"class": style, "x1": x1, "y1": y1, "x2": x2, "y2": y2})


def arrow(root: Element, start: At, end: At, style: str) -> None:
    """A line with a head at its end; one that is shorter than its head is a dot."""
    length = math.dist(start, end)
    if length < _HEAD:
        circle(root, end, 3, f"{style} tip")
        return
    back = math.atan2(start.y - end.y, start.x - end.x)
    corners = [
        At(end.x + _HEAD * math.cos(back + turn), end.y + _HEAD * math.sin(back + turn))
        for turn in (-_HEAD_ANGLE, _HEAD_ANGLE)
    ]
    neck = At((corners[0].x + corners[1].x) / 2, (corners[0].y + corners[1].y) / 2)
    line(root, start, neck, style)
    polygon(root, [end, *corners], f"{style} tip")


def polygon(root: Element, corners: list[At], style: str) -> None:
    """A filled polygon."""
    points = " ".join(f"{_short(corner.x)},{_short(corner.y)}" for corner in corners)
    ElementTree.SubElement(root, "polygon", {"class": style, "points": points})


def polyline(root: Element, places: list[At], style: str) -> None:
    """A line through several places."""
    points = " ".join(f"{_short(place.x)},{_short(place.y)}" for place in places)
    ElementTree.SubElement(root, "polyline", {"class": style, "points": points})


def circle(root: Element, centre: At, radius: float, style: str) -> None:
    """A circle."""
    attributes = {"class": style, "cx": _short(centre.x), "cy": _short(centre.y), "r": _short(radius)}
    ElementTree.SubElement(root, "circle", attributes)


def box(root: Element, corner: At, width: float, height: float, style: str) -> None:
    """A rectangle with round corners; ``corner`` is the upper left one."""
    attributes = {"class": style, "x": _short(corner.x), "y": _short(corner.y), "rx": "3"}
    ElementTree.SubElement(root, "rect", {**attributes, "width": _short(width), "height": _short(height)})


def text(root: Element, at: At, shown: str, style: str = "", *, anchor: str = "middle") -> None:
    """A short text; ``at`` is on its baseline."""
    attributes = {"class": style, "x": _short(at.x), "y": _short(at.y), "text-anchor": anchor}
    ElementTree.SubElement(root, "text", attributes).text = shown


def words(root: Element, at: At, shown: Mapping[str, str], style: str = "", *, anchor: str = "middle") -> None:
    """A short text in every language; the page shows one of them."""
    for language, said in shown.items():
        text(root, at, said, f"{language} {style}".strip(), anchor=anchor)


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
