"""What a submission answers to a fixed list of calls, in this process: enough to see that a mistake is in it."""

from __future__ import annotations

import importlib
import itertools
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from grader.contract import MODULES, PACKAGE
from grader.intake.submission import SubmissionFiles

_numbers = itertools.count()
BLOCK = (16, 4, 2, 24)


def answers(submission: SubmissionFiles, folder: Path) -> dict[str, object]:
    """The answer to each call, which ``==`` compares bit for bit; the exception's name where one is raised.

    Args:
        folder: an empty folder of the caller's, for the submission's files.
    """
    with _imported(submission, folder) as modules:
        return {name: _answer(call, modules) for name, call in CALLS.items()}


def _answer(call: Callable[..., Any], modules: dict[str, ModuleType]) -> object:
    torch.manual_seed(0)
    try:
        return _plain(call(**modules))
    except Exception as error:  # a mistake may raise anything; which, is its answer
        return type(error).__name__


def _plain(value: Any) -> object:
    if isinstance(value, torch.Tensor):
        return str(value.dtype), tuple(value.shape), str(value.detach().double().tolist())  # as text, NaN is NaN
    if isinstance(value, (list, tuple)):
        return tuple(_plain(item) for item in value)
    return value


@contextmanager
def _imported(submission: SubmissionFiles, folder: Path) -> Iterator[dict[str, ModuleType]]:
    """The submission's modules by name, under a package name that nothing else has."""
    package = f"probed_{next(_numbers)}"
    for path, text in submission.files.items():
        file = folder / path.replace(PACKAGE, package, 1)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    sys.path.insert(0, str(folder))
    try:
        yield {name: importlib.import_module(f"{package}.{name}") for name in MODULES}
    finally:
        sys.path.remove(str(folder))
        for name in [name for name in sys.modules if name.partition(".")[0] == package]:
            del sys.modules[name]


# -- the calls: each takes the modules by name ----------------------------------------------------------------


def _x(*shape: int, seed: int = 1, dtype: torch.dtype = torch.float32, scale: float = 1.0) -> torch.Tensor:
    return (torch.randn(shape, generator=torch.Generator().manual_seed(seed)) * scale).to(dtype)


def _filled(module: torch.nn.Module, dtype: torch.dtype = torch.float32) -> torch.nn.Module:
    """Parameters that depend on their names alone; matrices in ``dtype``."""
    for name, parameter in module.named_parameters():
        values = _x(*parameter.shape, seed=zlib.crc32(name.encode()), scale=0.5)
        parameter.data = values.to(dtype) if parameter.dim() > 1 else values + 1
    return module


def _called(module: torch.nn.Module, x: torch.Tensor, **options: Any) -> tuple[object, ...]:
    """The output, what became of the input, and the gradients."""
    given = x.clone()
    out = _filled(module, x.dtype)(given, **options)
    leaf = x.clone().requires_grad_()
    sources = [leaf, *module.parameters()]
    grads = torch.autograd.grad(module(leaf, **options).float().square().sum(), sources, allow_unused=True)
    return out, given, grads


def _decoded(module: torch.nn.Module, caches: Any, option: str) -> tuple[object, ...]:
    x, module = _x(2, 7, 16), _filled(module)
    outputs = [module(part, **{option: caches}) for part in (x[:, :4], x[:, 4:5], x[:, 5:7])]
    return *outputs, *((one.keys, one.values, one.length) for one in (caches if isinstance(caches, list) else [caches]))


def _norms(norm, name, **options):
    def make():
        return getattr(norm, name)(8, **options)

    halves = _x(3, 4, 8, dtype=torch.bfloat16)
    return _called(make(), _x(2, 3, 8)), _called(make(), _x(5, 8, scale=1e-3)), _filled(make())(halves)


def _append(kv_cache, dtype):
    cache, results = kv_cache.KVCache(), []
    for tokens in (3, 1, 2):
        k, v = (_x(2, tokens, 2, 4, seed=seed + tokens, dtype=dtype) for seed in (1, 9))
        results.append((*cache.append(k, v), cache.keys, cache.values, cache.length))
    return results


def _rotate(rope, positions, dtype, **options):
    x = _x(2, 5, 3, 8, dtype=dtype)
    return rope.apply_rope(x, torch.tensor(positions), **options), x


def _attend(attention, n_queries, dtype, scale=1.0, **options):
    q, k, v = (_x(2, tokens, heads, 8, seed=heads + tokens) for tokens, heads in ((n_queries, 4), (6, 2), (6, 2)))
    return attention.grouped_query_attention((q * scale).to(dtype), k.to(dtype), v.to(dtype), **options)


