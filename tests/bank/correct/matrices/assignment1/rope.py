"""RoPE as the lecture writes it: x -> R_p x, R_p block diagonal with 2x2 rotations (column vectors)."""

import torch


def rope_frequencies(head_dim: int, base: float = 10000.0) -> torch.Tensor:
    """theta_r, [d/2]."""
    if head_dim < 2 or head_dim % 2 == 1:
        raise ValueError(f"head_dim = {head_dim}: expected a positive even number")
    r = torch.arange(head_dim // 2, dtype=torch.float64)
    return (base ** (-2.0 * r / head_dim)).to(torch.float32)


def rope_cos_sin(positions: torch.Tensor, head_dim: int, base: float = 10000.0) -> tuple[torch.Tensor, torch.Tensor]:
    """cos and sin of p * theta_r, each [1 or B, T, 1, d/2]."""
    if positions.dim() == 1:
        positions = positions[None, :]
    elif positions.dim() != 2:
        raise ValueError(f"positions of shape {tuple(positions.shape)}: expected [T] or [B, T]")
    theta = rope_frequencies(head_dim, base).to(positions.device)
    angle = torch.einsum("bt,r->btr", positions.to(torch.float32), theta)[:, :, None, :]
    return torch.cos(angle), torch.sin(angle)


def rotation_matrices(positions: torch.Tensor, head_dim: int, base: float = 10000.0) -> torch.Tensor:
    """R_p for each position, [1 or B, T, d, d]."""
    cos, sin = rope_cos_sin(positions, head_dim, base)
    cos, sin = cos[:, :, 0], sin[:, :, 0]
    even = torch.arange(0, head_dim, 2, device=cos.device)
    odd = even + 1
    matrix = cos.new_zeros(*cos.shape[:2], head_dim, head_dim)
    matrix[..., even, even] = cos
    matrix[..., even, odd] = -sin
    matrix[..., odd, even] = sin
    matrix[..., odd, odd] = cos
    return matrix


def apply_rope(x: torch.Tensor, positions: torch.Tensor, base: float = 10000.0) -> torch.Tensor:
    """x: [B, T, H, d] -> the same shape and dtype."""
    b, t, _, d = x.shape
    if positions.shape not in (torch.Size([t]), torch.Size([b, t])):
        raise ValueError(f"positions of shape {tuple(positions.shape)}: expected [T] = ({t},) or [B, T] = ({b}, {t})")
    rotation = rotation_matrices(positions.to(x.device), d, base)
    turned = torch.matmul(rotation.unsqueeze(2), x.to(torch.float32).unsqueeze(-1))
    return turned.squeeze(-1).to(x.dtype)
