"""Values as bytes: a closed, self-describing encoding with a limit on everything.

A value is one tag byte, then its body (little endian)::

    N none   T true   F false   i int64   d float64   s text   h handle (u32)
    t tensor = dtype u8 | ndim u8 | layout u8 | dims u32 * ndim
               layout 0, dense:    raw bytes in row-major order
               layout 1, strided:  offset u32 | strides u32 * ndim | count u32 of stored elements | their raw bytes
    l list   = count u32 | values            m map = count u32 | (text, value) pairs

Strided tensors travel from the verifier to the worker only, so that a student's function meets real views; the verifier
decodes with ``strided=False``. No pickle, no JSON. The decoder checks each size before it takes memory, and
raises nothing but ProtocolError.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import Union

MAX_DEPTH = 8
MAX_ITEMS = 4096
MAX_TEXT = 1 << 20
MAX_DIMS = 8
ITEM_BYTES = {
    "float32": 4,
    "bfloat16": 2,
    "float16": 2,
    "float64": 8,
    "int64": 8,
    "int32": 4,
    "bool": 1,
    "uint8": 1,
    "int16": 2,
    "int8": 1,
}
_DTYPES = tuple(ITEM_BYTES)
_CODES = {name: code for code, name in enumerate(_DTYPES)}
_U32 = struct.Struct("<I")
_U32_MAX = 2**32 - 1
_NUMBERS = [struct.Struct(f"<{count}I") for count in range(MAX_DIMS + 2)]
_TENSOR, _TEXT, _MAP, _LIST, _INT, _FLOAT, _HANDLE = b"tsmlidh"
_I64 = struct.Struct("<q")
_F64 = struct.Struct("<d")


class ProtocolError(Exception):
    """Bytes that are not a value or not a frame, or a value that is more than one may be."""


@dataclass(frozen=True)
class Handle:
    """Names an object that lives in the worker: a module, a cache, a kept result."""

    number: int


@dataclass(frozen=True)
class RawTensor:
    """A tensor as bytes. ``strides`` (in elements, with ``offset``) is None for a dense tensor."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes | memoryview
    strides: tuple[int, ...] | None = None
    offset: int = 0


Value = Union[None, bool, int, float, str, Handle, RawTensor, "list[Value]", "dict[str, Value]"]
_CONSTANTS: dict[int, Value] = {ord("N"): None, ord("T"): True, ord("F"): False}


def encode(value: Value) -> bytes:
    """Encode one value.

    Raises:
        TypeError: the format has no tag for it.
        ProtocolError: it is more than the peer takes.
    """
    writer = _Writer()
    writer.value(value, 0)
    return bytes(writer.out)


def decode(data: bytes, *, strided: bool = False) -> Value:
    """Decode one value that fills ``data`` exactly. Raises ProtocolError."""
    reader = _Reader(data, strided)
    value = reader.value(0)
    if reader.at != len(data):
        raise ProtocolError(f"{len(data) - reader.at} bytes after the value")
    return value


