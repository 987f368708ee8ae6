"""How a call of the submission travels: requests to the worker, answers to tensors or to the student's faults."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor

from grader import contract
from grader.errors import CheckFailure
from grader.run_state import RunState
from grader.student.carried import same_bytes, tensors_of, to_wire
from grader.student.line import Line, no_answer
from grader.student.places import Places
from grader.student.refusal import Refusal
from grader.transcript import Transcript
from grader.wire import tensors
from grader.wire.codec import Handle, ProtocolError, RawTensor, Value


class Calls:
    """Asks the submission for one case of a check, and turns answers into values.

    Constructing a class, loading weights and casting are asked with the next call: what goes wrong in them is raised
    there, or by ``settle``.

    Args:
        run: the live worker, and what is known of the submission from earlier checks.
        transcript: see Line.

    Attributes:
        places: where tensors live.
    """

    def __init__(self, run: RunState, transcript: Transcript | None = None) -> None:
        self._run, self._line = run, Line(run, Transcript() if transcript is None else transcript)
        self.places = Places.of(run.device)
        self._sent: Mapping[str, Value] = {}
        self._keep: Handle | None = None
        self._kept: Handle | None = None

    # -- calls that return what the contract names ------------------------------------------------------------

    def tensor(self, name: str, arguments: Mapping[str, Any], positional: int = 1, **options: Any) -> Tensor:
        """Call and require one tensor."""
        return self._as_tensor(self._call(name, arguments, positional, **options), name)

    def tensor_each(
        self, name: str, arguments: Sequence[Mapping[str, Any]], positional: int, **options: Any
    ) -> list[Tensor]:
        """Call once for each of these arguments, and require one tensor each time."""
        return [self._as_tensor(value, name) for value in self._call_each(name, arguments, positional, **options)]

    def pair(self, name: str, arguments: Mapping[str, Any], positional: int, **options: Any) -> tuple[Tensor, Tensor]:
        """Call and require two tensors."""
        return self._as_pair(self._call(name, arguments, positional, **options), _shown(name, options))

    def pair_each(
        self, name: str, arguments: Sequence[Mapping[str, Any]], positional: int, **options: Any
    ) -> list[tuple[Tensor, Tensor]]:
        """Call once for each of these arguments, and require two tensors each time."""
        values = self._call_each(name, arguments, positional, **options)
        return [self._as_pair(value, _shown(name, options)) for value in values]

    def integer(self, name: str, arguments: Mapping[str, Any]) -> int:
        """Call and require an int."""
        value = self._call(name, arguments, len(arguments))
        if not isinstance(value, int) or isinstance(value, bool):
            raise CheckFailure("result.not-an-integer", name=name, actual=self.kind_of(value))
        return value

    def construct(self, name: str, arguments: Mapping[str, Any]) -> Handle:
        """Construct a class; required arguments go by position, optional ones by the contract's names."""
        ordered, positional = _constructor(arguments)
        self._line.need(name, self.places)
        handle = self._line.new_handle()
        options = {"construct": True, "as": handle.number}
        self._line.post(self._request(name, ordered, positional, **options), name, self.places)
        return handle

    def refusal(self, name: str, arguments: Mapping[str, Any], positional: int) -> Refusal:
        """Call with forbidden arguments."""
        self._line.need(name, self.places)
        if name[0].isupper():
            arguments, positional = _constructor(arguments)
        request = self._request(name, arguments, positional, construct=name[0].isupper())
        error = self._line.ask_for_refusal(request, name, self.places)
        if error is None:
            return Refusal(None, False, "")
        return Refusal(str(error.get("type")), error.get("is_value_error") is True, str(error.get("message", "")))

    def gradients(
        self,
        name: str,
        arguments: Mapping[str, Any],
        wrt: list[str],
        cotangent: Tensor,
        *,
        positional: int,
        target: Handle | None = None,
    ) -> dict[str, Tensor | None]:
        """Gradients by name; None where none flows."""
        value = self._call(
            name, arguments, positional, op="gradients", target=target, wrt=list(wrt), cotangent=to_wire(cotangent)
        )
        if not isinstance(value, dict) or "opaque" in value:
            raise CheckFailure("result.not-a-tensor", name=name, actual=self.kind_of(value))
        return {key: None if grad is None else self._as_tensor(grad, name) for key, grad in value.items()}

    # -- objects in the worker --------------------------------------------------------------------------------

    def set_parameters(self, handle: Handle, weights: Mapping[str, object], name: str) -> None:
        """Load weights into a module."""
        values: dict[str, Value] = {key: to_wire(value) for key, value in weights.items()}
        self._line.post({"op": "set", "object": handle, "parameters": values}, name, self.places)

    def state(self, handle: Handle) -> tuple[dict[str, Tensor], list[str]]:
        """Parameters by name, and the names of the trained ones."""
        value = self._ask({"op": "state", "object": handle}, "state")
        fields = value if isinstance(value, dict) else {}
        parameters, trained = fields.get("parameters"), fields.get("trained")
        if not isinstance(parameters, dict) or not isinstance(trained, list):
            raise no_answer("a module's state without its parameters")
        return {name: self._as_tensor(raw, name) for name, raw in parameters.items()}, [str(name) for name in trained]

    def cast(self, handle: Handle, dtype: str) -> None:
        """Cast a whole module."""
        self._line.post({"op": "cast", "object": handle, "dtype": dtype}, "to", self.places)

    def attribute(self, handle: Handle, name: str) -> Value:
        """An attribute of a cache."""
        return self._ask({"op": "get", "object": handle, "name": name}, f"KVCache.{name}")

    def attribute_tensor(self, handle: Handle, name: str) -> Tensor:
        """An attribute that must be a tensor."""
        return self._as_tensor(self.attribute(handle, name), f"KVCache.{name}")

    def settle(self) -> None:
        """Wait for what was asked and not answered yet. Raises CheckFailure."""
        self._line.settle()

    # -- places -----------------------------------------------------------------------------------------------

    def at(self, places: Places) -> Calls:
        """The same objects in the same worker, asked with tensors elsewhere."""
        other = copy.copy(self)
        other.places = places
        return other

    def move(self, handle: Handle) -> None:
        """Bring a module to where these calls' tensors live, with ``module.to(device)``."""
        self._line.post({"op": "move", "object": handle, "to": self.places.device}, "to", self.places)

    def must_keep_default_device(self) -> None:
        """Require that nothing so far changed where new tensors are made. Raises CheckFailure."""
        self.settle()
        for name, device in self._run.defaults.items():
            raise CheckFailure("placement.default", name=name, actual=device)

    # -- facts of the last call -------------------------------------------------------------------------------

    def mutated(self) -> list[str]:
        """Arguments of the last call whose bytes in the worker are no longer those that were sent."""
        value = self._ask({"op": "arguments"}, "arguments")
        now = value if isinstance(value, dict) else {}
        return [name for name, sent in self._sent.items() if not same_bytes(now.get(name), sent)]

    def keep_next(self) -> None:
        """Keep the next result."""
        self._keep = self._line.new_handle()

    def fetch_kept(self) -> list[Tensor]:
        """The kept result now."""
        value = self._ask({"op": "fetch", "object": self._kept}, "result")
        return [self._as_tensor(item, "result") for item in (value if isinstance(value, list) else [value])]

    @staticmethod
    def kind_of(value: Value) -> str:
        """What a value is, in the words of a message."""
        if isinstance(value, dict) and isinstance(value.get("opaque"), str):
            return str(value["opaque"])
        if isinstance(value, RawTensor):
            return "a tensor"
        if isinstance(value, list):
            return f"a tuple or list of {len(value)}"
        return type(value).__name__

    # -- requests ---------------------------------------------------------------------------------------------

    def _call(self, name: str, arguments: Mapping[str, Any], positional: int, **options: Any) -> Value:
        return self._call_each(name, [arguments], positional, **options)[0]

    def _call_each(
        self, name: str, arguments: Sequence[Mapping[str, Any]], positional: int, **options: Any
    ) -> list[Value]:
        if options.get("target") is None:
            self._line.need(name, self.places)
        requests = [self._request(name, given, positional, **options) for given in arguments]
        self._sent = tensors_of(requests[-1]["arguments"])
        if self._keep is not None:
            requests[-1] |= {"keep": True, "as": self._keep.number}
            self._keep, self._kept = None, self._keep
        return self._line.ask_all(requests, name, self.places)

    def _request(self, name: str, arguments: Mapping[str, Any], positional: int, **options: Any) -> dict[str, Value]:
        request: dict[str, Value] = {
            "op": "call",
            "positional": min(positional, len(arguments)),
            "arguments": {key: to_wire(value) for key, value in arguments.items()},
        }
        request |= {key: value for key, value in options.items() if value is not None}
        request.setdefault("target", contract.target(name))
        return request

    def _ask(self, request: Mapping[str, Value], name: str) -> Value:
        return self._line.ask(request, name, self.places)

    def _as_tensor(self, value: Value, name: str) -> Tensor:
        if not isinstance(value, RawTensor):
            raise CheckFailure("result.not-a-tensor", name=name, actual=self.kind_of(value))
        try:
            return tensors.from_raw(value)
        except ProtocolError as error:
            raise no_answer(str(error)) from None

    def _as_pair(self, value: Value, shown: str) -> tuple[Tensor, Tensor]:
        if not isinstance(value, list) or len(value) != 2:
            raise CheckFailure("result.not-a-pair", name=shown, actual=self.kind_of(value))
        return self._as_tensor(value[0], shown), self._as_tensor(value[1], shown)


def _shown(name: str, options: Mapping[str, Any]) -> str:
    return f"{name}.{options['method']}" if "method" in options else name


def _constructor(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """A constructor's arguments with the required ones first, and how many those are."""
    optional = {name: value for name, value in arguments.items() if name in contract.OPTIONAL}
    required = {name: value for name, value in arguments.items() if name not in contract.OPTIONAL}
    return {**required, **optional}, len(required)
