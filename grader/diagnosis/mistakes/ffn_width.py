"""Mistakes in the size of the feed-forward layers: how wide they are inside, and whether they have biases."""

from __future__ import annotations

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.ffn import FeedForwardSteps


@mistake("ffn.hidden_four_dim", part="ffn")
class FourTimes(FeedForwardSteps):
    """Makes SwiGLU 4 D wide like the classic layer, so it has half as many parameters again."""

    def equal_width(self, dim: int) -> int:
        return 4 * dim


@mistake("ffn.hidden_eight_dim", part="ffn")
class NotDivided(FeedForwardSteps):
    """Forgets to divide 8 D by 3."""

    def equal_width(self, dim: int) -> int:
        return 8 * dim


@mistake("ffn.hidden_two_thirds", part="ffn")
class TwoThirdsOfDim(FeedForwardSteps):
    """Takes two thirds of D instead of two thirds of 4 D."""

    def equal_width(self, dim: int) -> int:
        return 2 * dim // 3


@mistake("ffn.hidden_three_eighths", part="ffn")
class Inverted(FeedForwardSteps):
    """Turns the fraction over: 3 D / 8 instead of 8 D / 3."""

    def equal_width(self, dim: int) -> int:
        return 3 * dim // 8


@mistake("ffn.hidden_two_dim", part="ffn")
class TwoTimes(FeedForwardSteps):
    """Halves 4 D, because there are two branches, instead of taking two thirds of it."""

    def equal_width(self, dim: int) -> int:
        return 2 * dim


@mistake("ffn.hidden_three_dim", part="ffn")
class ThreeTimes(FeedForwardSteps):
    """Takes 3 D instead of 8 D / 3."""

    def equal_width(self, dim: int) -> int:
        return 3 * dim


@mistake("ffn.hidden_unaligned", part="ffn")
class Unaligned(FeedForwardSteps):
    """Ignores multiple_of: gives 8 D / 3 without rounding it to a multiple."""

    def aligned(self, width: int, multiple_of: int) -> int:
        return width


@mistake("ffn.hidden_unaligned_up", part="ffn")
class UnalignedUp(FeedForwardSteps):
    """Ignores multiple_of: rounds 8 D / 3 up to the next whole number only."""

    def swiglu_hidden_dim(self, dim: int, multiple_of: int = 1) -> int:
        return -(-8 * dim // 3)


@mistake("ffn.hidden_one_multiple_more", part="ffn")
class OneMore(FeedForwardSteps):
    """Adds a multiple even where the width is a multiple already."""

    def aligned(self, width: int, multiple_of: int) -> int:
        return (width // multiple_of + 1) * multiple_of


@mistake("ffn.hidden_multiplied", part="ffn")
class Multiplied(FeedForwardSteps):
    """Multiplies the width by multiple_of instead of rounding it to a multiple."""

    def aligned(self, width: int, multiple_of: int) -> int:
        return width * multiple_of


@mistake("ffn.hidden_float", part="ffn")
class NotWhole(FeedForwardSteps):
    """Divides with / and returns a float, which is no width."""

    def swiglu_hidden_dim(self, dim: int, multiple_of: int = 1) -> int:
        return float(super().swiglu_hidden_dim(dim, multiple_of))  # type: ignore[return-value]  # that is the mistake


@mistake("ffn.relu_width_ignored", part="ffn")
class ReluWidthIgnored(FeedForwardSteps):
    """Makes the classic layer 4 D wide whatever hidden_dim it is given."""

    def relu_width(self, dim: int, hidden_dim: int) -> int:
        return 4 * dim


@mistake("swiglu.width_ignored", part="ffn")
class SwigluWidthIgnored(FeedForwardSteps):
    """Makes SwiGLU 8 D / 3 wide whatever hidden_dim it is given."""

    def swiglu_width(self, dim: int, hidden_dim: int) -> int:
        return self.swiglu_hidden_dim(dim)


@mistake("swiglu.width_four_dim", part="ffn")
class SwigluFourTimes(FeedForwardSteps):
    """Makes SwiGLU 4 D wide whatever hidden_dim it is given."""

    def swiglu_width(self, dim: int, hidden_dim: int) -> int:
        return 4 * dim


@mistake("swiglu.width_shrunk", part="ffn")
class Shrunk(FeedForwardSteps):
    """Takes two thirds of hidden_dim inside the layer, although hidden_dim is the width to use."""

    def swiglu_width(self, dim: int, hidden_dim: int) -> int:
        return 2 * hidden_dim // 3


@mistake("ffn.relu_bias", part="ffn")
class ReluBias(FeedForwardSteps):
    """Leaves the default biases in the classic feed-forward layer."""

    def has_bias(self, name: str) -> bool:
        return name in ("w_1", "w_2") or super().has_bias(name)


@mistake("swiglu.bias", part="ffn")
class SwigluBias(FeedForwardSteps):
    """Leaves the default biases in the three projections of SwiGLU."""

    def has_bias(self, name: str) -> bool:
        return name in ("w_gate", "w_up", "w_down") or super().has_bias(name)


@mistake("swiglu.gate_bias", part="ffn")
class GateBias(FeedForwardSteps):
    """Leaves the default bias in w_gate."""

    def has_bias(self, name: str) -> bool:
        return name == "w_gate" or super().has_bias(name)


@mistake("swiglu.down_bias", part="ffn")
class DownBias(FeedForwardSteps):
    """Leaves the default bias in w_down."""

    def has_bias(self, name: str) -> bool:
        return name == "w_down" or super().has_bias(name)


@mistake("swiglu.branch_biases", part="ffn")
class BranchBiases(FeedForwardSteps):
    """Leaves the default biases in w_gate and w_up."""

    def has_bias(self, name: str) -> bool:
        return name in ("w_gate", "w_up") or super().has_bias(name)


@mistake("ffn.relu_first_bias", part="ffn")
class FirstBias(FeedForwardSteps):
    """Leaves the default bias in w_1."""

    def has_bias(self, name: str) -> bool:
        return name == "w_1" or super().has_bias(name)


@mistake("ffn.relu_second_bias", part="ffn")
class SecondBias(FeedForwardSteps):
    """Leaves the default bias in w_2."""

    def has_bias(self, name: str) -> bool:
        return name == "w_2" or super().has_bias(name)
