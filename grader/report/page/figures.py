"""A picture with what is said around it: title, how to read it, legend, and its numbers as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from grader.pictures import ByPair, ByPosition, Causal, Heads, Picture, Rotation, Timeline
from grader.report.page import arrows, errors, maps, svg
from grader.report.page.words import Said, said

RIGHT, YOURS = said("right", "正确"), said("yours", "你的")
_POSITION, _PAIR = said("position", "位置"), said("pair r", "第 r 对")
_ERROR, _ALLOWED = said("error", "误差"), said("allowed", "允许")
_NONE = "\N{EN DASH}"


@dataclass(frozen=True)
class Figure:
    """What the page shows of one picture.

    Attributes:
        id: of the caption, in the page.
        legend: a style and what it stands for.
        head: titles of the columns of numbers.
    """

    id: str
    drawing: Markup
    title: Said
    reading: Said
    legend: Sequence[tuple[str, Said]]
    head: Sequence[Said]
    rows: Sequence[Sequence[str]]


def figure(picture: Picture, id: str) -> Figure:
    """The figure of one picture.

    Args:
        id: for the caption; unique in the page.
    """
    if isinstance(picture, Rotation):
        return _rotation(picture, id)
    if isinstance(picture, ByPosition):
        return _by_position(picture, id)
    if isinstance(picture, ByPair):
        return _by_pair(picture, id)
    if isinstance(picture, Heads):
        return _heads(picture, id)
    if isinstance(picture, Causal):
        return _causal(picture, id)
    return _timeline(picture, id)


def _rotation(picture: Rotation, id: str) -> Figure:
    at = {"sequence": picture.sequence, "token": picture.token, "head": picture.head, "position": picture.position}
    return Figure(
        id,
        svg.markup(arrows.rotation(picture), labelled_by=id),
        said(
            "Pairs at position {position} (sequence {sequence}, token {token}, head {head})".format(**at),
            "位置 {position} 处的各对分量（序列 {sequence}，token {token}，头 {head}）".format(**at),
        ),
        said(
            "Each dial is one pair of components; it turns counterclockwise by p\u03b8 and keeps its length.",
            "每个圆盘是一对分量：逆时针转过 p\u03b8，长度不变。",
        ),
        [("given", said("given", "输入")), ("right solid", RIGHT), ("yours", YOURS)],
        [_PAIR, said("p\u03b8 (rad)", "p\u03b8（弧度）"), said("given", "输入"), RIGHT, YOURS],
        [
            [str(pair.pair), _number(pair.angle), *(_point(one) for one in (pair.given, pair.right, pair.yours))]
            for pair in picture.pairs
        ],
    )


def _by_position(picture: ByPosition, id: str) -> Figure:
    drawing = errors.errors(picture.positions, picture.error, picture.allowed, _POSITION)
    title = said(
        f"Error against position (sequence {picture.sequence})", f"误差随位置的变化（序列 {picture.sequence}）"
    )
    return _profile(id, svg.markup(drawing, labelled_by=id), title, _POSITION, picture.positions, picture)


def _by_pair(picture: ByPair, id: str) -> Figure:
    pairs = list(range(len(picture.error)))
    drawing = errors.errors(pairs, picture.error, picture.allowed, _PAIR)
    title = said("Error against frequency pair", "误差随频率对的变化")
    return _profile(id, svg.markup(drawing, labelled_by=id), title, _PAIR, pairs, picture)


def _profile(
    id: str, drawing: Markup, title: Said, place: Said, places: Sequence[int], picture: ByPosition | ByPair
) -> Figure:
    return Figure(
        id,
        drawing,
        title,
        said("The worst element of each; the scale is logarithmic.", "各取误差最严重的元素；纵轴为对数刻度。"),
        [
            ("dot-wrong", said("too large", "超出允许")),
            ("dot-fine", said("within what is allowed", "在允许之内")),
            ("right", said("most that is allowed, the last rounding included", "允许的上限（含最后一次舍入）")),
        ],
        [place, _ERROR, _ALLOWED],
        [
            [str(at), _number(error), _number(allowed)]
            for at, error, allowed in zip(places, picture.error, picture.allowed, strict=True)
        ],
    )


def _heads(picture: Heads, id: str) -> Figure:
    return Figure(
        id,
        svg.markup(maps.heads(picture), labelled_by=id),
        said("Which key/value head each query head read", "每个 Q 头读取的 KV 头"),
        said("Query heads are above, key/value heads below.", "上方是 Q 头，下方是 KV 头。"),
        [
            ("right", said("should read", "应读取")),
            ("yours", said("read, wrongly", "读取，错误")),
            ("fine", said("read, rightly", "读取，正确")),
        ],
        [said("query head", "Q 头"), RIGHT, YOURS],
        [
            [str(head), str(right), str(yours)]
            for head, (right, yours) in enumerate(zip(picture.right, picture.yours, strict=True))
        ],
    )


def _causal(picture: Causal, id: str) -> Figure:
    return Figure(
        id,
        svg.markup(maps.causal(picture), labelled_by=id),
        said("Which keys each query saw", "每个 query 看到的 key"),
        said(
            "The output was taken apart into weights of the values; a key was seen when its weight is not zero.",
            "由输出反推各个 value 的权重；权重不为零，就是看到了那个 key。",
        ),
        [
            ("seen", said("seen, rightly", "看到，正确")),
            ("missed", said("not seen, should be", "没看到，应看到")),
            ("peeked", said("seen, must not be", "看到，不应看到")),
            ("unseen", said("hidden, rightly", "隐藏，正确")),
        ],
        [said("query", "query"), RIGHT, YOURS],
        [
            [str(query), _listed(right), _listed(yours)]
            for query, (right, yours) in enumerate(zip(picture.right, picture.yours, strict=True))
        ],
    )


def _timeline(picture: Timeline, id: str) -> Figure:
    return Figure(
        id,
        svg.markup(maps.timeline(picture), labelled_by=id),
        said(
            f"Position of each token, in the order in which they came (sequence {picture.sequence})",
            f"各 token 的位置，按到来的顺序（序列 {picture.sequence}）",
        ),
        said(
            "The positions below are those with which a right program gives your answer.",
            "“你的”一行是正确程序要得到你的答案所需的位置。",
        ),
        [("plain", said("as it should be", "正确")), ("off", said("another position", "位置不对"))],
        [said("token", "token"), RIGHT, YOURS],
        [
            [str(token), str(right), str(yours)]
            for token, (right, yours) in enumerate(zip(picture.right, picture.yours, strict=True))
        ],
    )


def _number(value: float) -> str:
    return f"{value:.4g}"


def _point(point: tuple[float, float]) -> str:
    return f"({_number(point[0])}, {_number(point[1])})"


def _listed(places: Sequence[int]) -> str:
    return ", ".join(str(place) for place in places) or _NONE
