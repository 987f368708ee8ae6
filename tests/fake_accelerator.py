"""A GPU for machines that have none: tensors whose ``device`` is ``cuda:0``, with values that are kept on the CPU.

A wrapper around a CPU tensor refuses what CUDA refuses (tensors of both devices in one operation, ``numpy()``), and
``device="cuda"`` makes such wrappers wherever tensors are made. Beneath, it is torch's ``privateuseone`` device with a
guard of its own, because a CPU build of torch has none for CUDA, and autograd asks for one.

Not here: streams and errors that come late, arithmetic of another order, ``torch.autocast("cuda")``, graphs.
``install`` changes torch for the whole process, so it is for workers only.
"""

from __future__ import annotations

import functools

import torch
from torch.utils import _device
from torch.utils._pytree import tree_leaves, tree_map
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

SHOWN = torch.device("cuda", 0)
_BENEATH = "pretend"
_ATEN = torch.ops.aten
_BETWEEN_DEVICES = {_ATEN.copy_.default, _ATEN._to_copy.default}
_INDEXING = {_ATEN.index.Tensor, _ATEN.index_put.default, _ATEN.index_put_.default, _ATEN._index_put_impl_.default}
_MADE_EMPTY_FIRST = (
    *(_ATEN.arange.default, _ATEN.arange.start, _ATEN.arange.start_step),
    *(_ATEN.linspace.default, _ATEN.logspace.default, _ATEN.eye.default, _ATEN.eye.m, _ATEN.randperm.default),
)
"""What torch makes of an empty tensor that it then resizes, which a wrapper cannot follow."""

_data = torch.Tensor.data


class OnGpu(torch.Tensor):
    """A tensor on the device; ``inner`` has its values."""

    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(
            cls,
            inner.shape,
            strides=inner.stride(),
            storage_offset=inner.storage_offset(),
            dtype=inner.dtype,
            device=torch.device(_BENEATH, 0),
        )

    def __init__(self, inner):
        self.inner = inner

    device = property(lambda self: SHOWN)
    is_cuda = property(lambda self: True)

    @property
    def data(self):
        return _data.__get__(self)

    @data.setter
    def data(self, value):
        if not isinstance(value, OnGpu):
            raise RuntimeError("incompatible tensor type")
        _data.__set__(self, value)
        self.inner = value.inner

    def get_device(self):
        return 0

    def as_subclass(self, _):  # the worker reads values of the plain type
        return self.inner

    def tolist(self):
        return self.cpu().tolist()

    def numpy(self, *_, **__):
        raise TypeError(
            f"can't convert {SHOWN} device type tensor to numpy."
            " Use Tensor.cpu() to copy the tensor to host memory first."
        )

    def __array__(self, *_, **__):
        return self.numpy()

    def new_tensor(self, data, *, dtype=None, device=None):
        return torch.tensor(data, dtype=dtype or self.dtype, device=device or SHOWN)

    @classmethod
    def __torch_dispatch__(cls, operation, types, args=(), kwargs=None):
        return _run(operation, args, kwargs or {})


def _run(operation, args, kwargs):
    """Carry out an operation on the values, and wrap what comes out where the device's memory would hold it."""
    tensors = [value for value in tree_leaves((args, kwargs)) if isinstance(value, torch.Tensor)]
    on_gpu = [value for value in tensors if isinstance(value, OnGpu)]
    if operation not in _BETWEEN_DEVICES and on_gpu:
        indexes_gpu = operation in _INDEXING and isinstance(args[0], OnGpu)
        if not indexes_gpu and any(not isinstance(value, OnGpu) and value.dim() for value in tensors):
            raise RuntimeError(
                f"Expected all tensors to be on the same device, but found at least two devices, {SHOWN} and cpu!"
            )
    device = kwargs.get("device")
    if device is not None:
        goes_to_gpu, kwargs = torch.device(device).type != "cpu", {**kwargs, "device": "cpu"}
    else:
        goes_to_gpu = isinstance(args[0], OnGpu) if operation is _ATEN.copy_.default else bool(on_gpu)
    if "pin_memory" in kwargs:
        kwargs = {**kwargs, "pin_memory": False}
    args, kwargs = tree_map(lambda value: value.inner if isinstance(value, OnGpu) else value, (args, kwargs))
    result = operation(*args, **kwargs)
    if not goes_to_gpu:
        return result
    known = {id(value.inner): value for value in on_gpu}  # what was changed in place stays the tensor that it was

    def wrapped(value):
        if not isinstance(value, torch.Tensor):
            return value
        if id(value) in known:
            return known[id(value)]
        return OnGpu(value.resolve_conj().resolve_neg())  # a wrapper cannot say that it is a conjugate

    with torch.inference_mode(False):  # a view of an ordinary tensor is one too
        return tree_map(wrapped, result)


def _make(operation, *args, **kwargs):
    return _run(operation, args, kwargs)


class _Driver:
    """What torch asks of a device's module."""

    is_initialized = is_available = staticmethod(lambda: True)
    current_device = staticmethod(lambda: 0)
    device_count = staticmethod(lambda: 1)
    _is_in_bad_fork = staticmethod(lambda: False)
    manual_seed_all = synchronize = staticmethod(lambda *_: None)
    get_amp_supported_dtype = staticmethod(lambda: [torch.bfloat16, torch.float16])


def install() -> None:
    """From here on this process has one GPU. There is no way back."""
    _setup_privateuseone_for_python_backend(_BENEATH, backend_module=_Driver())
    everything, operations = torch.library.Library("_", "IMPL"), torch.library.Library("aten", "IMPL")
    install.libraries = (everything, operations)  # what they register lasts as long as they do
    for key in ("PrivateUse1", "CUDA"):
        everything.fallback(_make, key)
        for operation in _MADE_EMPTY_FIRST:
            operations.impl(operation, functools.partial(_make, operation), key)
    cuda = torch.cuda
    cuda._lazy_init = lambda: None
    cuda.is_available, cuda.is_initialized = lambda: True, lambda: True
    cuda.device_count = lambda: 1
    cuda.current_device = lambda: 0
    cuda.synchronize, cuda.manual_seed_all = lambda *_: None, lambda *_: None
    torch.Tensor.to = _with_number(torch.Tensor.to)
    torch.Tensor.cuda = lambda self, *_, **__: self.to(SHOWN)
    torch.nn.Module.cuda = lambda self, *_: self.to(SHOWN)
    for name in ("tensor", "as_tensor"):
        setattr(torch, name, _made_then_moved(getattr(torch, name)))
    _device._device_constructors.cache_clear()


def _with_number(to):
    """``Tensor.to``, which would ask CUDA itself for the number of ``cuda``."""

    def numbered(value):
        is_device = isinstance(value, (str, torch.device)) and torch.device(value) == torch.device("cuda")
        return SHOWN if is_device else value

    @functools.wraps(to)
    def moved(self, *args, **kwargs):
        return to(self, *map(numbered, args), **{name: numbered(value) for name, value in kwargs.items()})

    return moved


def _made_then_moved(make):
    """``torch.tensor`` and the like fill memory themselves, past every dispatcher."""

    @functools.wraps(make)
    def made(data, *args, device=None, **kwargs):
        if isinstance(data, OnGpu) or (device is None and isinstance(data, torch.Tensor)):
            moved = data.detach().clone() if make.__name__ == "tensor" else data
            return moved.to(device=device or moved.device, **kwargs)
        wanted = device if device is not None else _device.CURRENT_DEVICE
        on_cpu = make(data, *args, device="cpu", **kwargs)
        return on_cpu if wanted is None else on_cpu.to(wanted)

    return made