POSITIONS, ROWS, FAR = [40, 3, 17, 3, 8], [[0, 1, 2, 3, 4], [9, 30, 31, 50, 52]], [3000, 3001, 4000, 5000, 9000]
FP32, BF16 = torch.float32, torch.bfloat16

CALLS: dict[str, Callable[..., Any]] = {
    "RMSNorm": lambda norm, **_: _norms(norm, "RMSNorm"),
    "RMSNorm eps": lambda norm, **_: _norms(norm, "RMSNorm", eps=0.3),
    "LayerNorm": lambda norm, **_: _norms(norm, "LayerNorm"),
    "LayerNorm eps": lambda norm, **_: _norms(norm, "LayerNorm", eps=0.3),
    "frequencies": lambda rope, **_: (rope.rope_frequencies(8), rope.rope_frequencies(8, 300.0)),
    "tables": lambda rope, **_: rope.rope_cos_sin(torch.tensor(POSITIONS), 8),
    "rope": lambda rope, **_: _rotate(rope, POSITIONS, FP32),
    "rope bf16": lambda rope, **_: _rotate(rope, [300, 301, 302, 303, 999], BF16),
    "rope rows": lambda rope, **_: _rotate(rope, ROWS, FP32),
    "rope base": lambda rope, **_: _rotate(rope, POSITIONS, FP32, base=300.0),
    "rope far": lambda rope, **_: _rotate(rope, FAR, FP32),
    "rope twice": lambda rope, **_: (_rotate(rope, POSITIONS, FP32), _rotate(rope, POSITIONS, FP32, base=50.0)),
    "cache": lambda kv_cache, **_: _append(kv_cache, FP32),
    "cache bf16": lambda kv_cache, **_: _append(kv_cache, BF16),
    "attention": lambda attention, **_: _attend(attention, 6, FP32),
    "attention offset": lambda attention, **_: _attend(attention, 2, FP32),
    "attention free": lambda attention, **_: _attend(attention, 6, FP32, causal=False),
    "attention bf16": lambda attention, **_: _attend(attention, 6, BF16),
    "attention large": lambda attention, **_: _attend(attention, 6, FP32, scale=300.0),
    "bytes": lambda attention, **_: attention.kv_cache_bytes(2, 3, 4, 5, 6, 7),
    "gqa": lambda attention, **_: _called(attention.GroupedQueryAttention(16, 4, 2), _x(2, 5, 16)),
    "gqa rows": lambda attention, **_: _called(
        attention.GroupedQueryAttention(16, 4, 2, base=300.0), _x(2, 5, 16), positions=torch.tensor(ROWS)
    ),
    "gqa decode": lambda attention, kv_cache, **_: _decoded(
        attention.GroupedQueryAttention(16, 4, 2), kv_cache.KVCache(), "cache"
    ),
    "ReLU": lambda ffn, **_: _called(ffn.ReLUFeedForward(6, 10), _x(2, 3, 6)),
    "SwiGLU": lambda ffn, **_: _called(ffn.SwiGLU(6, 10), _x(2, 3, 6)),
    "SwiGLU bf16": lambda ffn, **_: _called(ffn.SwiGLU(6, 10), _x(2, 3, 6, dtype=BF16)),
    "width": lambda ffn, **_: [ffn.swiglu_hidden_dim(*sizes) for sizes in ((768,), (100, 8), (30, 64))],
    "block": lambda block, **_: _called(block.TransformerBlock(*BLOCK), _x(2, 5, 16)),
    "block rows": lambda block, **_: _called(
        block.TransformerBlock(*BLOCK, base=300.0, eps=0.3), _x(2, 5, 16), positions=torch.tensor(ROWS)
    ),
    "block decode": lambda block, kv_cache, **_: _decoded(block.TransformerBlock(*BLOCK), kv_cache.KVCache(), "cache"),
    "stack": lambda block, **_: _called(block.Transformer(3, *BLOCK), _x(2, 5, 16)),
    "stack rows": lambda block, **_: _called(block.Transformer(3, *BLOCK), _x(2, 5, 16), positions=torch.tensor(ROWS)),
    "stack decode": lambda block, kv_cache, **_: _decoded(
        block.Transformer(3, *BLOCK), [kv_cache.KVCache() for _ in range(3)], "caches"
    ),
}
