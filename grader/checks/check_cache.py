"""Sections 4.5 and 4.7: the key/value cache by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.catalogue import check

if TYPE_CHECKING:
    from grader.numerics.inputs import Inputs
    from grader.source import Oracle
    from grader.student.submission import Student


@check("cache.starts-empty", section="4.5", catches=("cache.length_counts_calls",))
def check_starts_empty(student: Student, oracle: Oracle, draw: Inputs) -> None:
    """A new KVCache has length 0, and each append adds its T tokens.

    `length` is S, the number of tokens seen so far; decoding takes its position from it.
    """
    cache = student.cache()

    lengths = [cache.length]
    for tokens in (3, 1, 2):
        cache.append(draw.normal(2, tokens, 2, 4), draw.normal(2, tokens, 2, 4))
        lengths.append(cache.length)

    oracle.whole_numbers([0, 3, 4, 6], "KVCache.length").accept(lengths)


@check(
    "cache.append-order",
    section="4.5",
    catches=("cache.cat_wrong_dim", "cache.heads_first", "cache.new_first", "cache.rounded", "cache.slot_zero_empty"),
    cases=((3, 1, 2), (1, 1, 1), (2, 2), (4,)),
)
def check_append_order(student: Student, oracle: Oracle, draw: Inputs, case: tuple[int, ...]) -> None:
    """Append returns the whole history in the order of time, bits unchanged: keys, then values.

    New tokens go behind the old ones, on the time axis of [B, S, Hkv, d].
    """
    cache = student.cache()
    k, v = draw.normal(2, sum(case), 3, 4), draw.normal(2, sum(case), 3, 4)

    keys, values = cache.append_in_chunks(k, v, case)

    oracle.exactly(k, like=k, axes="B S Hkv d", name="KVCache.append (keys)").accepts(keys)
    oracle.exactly(v, like=v, axes="B S Hkv d", name="KVCache.append (values)").accepts(values)


@check(
    "cache.shapes", section="4.7", catches=("cache.last_chunk_attributes", "cache.zero_slots"), cases=("keys", "values")
)
def check_shapes(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """The cache's keys and values are [B, S, Hkv, d], and hold what append returned.

    Inside, any layout is fine; outside it is the assignment's.
    """
    cache = student.cache()
    k, v = draw.normal(2, 5, 3, 4), draw.normal(2, 5, 3, 4)

    cache.append_in_chunks(k, v, (4, 1))
    actual = cache.keys if case == "keys" else cache.values

    expected = k if case == "keys" else v
    oracle.exactly(expected, like=expected, axes="B S Hkv d", name=f"KVCache.{case}").accepts(actual)


@check("cache.dtype", section="4.7", catches=("cache.dtype",), cases=("bf16", "fp32"))
def check_dtype(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """The cache keeps the dtype that it was given.

    A buffer that is FP32 whatever comes in doubles the memory of a bf16 cache and promotes what reads it.
    """
    cache = student.cache()
    k, v = draw.normal(2, 3, 2, 4, dtype=case), draw.normal(2, 3, 2, 4, dtype=case)

    keys, values = cache.append_in_chunks(k, v, (2, 1))

    oracle.exactly(k, like=k, axes="B S Hkv d", name="KVCache.append (keys)").has_form(keys)
    oracle.exactly(v, like=v, axes="B S Hkv d", name="KVCache.append (values)").has_form(values)


@check(
    "cache.long",
    section="4.5",
    catches=("cache.overflow", "cache.slot_stuck"),
    cases=((60, 10, 1, 1), (1,) * 70, (500, 1, 600)),
)
def check_long(student: Student, oracle: Oracle, draw: Inputs, case: tuple[int, ...]) -> None:
    """The cache takes as many tokens as come, in chunks or one by one, and loses none.

    A buffer of fixed length must grow, not wrap around or overwrite its last slots.
    """
    cache = student.cache()
    k, v = draw.normal(1, sum(case), 2, 4), draw.normal(1, sum(case), 2, 4)

    keys, values = cache.append_in_chunks(k, v, case)

    oracle.exactly(k, like=k, axes="B S Hkv d", name="KVCache.append (keys)").accepts(keys)
    oracle.exactly(v, like=v, axes="B S Hkv d", name="KVCache.append (values)").accepts(values)


@check("cache.independent", section="4.5", catches=("cache.shared_by_all",))
def check_independent(student: Student, oracle: Oracle, draw: Inputs) -> None:
    """Two caches share nothing.

    State belongs to the object: a list in the class body or a default argument is shared by all.
    """
    first, second = student.cache(), student.cache()
    k1, v1, k2, v2 = (draw.normal(2, 4, 2, 4) for _ in range(4))

    first.append(k1[:, :3], v1[:, :3])
    second.append_in_chunks(k2, v2, (1, 3))
    keys, values = first.append(k1[:, 3:], v1[:, 3:])

    oracle.exactly(k1, like=k1, axes="B S Hkv d", name="KVCache.append (keys)").accepts(keys)
    oracle.exactly(v1, like=v1, axes="B S Hkv d", name="KVCache.append (values)").accepts(values)


@check(
    "cache.earlier-results",
    section="4.5",
    catches=("cache.data_replaced", "cache.shifted_buffer"),
    cases=((3, 1), (1, 1, 1), (2, 20)),
)
def check_earlier_results(student: Student, oracle: Oracle, draw: Inputs, case: tuple[int, ...]) -> None:
    """What append returned earlier is not changed by later appends, and append does not change k and v.

    Writing new tokens over memory that was handed out changes results behind the caller's back.
    """
    cache = student.cache()
    k, v = draw.normal(2, sum(case), 2, 4), draw.normal(2, sum(case), 2, 4)
    first = case[0]

    student.keep_next()
    cache.append(k[:, :first], v[:, :first])
    student.must_not_mutate("KVCache.append")
    cache.append_in_chunks(k[:, first:], v[:, first:], case[1:])
    keys, values = student.kept()

    oracle.exactly(k[:, :first], like=k, axes="B S Hkv d", name="KVCache.append (keys, earlier)").accepts(keys)
    oracle.exactly(v[:, :first], like=v, axes="B S Hkv d", name="KVCache.append (values, earlier)").accepts(values)
