"""What a run asks for inputs, right answers and names: live, or recorded in an answer key.

``grader.live`` answers from the reference with any seed. ``grader.key`` answers from what was recorded with one seed,
in a student kit, which holds no solution. Checks, runners and the search see no difference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from torch import Tensor

from grader.contract import ModuleSpec
from grader.numerics.answer import Answer, Gradients, WholeNumbers
from grader.numerics.inputs import Inputs

if TYPE_CHECKING:  # the diagnosis is imported after a failure only
    from grader.diagnosis.known import Agreements
    from grader.diagnosis.records import CheckRecord

BASE = 10000.0


class Cached(NamedTuple):
    """What a cache must hold."""

    keys: Answer
    values: Answer


class Oracle(Protocol):
    """Answers for one case of one check; ``grader.oracle.live.Oracle`` says what each of them is."""

    def norm(self, spec: ModuleSpec, x: Tensor) -> Answer: ...  # noqa: D102 - as there
    def rope_frequencies(self, head_dim: int, base: float = BASE) -> Answer: ...  # noqa: D102 - as there
    def rope_cos_sin(self, positions: Tensor, head_dim: int, base: float = BASE) -> tuple[Answer, Answer]: ...  # noqa: D102 - as there
    def apply_rope(self, x: Tensor, positions: Tensor, base: float = BASE) -> Answer: ...  # noqa: D102 - as there
    def grouped_query_attention(self, q: Tensor, k: Tensor, v: Tensor, *, causal: bool = True) -> Answer: ...  # noqa: D102 - as there
    def module(self, spec: ModuleSpec, x: Tensor, *, positions: Tensor | None = None) -> Answer: ...  # noqa: D102 - as there
    def cached(self, spec: ModuleSpec, x: Tensor, positions: Tensor) -> Cached: ...  # noqa: D102 - as there
    def exactly(self, truth: Tensor, *, like: Tensor, axes: str, name: str) -> Answer: ...  # noqa: D102 - as there
    def nearly(self, truth: Tensor, allowed: float, *, like: Tensor, axes: str, name: str) -> Answer: ...  # noqa: D102 - as there
    def module_gradients(self, spec: ModuleSpec, x: Tensor, cotangent: Tensor) -> Gradients: ...  # noqa: D102 - as there
    def function_gradients(self, name: str, arguments: Mapping[str, Any], cotangent: Tensor) -> Gradients: ...  # noqa: D102 - as there
    def kv_cache_bytes(self, *sizes: int) -> WholeNumbers: ...  # noqa: D102 - as there
    def swiglu_hidden_dim(self, dim: int, multiple_of: int) -> WholeNumbers: ...  # noqa: D102 - as there
    def whole_numbers(self, values: list[int], name: str) -> WholeNumbers: ...  # noqa: D102 - as there


class Source(Protocol):
    """Inputs, answers and names of one run."""

    @property
    def only_at_grading(self) -> int:
        """How many checks this source has no answers for, because a course keeps them for grading."""
        ...

    def draw(self, check: str, case: str) -> Inputs:
        """Inputs of one case; ``case`` is empty where a check has no cases."""
        ...

    def oracle(self, check: str, case: str) -> Oracle:
        """Answers of one case."""
        ...

    def agreements(self) -> Agreements:
        """What is known of mistakes, for the search of one submission."""
        ...

    def around_parts(
        self, records: Sequence[CheckRecord], explained: Mapping[str, object], lend: Callable[[], Any]
    ) -> dict[str, list[str]]:
        """Failed checks of wholes that are right but for the submission's own parts; see ``diagnosis.borrowed``."""
        ...


def label(check: str, case: str) -> str:
    """Names one case of one check."""
    return f"{check} {case}"
