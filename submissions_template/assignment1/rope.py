"""Sections 4.4 and 4.5: rotary positions, on adjacent pairs (0, 1), (2, 3), ..., in radians."""

from torch import Tensor


def rope_frequencies(head_dim: int, base: float = 10000.0) -> Tensor:
    """Give theta_r = base ** (-2 r / d) for r = 0 .. d/2 - 1.

    Args:
        head_dim: d.
        base: The base of the powers.

    Returns:
        [d/2], FP32.

    Raises:
        ValueError: When head_dim is odd or not positive; the message names argument, value and rule.
    """
    raise NotImplementedError("section 4.4: rope_frequencies")


def rope_cos_sin(positions: Tensor, head_dim: int, base: float = 10000.0) -> tuple[Tensor, Tensor]:
    """Give cos and sin of position * theta_r, shaped to meet [B, T, H, d/2].

    Args:
        positions: Integers, [T] (the same for all sequences) or [B, T]. Any offset, any order, up to at least 131072.
        head_dim: d.
        base: The base of the frequencies.

    Returns:
        cos and sin, FP32: each [1, T, 1, d/2] for positions [T], each [B, T, 1, d/2] for positions [B, T].
    """
    raise NotImplementedError("section 4.5: rope_cos_sin")


def apply_rope(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    """Turn each adjacent pair: (a, b) -> (a cos - b sin, a sin + b cos).

    Args:
        x: [B, T, H, d], bf16 or FP32: queries or keys.
        positions: Integers, [T] or [B, T], used as they are, on any device.
        base: The base of the frequencies.

    Returns:
        [B, T, H, d] in x's dtype, each pair back in its own place. Compute in FP32 inside and cast once, last.

    Raises:
        ValueError: When d is odd or positions are neither [T] nor [B, T]; the message names argument, value and rule.
    """
    raise NotImplementedError("section 4.4: apply_rope")
