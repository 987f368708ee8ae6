"""RoPE from tables of cos and sin.

A table has one row a position. It is made when it is first needed, grows when a larger position comes,
and is never shared between different head widths, bases or devices.
"""

from collections import OrderedDict

import torch
from torch import Tensor, nn

MAX_ROWS = 131072 + 1
MAX_TABLES = 4


def rope_frequencies(head_dim: int, base: float = 10000.0) -> Tensor:
    """[d/2], FP32."""
    if head_dim <= 0 or head_dim % 2:
        raise ValueError(f"head_dim: expected an even number above 0, got {head_dim}")
    steps = torch.arange(0, head_dim, 2, dtype=torch.float32)
    return 1.0 / base ** (steps / head_dim)


class RotaryTable(nn.Module):
    """cos and sin of p * theta_r for p = 0, 1, 2, ...; each [rows, d/2], FP32."""

    def __init__(self, head_dim: int, base: float, device: torch.device | None = None) -> None:
        super().__init__()
        self.head_dim, self.base = head_dim, base
        empty = rope_frequencies(head_dim, base).to(device)[None, :][:0]
        # buffers follow the module to its device; the state dict does not need them
        self.register_buffer("cos", empty, persistent=False)
        self.register_buffer("sin", empty.clone(), persistent=False)

    def compute(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        theta = rope_frequencies(self.head_dim, self.base).to(positions.device)
        angle = positions.to(torch.float32).unsqueeze(-1) * theta
        return angle.cos(), angle.sin()

    def grow(self, rows: int, device: torch.device) -> None:
        if self.cos.dtype == torch.float32 and self.cos.device == device and self.cos.shape[0] >= rows:
            return
        rows = min(MAX_ROWS, max(256, 1 << (rows - 1).bit_length()))
        # a table made under inference_mode could not be used in training later
        with torch.inference_mode(False), torch.no_grad():
            self.cos, self.sin = self.compute(torch.arange(rows, device=device))

    def forward(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Positions of any shape -> cos, sin with one more axis, d/2."""
        if positions.numel() == 0:
            return self.compute(positions)
        largest = int(positions.max())
        if int(positions.min()) < 0 or largest >= MAX_ROWS:
            return self.compute(positions)
        self.grow(largest + 1, positions.device)
        index = positions.long()
        return self.cos[index], self.sin[index]


_tables: OrderedDict[tuple, RotaryTable] = OrderedDict()


def table_for(head_dim: int, base: float, device: torch.device) -> RotaryTable:
    """The shared table for this width, base and device; only the last few are kept."""
    key = (head_dim, float(base), str(device))
    if key not in _tables:
        _tables[key] = RotaryTable(head_dim, float(base), device)
    _tables.move_to_end(key)
    while len(_tables) > MAX_TABLES:
        _tables.popitem(last=False)
    return _tables[key]


def look_up(table: RotaryTable, positions: Tensor) -> tuple[Tensor, Tensor]:
    """[T] or [B, T] -> [1, T, 1, d/2] or [B, T, 1, d/2]."""
    if positions.ndim not in (1, 2):
        raise ValueError(f"positions: expected shape [T] or [B, T], got {list(positions.shape)}")
    cos, sin = table(positions if positions.ndim == 2 else positions.unsqueeze(0))
    return cos.unsqueeze(2), sin.unsqueeze(2)


def rope_cos_sin(positions: Tensor, head_dim: int, base: float = 10000.0) -> tuple[Tensor, Tensor]:
    return look_up(table_for(head_dim, base, positions.device), positions)


def rotate(x: Tensor, positions: Tensor, table: RotaryTable) -> Tensor:
    batch, time = x.shape[:2]
    if positions.shape != (time,) and positions.shape != (batch, time):
        raise ValueError(
            f"positions: expected shape [T] = [{time}] or [B, T] = [{batch}, {time}], got {list(positions.shape)}"
        )
    cos, sin = look_up(table, positions.to(x.device))
    even, odd = x[..., ::2], x[..., 1::2]
    # the tables are FP32, so the products are FP32 too; writing into `out` rounds once
    out = torch.empty_like(x)
    out[..., ::2] = even * cos - odd * sin
    out[..., 1::2] = even * sin + odd * cos
    return out


def apply_rope(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    return rotate(x, positions, table_for(x.shape[-1], base, x.device))
