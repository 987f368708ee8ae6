"""Tensors survive the wire bit for bit, and views arrive as the views that they were."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.wire import tensors
from grader.wire.codec import ITEM_BYTES, ProtocolError, RawTensor, Value, decode, encode

U32_MAX = 2**32 - 1

dtypes = st.sampled_from(sorted(ITEM_BYTES))
shapes = st.lists(st.integers(0, 4), max_size=4).map(tuple)
seeds = st.integers(0, 2**31)


def random_bits(dtype: str, shape: tuple[int, ...], seed: int) -> torch.Tensor:
    """A tensor of any bits: NaN with payloads, infinities and denormals among them."""
    if dtype == "bool":
        return torch.randint(0, 2, shape, generator=torch.Generator().manual_seed(seed), dtype=torch.bool)
    size = math.prod(shape) * ITEM_BYTES[dtype]
    raw = torch.randint(0, 256, (size,), generator=torch.Generator().manual_seed(seed), dtype=torch.uint8)
    return raw.view(getattr(torch, dtype)).reshape(shape)


def same_bits(actual: torch.Tensor, expected: torch.Tensor) -> bool:
    if (actual.shape, actual.dtype) != (expected.shape, expected.dtype):
        return False
    bits = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[expected.element_size()]
    return torch.equal(actual.view(bits), expected.view(bits))


def over_the_wire(raw: RawTensor, *, strided: bool = False) -> torch.Tensor:
    received = decode(encode(raw), strided=strided)
    assert isinstance(received, RawTensor)
    return tensors.from_raw(received)


@given(dtypes, shapes, seeds)
def test_a_tensor_comes_back_bit_for_bit(dtype, shape, seed):
    sent = random_bits(dtype, shape, seed)

    received = over_the_wire(tensors.to_raw(sent))

    assert same_bits(received, sent)


@st.composite
def views(draw) -> torch.Tensor:
    """Slices, transposes and expansions of a tensor: what the checks hand to a student."""
    shape = tuple(draw(st.lists(st.integers(1, 5), min_size=2, max_size=4)))
    view = random_bits(draw(dtypes), shape, draw(seeds))
    for _ in range(draw(st.integers(1, 3))):
        axis = draw(st.integers(0, view.dim() - 1))
        kind = draw(st.sampled_from(("transpose", "slice", "step", "expand")))
        if kind == "transpose":
            view = view.transpose(axis, draw(st.integers(0, view.dim() - 1)))
        elif kind == "slice":
            start = draw(st.integers(0, view.shape[axis] - 1))
            view = view.narrow(axis, start, draw(st.integers(1, view.shape[axis] - start)))
        elif kind == "step":
            view = view[(slice(None),) * axis + (slice(None, None, 2),)]
        else:
            view = view.unsqueeze(0).expand(2, *view.shape)
    return view


@settings(max_examples=300)
@given(views())
def test_a_view_arrives_as_the_same_view(view):
    received = over_the_wire(tensors.to_raw(view, keep_strides=True), strided=True)

    assert same_bits(received, view)
    if not view.is_contiguous():
        assert (received.stride(), received.storage_offset()) == (view.stride(), view.storage_offset())


@given(views())
def test_a_view_is_sent_as_its_values_alone_unless_asked_otherwise(view):
    raw = tensors.to_raw(view)

    assert raw.strides is None
    assert len(raw.data) == view.numel() * view.element_size()
    assert same_bits(over_the_wire(raw), view)


def test_a_lone_element_between_others_is_sent():
    column = torch.tensor([[1.5, 7.0], [2.5, 8.0]], dtype=torch.bfloat16)[:1, ::2]
    assert column.is_contiguous()
    assert column.stride() == (2, 2)

    received = over_the_wire(tensors.to_raw(column))

    assert torch.equal(received, torch.tensor([[1.5]], dtype=torch.bfloat16))


@pytest.mark.parametrize("keep_strides", [True, False])
def test_a_received_tensor_shares_no_memory_with_what_was_sent(keep_strides):
    sent = torch.arange(6.0).reshape(2, 3).t()
    raw = tensors.to_raw(sent, keep_strides=keep_strides)

    first, second = tensors.from_raw(raw), tensors.from_raw(raw)
    first.zero_()

    assert torch.equal(second, sent)
    assert torch.equal(sent, torch.arange(6.0).reshape(2, 3).t())


def test_a_tensor_with_a_graph_is_sent_as_its_values():
    leaf = torch.ones(3, requires_grad=True)

    received = over_the_wire(tensors.to_raw(leaf * 2))

    assert torch.equal(received, torch.full((3,), 2.0))
    assert not received.requires_grad


@pytest.mark.parametrize("keep_strides", [True, False])
def test_a_lazily_negated_tensor_is_sent_as_its_values(keep_strides):
    values = torch.tensor([[1 + 2j, 3 - 4j], [5 + 6j, 7 - 8j]])
    negated = values.conj().imag.t()
    assert negated.is_neg()

    received = over_the_wire(tensors.to_raw(negated, keep_strides=keep_strides), strided=True)

    assert torch.equal(received, torch.tensor([[-2.0, -6.0], [4.0, 8.0]]))


@pytest.mark.parametrize(
    "tensor",
    [
        pytest.param(torch.ones(2, dtype=torch.complex64), id="complex"),
        pytest.param(torch.ones(2).to_sparse(), id="sparse"),
        pytest.param(torch.empty(2, device="meta"), id="meta"),
        pytest.param(torch.ones(2).to(torch.float8_e4m3fn), id="float8"),
    ],
)
def test_what_the_wire_does_not_carry_is_refused(tensor):
    with pytest.raises(TypeError, match="cannot be sent"):
        tensors.to_raw(tensor)


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(RawTensor("float32", (0, *(U32_MAX,) * 3), b""), id="no elements, strides beyond 64 bits"),
        pytest.param(RawTensor("float32", (U32_MAX,) * 3, b"\0" * 4, (0, 0, 0)), id="one element, seen too often"),
    ],
)
def test_a_shape_that_torch_cannot_hold_is_a_protocol_error(raw):
    with pytest.raises(ProtocolError, match="impossible tensor"):
        over_the_wire(raw, strided=True)


@settings(max_examples=300)
@given(
    st.one_of(st.binary(max_size=60), views().map(lambda view: encode(tensors.to_raw(view, keep_strides=True)))),
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), max_size=3),
)
def test_damaged_bytes_give_a_tensor_or_a_protocol_error(sent, changes):
    damaged = bytearray(b"t" + sent if sent[:1] != b"t" else sent)
    for place, value in changes:
        damaged[place % len(damaged)] = value

    try:
        value: Value = decode(bytes(damaged), strided=True)
        result = tensors.from_raw(value) if isinstance(value, RawTensor) else None
    except ProtocolError:
        result = None

    assert result is None or tuple(result.shape) == value.shape
