"""Where the tensors of a call live, and what its answer says of devices. On a CPU alone, requests say nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from grader.devices import CPU, in_worker, is_gpu
from grader.errors import CheckFailure, Outcome
from grader.wire.codec import Value


@dataclass(frozen=True)
class Fetched:
    """What one call fetched from its device: tensors of several elements, and single elements."""

    copies: int
    scalars: int


@dataclass(frozen=True)
class Places:
    """Goes with every request of a round on a GPU.

    Attributes:
        device: where tensors and modules live, in the worker's words; None: the round is on the CPU.
        elsewhere: arguments that live on another device.
        watch: count what calls fetch from the device.
        fetched: what was counted, call by call.
        living: devices of the last result's tensors, in order.
    """

    device: str | None = None
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    watch: bool = False
    fetched: list[Fetched] = field(default_factory=list)
    living: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, device: str) -> Places:
        """Those of a round on ``device``."""
        return cls(in_worker(device) if is_gpu(device) else None)

    def on_cpu(self) -> Places:
        """The same worker, asked with tensors on the CPU."""
        return replace(self, device=CPU, fetched=[], living=[])

    def with_on_cpu(self, argument: str) -> Places:
        """The same with one argument on the CPU."""
        return replace(self, elsewhere={**self.elsewhere, argument: CPU}, fetched=[], living=[])

    def watched(self) -> Places:
        """The same, counting."""
        return replace(self, watch=True, fetched=[], living=[])

    def request(self, request: Mapping[str, Value]) -> Mapping[str, Value]:
        """``request`` with the fields that say so."""
        if self.device is None:
            return request
        fields: dict[str, Value] = {"device": self.device}
        arguments = request.get("arguments")
        away: dict[str, Value] = {
            name: place for name, place in self.elsewhere.items() if isinstance(arguments, dict) and name in arguments
        }
        if away:
            fields["elsewhere"] = away
        if self.watch and request["op"] == "call" and not request.get("construct"):
            fields["watch"] = True
        return {**request, **fields}

    def note(self, facts: Mapping[str, Value]) -> None:
        """Keep what an answer says; of the wrong form it says nothing."""
        self.living[:] = [str(place)[:100] for place in _list(facts.get("devices"))]
        copies, scalars = facts.get("copies"), facts.get("scalars")
        if isinstance(copies, int) and isinstance(scalars, int):
            self.fetched.append(Fetched(copies, scalars))

    def must_be_with_input(self, name: str) -> None:
        """Require that the last result lives where its input does. Raises CheckFailure."""
        if not self.living:
            raise _unsaid("where its result lives")
        for place in self.living:
            if place != self.device:
                raise CheckFailure("placement.output", name=name, actual=place, expected=self.device)

    def must_copy_nothing(self, name: str) -> None:
        """Require that no watched call copied a tensor to the CPU. Raises CheckFailure."""
        if not self.fetched:
            raise _unsaid("what it fetched")
        count = max(one.copies for one in self.fetched)
        if count:
            raise CheckFailure("placement.copies", name=name, count=count)

    def must_read_no_more_than(self, fewer: Places, name: str, *, tokens: int, more: int) -> None:
        """Require that calls with ``more`` tokens read no more elements than ``fewer``'s. Raises CheckFailure."""
        if not (fewer.fetched and self.fetched):
            raise _unsaid("what it fetched")
        few, many = (max(one.scalars for one in places.fetched) for places in (fewer, self))
        if many > few:
            raise CheckFailure("placement.scalars", name=name, few=few, many=many, tokens=tokens, more=more)


def _unsaid(what: str) -> CheckFailure:
    """An honest worker says it with every answer of a round on a GPU: without it nothing passes."""
    return CheckFailure("worker.protocol", outcome=Outcome.PROTOCOL, detail=f"an answer that does not say {what}")


def _list(value: Value) -> list[Value]:
    return value if isinstance(value, list) else []
