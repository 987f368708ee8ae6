"""Where the numbers differ: what can be said of a wrong answer that no known mistake explains.

Every function looks at one comparison only: the submission's tensor, the truth, and the places that are wrong. A fact
is reported when it holds without exception, so that it can be relied on.
"""

from __future__ import annotations

from torch import Tensor

Facts = dict[str, str]
_MAX_LISTED = 8


def locate(actual: Tensor, truth: Tensor, wrong: Tensor, axes: str) -> Facts:
    """Facts about the wrong places, by axis: which indices of batch, token, head and pair are affected.

    Args:
        actual: the submission's tensor.
        truth: FP64, same shape.
        wrong: bool, same shape, True where the answer is not admissible.
        axes: names of the axes, as ``Answer.axes``.

    Returns:
        For each axis on which only some indices are affected, which ones, in words; and facts about sizes.
    """
    facts: Facts = {}
    names = axes.split()
    for axis, name in enumerate(names[: wrong.dim()]):
        affected = wrong.movedim(axis, 0).flatten(1).any(1) if wrong.dim() > 1 else wrong
        described = _indices(affected)
        if described is not None:
            facts[_WORDS.get(name, name)] = described
    if names and names[-1] == "d" and actual.shape[-1] % 2 == 0:
        pairs = wrong.reshape(*wrong.shape[:-1], -1, 2).any(-1)
        described = _indices(pairs.flatten(0, -2).any(0))
        if described is not None:
            facts["pairs"] = described
            facts.pop("components", None)
    return facts | _sizes(actual.double(), truth, wrong)


def heads_read(actual: Tensor, per_key_head: Tensor) -> list[int] | None:
    """Which key/value head each query head really read.

    Args:
        actual: the submission's attention output ``[B, T, Hq, d]``.
        per_key_head: what each query head would give with each key/value head, FP64 ``[Hkv, B, T, Hq, d]``.

    Returns:
        The key/value head of every query head; None when some query head matches none.
    """
    distance = (actual.double() - per_key_head).abs().amax(dim=(1, 2, 4))  # [Hkv, Hq]
    nearest = distance.argmin(0)
    size = per_key_head.square().mean().sqrt()
    if bool((distance.gather(0, nearest[None])[0] > 1e-3 * size).any()):
        return None
    read: list[int] = nearest.tolist()
    return read


def _indices(affected: Tensor) -> str | None:
    """The affected indices in words; None when all are, which says nothing."""
    places = affected.nonzero().flatten().tolist()
    if not places or len(places) == affected.numel():
        return None
    first, last = places[0], places[-1]
    if last == affected.numel() - 1 and places == list(range(first, last + 1)):
        return f"from {first} on"
    if first == 0 and places == list(range(last + 1)):
        return f"up to {last}" if last else "only 0"
    if len({place % 2 for place in places}) == 1 and places == list(range(first, affected.numel(), 2)):
        return "odd ones" if first == 1 else "even ones"
    if len(places) > _MAX_LISTED:
        return f"{len(places)} of {affected.numel()}"
    return ", ".join(str(place) for place in places)


def _sizes(actual: Tensor, truth: Tensor, wrong: Tensor) -> Facts:
    """Whether the wrong values are the truth times a constant, of another sign, or off by rounding only."""
    facts: Facts = {}
    got, right = actual[wrong], truth[wrong]
    sized = right.abs() > 1e-6 * truth.abs().max().clamp_min(1e-30)
    if not bool(sized.all()) or len(got) < 2:
        return facts
    ratio = got / right
    middle = float(ratio.median())
    if bool(((ratio - middle).abs() < 1e-3 * abs(middle)).all()):
        facts["ratio"] = f"{middle:.4g} times the right value"
    elif bool((ratio - 1).abs().max() < 2.0**-6):
        facts["rounding"] = f"relative error up to {float((ratio - 1).abs().max()):.1e}: rounded too often or too early"
    return facts


_WORDS = {
    "B": "sequences",
    "T": "tokens",
    "S": "cached tokens",
    "H": "heads",
    "Hq": "query heads",
    "Hkv": "key/value heads",
    "D": "features",
    "d": "components",
    "N": "rows",
}
