"""The solution of Assignment1, one file a section, to be read beside chapter 4.

Reading order:
    norm.py       4.1       LayerNorm and RMSNorm
    rope.py       4.4, 4.5  rotary positions
    kv_cache.py   4.5, 4.7  what decoding remembers
    attention.py  4.3, 4.7  MHA, MQA and GQA as one function; the attention layer
    ffn.py        4.6       ReLU and SwiGLU feed-forward layers
    linear.py     4.6, 4.7  the projection that those two files share
    block.py      4.2       pre-norm blocks, and the stack of them

Axes, the same letters in every docstring:
    B    batch
    T    tokens in this call
    S    tokens seen so far, the cache included
    D    model width, D = Hq * d
    Hq   query heads
    Hkv  key/value heads
    G    query heads that share one key/value head, G = Hq / Hkv
    d    head width
    F    feed-forward width

Dtypes, the same rule in every function: go up to FP32 at the top (FP64 stays FP64), come back to the input's dtype
once, in the last line.
"""
