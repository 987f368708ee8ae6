import math

import torch
import torch.nn as nn

from .rope import apply_rope


def one_head(q, k, v, causal):
    # q has shape (B, T, d), k and v have (B, S, d)
    T, d = q.shape[1], q.shape[2]
    S = k.shape[1]
    scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(d)
    if causal:
        allowed = torch.zeros(T, S, dtype=torch.bool, device=q.device)
        for i in range(T):
            allowed[i, : S - T + i + 1] = True
        scores = scores.masked_fill(~allowed, -math.inf)
    return torch.bmm(torch.softmax(scores, dim=-1), v)


def grouped_query_attention(q, k, v, causal=True):
    Hq = q.shape[2]
    Hkv = k.shape[2]
    if Hq % Hkv != 0:
        raise ValueError(f"the {Hq} query heads can not be divided evenly over {Hkv} key/value heads (n_kv_heads)")
    group = Hq // Hkv
    q64, k64, v64 = q.double(), k.double(), v.double()
    outputs = []
    for h in range(Hq):
        kv = h // group
        outputs.append(one_head(q64[:, :, h], k64[:, :, kv], v64[:, :, kv], causal))
    return torch.stack(outputs, dim=2).to(q.dtype)


class GroupedQueryAttention(nn.Module):
    def __init__(self, dim, n_heads, n_kv_heads, base=10000.0):
        super().__init__()
        if dim % n_heads != 0:
            raise ValueError(f"dim should be divisible by n_heads but dim={dim} and n_heads={n_heads}")
        if n_heads % n_kv_heads != 0:
            raise ValueError(
                f"n_heads should be divisible by n_kv_heads but n_heads={n_heads} and n_kv_heads={n_kv_heads}"
            )
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.head_dim = dim // n_heads
        self.base = base
        self.w_q = nn.Linear(dim, self.n_heads * self.head_dim, bias=False)
        self.w_k = nn.Linear(dim, self.n_kv_heads * self.head_dim, bias=False)
        self.w_v = nn.Linear(dim, self.n_kv_heads * self.head_dim, bias=False)
        self.w_o = nn.Linear(self.n_heads * self.head_dim, dim, bias=False)

    def split(self, y, heads):
        # (B, T, heads * d) -> (B, T, heads, d), one head after the other
        parts = []
        for h in range(heads):
            parts.append(y[:, :, h * self.head_dim : (h + 1) * self.head_dim])
        return torch.stack(parts, dim=2)

    def forward(self, x, positions=None, cache=None):
        T = x.shape[1]
        if positions is None:
            first = 0
            if cache is not None:
                first = cache.length
            positions = torch.tensor([first + i for i in range(T)], device=x.device)
        q = self.split(self.w_q(x), self.n_heads)
        k = self.split(self.w_k(x), self.n_kv_heads)
        v = self.split(self.w_v(x), self.n_kv_heads)
        q = apply_rope(q, positions, self.base)
        k = apply_rope(k, positions, self.base)
        if cache is not None:
            k, v = cache.append(k, v)
        heads = grouped_query_attention(q, k, v)
        joined = torch.cat([heads[:, :, h] for h in range(self.n_heads)], dim=-1)
        return self.w_o(joined)


def kv_cache_bytes(batch, length, n_layers, n_kv_heads, head_dim, bytes_per_element):
    total = 0
    for _ in range(n_layers):
        for _ in ("k", "v"):
            total += batch * length * n_kv_heads * head_dim * bytes_per_element
    return total