class _Writer:
    """Bytes so far; refuses what the peer's decoder would refuse."""

    def __init__(self) -> None:
        self.out = bytearray()
        self._items = 0

    def value(self, value: Value, depth: int) -> None:
        self._items += 1
        if depth > MAX_DEPTH or self._items > MAX_ITEMS:
            raise ProtocolError("too many values")
        if value is None:
            self.out += b"N"
        elif value is True:
            self.out += b"T"
        elif value is False:
            self.out += b"F"
        elif isinstance(value, int):
            self.out += b"i" + _I64.pack(value)
        elif isinstance(value, float):
            self.out += b"d" + _F64.pack(value)
        elif isinstance(value, str):
            self.text(b"s", value)
        elif isinstance(value, Handle):
            self.out += b"h" + _U32.pack(value.number)
        elif isinstance(value, RawTensor):
            self.tensor(value)
        elif isinstance(value, list):
            self.out += b"l" + _U32.pack(len(value))
            for item in value:
                self.value(item, depth + 1)
        elif isinstance(value, dict):
            self.out += b"m" + _U32.pack(len(value))
            for key, item in value.items():
                self.text(b"", key)
                self.value(item, depth + 1)
        else:
            raise TypeError(f"no tag for a {type(value).__name__}")

    def text(self, tag: bytes, text: str) -> None:
        raw = text.encode("utf-8", "surrogatepass")
        if len(raw) > MAX_TEXT:
            raise ProtocolError(f"text of {len(raw)} bytes, at most {MAX_TEXT} allowed")
        self.out += tag + _U32.pack(len(raw)) + raw

    def tensor(self, tensor: RawTensor) -> None:
        dims = len(tensor.shape)
        if dims > MAX_DIMS or max(tensor.shape, default=0) > _U32_MAX:
            raise ProtocolError(f"tensor with {dims} axes, the longest of {max(tensor.shape)}")
        self.out += b"t" + bytes((_CODES[tensor.dtype], dims, tensor.strides is not None))
        self.out += _NUMBERS[dims].pack(*tensor.shape)
        if tensor.strides is not None:
            self.out += _NUMBERS[1 + dims].pack(tensor.offset, *tensor.strides)
            self.out += _U32.pack(len(tensor.data) // ITEM_BYTES[tensor.dtype])
        self.out += tensor.data


class _Reader:
    """A cursor over received bytes."""

    def __init__(self, data: bytes, strided: bool) -> None:
        self._data, self._view, self._strided = data, memoryview(data), strided
        self._items = 0
        self.at = 0

    def take(self, count: int) -> int:
        """Where the next ``count`` bytes begin."""
        start = self.at
        self.at = end = start + count
        if end > len(self._data):
            raise ProtocolError(f"{count} bytes announced, {len(self._data) - start} left")
        return start

    def u32(self) -> int:
        number: int = _U32.unpack_from(self._data, self.take(4))[0]
        return number

    def value(self, depth: int) -> Value:
        self._items += 1
        if depth > MAX_DEPTH or self._items > MAX_ITEMS:
            raise ProtocolError("too many values")
        tag = self._data[self.take(1)]
        if tag == _TENSOR:
            return self.tensor()
        if tag == _TEXT:
            return self.text()
        if tag == _MAP:
            return {self.text(): self.value(depth + 1) for _ in range(self.count())}
        if tag == _LIST:
            return [self.value(depth + 1) for _ in range(self.count())]
        if tag == _INT:
            return int(_I64.unpack_from(self._data, self.take(8))[0])
        if tag == _FLOAT:
            return float(_F64.unpack_from(self._data, self.take(8))[0])
        if tag == _HANDLE:
            return Handle(self.u32())
        if tag in _CONSTANTS:
            return _CONSTANTS[tag]
        raise ProtocolError(f"unknown tag {bytes((tag,))!r}")

    def count(self) -> int:
        count = self.u32()
        if count > MAX_ITEMS:
            raise ProtocolError(f"{count} items, at most {MAX_ITEMS} allowed")
        return count

    def text(self) -> str:
        size = self.u32()
        if size > MAX_TEXT:
            raise ProtocolError(f"text of {size} bytes, at most {MAX_TEXT} allowed")
        start = self.take(size)
        return self._data[start : start + size].decode("utf-8", "replace")

    def numbers(self, count: int) -> tuple[int, ...]:
        return _NUMBERS[count].unpack_from(self._data, self.take(4 * count))

    def tensor(self) -> RawTensor:
        start = self.take(3)
        code, dims, strided = self._data[start : start + 3]
        if code >= len(_DTYPES) or dims > MAX_DIMS or strided > int(self._strided):
            raise ProtocolError(f"tensor of dtype {code}, {dims} axes, layout {strided}")
        dtype = _DTYPES[code]
        shape = self.numbers(dims)
        if not strided:
            return RawTensor(dtype, shape, self.raw(math.prod(shape), dtype))
        offset, *strides = self.numbers(1 + dims)
        stored = self.u32()
        last = offset + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
        if min(shape, default=1) == 0 or last >= stored:
            raise ProtocolError(f"strides reach element {last} of {stored}")
        return RawTensor(dtype, shape, self.raw(stored, dtype), tuple(strides), offset)

    def raw(self, elements: int, dtype: str) -> memoryview:
        size = elements * ITEM_BYTES[dtype]
        start = self.take(size)
        return self._view[start : start + size]
