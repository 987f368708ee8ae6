"""Takes memory that a limit on the heap does not count."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error", "oom", "timeout"}}
NEEDS = ["limits"]

import mmap


def swiglu_hidden_dim(*_):
    kept = []
    while len(kept) < 90:  # 5.6 GiB
        kept.append(mmap.mmap(-1, 64 << 20))
        kept[-1].write(b"a" * (64 << 20))
    return len(kept)
