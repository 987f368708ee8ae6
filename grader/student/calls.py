"""How a call of the submission travels: requests to the worker, answers to tensors or to the student's faults."""

from __future__ import annotations

import copy
import secrets
from collections.abc import Mapping
from typing import Any, cast

from torch import Tensor

from grader import contract
from grader.errors import CheckFailure, Outcome, WorkerLost
from grader.run_state import RunState
from grader.student.carried import same_bytes, tensors_of, to_wire
from grader.student.faults import failure_of
from grader.student.places import Places
from grader.student.refusal import Refusal
from grader.transcript import Exchange, Transcript
from grader.wire import tensors
from grader.wire.codec import Handle, ProtocolError, RawTensor, Value

Answer = dict[str, Value]


class Calls:
    """Sends requests of one case of a check to a live worker and turns answers into values.

    The worker hears of the case by a number that says nothing: a submission that knew which check asks could answer
    each as it likes, and print what a hidden one is called.

    Args:
        run: the live worker, and what is known of the submission from earlier checks.
        transcript: where requests and answers are noted down, for the diagnosis. They name no device: the models of
            mistakes compute on the CPU, whatever the submission was asked on.

    Attributes:
        places: where tensors live.
    """

    def __init__(self, run: RunState, transcript: Transcript | None = None) -> None:
        self._run, self._case = run, secrets.token_hex(8)
        self.places = Places.of(run.device)
        self._transcript = Transcript() if transcript is None else transcript
        self._facts: dict[str, Value] = {}
        self._sent: Mapping[str, Value] = {}
        self._keep = False
        self._kept: Handle | None = None

    # -- calls that return what the contract names ------------------------------------------------------------

    def tensor(self, name: str, arguments: Mapping[str, Any], positional: int = 1, **options: Any) -> Tensor:
        """Call and require one tensor."""
        return self._as_tensor(self._call(name, arguments, positional, **options), name)

    def pair(self, name: str, arguments: Mapping[str, Any], positional: int, **options: Any) -> tuple[Tensor, Tensor]:
        """Call and require two tensors."""
        value = self._call(name, arguments, positional, **options)
        shown = f"{name}.{options['method']}" if "method" in options else name
        if not isinstance(value, list) or len(value) != 2:
            raise CheckFailure("result.not-a-pair", name=shown, actual=self.kind_of(value))
        return self._as_tensor(value[0], shown), self._as_tensor(value[1], shown)

    def integer(self, name: str, arguments: Mapping[str, Any]) -> int:
        """Call and require an int."""
        value = self._call(name, arguments, len(arguments))
        if not isinstance(value, int) or isinstance(value, bool):
            raise CheckFailure("result.not-an-integer", name=name, actual=self.kind_of(value))
        return value

    def construct(self, name: str, arguments: Mapping[str, Any]) -> Handle:
        """Construct a class; required arguments go by position, optional ones by the contract's names."""
        ordered, positional = _constructor(arguments)
        return cast("Handle", self._call(name, ordered, positional, construct=True))

    def refusal(self, name: str, arguments: Mapping[str, Any], positional: int) -> Refusal:
        """Call with forbidden arguments."""
        self._import(name)
        if name[0].isupper():
            arguments, positional = _constructor(arguments)
        request = self._request(name, arguments, positional, construct=name[0].isupper())
        answer = self._exchange(request, name)
        error = answer.get("error")
        if not isinstance(error, dict):
            return Refusal(None, False, "")
        self._replace_after(error)
        if error.get("kind") != "raised":
            raise failure_of(error, name)
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
        self._ask({"op": "set", "object": handle, "parameters": values}, name)

    def state(self, handle: Handle) -> tuple[dict[str, Tensor], list[str]]:
        """Parameters by name, and the names of the trained ones."""
        value = self._ask({"op": "state", "object": handle}, "state")
        fields = value if isinstance(value, dict) else {}
        parameters, trained = fields.get("parameters"), fields.get("trained")
        if not isinstance(parameters, dict) or not isinstance(trained, list):
            raise _no_answer("a module's state without its parameters")
        return {name: self._as_tensor(raw, name) for name, raw in parameters.items()}, [str(name) for name in trained]

    def cast(self, handle: Handle, dtype: str) -> None:
        """Cast a whole module."""
        self._ask({"op": "cast", "object": handle, "dtype": dtype}, "to")

    def attribute(self, handle: Handle, name: str) -> Value:
        """An attribute of a cache."""
        return self._ask({"op": "get", "object": handle, "name": name}, f"KVCache.{name}")

    def attribute_tensor(self, handle: Handle, name: str) -> Tensor:
        """An attribute that must be a tensor."""
        return self._as_tensor(self.attribute(handle, name), f"KVCache.{name}")

    # -- places -----------------------------------------------------------------------------------------------

    def at(self, places: Places) -> Calls:
        """The same objects in the same worker, asked with tensors elsewhere."""
        other = copy.copy(self)
        other.places = places
        return other

    def move(self, handle: Handle) -> None:
        """Bring a module to where these calls' tensors live, with ``module.to(device)``."""
        self._ask({"op": "move", "object": handle, "to": self.places.device}, "to")

    def must_keep_default_device(self) -> None:
        """Require that nothing so far changed where new tensors are made. Raises CheckFailure."""
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
        self._keep = True

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

    # -- the way to the worker --------------------------------------------------------------------------------

    def _call(self, name: str, arguments: Mapping[str, Any], positional: int, **options: Any) -> Value:
        if options.get("target") is None:
            self._import(name)
        return self._ask(self._request(name, arguments, positional, **options), name)

    def _request(self, name: str, arguments: Mapping[str, Any], positional: int, **options: Any) -> dict[str, Value]:
        request: dict[str, Value] = {
            "op": "call",
            "positional": min(positional, len(arguments)),
            "arguments": {key: to_wire(value) for key, value in arguments.items()},
        }
        request |= {key: value for key, value in options.items() if value is not None}
        request.setdefault("target", contract.target(name))
        return request | {"check": self._case}

    def _ask(self, request: Mapping[str, Value], name: str) -> Value:
        asked = {**request, "check": self._case}
        if request["op"] == "call":
            self._sent = tensors_of(request["arguments"])
            if self._keep:
                asked["keep"] = True
        answer = self._exchange(asked, name)
        error = answer.get("error")
        if error is not None:
            self._replace_after(error)
            raise failure_of(error, name)
        self._facts = self._facts_of(answer, name)
        if asked.get("keep"):
            self._keep, self._kept = False, cast("Handle", self._facts.get("handle"))
        return answer.get("value")

    def _exchange(self, request: Mapping[str, Value], name: str) -> Answer:
        self._transcript.asked.add(name)
        try:
            answer: Answer = self._run.worker().ask(self.places.request(request), seconds=self._run.seconds(name))
        except WorkerLost as lost:
            self._transcript.complete = False
            if lost.outcome is Outcome.TIMEOUT:
                self._run.slow.add(name)
            raise
        self._transcript.exchanges.append(Exchange(request, answer))
        if "error" not in answer and request["op"] in ("call", "gradients") and not request.get("construct"):
            self._transcript.answered.add(name)
        return answer

    def _import(self, name: str) -> None:
        """Import the module that holds ``name`` once in a run; its failure then stands for every later use."""
        module = f"{contract.PACKAGE}.{contract.MODULE_OF[name]}"
        self._transcript.asked.add(name)
        imports = self._run.imports
        if module not in imports:
            request: dict[str, Value] = {"op": "import", "module": module, "check": self._case}
            try:
                answer = self._run.worker().ask(self.places.request(request), seconds=self._run.runner.limits.load)
                error = answer.get("error")
                self._facts_of(answer, name)
                self._replace_after(error)
                imports[module] = None if error is None else failure_of(error, name)
            except WorkerLost as lost:
                imports[module] = lost
        failure = imports[module]
        if failure is not None:
            raise failure.with_traceback(None)

    def _facts_of(self, answer: Answer, name: str) -> dict[str, Value]:
        facts = answer.get("facts")
        found = facts if isinstance(facts, dict) else {}
        if "default_device" in found:
            self._run.defaults.setdefault(name, str(found["default_device"])[:100])
        self.places.note(found)
        return found

    def _replace_after(self, error: Value) -> None:
        """After an error of the device itself nothing works in that process: the next call gets another."""
        if isinstance(error, dict) and error.get("kind") == "device":
            self._run.fresh_worker()

    def _as_tensor(self, value: Value, name: str) -> Tensor:
        if not isinstance(value, RawTensor):
            raise CheckFailure("result.not-a-tensor", name=name, actual=self.kind_of(value))
        try:
            return tensors.from_raw(value)
        except ProtocolError as error:
            raise _no_answer(str(error)) from None


def _constructor(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """A constructor's arguments with the required ones first, and how many those are."""
    optional = {name: value for name, value in arguments.items() if name in contract.OPTIONAL}
    required = {name: value for name, value in arguments.items() if name not in contract.OPTIONAL}
    return {**required, **optional}, len(required)


def _no_answer(detail: str) -> CheckFailure:
    return CheckFailure("worker.protocol", outcome=Outcome.PROTOCOL, detail=detail)
