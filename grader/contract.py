"""What a submission provides: names, constructors and parameter shapes, as data.

One table for the student's side, the oracle and the checks. Legend: ``B`` batch, ``T`` tokens in this call, ``S``
tokens seen so far, ``D`` model width, ``Hq``/``Hkv`` query and key/value heads, ``d`` head width (``D = Hq * d``),
``F`` feed-forward width. The assignment's layout is ``[B, T, H, d]``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

Shapes = dict[str, tuple[int, ...]]
_Item = TypeVar("_Item")

PACKAGE = "assignment1"

MODULE_OF = {
    "LayerNorm": "norm",
    "RMSNorm": "norm",
    "rope_frequencies": "rope",
    "rope_cos_sin": "rope",
    "apply_rope": "rope",
    "KVCache": "kv_cache",
    "grouped_query_attention": "attention",
    "GroupedQueryAttention": "attention",
    "kv_cache_bytes": "attention",
    "ReLUFeedForward": "ffn",
    "SwiGLU": "ffn",
    "swiglu_hidden_dim": "ffn",
    "TransformerBlock": "block",
    "Transformer": "block",
}
"""Which module of the package holds which name."""

AREAS: dict[str, tuple[str, ...]] = {
    "norm": ("LayerNorm", "RMSNorm"),
    "rope": ("rope_frequencies", "rope_cos_sin", "apply_rope"),
    "cache": ("KVCache",),
    "attention": ("grouped_query_attention", "kv_cache_bytes"),
    "gqa": ("GroupedQueryAttention",),
    "ffn": ("ReLUFeedForward", "SwiGLU", "swiglu_hidden_dim"),
    "block": ("TransformerBlock",),
    "transformer": ("Transformer",),
}
"""What the checks of an area are about."""

_BUILT_FROM: dict[str, tuple[str, ...]] = {
    "rope_cos_sin": ("rope_frequencies",),
    "apply_rope": ("rope_cos_sin",),
    "GroupedQueryAttention": ("apply_rope", "grouped_query_attention", "KVCache"),
    "SwiGLU": ("swiglu_hidden_dim",),
    "TransformerBlock": ("RMSNorm", "GroupedQueryAttention", "SwiGLU"),
    "Transformer": ("TransformerBlock", "RMSNorm"),
}


def inner_names(name: str) -> frozenset[str]:
    """The contract's names that ``name`` may be built from, however deep; a submission need not build it so."""
    direct = _BUILT_FROM.get(name, ())
    return frozenset(direct).union(*(inner_names(one) for one in direct))


OPTIONAL = ("eps", "base")
"""Constructor arguments that have a default."""

MODULES = tuple(dict.fromkeys(MODULE_OF.values()))

TITLES = {
    "4.1": "LayerNorm and RMSNorm",
    "4.2": "Pre-norm blocks",
    "4.3": "Position and masks",
    "4.4": "RoPE",
    "4.5": "RoPE in code and the cache",
    "4.6": "ReLU and SwiGLU feed-forward",
    "4.7": "MHA, MQA and GQA",
}
"""The chapter's sections."""

TITLES_ZH = {
    "4.1": "LayerNorm 与 RMSNorm",
    "4.2": "Pre-norm 的梯度通路",
    "4.3": "为什么需要位置表示",
    "4.4": "RoPE 逐步推导",
    "4.5": "RoPE 代码流程和 cache 位置",
    "4.6": "ReLU → GLU → SwiGLU",
    "4.7": "MHA、MQA、GQA 的精确区别",
}
"""The same in Chinese: the chapter's own headings."""


def section_title(section: str, language: str) -> str:
    """A section's title in the reader's language."""
    return (TITLES_ZH if language == "zh" else TITLES)[section]


def target(name: str) -> str:
    """Where the worker finds ``name``: ``package.module:name``."""
    return f"{PACKAGE}.{MODULE_OF[name]}:{name}"


@dataclass(frozen=True)
class ModuleSpec:
    """One module as a check wants it: which class, which constructor arguments, which weights.

    Attributes:
        name: a class of the contract that is an ``nn.Module``.
        arguments: its constructor's arguments by name, in the contract's order.
        weights: values for every parameter, by the contract's names (tensors; this file does not need to know).
    """

    name: str
    arguments: Mapping[str, int | float]
    weights: Mapping[str, object] = field(default_factory=dict)

    def __getitem__(self, argument: str) -> int:
        return int(self.arguments[argument])


def parameter_shapes(name: str, arguments: Mapping[str, int | float]) -> Shapes:
    """The parameters that class ``name`` has, with their shapes, in the contract's names."""
    return _SHAPES[name]({key: int(value) for key, value in arguments.items()})


def _norm(a: Mapping[str, int]) -> Shapes:
    return {"weight": (a["dim"],)}


def _layer_norm(a: Mapping[str, int]) -> Shapes:
    return {"weight": (a["dim"],), "bias": (a["dim"],)}


def _attention(a: Mapping[str, int]) -> Shapes:
    width, head_dim = a["dim"], a["dim"] // a["n_heads"]
    kv_width = a["n_kv_heads"] * head_dim
    return {
        "w_q.weight": (width, width),
        "w_k.weight": (kv_width, width),
        "w_v.weight": (kv_width, width),
        "w_o.weight": (width, width),
    }


def _relu(a: Mapping[str, int]) -> Shapes:
    return {"w_1.weight": (a["hidden_dim"], a["dim"]), "w_2.weight": (a["dim"], a["hidden_dim"])}


def _swiglu(a: Mapping[str, int]) -> Shapes:
    up = (a["hidden_dim"], a["dim"])
    return {"w_gate.weight": up, "w_up.weight": up, "w_down.weight": (a["dim"], a["hidden_dim"])}


def _block(a: Mapping[str, int]) -> Shapes:
    return {
        **_under("attn_norm", _norm(a)),
        **_under("attn", _attention(a)),
        **_under("ffn_norm", _norm(a)),
        **_under("ffn", _swiglu(a)),
    }


def _transformer(a: Mapping[str, int]) -> Shapes:
    shapes: Shapes = {}
    for layer in range(a["n_layers"]):
        shapes |= _under(f"blocks.{layer}", _block(a))
    return shapes | _under("final_norm", _norm(a))


def _under(prefix: str, shapes: Mapping[str, _Item]) -> dict[str, _Item]:
    return {f"{prefix}.{name}": shape for name, shape in shapes.items()}


_SHAPES: dict[str, Callable[[Mapping[str, int]], Shapes]] = {
    "LayerNorm": _layer_norm,
    "RMSNorm": _norm,
    "GroupedQueryAttention": _attention,
    "ReLUFeedForward": _relu,
    "SwiGLU": _swiglu,
    "TransformerBlock": _block,
    "Transformer": _transformer,
}
