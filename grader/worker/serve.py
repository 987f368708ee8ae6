"""Answer requests about the submission, one at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from grader.wire.codec import Handle, Value
from grader.worker import flags, loader
from grader.worker.failures import StudentFault, describe
from grader.worker.objects import Objects, check_arguments, to_wire
from grader.worker.objects import find as find_in_submission
from grader.worker.parameters import load_parameters, named_parameters, state

_same_bits = torch.equal  # taken before any student code can replace it
_chance = torch.default_generator

Request = dict[str, Any]


class Describe(Protocol):
    """As ``failures.describe``."""

    def __call__(self, error: BaseException, *, kind: str) -> dict[str, Value]:
        """Return the record of ``error``."""
        ...


class Server:
    """Holds the student's objects between requests.

    Requests are maps with ``op`` and the fields that the methods below read; answers are ``{"value": ..., "facts":
    ...}`` or ``{"error": ...}``. ``check`` names the graded check: objects live until another check begins.

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
        }
        self._facts: dict[str, Value] = {}
        self._last: dict[str, Tensor] = {}

    def answer(self, request: Request) -> dict[str, Value]:
        """Carry out one request; whatever the student's code raises becomes an ``error``."""
        if request.get("check", "") != self._check:
            self._check = request["check"]
            self._objects.forget_all()
            self._last, self._asked = {}, 0
        self._facts, self._asked = {}, self._asked + 1
        _chance.manual_seed(self._asked)  # what a submission leaves to chance is the same in every run
        self._before_each()
        try:
            value = self._operations[request["op"]](request)
        except BaseException as error:  # SystemExit and KeyboardInterrupt from student code included
            return {"error": self._describe(error, kind="import" if request["op"] == "import" else "raised")}
        return {"value": value, "facts": self._facts}

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
        with _mode(request.get("mode")):
            result = _invoke(function, arguments, request)
        self._facts["mutated"] = [name for name, old in before.items() if not _same_bits(old, arguments[name])]
        if request.get("keep"):
            self._facts["handle"] = self._objects.keep(result)
        return self._returned(result, request)

    def _gradients(self, request: Request) -> Value:
        """Call with ``wrt`` inputs as leaves and pull the ``cotangent`` back to them and to all parameters."""
        function, arguments = self._prepare(request)
        leaves = {name: arguments[name].clone().requires_grad_() for name in request["wrt"]}
        output = _invoke(function, {**arguments, **leaves}, request)
        if not isinstance(output, Tensor):
            return {"opaque": type(output).__name__}
        to_wire(output)  # refuses what has no values, e.g. a meta tensor, before autograd spends seconds on it
        cotangent = self._objects.from_wire(request["cotangent"])
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
        values = {name: self._objects.from_wire(value) for name, value in request["parameters"].items()}
        load_parameters(self._module(request), values)
        return None

    def _cast(self, request: Request) -> Value:
        self._module(request).to(getattr(torch, request["dtype"]))
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
        arguments = {name: self._objects.from_wire(value) for name, value in request["arguments"].items()}
        signature_of = function.forward if isinstance(function, nn.Module) else function
        check_arguments(signature_of, *_split(arguments, request))
        return function, arguments

    def _returned(self, result: Any, request: Request) -> Value:
        if request.get("construct"):
            return self._objects.keep(result)
        return to_wire(result)


def _split(arguments: dict[str, Any], request: Request) -> tuple[list[Any], dict[str, Any]]:
    """The first ``positional`` arguments go by position: the contract does not fix what a student calls them."""
    values, first = list(arguments.items()), request["positional"]
    return [value for _, value in values[:first]], dict(values[first:])


def _invoke(function: Callable[..., Any], arguments: dict[str, Any], request: Request) -> Any:
    positional, named = _split(arguments, request)
    return function(*positional, **named)


def _mode(name: str | None) -> Any:
    """The context in which the caller may run a function without changing what it returns."""
    modes: dict[str | None, Callable[[], Any]] = {
        None: torch.enable_grad,
        "inference": torch.inference_mode,
        "autocast": lambda: torch.autocast("cpu", dtype=torch.bfloat16),
    }
    return modes[name]()
