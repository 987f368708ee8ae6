"""Facts about where an answer is wrong, in every language: ``numerics.locate`` words them in English."""

from __future__ import annotations

import re
from collections.abc import Callable

_NAMES = {
    "sequences": "序列",
    "tokens": "token",
    "cached tokens": "缓存中的 token",
    "heads": "头",
    "query heads": "Q 头",
    "key/value heads": "KV 头",
    "features": "特征",
    "components": "分量",
    "rows": "行",
    "pairs": "频率对",
    "ratio": "比值",
    "rounding": "舍入",
    "key/value head read by each query head": "各 Q 头读取的 KV 头",
    "keys that each query saw": "各 query 看到的 key",
    "position that each token was turned by": "各 token 旋转时用的位置",
}
_PATTERNS: list[tuple[str, Callable[[re.Match[str]], str]]] = [
    (r"from (\d+) on", lambda found: f"从 {found[1]} 起"),
    (r"up to (\d+)", lambda found: f"到 {found[1]} 为止"),
    (r"only 0", lambda found: "仅 0"),
    (r"odd ones", lambda found: "奇数"),
    (r"even ones", lambda found: "偶数"),
    (r"query \d+: .*", lambda found: found[0].replace("none", "无")),
    (r"([\d, ]+); right: ([\d, ]+)", lambda found: f"{found[1]}；应为 {found[2]}"),
    (r"(\d+) of (\d+)", lambda found: f"{found[2]} 个中的 {found[1]} 个"),
    (r"(\S+) times the right value", lambda found: f"是正确值的 {found[1]} 倍"),
    (r"relative error up to (\S+): .*", lambda found: f"相对误差最大 {found[1]}：舍入次数太多或太早"),
]


def in_every_language(name: str, fact: str) -> dict[str, str]:
    """``name: fact``; what has no translation stays as it is."""
    matches = ((re.fullmatch(pattern, fact), translate) for pattern, translate in _PATTERNS)
    chinese = next((translate(found) for found, translate in matches if found), fact)
    return {"en": f"{name}: {fact}", "zh": f"{_NAMES.get(name, name)}：{chinese}"}
