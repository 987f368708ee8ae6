"""Mistakes in what rope_frequencies returns: dtype, number and axes of the frequencies."""

from __future__ import annotations

import torch
from torch import Tensor

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.rope import RopeSteps


class _Wide(RopeSteps):
    """Frequencies are FP64."""

    def exponent(self, head_dim: int) -> Tensor:
        return torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim


@mistake("rope.freq_fp64", part="rope")
class Fp64(_Wide):
    """Has the frequencies, and the tables made of them, in FP64 instead of FP32."""


@mistake("rope.freq_fp64_returned", part="rope")
class Fp64Returned(_Wide):
    """rope_frequencies returns FP64 instead of FP32; the tables are FP32."""

    def table_theta(self, head_dim: int, base: float) -> Tensor:
        return super().table_theta(head_dim, base).float()


@mistake("rope.freq_bf16", part="rope")
class Bf16(RopeSteps):
    """rope_frequencies returns bf16 instead of FP32."""

    def rope_frequencies(self, head_dim: int, base: float = 10000.0) -> Tensor:
        return super().rope_frequencies(head_dim, base).bfloat16()


@mistake("rope.freq_fp16", part="rope")
class Fp16(RopeSteps):
    """rope_frequencies returns FP16 instead of FP32."""

    def rope_frequencies(self, head_dim: int, base: float = 10000.0) -> Tensor:
        return super().rope_frequencies(head_dim, base).half()


@mistake("rope.freq_repeated", part="rope")
class Repeated(RopeSteps):
    """rope_frequencies returns d frequencies, each one twice, instead of d/2."""

    def rope_frequencies(self, head_dim: int, base: float = 10000.0) -> Tensor:
        return super().rope_frequencies(head_dim, base).repeat_interleave(2)

    def table_theta(self, head_dim: int, base: float) -> Tensor:
        return super().table_theta(head_dim, base)[::2]


@mistake("rope.freq_concatenated", part="rope")
class Concatenated(RopeSteps):
    """rope_frequencies returns d frequencies, the whole row twice, instead of d/2."""

    def rope_frequencies(self, head_dim: int, base: float = 10000.0) -> Tensor:
        return super().rope_frequencies(head_dim, base).repeat(2)

    def table_theta(self, head_dim: int, base: float) -> Tensor:
        return super().table_theta(head_dim, base)[: head_dim // 2]


@mistake("rope.freq_every_component", part="rope")
class EveryComponent(RopeSteps):
    """rope_frequencies gives every component its own frequency, base^(-i/d), instead of one to each pair."""

    def rope_frequencies(self, head_dim: int, base: float = 10000.0) -> Tensor:
        self.check_head_dim(head_dim)
        return torch.pow(base, -torch.arange(head_dim, dtype=torch.float32) / head_dim)

    def turn(self, a: Tensor, b: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
        return a * cos[..., 0::2] - b * sin[..., 0::2], a * sin[..., 1::2] + b * cos[..., 1::2]


@mistake("rope.freq_column", part="rope")
class Column(RopeSteps):
    """rope_frequencies returns the frequencies with an axis too many, [1, d/2] instead of [d/2]."""

    def rope_frequencies(self, head_dim: int, base: float = 10000.0) -> Tensor:
        return super().rope_frequencies(head_dim, base)[None]

    def table_theta(self, head_dim: int, base: float) -> Tensor:
        return super().table_theta(head_dim, base)[0]
