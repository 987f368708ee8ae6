from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn

from .helpers import Heads, positions_from, require_groups
from .rope import apply_rope

if TYPE_CHECKING:
    from .kv_cache import KVCache


def grouped_query_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = True) -> torch.Tensor:
    b, t, n_heads, d = q.shape
    s, n_kv_heads = k.shape[1:3]
    require_groups(n_heads, n_kv_heads)
    # scale q instead of the scores: T * d multiplications, not T * S
    scaled = q.float() * d**-0.5
    per_kv_head = scaled.reshape(b, t, n_kv_heads, -1, d)
    # rows: the group's queries one after the other, [B, Hkv, G * T, d]
    rows = per_kv_head.permute(0, 2, 3, 1, 4).flatten(2, 3)
    scores = torch.matmul(rows, k.float().permute(0, 2, 3, 1)).unflatten(2, (-1, t))
    if causal:
        hidden = torch.arange(s, device=q.device) > torch.arange(s - t, s, device=q.device).unsqueeze(1)
        scores = scores + torch.zeros(t, s, dtype=torch.float32, device=q.device).masked_fill(hidden, -torch.inf)
    weights = torch.softmax(scores, dim=-1, dtype=torch.float32).flatten(2, 3)
    mixed = torch.matmul(weights, v.float().transpose(1, 2)).unflatten(2, (-1, t))
    return mixed.permute(0, 3, 1, 2, 4).reshape(b, t, n_heads, d).to(q.dtype)


class GroupedQueryAttention(nn.Module):
    def __init__(self, dim: int, n_heads: int, n_kv_heads: int, base: float = 10000.0) -> None:
        super().__init__()
        self.heads = Heads(dim, n_heads, n_kv_heads)
        self.base = base
        self.w_q = nn.Linear(dim, dim, bias=False)
        self.w_k = nn.Linear(dim, self.heads.kv_dim, bias=False)
        self.w_v = nn.Linear(dim, self.heads.kv_dim, bias=False)
        self.w_o = nn.Linear(dim, dim, bias=False)

    def forward(
        self, x: torch.Tensor, positions: torch.Tensor | None = None, cache: KVCache | None = None
    ) -> torch.Tensor:
        b, t, dim = x.shape
        if positions is None:
            positions = positions_from(cache.length if cache is not None else 0, t, x)
        d = self.heads.head_dim
        q = apply_rope(self.w_q(x).view(b, t, -1, d), positions, self.base)
        k = apply_rope(self.w_k(x).view(b, t, -1, d), positions, self.base)
        v = self.w_v(x).view(b, t, -1, d)
        if cache is not None:
            k, v = cache.append(k, v)
        return self.w_o(grouped_query_attention(q, k, v).reshape(b, t, dim))


def kv_cache_bytes(
    batch: int, length: int, n_layers: int, n_kv_heads: int, head_dim: int, bytes_per_element: int
) -> int:
    per_token_and_layer = 2 * n_kv_heads * head_dim * bytes_per_element
    return batch * length * n_layers * per_token_and_layer
