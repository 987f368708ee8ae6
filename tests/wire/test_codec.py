"""Values survive the wire, and bytes that are no value are refused before they cost anything."""

from __future__ import annotations

import math
import pickle
import struct
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.wire import codec
from grader.wire.codec import ITEM_BYTES, Handle, ProtocolError, RawTensor, decode, encode

U32_MAX = 2**32 - 1

dtypes = st.sampled_from(sorted(ITEM_BYTES))


@st.composite
def dense_tensors(draw) -> RawTensor:
    dtype = draw(dtypes)
    shape = tuple(draw(st.lists(st.integers(0, 3), max_size=4)))
    size = math.prod(shape) * ITEM_BYTES[dtype]
    return RawTensor(dtype, shape, draw(st.binary(min_size=size, max_size=size)))


@st.composite
def strided_tensors(draw) -> RawTensor:
    dtype = draw(dtypes)
    shape = tuple(draw(st.lists(st.integers(1, 3), min_size=1, max_size=4)))
    strides = tuple(draw(st.integers(0, 4)) for _ in shape)
    offset = draw(st.integers(0, 3))
    reached = offset + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    size = (reached + 1 + draw(st.integers(0, 2))) * ITEM_BYTES[dtype]
    return RawTensor(dtype, shape, draw(st.binary(min_size=size, max_size=size)), strides, offset)


plain = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.text(),
    st.builds(Handle, st.integers(0, U32_MAX)),
)
tensors = st.one_of(dense_tensors(), strided_tensors())
values = st.recursive(
    st.one_of(plain, tensors),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=5), inner, max_size=4)),
    max_leaves=12,
)


def nested(depth: int) -> bytes:
    """A list in a list in a list, ``depth`` lists deep, around None."""
    return b"l\x01\0\0\0" * depth + b"N"


@given(values)
def test_every_value_comes_back_as_it_was(value):
    sent = encode(value)

    received = decode(sent, strided=True)

    assert received == value
    assert encode(received) == sent  # 1, 1.0 and True are equal to each other, and differ here


def test_nan_keeps_its_bits():
    (payload,) = struct.unpack("<d", struct.pack("<Q", 0x7FF8_0000_DEAD_BEEF))

    assert encode(decode(encode(payload))) == encode(payload)


def test_text_that_is_no_unicode_arrives_as_text():
    received = decode(encode("a\ud800b"))

    assert received == "a\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}b"
    received.encode("utf-8")


@pytest.mark.parametrize("value", [object(), 1j, b"bytes", (1, 2), {1}, len, range(3)])
def test_what_has_no_tag_is_not_sent(value):
    with pytest.raises(TypeError, match="no tag"):
        encode([value])


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_is_not_a_value(protocol):
    with pytest.raises(ProtocolError):
        decode(pickle.dumps({"value": [1.0]}, protocol))


@given(values, st.data())
def test_a_truncated_value_is_refused(value, data):
    sent = encode(value)
    cut = data.draw(st.integers(0, len(sent) - 1))

    with pytest.raises(ProtocolError):
        decode(sent[:cut], strided=True)


@given(values, st.binary(min_size=1, max_size=8))
def test_bytes_after_the_value_are_refused(value, rest):
    with pytest.raises(ProtocolError, match="after the value"):
        decode(encode(value) + rest, strided=True)


@settings(max_examples=500)
@given(st.binary(max_size=200), st.booleans())
def test_random_bytes_are_a_value_or_refused(data, strided):
    value = _decoded_or_none(data, strided)

    assert value is None or encode(value)


