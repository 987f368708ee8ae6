"""Ways to attend: LEGAL_CORES, MISTAKEN_CORES, and a decoding layer whose steps a mistake can replace.

A core takes q ``[B, T, Hq, d]``, k and v ``[B, S, Hkv, d]``, lets query i see keys 0 .. S - T + i, and returns
``[B, T, Hq, d]`` in q's dtype.
"""

import math

import torch
from numerics.rope_mistakes import ROUNDED
from numerics.rope_programs import LEGAL
from torch.nn.functional import linear, scaled_dot_product_attention


def hidden(tokens, seen, shift=0):
    """``[T, S]``, True where query i must not see key j; ``shift`` moves the diagonal to later keys."""
    return torch.ones(tokens, seen, dtype=torch.bool).triu(seen - tokens + 1 + shift)


def spread(x, groups):
    """``[B, S, Hkv, d]`` -> ``[B, Hq, S, d]``; a query head's own copy of its key/value head."""
    return x.transpose(1, 2).repeat_interleave(groups, dim=1)


def manual(q, k, v, *, scale=None, mask=None, inside=None, softmax_in=None, masked=-math.inf, key=spread, value=spread):
    """Attention by hand.

    Args:
        inside: dtype of everything; None is q's.
        softmax_in: dtype of the softmax; None is that of the scores.
    """
    groups, dtype = q.shape[2] // k.shape[2], inside or q.dtype
    rows, keys, values = q.transpose(1, 2).to(dtype), key(k, groups).to(dtype), value(v, groups).to(dtype)
    scores = rows @ keys.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    scores = scores.masked_fill(hidden(q.shape[1], k.shape[1]) if mask is None else mask, masked)
    weights = torch.softmax(scores, dim=-1, dtype=softmax_in).to(dtype)
    return (weights @ values).transpose(1, 2).to(q.dtype)


def scaled_query(q, k, v):
    return manual(q / math.sqrt(q.shape[-1]), k, v, scale=1.0)


def finite_mask_and_expand(q, k, v):
    def expanded(x, groups):
        return x.transpose(1, 2)[:, :, None].expand(-1, -1, groups, -1, -1).flatten(1, 2)

    return manual(q, k, v, masked=-1e9, key=expanded, value=expanded)


def grouped_einsum(q, k, v):
    rows = q.unflatten(2, (k.shape[2], -1))  # [B, T, Hkv, G, d]
    scores = torch.einsum("btkgd,bskd->bkgts", rows, k) / math.sqrt(q.shape[-1])
    weights = torch.softmax(scores.masked_fill(hidden(q.shape[1], k.shape[1]), -math.inf), dim=-1)
    return torch.einsum("bkgts,bskd->btkgd", weights, v).flatten(2, 3)


def sdpa(q, k, v, *, additive=False):
    groups, mask = q.shape[2] // k.shape[2], hidden(q.shape[1], k.shape[1])
    mask = torch.zeros(mask.shape, dtype=q.dtype).masked_fill(mask, -math.inf) if additive else ~mask
    rows = q.transpose(1, 2)
    return scaled_dot_product_attention(rows, spread(k, groups), spread(v, groups), attn_mask=mask).transpose(1, 2)


def exponentials_over_their_sum(q, k, v):
    groups = q.shape[2] // k.shape[2]
    scores = (q.transpose(1, 2) @ spread(k, groups).mT).float() / math.sqrt(q.shape[-1])
    scores = scores.masked_fill(hidden(q.shape[1], k.shape[1]), -math.inf)
    weights = torch.exp(scores - scores.amax(-1, keepdim=True))
    mixed = (weights.to(q.dtype) @ spread(v, groups)).float() / weights.sum(-1, keepdim=True)
    return mixed.to(q.dtype).transpose(1, 2)


