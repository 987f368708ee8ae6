"""Things that several modules need."""

from __future__ import annotations

from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Heads:
    """How the model width is cut into heads."""

    dim: int
    n_heads: int
    n_kv_heads: int

    def __post_init__(self) -> None:
        require(
            self.n_heads > 0 and self.dim % self.n_heads == 0, "dim", self.dim, f"divisible by n_heads={self.n_heads}"
        )
        require_groups(self.n_heads, self.n_kv_heads)
        require(self.head_dim % 2 == 0, "head_dim", self.head_dim, "even, since RoPE rotates pairs")

    @property
    def head_dim(self) -> int:
        return self.dim // self.n_heads

    @property
    def kv_dim(self) -> int:
        return self.n_kv_heads * self.head_dim


def require(condition: bool, name: str, value: object, rule: str) -> None:
    if not condition:
        raise ValueError(f"{name}={value} must be {rule}")


def require_groups(n_heads: int, n_kv_heads: int) -> None:
    require(n_kv_heads > 0 and n_heads % n_kv_heads == 0, "n_heads", n_heads, f"divisible by n_kv_heads={n_kv_heads}")


def positions_from(start: int, count: int, like: torch.Tensor) -> torch.Tensor:
    return torch.arange(count, device=like.device, dtype=torch.int32) + start


def sigmoid_silu(z: torch.Tensor) -> torch.Tensor:
    return z * torch.sigmoid(z)
