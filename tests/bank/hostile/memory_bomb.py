"""Takes memory until there is none left."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"oom"}}
NEEDS = ["limits"]


def swiglu_hidden_dim(*_):
    kept = []
    while len(kept) < 700:  # 5.6 GiB: an end, should the limit be missing
        kept.append(bytearray(b"a" * (8 << 20)))
    return len(kept)
