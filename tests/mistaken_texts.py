"""Text for the end of a module of the base submission, with one mistake in it."""

HALF_SPLIT = """
def apply_rope(x, positions, base=10000.0):
    if tuple(positions.shape) not in ((x.shape[1],), (x.shape[0], x.shape[1])):
        raise ValueError(positions.shape)
    cos, sin = rope_cos_sin(positions, x.shape[-1], base)
    a, b = x.float().chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, a * sin + b * cos), dim=-1).to(x.dtype)
"""