@settings(max_examples=500)
@given(values, st.booleans(), st.data())
def test_a_value_with_flipped_bits_is_a_value_or_refused(value, strided, data):
    damaged = bytearray(encode(value))
    for _ in range(data.draw(st.integers(1, 3))):
        bit = data.draw(st.integers(0, 8 * len(damaged) - 1))
        damaged[bit // 8] ^= 1 << bit % 8

    received = _decoded_or_none(bytes(damaged), strided)

    assert received is None or encode(received)


def _decoded_or_none(data: bytes, strided: bool) -> object:
    """The value; None when it was refused in the one way that callers expect."""
    try:
        return decode(data, strided=strided)
    except ProtocolError:
        return None


def _tensor_header(dims: int, size: int) -> bytes:
    return b"t" + bytes((0, dims, 0)) + struct.pack(f"<{dims}I", *(size,) * dims)


def _strided_header(dims: int, size: int, stored: int) -> bytes:
    zeros = struct.pack(f"<{dims + 1}I", *(0,) * (dims + 1))
    return b"t" + bytes((0, dims, 1)) + struct.pack(f"<{dims}I", *(size,) * dims) + zeros + struct.pack("<I", stored)


@pytest.mark.parametrize(
    "header",
    [
        pytest.param(b"s" + struct.pack("<I", U32_MAX), id="text"),
        pytest.param(b"l" + struct.pack("<I", U32_MAX), id="list"),
        pytest.param(b"m" + struct.pack("<I", U32_MAX), id="map"),
        pytest.param(b"m" + struct.pack("<II", 1, U32_MAX), id="key"),
        pytest.param(_tensor_header(1, U32_MAX), id="tensor"),
        pytest.param(_tensor_header(codec.MAX_DIMS, U32_MAX), id="tensor beyond 64 bits"),
        pytest.param(_strided_header(2, U32_MAX, U32_MAX), id="strided"),
        pytest.param(b"l\x08\0\0\0" + _tensor_header(2, 60000), id="tensor in a list"),
    ],
)
def test_an_announced_size_is_refused_before_memory_is_taken(header):
    data = header + b"\0" * 64
    tracemalloc.start()
    try:
        with pytest.raises(ProtocolError):
            decode(data, strided=True)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 1 << 20


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(b"", "1 bytes announced", id="nothing"),
        pytest.param(b"?", "unknown tag", id="tag"),
        pytest.param(nested(codec.MAX_DEPTH + 1), "too many values", id="depth"),
        pytest.param(b"l" + struct.pack("<I", codec.MAX_ITEMS + 1) + b"N" * (codec.MAX_ITEMS + 1), "items", id="items"),
        pytest.param(
            b"l\x02\0\0\0" + 2 * (b"l" + struct.pack("<I", codec.MAX_ITEMS - 9) + b"N" * (codec.MAX_ITEMS - 9)),
            "too many values",
            id="items of several lists together",
        ),
        pytest.param(
            b"s" + struct.pack("<I", codec.MAX_TEXT + 1) + b"a" * (codec.MAX_TEXT + 1), "text of", id="long text"
        ),
        pytest.param(b"t" + bytes((len(ITEM_BYTES), 0, 0)), "dtype", id="dtype"),
        pytest.param(b"t" + bytes((0, codec.MAX_DIMS + 1, 0)) + b"\0" * 36, "axes", id="axes"),
        pytest.param(b"t" + bytes((0, 0, 2)), "layout", id="layout"),
    ],
)
def test_a_refusal_says_what_is_wrong(data, reason):
    with pytest.raises(ProtocolError, match=reason):
        decode(data, strided=True)


def test_the_deepest_and_the_longest_value_are_allowed():
    longest = [None] * (codec.MAX_ITEMS - 1)

    assert encode(decode(nested(codec.MAX_DEPTH))) == nested(codec.MAX_DEPTH)
    assert decode(encode(longest)) == longest
    assert decode(encode("a" * codec.MAX_TEXT)) == "a" * codec.MAX_TEXT


@given(strided_tensors())
def test_the_verifier_takes_no_strided_tensor(tensor):
    with pytest.raises(ProtocolError, match="layout 1"):
        decode(encode(tensor))


@given(strided_tensors(), st.integers(1, 5))
def test_strides_that_leave_the_storage_are_refused(tensor, beyond):
    reached = tensor.offset + sum((n - 1) * stride for n, stride in zip(tensor.shape, tensor.strides, strict=True))
    stored = len(tensor.data) // ITEM_BYTES[tensor.dtype]
    outside = RawTensor(
        tensor.dtype, tensor.shape, tensor.data, tensor.strides, tensor.offset + stored - reached - 1 + beyond
    )

    with pytest.raises(ProtocolError, match="strides reach"):
        decode(encode(outside), strided=True)
