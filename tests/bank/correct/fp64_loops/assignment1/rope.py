import math

import torch


def exact_frequencies(head_dim, base):
    # python floats are doubles
    if head_dim <= 0:
        raise ValueError(f"head_dim should be positive but it is {head_dim}")
    if head_dim % 2 != 0:
        raise ValueError(f"head_dim should be even (RoPE works on pairs) but it is {head_dim}")
    thetas = []
    for r in range(head_dim // 2):
        thetas.append(math.pow(base, -2 * r / head_dim))
    return thetas


def rope_frequencies(head_dim, base=10000.0):
    return torch.tensor(exact_frequencies(head_dim, base), dtype=torch.float32)


def rope_cos_sin(positions, head_dim, base=10000.0):
    thetas = exact_frequencies(head_dim, base)
    if positions.dim() == 1:
        p = positions.reshape(1, -1, 1)
    elif positions.dim() == 2:
        p = positions.unsqueeze(-1)
    else:
        raise ValueError(f"positions should have 1 or 2 dimensions but the shape is {tuple(positions.shape)}")
    p = p.double()
    cos_list = []
    sin_list = []
    for theta in thetas:
        cos_list.append(torch.cos(p * theta))
        sin_list.append(torch.sin(p * theta))
    cos = torch.stack(cos_list, dim=-1)
    sin = torch.stack(sin_list, dim=-1)
    return cos.float(), sin.float()


def apply_rope(x, positions, base=10000.0):
    positions = positions.to(x.device)
    B, T, _, d = x.shape
    thetas = exact_frequencies(d, base)
    if positions.dim() == 1 and positions.shape[0] == T:
        p = positions.reshape(1, T, 1)
    elif positions.dim() == 2 and positions.shape[0] == B and positions.shape[1] == T:
        p = positions.reshape(B, T, 1)
    else:
        raise ValueError(f"positions should have shape ({T},) or ({B}, {T}) but the shape is {tuple(positions.shape)}")
    p = p.double()
    x64 = x.double()
    columns = []
    for r in range(d // 2):
        a = x64[:, :, :, 2 * r]
        b = x64[:, :, :, 2 * r + 1]
        c = torch.cos(p * thetas[r])
        s = torch.sin(p * thetas[r])
        columns.append(a * c - b * s)
        columns.append(a * s + b * c)
    return torch.stack(columns, dim=-1).to(x.dtype)