def online_softmax(q, k, v, block=3):
    """Keys in blocks, with a running maximum and sum in FP32, as flash attention does."""
    groups, mask = q.shape[2] // k.shape[2], hidden(q.shape[1], k.shape[1])
    rows, keys, values = q.transpose(1, 2).float(), spread(k, groups), spread(v, groups)
    top = torch.full((*rows.shape[:3], 1), -1e30)
    total, mixed = torch.zeros_like(top), torch.zeros_like(rows)
    for start in range(0, k.shape[1], block):
        part = slice(start, start + block)
        scores = rows @ keys[:, :, part].float().mT / math.sqrt(q.shape[-1])
        scores = scores.masked_fill(mask[:, part], -math.inf)
        higher = torch.maximum(top, scores.amax(-1, keepdim=True))
        shrink, weights = torch.exp(top - higher), torch.exp(scores - higher)
        total = total * shrink + weights.sum(-1, keepdim=True)
        mixed = mixed * shrink + (weights.to(q.dtype) @ values[:, :, part]).float()
        top = higher
    return (mixed / total).to(q.dtype).transpose(1, 2)


LEGAL_CORES = {
    "by hand": manual,
    "softmax in FP32": lambda q, k, v: manual(q, k, v, softmax_in=torch.float32),
    "all in FP32": lambda q, k, v: manual(q, k, v, inside=torch.float32),
    "all in FP64": lambda q, k, v: manual(q, k, v, inside=torch.float64),
    "scaled query": scaled_query,
    "finite mask, expand": finite_mask_and_expand,
    "grouped einsum": grouped_einsum,
    "sdpa": sdpa,
    "sdpa, additive mask": lambda q, k, v: sdpa(q, k, v, additive=True),
    "exponentials over their sum": exponentials_over_their_sum,
    "online softmax": online_softmax,
}


def tiled(x, groups):
    return x.transpose(1, 2).repeat(1, groups, 1, 1)


def first_head(x, groups):
    return x.transpose(1, 2)[:, :1].expand(-1, groups * x.shape[2], -1, -1)


def softmax_over_queries(q, k, v):
    groups = q.shape[2] // k.shape[2]
    scores = q.transpose(1, 2) @ spread(k, groups).mT / math.sqrt(q.shape[-1])
    scores = scores.masked_fill(hidden(q.shape[1], k.shape[1]), -1e4)
    return (torch.softmax(scores, dim=-2) @ spread(v, groups)).transpose(1, 2)


def top_left(q, k, v):
    return manual(q, k, v, mask=torch.ones(q.shape[1], k.shape[1], dtype=torch.bool).triu(1))


def window_of_four(q, k, v):
    sizes = q.shape[1], k.shape[1]
    return manual(q, k, v, mask=hidden(*sizes) | ~hidden(*sizes, shift=-4))


def shifted(shift):
    return lambda q, k, v: manual(q, k, v, mask=hidden(q.shape[1], k.shape[1], shift))


MISTAKEN_CORES = {
    "tiled heads": lambda q, k, v: manual(q, k, v, key=tiled, value=tiled),
    "tiled values": lambda q, k, v: manual(q, k, v, value=tiled),
    "first head for all": lambda q, k, v: manual(q, k, v, key=first_head, value=first_head),
    "no scale": lambda q, k, v: manual(q, k, v, scale=1.0),
    "scaled twice": lambda q, k, v: manual(q, k, v, scale=1 / q.shape[-1]),
    "no mask": lambda q, k, v: manual(q, k, v, mask=torch.zeros(q.shape[1], k.shape[1], dtype=torch.bool)),
    "does not see itself": shifted(-1),
    "sees the next": shifted(1),
    "mask at the top left": top_left,
    "softmax over queries": softmax_over_queries,
    "masked by 0": lambda q, k, v: manual(q, k, v, masked=0.0),
    "keys and values exchanged": lambda q, k, v: manual(q, v, k),
}


def turn(x, positions, program=LEGAL["theta: negative power"]):
    return program(x, positions).to(x.dtype)


