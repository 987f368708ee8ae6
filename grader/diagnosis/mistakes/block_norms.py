"""Mistakes in where the block's norms stand and which norm it is."""

from __future__ import annotations

from torch import Tensor, nn

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.block import BlockModule, BlockSteps


@mistake("block.postnorm", part="block")
class PostNorm(BlockSteps):
    """Normalises after both residual sums, as the original Transformer did."""

    def attention_input(self, m: BlockModule, x: Tensor) -> Tensor:
        return x

    def after_attention(self, m: BlockModule, u: Tensor) -> Tensor:
        return self.normed(self.norm_before_attention(m), super().after_attention(m, u))

    def ffn_input(self, m: BlockModule, u: Tensor, x: Tensor) -> Tensor:
        return u

    def after_ffn(self, m: BlockModule, y: Tensor) -> Tensor:
        return self.normed(self.norm_before_ffn(m), super().after_ffn(m, y))


@mistake("block.postnorm_attention", part="block")
class PostNormAttention(BlockSteps):
    """Normalises after the first residual sum instead of before the attention."""

    def attention_input(self, m: BlockModule, x: Tensor) -> Tensor:
        return x

    def after_attention(self, m: BlockModule, u: Tensor) -> Tensor:
        return self.normed(self.norm_before_attention(m), super().after_attention(m, u))


@mistake("block.postnorm_ffn", part="block")
class PostNormFfn(BlockSteps):
    """Normalises after the second residual sum instead of before the feed-forward layer."""

    def ffn_input(self, m: BlockModule, u: Tensor, x: Tensor) -> Tensor:
        return u

    def after_ffn(self, m: BlockModule, y: Tensor) -> Tensor:
        return self.normed(self.norm_before_ffn(m), super().after_ffn(m, y))


@mistake("block.norms_on_branches", part="block")
class NormsOnBranches(BlockSteps):
    """Normalises what the sublayers return instead of what goes into them."""

    def attention_input(self, m: BlockModule, x: Tensor) -> Tensor:
        return x

    def attention_result(self, m: BlockModule, branch: Tensor) -> Tensor:
        return self.normed(self.norm_before_attention(m), super().attention_result(m, branch))

    def ffn_input(self, m: BlockModule, u: Tensor, x: Tensor) -> Tensor:
        return u

    def ffn_result(self, m: BlockModule, branch: Tensor) -> Tensor:
        return self.normed(self.norm_before_ffn(m), super().ffn_result(m, branch))


@mistake("block.norms_around_branches", part="block")
class NormsAroundBranches(BlockSteps):
    """Applies each norm twice: to what goes into its sublayer and to what comes out."""

    def attention_result(self, m: BlockModule, branch: Tensor) -> Tensor:
        return self.normed(self.norm_before_attention(m), super().attention_result(m, branch))

    def ffn_result(self, m: BlockModule, branch: Tensor) -> Tensor:
        return self.normed(self.norm_before_ffn(m), super().ffn_result(m, branch))


@mistake("block.no_attn_norm", part="block")
class NoAttentionNorm(BlockSteps):
    """Hands x to the attention without attn_norm."""

    def attention_input(self, m: BlockModule, x: Tensor) -> Tensor:
        return x


@mistake("block.no_ffn_norm", part="block")
class NoFfnNorm(BlockSteps):
    """Hands u to the feed-forward layer without ffn_norm."""

    def ffn_input(self, m: BlockModule, u: Tensor, x: Tensor) -> Tensor:
        return u


@mistake("block.no_norms", part="block")
class NoNorms(BlockSteps):
    """Applies neither attn_norm nor ffn_norm."""

    def attention_input(self, m: BlockModule, x: Tensor) -> Tensor:
        return x

    def ffn_input(self, m: BlockModule, u: Tensor, x: Tensor) -> Tensor:
        return u


@mistake("block.attn_norm_twice", part="block")
class AttentionNormTwice(BlockSteps):
    """Uses attn_norm before the feed-forward layer too, and never ffn_norm."""

    def norm_before_ffn(self, m: BlockModule) -> nn.Module:
        return self.norm_before_attention(m)


@mistake("block.ffn_norm_twice", part="block")
class FfnNormTwice(BlockSteps):
    """Uses ffn_norm before the attention too, and never attn_norm."""

    def norm_before_attention(self, m: BlockModule) -> nn.Module:
        return self.norm_before_ffn(m)


@mistake("block.norms_swapped", part="block")
class NormsSwapped(BlockSteps):
    """Exchanges the two norms: ffn_norm stands before the attention, attn_norm before the feed-forward layer."""

    def norm_before_attention(self, m: BlockModule) -> nn.Module:
        return m.ffn_norm

    def norm_before_ffn(self, m: BlockModule) -> nn.Module:
        return m.attn_norm


@mistake("block.shared_norm", part="block")
class SharedNorm(BlockSteps):
    """Makes attn_norm and ffn_norm one and the same module."""

    def finish_block(self, m: BlockModule) -> None:
        super().finish_block(m)
        m.ffn_norm = m.attn_norm


@mistake("block.layernorm", part="block")
class Layernorms(BlockSteps):
    """Uses LayerNorm in both places where RMSNorm belongs."""

    def block_norm(self, name: str, dim: int, eps: float) -> nn.Module:
        return self.new_layer_norm(dim, eps)


@mistake("block.attn_layernorm", part="block")
class AttentionLayernorm(BlockSteps):
    """Uses LayerNorm as attn_norm, where RMSNorm belongs."""

    def block_norm(self, name: str, dim: int, eps: float) -> nn.Module:
        return self.new_layer_norm(dim, eps) if name == "attn_norm" else super().block_norm(name, dim, eps)


@mistake("block.ffn_layernorm", part="block")
class FfnLayernorm(BlockSteps):
    """Uses LayerNorm as ffn_norm, where RMSNorm belongs."""

    def block_norm(self, name: str, dim: int, eps: float) -> nn.Module:
        return self.new_layer_norm(dim, eps) if name == "ffn_norm" else super().block_norm(name, dim, eps)
