"""Keeps the residual stream in FP32 and returns it so for bf16 inputs."""

FAULT = "block.dtype_upcast"
MUTATES = "assignment1/block.py"
KILLED_BY = {"block.dtype"}

from .block import TransformerBlock as PlainTransformerBlock


class TransformerBlock(PlainTransformerBlock):
    def forward(self, x, positions=None, cache=None):
        u = x.float() + self.attn(self.attn_norm(x), positions, cache).float()
        return u + self.ffn(self.ffn_norm(u.to(x.dtype))).float()
