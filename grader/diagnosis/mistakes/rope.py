"""Mistakes in RoPE: which components pair, by which angle they turn, in which precision, and where they are put."""

from __future__ import annotations

import torch
from torch import Tensor

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.rope import RopeSteps


@mistake("rope.half_split", part="rope")
class HalfSplit(RopeSteps):
    """Pairs component i with i + d/2 instead of 2r with 2r + 1."""

    def split_pairs(self, x: Tensor) -> tuple[Tensor, Tensor]:
        first, second = x.chunk(2, dim=-1)
        return first, second

    def join_pairs(self, a: Tensor, b: Tensor) -> Tensor:
        return torch.cat((a, b), dim=-1)


@mistake("rope.sign", part="rope")
class WrongSign(RopeSteps):
    """Rotates by -p theta: the signs of the sines are exchanged."""

    def turn(self, a: Tensor, b: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
        return super().turn(a, b, cos, -sin)
