"""Sections 4.5 and 4.7: the attention module with a cache: prefill, chunks, and one token at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.catalogue import check

if TYPE_CHECKING:
    from grader.numerics.inputs import Inputs
    from grader.source import Oracle
    from grader.student.submission import Student

SIZES = {"dim": 32, "n_heads": 4, "n_kv_heads": 2}
NAME = "GroupedQueryAttention"


@check(
    "gqa.decode-continues",
    section="4.5",
    catches=("cache.decode_pos_off_by_one", "cache.decode_pos_zero"),
    cases=((4, 1, 1, 1), (1, 1, 1), (5, 1)),
)
def check_decode_continues(student: Student, oracle: Oracle, draw: Inputs, case: tuple[int, ...]) -> None:
    """When decoding, a new token's position continues at the history's length.

    After a prompt of 4 tokens (positions 0..3) the next token stands at 4 (not at 0, not at 5), the one
    after it at 5, and so on.
    Every step must give what the whole sequence at once gives for that token.
    """
    spec = draw.module(NAME, SIZES, gain=2.0)
    x = draw.normal(2, sum(case), 32)

    actual = student.build(spec).in_chunks(x, case, student.cache())

    oracle.module(spec, x).accepts(actual)


@check(
    "gqa.chunked",
    section="4.5",
    catches=("cache.double_rotation", "gqa.chunk_unmasked"),
    cases=((7,), (3, 4), (2, 1, 4), (1, 6)),
)
def check_chunked(student: Student, oracle: Oracle, draw: Inputs, case: tuple[int, ...]) -> None:
    """The whole prompt at once, in chunks, or token by token gives the same answers.

    Inside a chunk token i stands at history + i and sees the history and the chunk up to itself.
    """
    spec = draw.module(NAME, SIZES, gain=2.0)
    x = draw.normal(2, sum(case), 32)

    actual = student.build(spec).in_chunks(x, case, student.cache())

    oracle.module(spec, x).accepts(actual)


@check(
    "gqa.cache-rotated-once",
    section="4.5",
    catches=("cache.double_rotation", "gqa.cache_unrotated", "gqa.default_from_one"),
    cases=((4, 1, 1), (1, 1, 1, 1)),
)
def check_cache_rotated_once(student: Student, oracle: Oracle, draw: Inputs, case: tuple[int, ...]) -> None:
    """The cache holds keys that were rotated once, when they came in, and are never rotated again.

    k at position n is stored as R_n k. Rotating the history once more gives R_n R_n k = R_2n k, and so on with
    every step; the key at position 0 hides that, the others do not.
    """
    spec = draw.module(NAME, SIZES)
    x, cache = draw.normal(2, sum(case), 32), student.cache()

    student.build(spec).in_chunks(x, case, cache)
    keys = cache.keys

    oracle.cached(spec, x, draw.arange(0, sum(case))).keys.accepts(keys)


@check("gqa.cache-values", section="4.5", catches=("gqa.v_rotated",))
def check_cache_values(student: Student, oracle: Oracle, draw: Inputs) -> None:
    """The cache holds values as w_v projects them: V is never rotated.

    Position enters by Q and K only.
    """
    spec = draw.module(NAME, SIZES)
    x, cache = draw.normal(2, 6, 32), student.cache()

    student.build(spec).in_chunks(x, (3, 1, 2), cache)
    values = cache.values

    oracle.cached(spec, x, draw.arange(0, 6)).values.accepts(values)


@check("gqa.cache-heads", section="4.7", catches=("cache.stores_repeated",), cases=((4, 2), (4, 1), (4, 4)))
def check_cache_heads(student: Student, oracle: Oracle, draw: Inputs, case: tuple[int, int]) -> None:
    """The cache holds Hkv heads, not repeated: its shape and its bytes say so.

    Hq = 4, Hkv = 2: keys are [B, S, 2, d]. Repeated to Hq heads the cache would be Hq / Hkv times as large, and the
    saving that GQA is for would be gone.
    """
    spec = draw.module(NAME, {"dim": 32, "n_heads": case[0], "n_kv_heads": case[1]})
    x, cache = draw.normal(2, 5, 32), student.cache()

    student.build(spec).in_chunks(x, (4, 1), cache)
    keys, values = cache.keys, cache.values

    expected = oracle.cached(spec, x, draw.arange(0, 5))
    expected.keys.has_form(keys)
    expected.values.has_form(values)
    oracle.kv_cache_bytes(2, 5, 1, case[1], 8, 4).accept([keys.nbytes + values.nbytes])


@check(
    "gqa.cache-positions",
    section="4.5",
    catches=("gqa.given_ignored_with_cache",),
    cases=("left padded", "offset", "shared"),
)
def check_cache_positions(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """With a cache, given positions are used too: rows at different offsets, left padding, a late start.

    The history's length is only the default for positions=None.
    """
    spec = draw.module(NAME, SIZES, gain=2.0)
    x, cache = draw.normal(2, 6, 32), student.cache()
    positions = {
        "left padded": draw.rows((0, 0, 0, 1, 2, 3), (0, 1, 2, 3, 4, 5)),
        "offset": draw.rows((7, 8, 9, 10, 11, 12), (0, 2, 4, 6, 8, 40)),
        "shared": draw.positions(3, 9, 11, 30, 31, 90),
    }[case]

    actual = student.build(spec).in_chunks(x, (4, 1, 1), cache, positions=positions)

    oracle.module(spec, x, positions=positions).accepts(actual)


@check("gqa.two-caches", section="4.5", catches=("gqa.module_counter",))
def check_two_caches(student: Student, oracle: Oracle, draw: Inputs) -> None:
    """Two sequences decoded in turn with a cache each do not mix.

    The module holds no history of its own: position and keys come from the cache that is passed.
    """
    spec = draw.module(NAME, SIZES, gain=2.0)
    first, second = draw.normal(2, 5, 32), draw.normal(2, 6, 32)
    module, cache_1, cache_2 = student.build(spec), student.cache(), student.cache()

    module(first[:, :4], cache=cache_1)
    actual_2 = module.in_chunks(second, (3, 1, 2), cache_2)
    actual_1 = module(first[:, 4:], cache=cache_1)

    oracle.module(spec, second).accepts(actual_2)
    oracle.module(spec, first).tokens(4, 5).accepts(actual_1)
