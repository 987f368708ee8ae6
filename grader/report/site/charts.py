"""The page's two drawings, as SVG without styles of their own: a histogram, and a bar for each check."""

from __future__ import annotations

from xml.etree import ElementTree as Xml  # writes only

from markupsafe import Markup

from grader.report.site.figures import GROUPS, CheckFigures, Scores

_WIDTH, _HEIGHT, _FOOT, _TOP, _SIDE = 720, 230, 24, 24, 10
_BAR, _BAR_HEIGHT = 200, 12


def histogram(scores: Scores, most: int) -> Markup:
    """Scores by bar, with lines at mean and median; ``distribution-means`` says it in words."""
    root = Xml.Element(
        "svg", {"viewBox": f"0 0 {_WIDTH} {_HEIGHT}", "role": "img", "aria-labelledby": "distribution-means"}
    )
    highest = max((bar.count for bar in scores.bars), default=0) or 1
    room, floor = _WIDTH - 2 * _SIDE, _HEIGHT - _FOOT
    step = room / max(1, len(scores.bars))
    for number, bar in enumerate(scores.bars):
        height = (floor - _TOP) * bar.count / highest
        left = _SIDE + number * step
        _rect(root, left + 1, floor - height, step - 2, height, "column")
        if bar.count:
            _text(root, left + step / 2, floor - height - 5, str(bar.count), "count")
        _text(root, left + step / 2, floor + 16, str(bar.low), "tick")
    width = scores.bars[0].high - scores.bars[0].low + 1 if scores.bars else 1
    for value, style in ((scores.mean, "mean"), (scores.median, "median")):
        if value is not None:
            at = f"{_SIDE + (value + 0.5) / width * step:.1f}"
            Xml.SubElement(root, "line", {"class": style, "x1": at, "x2": at, "y1": "4", "y2": str(floor)})
    Xml.SubElement(
        root, "line", {"class": "axis", "x1": str(_SIDE), "x2": str(_WIDTH - _SIDE), "y1": str(floor), "y2": str(floor)}
    )
    return _markup(root)


def outcome_bar(check: CheckFigures) -> Markup:
    """Outcomes side by side; the table's other cells say the numbers, so that a screen reader skips it."""
    root = Xml.Element(
        "svg", {"viewBox": f"0 0 {_BAR} {_BAR_HEIGHT}", "aria-hidden": "true", "preserveAspectRatio": "none"}
    )
    left = 0.0
    for group in GROUPS:
        width = _BAR * check.counts[group] / check.total if check.total else 0.0
        if width:
            _rect(root, left, 0, width, _BAR_HEIGHT, f"group-{group}")
        left += width
    return _markup(root)


def _rect(root: Xml.Element, x: float, y: float, width: float, height: float, style: str) -> None:
    place = {"x": f"{x:.2f}", "y": f"{y:.2f}", "width": f"{max(0.0, width):.2f}", "height": f"{height:.2f}"}
    Xml.SubElement(root, "rect", {"class": style, **place})


def _text(root: Xml.Element, x: float, y: float, text: str, style: str) -> None:
    Xml.SubElement(root, "text", {"class": style, "x": f"{x:.1f}", "y": f"{y:.1f}"}).text = text


def _markup(root: Xml.Element) -> Markup:
    return Markup(Xml.tostring(root, encoding="unicode"))  # noqa: S704 - serialised XML, whose writer escapes
