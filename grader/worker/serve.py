"""Answer requests about the submission, one at a time."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from grader.wire.codec import Handle, Value
from grader.worker import flags, loader, placement
from grader.worker.failures import StudentFault, describe
from grader.worker.objects import Objects, check_arguments, to_wire
from grader.worker.objects import find as find_in_submission
from grader.worker.parameters import load_parameters, named_parameters, state

_same_bits = torch.equal  # taken before any student code can replace it
_chance = torch.default_generator

Request = dict[str, Any]

_CPU = (None, "cpu")


class Describe(Protocol):
    """As ``failures.describe``."""

    def __call__(self, error: BaseException, *, kind: str) -> dict[str, Value]:
        """Return the record of ``error``."""
        ...


class Server:
    """Holds the student's objects between requests.

    Requests are maps with ``op`` and the fields that the methods below read; answers are ``{"value": ...}``, with
    ``facts`` where there is something to say, or ``{"error": ...}``. ``check`` names the graded check: objects live
    until another check begins. ``device`` says where tensors and modules live, ``elsewhere`` where single arguments
    do; without it, on the CPU. ``first`` holds requests to be carried out before, up to the first error; their answers
    come as ``first`` too. ``as`` is the number under which the verifier refers to what is constructed or kept.

    Args:
        find: the student's object at ``module:name``.
        before_each: sets what each request must find.
        describe: the record of what went wrong; see ``failures.describe``.
    """

    def __init__(
        self,
        find: Callable[[str], Any] = find_in_submission,
        before_each: Callable[[], None] = flags.set_strict,
        describe: Describe = describe,
    ) -> None:
        self._find, self._before_each, self._describe = find, before_each, describe
        self._objects = Objects()
        self._check, self._asked = "", 0
        self._operations: dict[str, Callable[[Request], Value]] = {
            "load": self._load,
            "import": self._import,
            "call": self._call,
            "gradients": self._gradients,
            "get": self._get,
            "fetch": self._fetch,
            "state": self._state,
            "set": self._set,
            "arguments": self._arguments,
            "cast": self._cast,
            "move": self._move,
            "device": self._device,
        }
        self._facts: dict[str, Value] = {}
        self._last: dict[str, Tensor] = {}

    def answer(self, request: Request) -> dict[str, Value]:
        """Carry out a request; whatever the student's code raises becomes an ``error``."""
        if request.get("check", "") != self._check:
            self._check = request["check"]
            self._objects.forget_all()
            self._last, self._asked = {}, 0
        if "first" not in request:
            return self._answer(request)
        done: list[Value] = []
        for one in request["first"]:
            answer = self._answer(one)
            done.append(answer)
            if "error" in answer:
                return {"first": done}
        return {**self._answer(request), "first": done}

    def _answer(self, request: Request) -> dict[str, Value]:
        self._facts, self._asked = {}, self._asked + 1
        _chance.manual_seed(self._asked)  # what a submission leaves to chance is the same in every run
        self._before_each()
        device = request.get("device")
        try:
            if device not in _CPU:
                placement.seed(device, self._asked)
            value = self._operations[request["op"]](request)
            if device not in _CPU:
                placement.settle(device)  # what a kernel ran into belongs to the call that started it
        except BaseException as error:  # SystemExit and KeyboardInterrupt from student code included
            return {"error": self._describe(error, kind="import" if request["op"] == "import" else "raised")}
        changed = placement.changed_default()
        if changed is not None:
            self._facts["default_device"] = changed
        return {"value": value, "facts": self._facts} if self._facts else {"value": value}

    def _load(self, request: Request) -> Value:
        loader.install(request["files"])
        return None

    def _import(self, request: Request) -> Value:
        self._find(request["module"])
        return None

    def _call(self, request: Request) -> Value:
        function, arguments = self._prepare(request)
        self._last = {name: value for name, value in arguments.items() if isinstance(value, Tensor)}
        before = {name: value.clone() for name, value in self._last.items()}
        crossings = placement.Crossings() if request.get("watch") else None
        with _mode(request.get("mode"), request.get("device")), crossings or contextlib.nullcontext():
            result = _invoke(function, arguments, request)
        mutated: list[Value] = [name for name, old in before.items() if not _same_bits(old, arguments[name])]
        if mutated:
            self._facts["mutated"] = mutated
        if request.get("keep"):
            self._facts["handle"] = self._objects.keep(result, request.get("as"))
        if crossings is not None:
            self._facts |= {"copies": crossings.copies, "scalars": crossings.scalars}
        if request.get("device") is not None:
            self._facts["devices"] = placement.devices_of(result)
        return self._returned(result, request)

    def _gradients(self, request: Request) -> Value:
        """Call with ``wrt`` inputs as leaves and pull the ``cotangent`` back to them and to all parameters."""
        function, arguments = self._prepare(request)
        leaves = {name: arguments[name].clone().requires_grad_() for name in request["wrt"]}
        output = _invoke(function, {**arguments, **leaves}, request)
        if not isinstance(output, Tensor):
            return {"opaque": type(output).__name__}
        to_wire(output)  # refuses what has no values, e.g. a meta tensor, before autograd spends seconds on it
        cotangent = self._objects.from_wire(request["cotangent"]).to(output.device)
        if output.shape != cotangent.shape:  # broadcasting would give the right gradients of a wrong result
            raise StudentFault("output-shape", found=list(output.shape), shape=list(cotangent.shape))
        parameters = named_parameters(function) if isinstance(function, nn.Module) else {}
        sources = {**leaves, **parameters}
        grads: tuple[Tensor | None, ...] = (None,) * len(sources)
        if output.requires_grad:
            wanted = [value for value in sources.values() if value.requires_grad]
            # a scalar: passing the cotangent to autograd.grad would import sympy (0.3 s) for its symbolic shapes
            found = iter(torch.autograd.grad((output * cotangent).sum(), wanted, allow_unused=True))
            grads = tuple(next(found) if value.requires_grad else None for value in sources.values())
        return {name: to_wire(grad) for name, grad in zip(sources, grads, strict=True)}

    def _get(self, request: Request) -> Value:
        value = getattr(self._objects.get(request["object"]), request["name"])
        if callable(value) and not isinstance(value, Tensor):
            return {"opaque": "method"}
        return to_wire(value)

    def _fetch(self, request: Request) -> Value:
        return to_wire(self._objects.get(request["object"]))

    def _arguments(self, _: Request) -> Value:
        """The tensors of the last call as they are now: the verifier compares them with what it sent."""
        return {name: to_wire(value) for name, value in self._last.items()}

    def _state(self, request: Request) -> Value:
        return state(self._module(request))

    def _set(self, request: Request) -> Value:
        device = request.get("device")
        values = {name: self._objects.from_wire(value, device) for name, value in request["parameters"].items()}
        load_parameters(self._module(request), values)
        return None

    def _cast(self, request: Request) -> Value:
        self._module(request).to(getattr(torch, request["dtype"]))
        return None

    def _move(self, request: Request) -> Value:
        self._module(request).to(request["to"])
        return None

    def _device(self, request: Request) -> Value:
        """Make the device ready, before any student code: what goes wrong here is nobody's mistake."""
        torch.zeros(1, device=request["device"])
        return None

    def _module(self, request: Request) -> nn.Module:
        module = self._objects.get(request["object"])
        if not isinstance(module, nn.Module):
            raise StudentFault("not-a-module", name=type(module).__name__)
        return module

    def _prepare(self, request: Request) -> tuple[Callable[..., Any], dict[str, Any]]:
        target = request["target"]
        function = self._objects.get(target) if isinstance(target, Handle) else self._find(target)
        if request.get("method"):
            owner, name = function, request["method"]
            if not hasattr(owner, name):
                raise StudentFault("missing-method", name=name, owner=type(owner).__name__)
            function = getattr(owner, name)
        device, elsewhere = request.get("device"), request.get("elsewhere", {})
        arguments = {
            name: self._objects.from_wire(value, elsewhere.get(name, device))
            for name, value in request["arguments"].items()
        }
        signature_of = function.forward if isinstance(function, nn.Module) else function
        check_arguments(signature_of, *_split(arguments, request))
        return function, arguments

    def _returned(self, result: Any, request: Request) -> Value:
        if request.get("construct"):
            if request.get("device") is not None and isinstance(result, nn.Module):
                result.to(request["device"])
            return self._objects.keep(result, request.get("as"))
        return to_wire(result)


def _split(arguments: dict[str, Any], request: Request) -> tuple[list[Any], dict[str, Any]]:
    """The first ``positional`` arguments go by position: the contract does not fix what a student calls them."""
    values, first = list(arguments.items()), request["positional"]
    return [value for _, value in values[:first]], dict(values[first:])


def _invoke(function: Callable[..., Any], arguments: dict[str, Any], request: Request) -> Any:
    positional, named = _split(arguments, request)
    return function(*positional, **named)


def _mode(name: str | None, device: str | None) -> Any:
    """The context in which the caller may run a function without changing what it returns."""
    kind = "cpu" if device is None else torch.device(device).type
    modes: dict[str | None, Callable[[], Any]] = {
        None: torch.enable_grad,
        "inference": torch.inference_mode,
        "autocast": lambda: torch.autocast(kind, dtype=torch.bfloat16),
    }
    return modes[name]()
