"""Sections 4.4 and 4.5 in steps."""

from __future__ import annotations

import torch
from torch import Tensor


class RopeSteps:
    """Frequencies, angles, tables, and the rotation of ``[B, T, H, d]``."""

    def rope_frequencies(self, head_dim: int, base: float = 10000.0) -> Tensor:
        """theta ``[d/2]``."""
        self.check_head_dim(head_dim)
        return self.theta(head_dim, base)

    def check_head_dim(self, head_dim: int) -> None:
        """Refuse what has no pairs."""
        if head_dim <= 0 or head_dim % 2:
            raise ValueError(f"head_dim must be positive and even, got {head_dim}")

    def theta(self, head_dim: int, base: float) -> Tensor:
        """base^(-exponent), FP32."""
        return torch.pow(base, -self.exponent(head_dim))

    def exponent(self, head_dim: int) -> Tensor:
        """2r/d, FP32."""
        return torch.arange(0, head_dim, 2, dtype=torch.float32) / head_dim

    def rope_cos_sin(self, positions: Tensor, head_dim: int, base: float = 10000.0) -> tuple[Tensor, Tensor]:
        """Tables ``[1 or B, T, 1, d/2]``."""
        return self.tables(positions, self.table_theta(head_dim, base))

    def table_theta(self, head_dim: int, base: float) -> Tensor:
        """The frequencies that the tables are made of."""
        return self.rope_frequencies(head_dim, base)

    def tables(self, positions: Tensor, theta: Tensor) -> tuple[Tensor, Tensor]:
        """Cosines and sines of all angles."""
        rows = positions if positions.dim() == 2 else positions[None]
        angle = self.head_axis(self.angle(rows, theta))
        return self.cos_table(angle), self.sin_table(angle)

    def angle(self, positions: Tensor, theta: Tensor) -> Tensor:
        """positions ``[1 or B, T]`` -> ``[1 or B, T, d/2]``, radians."""
        return positions.float()[..., None] * theta

    def head_axis(self, angle: Tensor) -> Tensor:
        """An axis for the heads: ``[1 or B, T, 1, d/2]``."""
        return angle[:, :, None]

    def cos_table(self, angle: Tensor) -> Tensor:
        """cos, FP32."""
        return torch.cos(angle)

    def sin_table(self, angle: Tensor) -> Tensor:
        """sin, FP32."""
        return torch.sin(angle)

    def apply_rope(self, x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
        """x ``[B, T, H, d]`` rotated."""
        self.check_rope(x, positions)
        cos, sin = self.tables_for(x, self.token_positions(x, positions), base)
        return self.finish_rope(self.rotated(self.begin_rope(x), cos, sin), x)

    def check_rope(self, x: Tensor, positions: Tensor) -> None:
        """Refuse positions that are neither ``[T]`` nor ``[B, T]``."""
        if tuple(positions.shape) not in ((x.shape[1],), (x.shape[0], x.shape[1])):
            raise ValueError(f"positions must be [T] or [B, T] for x {list(x.shape)}, got {list(positions.shape)}")

    def token_positions(self, x: Tensor, positions: Tensor) -> Tensor:
        """The positions that the tokens of x turn by."""
        return positions

    def tables_for(self, x: Tensor, positions: Tensor, base: float) -> tuple[Tensor, Tensor]:
        """Tables for x."""
        return self.rope_cos_sin(positions, x.shape[-1], base)

    def begin_rope(self, x: Tensor) -> Tensor:
        """x as the rotation takes it: FP32."""
        return x.float()

    def rotated(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """Split, turn, join."""
        return self.join_pairs(*self.turn(*self.split_pairs(x), cos, sin))

    def split_pairs(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """First and second components, each ``[B, T, H, d/2]``."""
        return x[..., 0::2], x[..., 1::2]

    def turn(self, a: Tensor, b: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
        """(a cos - b sin, a sin + b cos)."""
        return a * cos - b * sin, a * sin + b * cos

    def join_pairs(self, a: Tensor, b: Tensor) -> Tensor:
        """Interleaved back in place, ``[B, T, H, d]``."""
        return torch.stack((a, b), dim=-1).flatten(-2)

    def finish_rope(self, y: Tensor, x: Tensor) -> Tensor:
        """One cast at the end."""
        return y.to(x.dtype)
