"""Sections 4.3, 4.5 and 4.7 in steps: the attention function and the attention module."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn

from grader.diagnosis.program.cache import CacheSteps
from grader.diagnosis.program.rope import RopeSteps


class AttentionModule(nn.Module):
    """Four projections; what happens between them is the program's."""

    w_q: nn.Linear
    w_k: nn.Linear
    w_v: nn.Linear
    w_o: nn.Linear

    def __init__(self, program: AttentionSteps, dim: int, n_heads: int, n_kv_heads: int, base: float) -> None:
        super().__init__()
        self.__dict__["program"] = program
        self.n_heads, self.n_kv_heads, self.head_dim, self.base = n_heads, n_kv_heads, dim // n_heads, base
        self.memory: dict[str, Any] = {}  # for mistakes that remember something between calls
        program.add_projections(self, dim)

    def forward(self, x: Any, positions: Any = None, cache: Any = None) -> Any:
        """x ``[B, T, D]``."""
        program: AttentionSteps = self.__dict__["program"]
        return program.attend(self, x, positions, cache)


class AttentionSteps(CacheSteps, RopeSteps):
    """``m`` is the AttentionModule."""

    # -- the function -----------------------------------------------------------------------------------------

    def grouped_query_attention(self, q: Tensor, k: Tensor, v: Tensor, causal: bool = True) -> Tensor:
        """q ``[B, T, Hq, d]``, k v ``[B, S, Hkv, d]`` -> ``[B, T, Hq, d]``."""
        self.check_groups(q.shape[2], k.shape[2])
        queries, keys, values = (self.heads_first(self.begin_attention(x)) for x in (q, k, v))
        groups = queries.shape[1] // keys.shape[1]
        scores = self.scores(queries, self.shared_keys(keys, groups))
        if self.is_masked(queries, keys, causal):
            scores = self.masked(scores)
        mixed = self.mix(self.weights(scores), self.shared_values(values, groups))
        return self.finish_attention(self.heads_back(mixed), q)

    def check_groups(self, n_heads: int, n_kv_heads: int) -> None:
        """Refuse groups of unequal size."""
        if n_kv_heads <= 0 or n_heads % n_kv_heads:
            raise ValueError(f"n_heads must be a multiple of n_kv_heads, got {n_heads} and {n_kv_heads}")

    def begin_attention(self, x: Tensor) -> Tensor:
        """q, k or v as the products take it."""
        return x.float()

    def heads_first(self, x: Tensor) -> Tensor:
        """``[B, T, H, d]`` -> ``[B, H, T, d]``."""
        return x.transpose(1, 2)

    def shared_keys(self, keys: Tensor, groups: int) -> Tensor:
        """``[B, Hkv, S, d]`` -> ``[B, Hq, S, d]``."""
        return self.shared(keys, groups)

    def shared_values(self, values: Tensor, groups: int) -> Tensor:
        """``[B, Hkv, S, d]`` -> ``[B, Hq, S, d]``."""
        return self.shared(values, groups)

    def shared(self, x: Tensor, groups: int) -> Tensor:
        """Query head h reads head h // groups."""
        return x.repeat_interleave(groups, dim=1)

    def scores(self, queries: Tensor, keys: Tensor) -> Tensor:
        """``[B, Hq, T, S]``, scaled."""
        return queries @ keys.transpose(-1, -2) / self.scale(queries)

    def scale(self, queries: Tensor) -> float:
        """What scores are divided by: sqrt(d)."""
        return math.sqrt(queries.shape[-1])

    def is_masked(self, queries: Tensor, keys: Tensor, causal: bool) -> bool:
        """Whether the causal mask is applied."""
        return causal

    def masked(self, scores: Tensor) -> Tensor:
        """Hidden scores are -inf."""
        return scores.masked_fill(~self.visible(scores.shape[-2], scores.shape[-1]), -math.inf)

    def visible(self, n_queries: int, n_keys: int) -> Tensor:
        """``[T, S]``, True where query i sees key j: j <= i + diagonal."""
        return torch.ones(n_queries, n_keys, dtype=torch.bool).tril(self.diagonal(n_queries, n_keys))

    def diagonal(self, n_queries: int, n_keys: int) -> int:
        """By how much keys are ahead of queries: the length of the history, S - T."""
        return n_keys - n_queries

    def weights(self, scores: Tensor) -> Tensor:
        """Softmax over the keys."""
        return torch.softmax(scores, dim=-1)

    def mix(self, weights: Tensor, values: Tensor) -> Tensor:
        """Weighted values, ``[B, Hq, T, d]``."""
        return weights @ values

    def heads_back(self, x: Tensor) -> Tensor:
        """``[B, H, T, d]`` -> ``[B, T, H, d]``."""
        return x.transpose(1, 2)

    def finish_attention(self, out: Tensor, q: Tensor) -> Tensor:
        """Back to q's dtype."""
        return out.to(q.dtype)

    # -- the module -------------------------------------------------------------------------------------------

    def new_attention(self, dim: int, n_heads: int, n_kv_heads: int, base: float = 10000.0) -> nn.Module:
        """Construct GroupedQueryAttention."""
        self.check_module_groups(n_heads, n_kv_heads)
        return AttentionModule(self, dim, n_heads, n_kv_heads, self.module_base(base))

    def check_module_groups(self, n_heads: int, n_kv_heads: int) -> None:
        """Refuse groups of unequal size, whatever the function does."""
        AttentionSteps.check_groups(self, n_heads, n_kv_heads)

    def module_base(self, base: float) -> float:
        """The base that the module keeps."""
        return base

    def add_projections(self, m: AttentionModule, dim: int) -> None:
        """w_q, w_k, w_v, w_o."""
        m.w_q = nn.Linear(dim, m.n_heads * m.head_dim, bias=False)
        m.w_k = nn.Linear(dim, m.n_kv_heads * m.head_dim, bias=False)
        m.w_v = nn.Linear(dim, m.n_kv_heads * m.head_dim, bias=False)
        m.w_o = nn.Linear(m.n_heads * m.head_dim, dim, bias=False)

    def attend(self, m: AttentionModule, x: Tensor, positions: Tensor | None, cache: Any) -> Tensor:
        """The whole forward pass."""
        q, k, v = self.projected(m, self.begin_module(x))
        at = self.choose_positions(m, x, positions, cache)
        q, k, v = self.rotate_queries(m, q, at), self.rotate_keys(m, k, at), self.rotate_values(m, v, at)
        k, v = self.remember(m, cache, k, v, at)
        mixed = self.attention_of_module(m, q, k, v, cache)
        return self.finish_module(self.projected_out(m, self.joined_heads(mixed)), x)

    def begin_module(self, x: Tensor) -> Tensor:
        """X as the projections take it."""
        return x

    def projected(self, m: AttentionModule, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """q ``[B, T, Hq, d]``, k and v ``[B, T, Hkv, d]``."""
        q = self.split_heads(m.w_q(x), m.n_heads)
        return q, self.split_heads(m.w_k(x), m.n_kv_heads), self.split_heads(m.w_v(x), m.n_kv_heads)

    def split_heads(self, y: Tensor, n_heads: int) -> Tensor:
        """``[B, T, H d]`` -> ``[B, T, H, d]``."""
        return y.reshape(*y.shape[:2], n_heads, -1)

    def choose_positions(self, m: AttentionModule, x: Tensor, positions: Tensor | None, cache: Any) -> Tensor:
        """The caller's, else those that follow the history."""
        if positions is not None:
            return positions
        return self.default_positions(m, x, cache)

    def default_positions(self, m: AttentionModule, x: Tensor, cache: Any) -> Tensor:
        """Those that follow the history."""
        start = self.history(m, cache)
        return torch.arange(start, start + x.shape[1])

    def history(self, m: AttentionModule, cache: Any) -> int:
        """Where the first new token stands."""
        return 0 if cache is None else int(cache.length)

    def rotate_queries(self, m: AttentionModule, q: Tensor, positions: Tensor) -> Tensor:
        """Q turns."""
        return self.apply_rope(q, positions, m.base)

    def rotate_keys(self, m: AttentionModule, k: Tensor, positions: Tensor) -> Tensor:
        """K turns."""
        return self.apply_rope(k, positions, m.base)

    def rotate_values(self, m: AttentionModule, v: Tensor, positions: Tensor) -> Tensor:
        """V does not."""
        return v

    def remember(
        self, m: AttentionModule, cache: Any, k: Tensor, v: Tensor, positions: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Keys and values to attend to: with the history, when there is a cache."""
        return (k, v) if cache is None else cache.append(k, v)

    def attention_of_module(self, m: AttentionModule, q: Tensor, k: Tensor, v: Tensor, cache: Any) -> Tensor:
        """Causal attention."""
        return self.grouped_query_attention(q, k, v, causal=True)

    def joined_heads(self, mixed: Tensor) -> Tensor:
        """``[B, T, Hq, d]`` -> ``[B, T, D]``."""
        return mixed.flatten(2)

    def projected_out(self, m: AttentionModule, joined: Tensor) -> Tensor:
        """w_o."""
        result: Tensor = m.w_o(joined)
        return result

    def finish_module(self, y: Tensor, x: Tensor) -> Tensor:
        """What the module returns."""
        return y

    def kv_cache_bytes(
        self, batch: int, length: int, n_layers: int, n_kv_heads: int, head_dim: int, bytes_per_element: int
    ) -> int:
        """2 layers B S Hkv d bytes."""
        return 2 * n_layers * batch * length * n_kv_heads * head_dim * bytes_per_element
