"""Mistakes with RoPE's base: ignored somewhere, or another default."""

from __future__ import annotations

from torch import Tensor

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.rope import RopeSteps


@mistake("rope.base_hardcoded", part="rope")
class BaseHardcoded(RopeSteps):
    """apply_rope uses 10000 whatever base it is given."""

    def tables_for(self, x: Tensor, positions: Tensor, base: float) -> tuple[Tensor, Tensor]:
        return super().tables_for(x, positions, 10000.0)


@mistake("rope.base_ignored_in_tables", part="rope")
class BaseIgnoredInTables(RopeSteps):
    """rope_cos_sin uses 10000 whatever base it is given."""

    def table_theta(self, head_dim: int, base: float) -> Tensor:
        return super().table_theta(head_dim, 10000.0)


@mistake("rope.base_ignored_in_frequencies", part="rope")
class BaseIgnoredInFrequencies(RopeSteps):
    """rope_frequencies uses 10000 whatever base it is given."""

    def rope_frequencies(self, head_dim: int, base: float = 10000.0) -> Tensor:
        return super().rope_frequencies(head_dim, 10000.0)


class _Default(RopeSteps):
    value = 10000.0

    def rope_frequencies(self, head_dim: int, base: float | None = None) -> Tensor:
        return super().rope_frequencies(head_dim, self.value if base is None else base)

    def rope_cos_sin(self, positions: Tensor, head_dim: int, base: float | None = None) -> tuple[Tensor, Tensor]:
        return super().rope_cos_sin(positions, head_dim, self.value if base is None else base)

    def apply_rope(self, x: Tensor, positions: Tensor, base: float | None = None) -> Tensor:
        return super().apply_rope(x, positions, self.value if base is None else base)


@mistake("rope.base_default_500000", part="rope")
class DefaultLlama3(_Default):
    """The default base is 500000, as in Llama 3, instead of 10000."""

    value = 500000.0


@mistake("rope.base_default_1000", part="rope")
class DefaultThousand(_Default):
    """The default base is 1000 instead of 10000."""

    value = 1000.0


@mistake("rope.base_default_100000", part="rope")
class DefaultHundredThousand(_Default):
    """The default base is 100000 instead of 10000."""

    value = 100000.0


@mistake("rope.base_default_1000000", part="rope")
class DefaultMillion(_Default):
    """The default base is 1000000 instead of 10000."""

    value = 1000000.0
