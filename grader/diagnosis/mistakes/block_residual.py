"""Mistakes in the block's residual path: what it carries, what it is added to, and in which order the halves come."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.block import BlockModule, BlockSteps


@mistake("block.residual_from_norm", part="block")
class FromNorms(BlockSteps):
    """Overwrites x by its norm in both halves, so the residual path carries normalised values."""

    def attention_residual(self, m: BlockModule, x: Tensor) -> Tensor:
        return self.normed(self.norm_before_attention(m), super().attention_residual(m, x))

    def ffn_residual(self, m: BlockModule, u: Tensor) -> Tensor:
        return self.normed(self.norm_before_ffn(m), super().ffn_residual(m, u))


@mistake("block.first_residual_from_norm", part="block")
class FromAttentionNorm(BlockSteps):
    """Overwrites x by its norm in the first half, so the residual path carries attn_norm(x)."""

    def attention_residual(self, m: BlockModule, x: Tensor) -> Tensor:
        return self.normed(self.norm_before_attention(m), super().attention_residual(m, x))


@mistake("block.second_residual_from_norm", part="block")
class FromFfnNorm(BlockSteps):
    """Overwrites u by its norm in the second half, so the residual path carries ffn_norm(u)."""

    def ffn_residual(self, m: BlockModule, u: Tensor) -> Tensor:
        return self.normed(self.norm_before_ffn(m), super().ffn_residual(m, u))


@mistake("block.no_residual", part="block")
class NoResidual(BlockSteps):
    """Adds neither x nor u: there is no residual path."""

    def add_attention(self, x: Tensor, branch: Tensor) -> Tensor:
        return branch

    def add_ffn(self, u: Tensor, branch: Tensor, x: Tensor) -> Tensor:
        return branch


@mistake("block.no_first_residual", part="block")
class NoFirstResidual(BlockSteps):
    """Does not add x to what the attention returns."""

    def add_attention(self, x: Tensor, branch: Tensor) -> Tensor:
        return branch


@mistake("block.no_second_residual", part="block")
class NoSecondResidual(BlockSteps):
    """Does not add u to what the feed-forward layer returns."""

    def add_ffn(self, u: Tensor, branch: Tensor, x: Tensor) -> Tensor:
        return branch


@mistake("block.second_residual_from_x", part="block")
class SecondFromX(BlockSteps):
    """Adds x instead of u in the second sum, so the attention counts only through the feed-forward layer."""

    def add_ffn(self, u: Tensor, branch: Tensor, x: Tensor) -> Tensor:
        return x + branch


@mistake("block.residual_added_again", part="block")
class XAddedAgain(BlockSteps):
    """Adds x a second time at the end."""

    def add_ffn(self, u: Tensor, branch: Tensor, x: Tensor) -> Tensor:
        return super().add_ffn(u, branch, x) + x


@mistake("block.ffn_input_from_x", part="block")
class Parallel(BlockSteps):
    """Hands x instead of u to the feed-forward half: both sublayers run beside each other."""

    def ffn_input(self, m: BlockModule, u: Tensor, x: Tensor) -> Tensor:
        return super().ffn_input(m, x, x)


@mistake("block.one_norm_parallel", part="block")
class ParallelOneNorm(BlockSteps):
    """Hands attn_norm(x) to both sublayers, which run beside each other."""

    def ffn_input(self, m: BlockModule, u: Tensor, x: Tensor) -> Tensor:
        return self.attention_input(m, x)


@mistake("block.halves_swapped", part="block")
class HalvesSwapped(BlockSteps):
    """Runs the feed-forward half before the attention half."""

    def block_forward(self, m: BlockModule, x: Tensor, positions: Any, cache: Any) -> Tensor:
        given = self.begin_block(m, x)
        u = self.ffn_half(m, given, given)
        return self.finish_block_forward(self.attention_half(m, u, positions, cache), x)


@mistake("block.no_attention", part="block")
class NoAttention(BlockSteps):
    """Leaves the attention half out."""

    def attention_half(self, m: BlockModule, x: Tensor, positions: Any, cache: Any) -> Tensor:
        return x


@mistake("block.no_ffn", part="block")
class NoFfn(BlockSteps):
    """Leaves the feed-forward half out."""

    def ffn_half(self, m: BlockModule, u: Tensor, x: Tensor) -> Tensor:
        return u


@mistake("block.branches_subtracted", part="block")
class Subtracted(BlockSteps):
    """Subtracts the branches from the residual path instead of adding them."""

    def attention_result(self, m: BlockModule, branch: Tensor) -> Tensor:
        return -super().attention_result(m, branch)

    def ffn_result(self, m: BlockModule, branch: Tensor) -> Tensor:
        return -super().ffn_result(m, branch)


@mistake("block.branches_halved", part="block")
class Halved(BlockSteps):
    """Adds half of what each sublayer returns."""

    def attention_result(self, m: BlockModule, branch: Tensor) -> Tensor:
        return super().attention_result(m, branch) * 0.5

    def ffn_result(self, m: BlockModule, branch: Tensor) -> Tensor:
        return super().ffn_result(m, branch) * 0.5


@mistake("block.sums_averaged", part="block")
class Averaged(BlockSteps):
    """Takes the mean of the residual path and the branch instead of their sum."""

    def after_attention(self, m: BlockModule, u: Tensor) -> Tensor:
        return super().after_attention(m, u * 0.5)

    def after_ffn(self, m: BlockModule, y: Tensor) -> Tensor:
        return super().after_ffn(m, y * 0.5)


@mistake("block.sums_scaled", part="block")
class Scaled(BlockSteps):
    """Divides both residual sums by the root of 2."""

    def after_attention(self, m: BlockModule, u: Tensor) -> Tensor:
        return super().after_attention(m, u / 2**0.5)

    def after_ffn(self, m: BlockModule, y: Tensor) -> Tensor:
        return super().after_ffn(m, y / 2**0.5)


@mistake("block.detached_residual", part="block")
class DetachedResidual(BlockSteps):
    """Detaches x on the residual path of the first half, so gradients reach x only through the attention."""

    def attention_residual(self, m: BlockModule, x: Tensor) -> Tensor:
        return super().attention_residual(m, x).detach()


@mistake("block.detached_second_residual", part="block")
class DetachedSecondResidual(BlockSteps):
    """Detaches u on the residual path of the second half."""

    def ffn_residual(self, m: BlockModule, u: Tensor) -> Tensor:
        return super().ffn_residual(m, u).detach()


@mistake("block.detached_residuals", part="block")
class DetachedResiduals(BlockSteps):
    """Detaches the residual path in both halves."""

    def attention_residual(self, m: BlockModule, x: Tensor) -> Tensor:
        return super().attention_residual(m, x).detach()

    def ffn_residual(self, m: BlockModule, u: Tensor) -> Tensor:
        return super().ffn_residual(m, u).detach()


@mistake("block.detached_attention", part="block")
class DetachedAttention(BlockSteps):
    """Detaches what the attention returns, so it is never trained."""

    def attention_result(self, m: BlockModule, branch: Tensor) -> Tensor:
        return super().attention_result(m, branch).detach()


@mistake("block.detached_ffn", part="block")
class DetachedFfn(BlockSteps):
    """Detaches what the feed-forward layer returns, so it is never trained."""

    def ffn_result(self, m: BlockModule, branch: Tensor) -> Tensor:
        return super().ffn_result(m, branch).detach()


@mistake("block.detached_norm_inputs", part="block")
class DetachedNormInputs(BlockSteps):
    """Detaches what goes into the norms, so the gradient only comes along the residual path."""

    def normed(self, norm: torch.nn.Module, x: Tensor) -> Tensor:
        return super().normed(norm, x.detach())


@mistake("block.inplace_residual", part="block")
class InPlace(BlockSteps):
    """Adds the attention's output to the caller's tensor in place."""

    def add_attention(self, x: Tensor, branch: Tensor) -> Tensor:
        x += branch
        return x
