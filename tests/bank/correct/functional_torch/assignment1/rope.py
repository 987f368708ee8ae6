import torch


def rope_frequencies(head_dim, base=10000.0):
    """theta_r = base ** (-2 r / d), [d/2], FP32."""
    if head_dim <= 0:
        raise ValueError(f"head_dim must be positive, got {head_dim}")
    if head_dim % 2 == 1:
        raise ValueError(f"head_dim must be even, got {head_dim}")
    return torch.float_power(base, -torch.arange(0, head_dim, 2) / torch.tensor(head_dim).double()).float()


@torch.no_grad()
def cos_sin_from(positions, inv_freq):
    """The tables are constants, no gradient goes through them."""
    if positions.ndim == 1:
        positions = positions.unsqueeze(0)
    elif positions.ndim != 2:
        raise ValueError(f"positions must be [T] or [B, T], got {tuple(positions.shape)}")
    angle = torch.einsum("bt,r->btr", positions.float(), inv_freq.to(positions.device)).unsqueeze(2)
    return torch.cos(angle), torch.sin(angle)


def rope_cos_sin(positions, head_dim, base=10000.0):
    return cos_sin_from(positions, rope_frequencies(head_dim, base))


def rotate_pairs(x, positions, inv_freq):
    batch, seq = x.shape[0], x.shape[1]
    if positions.shape not in {(seq,), (batch, seq)}:
        raise ValueError(f"positions must be ({seq},) or ({batch}, {seq}) for this x, got {tuple(positions.shape)}")
    cos, sin = cos_sin_from(positions.to(x.device), inv_freq)
    cos = torch.repeat_interleave(cos, 2, dim=-1)
    sin = torch.repeat_interleave(sin, 2, dim=-1)
    h = x.float()
    a, b = h.unflatten(-1, (-1, 2)).unbind(-1)
    quarter_turn = torch.stack([-b, a], dim=-1).flatten(start_dim=-2)
    return (h * cos + quarter_turn * sin).to(dtype=x.dtype)


def apply_rope(x, positions, base=10000.0):
    return rotate_pairs(x, positions, rope_frequencies(x.shape[-1], base))
