"""Forms the angles with a matrix product, which torch.autocast runs in bf16."""

FAULT = "rope.angle_by_matmul"
MUTATES = "assignment1/rope.py"
KILLED_BY = set()

from .rope import rope_frequencies


def rope_cos_sin(positions, head_dim, base=10000.0):
    if positions.ndim not in (1, 2):
        raise ValueError(f"positions must have shape [T] or [B, T], got {list(positions.shape)}")
    theta = rope_frequencies(head_dim, base).to(positions.device)
    rows = positions.float() if positions.ndim == 2 else positions.float().unsqueeze(0)
    angle = (rows.unsqueeze(-1) @ theta.unsqueeze(0)).unsqueeze(2)  # [1 or B, T, 1, d/2]
    return angle.float().cos(), angle.float().sin()