class Decoder:
    """A right attention layer that decodes in chunks; a mistake replaces one of its steps.

    Args:
        spec: of ``GroupedQueryAttention``.
        core: what attends.
        first: the first token's position.
    """

    def __init__(self, spec, core=manual, first=0):
        self.weights, self.n_heads, self.n_kv_heads = spec.weights, spec["n_heads"], spec["n_kv_heads"]
        self.core, self.first = core, first

    def positions(self, seen, tokens):
        return torch.arange(seen, seen + tokens)

    def turn_query(self, q, positions):
        return turn(q, positions)

    def turn_key(self, k, positions):
        return turn(k, positions)

    def turn_value(self, v, positions):
        return v

    def kept(self, old, new):
        return torch.cat((old, new), dim=1)

    def kept_values(self, old, new):
        return self.kept(old, new)

    def old_keys(self, keys):
        return keys

    def keys_to_read(self, keys):
        return keys

    def attend(self, q, k, v):
        return self.core(q, k, v)

    def __call__(self, x, chunks):
        """``x [B, T, D]`` -> ``[B, T, D]``."""
        keys, values, outputs, seen = None, None, [], 0
        for part in x.split(list(chunks), dim=1):
            q, k, v = (linear(part, self.weights[f"w_{name}.weight"]) for name in "qkv")
            q = q.unflatten(-1, (self.n_heads, -1))
            k, v = (y.unflatten(-1, (self.n_kv_heads, -1)) for y in (k, v))
            at = self.positions(seen, part.shape[1]) + self.first
            q, k, v = self.turn_query(q, at), self.turn_key(k, at), self.turn_value(v, at)
            keys = k if keys is None else self.kept(self.old_keys(keys), k)
            values = v if values is None else self.kept_values(values, v)
            mixed = self.attend(q, self.keys_to_read(keys), values)
            outputs.append(linear(mixed.flatten(2), self.weights["w_o.weight"]))
            seen += part.shape[1]
        return torch.cat(outputs, dim=1)

    def from_start(self, keys):
        """The positions of a whole history."""
        return self.first + torch.arange(keys.shape[1])


def mistaken(**steps):
    return type("Mistaken", (Decoder,), steps)


def low_precision_turn(self, x, positions):
    return turn(x, positions, ROUNDED["tables in bf16"])


MISTAKEN_DECODERS = {
    "positions from 0 again": mistaken(positions=lambda self, seen, tokens: torch.arange(tokens)),
    "positions one late": mistaken(positions=lambda self, seen, tokens: torch.arange(tokens) + seen + min(seen, 1)),
    "positions one early": mistaken(positions=lambda self, seen, tokens: torch.arange(tokens) + seen - min(seen, 1)),
    "a chunk at one position": mistaken(positions=lambda self, seen, tokens: torch.full((tokens,), seen)),
    "keys not turned": mistaken(turn_key=lambda self, k, at: k),
    "queries not turned": mistaken(turn_query=lambda self, q, at: q),
    "values turned": mistaken(turn_value=lambda self, v, at: turn(v, at)),
    "new keys turned twice": mistaken(turn_key=lambda self, k, at: turn(turn(k, at), at)),
    "old keys turned again": mistaken(old_keys=lambda self, keys: turn(keys, self.from_start(keys))),
    "all keys turned when read": mistaken(keys_to_read=lambda self, keys: turn(keys, self.from_start(keys))),
    "new tokens in front": mistaken(kept=lambda self, old, new: torch.cat((new, old), dim=1)),
    "last token overwritten": mistaken(kept=lambda self, old, new: torch.cat((old[:, :-1], new), dim=1)),
    "values of the last step": mistaken(
        kept_values=lambda self, old, new: torch.cat((old, old[:, -1:].expand(-1, new.shape[1], -1, -1)), dim=1)
    ),
    "mask at the top left": mistaken(attend=lambda self, q, k, v: top_left(q, k, v)),
    "no mask": mistaken(attend=lambda self, q, k, v: MISTAKEN_CORES["no mask"](q, k, v)),
    "window of four": mistaken(attend=lambda self, q, k, v: window_of_four(q, k, v)),
    "new token not seen": mistaken(attend=lambda self, q, k, v: shifted(-(k.shape[1] > q.shape[1]))(q, k, v)),
    "tables in bf16": mistaken(turn_query=low_precision_turn, turn_key=low_precision_turn),
}
