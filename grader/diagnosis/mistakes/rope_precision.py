"""Mistakes in RoPE's precision: what is rounded to a narrow dtype on the way, and how the result is cast."""

from __future__ import annotations

import torch
from torch import Tensor

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.rope import RopeSteps
from grader.diagnosis.program.rounding import truncated

# -- the input's dtype where FP32 belongs ---------------------------------------------------------------------


@mistake("rope.low_precision_tables", part="rope")
class LowPrecisionTables(RopeSteps):
    """Casts cos and sin to the input's dtype and rotates in that dtype."""

    def tables_for(self, x: Tensor, positions: Tensor, base: float) -> tuple[Tensor, Tensor]:
        cos, sin = super().tables_for(x, positions, base)
        return cos.to(x.dtype), sin.to(x.dtype)

    def begin_rope(self, x: Tensor) -> Tensor:
        return x


@mistake("rope.rounded_tables", part="rope")
class RoundedTables(RopeSteps):
    """Rounds cos and sin to the input's dtype, although it rotates in FP32."""

    def tables_for(self, x: Tensor, positions: Tensor, base: float) -> tuple[Tensor, Tensor]:
        cos, sin = super().tables_for(x, positions, base)
        return cos.to(x.dtype).float(), sin.to(x.dtype).float()


@mistake("rope.low_precision_angle", part="rope")
class LowPrecisionAngle(RopeSteps):
    """Rounds the angles to the input's dtype before cos and sin."""

    def tables_for(self, x: Tensor, positions: Tensor, base: float) -> tuple[Tensor, Tensor]:
        self._narrow = x.dtype
        return super().tables_for(x, positions, base)

    def apply_rope(self, x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
        result = super().apply_rope(x, positions, base)
        self._narrow = torch.float32
        return result

    def angle(self, positions: Tensor, theta: Tensor) -> Tensor:
        return super().angle(positions, theta).to(self._narrow).float()

    _narrow = torch.float32


@mistake("rope.low_precision_inv_freq", part="rope")
class LowPrecisionFrequencies(RopeSteps):
    """Rounds the frequencies to the input's dtype before they meet the positions."""

    def tables_for(self, x: Tensor, positions: Tensor, base: float) -> tuple[Tensor, Tensor]:
        return self.tables(positions, self.table_theta(x.shape[-1], base).to(x.dtype).float())


@mistake("rope.low_precision_positions", part="rope")
class LowPrecisionPositions(RopeSteps):
    """Casts the positions to the input's dtype, so 257 becomes 256 in bf16."""

    def token_positions(self, x: Tensor, positions: Tensor) -> Tensor:
        return super().token_positions(x, positions).to(x.dtype)


@mistake("rope.low_precision_positions_and_frequencies", part="rope")
class LowPrecisionFactors(RopeSteps):
    """Casts positions and frequencies to the input's dtype before it multiplies them."""

    def tables_for(self, x: Tensor, positions: Tensor, base: float) -> tuple[Tensor, Tensor]:
        theta = self.table_theta(x.shape[-1], base).to(x.dtype).float()
        return self.tables(positions.to(x.dtype), theta)


@mistake("rope.no_upcast", part="rope")
class NoUpcast(RopeSteps):
    """Computes everything in the input's dtype: positions, frequencies, angles, cos, sin and the rotation."""

    def tables_for(self, x: Tensor, positions: Tensor, base: float) -> tuple[Tensor, Tensor]:
        rows = positions if positions.dim() == 2 else positions[None]
        theta = self.table_theta(x.shape[-1], base).to(x.dtype)
        angle = self.head_axis(rows.to(x.dtype)[..., None] * theta)
        return self.cos_table(angle), self.sin_table(angle)

    def begin_rope(self, x: Tensor) -> Tensor:
        return x


@mistake("rope.low_precision_products", part="rope")
class LowPrecisionProducts(RopeSteps):
    """Rounds the products with cos and sin to the input's dtype before it adds them."""

    def begin_rope(self, x: Tensor) -> Tensor:
        return x

    def turn(self, a: Tensor, b: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
        a_cos, b_sin, a_sin, b_cos = (
            (one * table).to(one.dtype) for one, table in ((a, cos), (b, sin), (a, sin), (b, cos))
        )
        return a_cos - b_sin, a_sin + b_cos


# -- one narrow dtype, whatever the input's -------------------------------------------------------------------


@mistake("rope.fp16_inside", part="rope")
class Fp16Inside(RopeSteps):
    """Rotates in FP16 instead of FP32."""

    def tables_for(self, x: Tensor, positions: Tensor, base: float) -> tuple[Tensor, Tensor]:
        cos, sin = super().tables_for(x, positions, base)
        return cos.half(), sin.half()

    def begin_rope(self, x: Tensor) -> Tensor:
        return x.half()


@mistake("rope.bf16_inside", part="rope")
class Bf16Inside(RopeSteps):
    """Rotates in bf16, FP32 inputs too."""

    def tables_for(self, x: Tensor, positions: Tensor, base: float) -> tuple[Tensor, Tensor]:
        cos, sin = super().tables_for(x, positions, base)
        return cos.bfloat16(), sin.bfloat16()

    def begin_rope(self, x: Tensor) -> Tensor:
        return x.bfloat16()


@mistake("rope.fp16_tables", part="rope")
class Fp16Tables(RopeSteps):
    """Makes cos and sin in FP16 instead of FP32."""

    def cos_table(self, angle: Tensor) -> Tensor:
        return super().cos_table(angle).half()

    def sin_table(self, angle: Tensor) -> Tensor:
        return super().sin_table(angle).half()


@mistake("rope.bf16_tables", part="rope")
class Bf16Tables(RopeSteps):
    """Makes cos and sin in bf16 instead of FP32."""

    def cos_table(self, angle: Tensor) -> Tensor:
        return super().cos_table(angle).bfloat16()

    def sin_table(self, angle: Tensor) -> Tensor:
        return super().sin_table(angle).bfloat16()


@mistake("rope.fp64_tables", part="rope")
class Fp64Tables(RopeSteps):
    """Returns cos and sin in FP64 instead of FP32."""

    def angle(self, positions: Tensor, theta: Tensor) -> Tensor:
        return super().angle(positions, theta).double()


@mistake("rope.fp16_positions", part="rope")
class Fp16Positions(RopeSteps):
    """Casts the positions to FP16, which has no odd numbers above 2048 and ends at 65504."""

    def token_positions(self, x: Tensor, positions: Tensor) -> Tensor:
        return super().token_positions(x, positions).half()


@mistake("rope.bf16_positions", part="rope")
class Bf16Positions(RopeSteps):
    """Casts the positions to bf16, which has no odd numbers above 256."""

    def token_positions(self, x: Tensor, positions: Tensor) -> Tensor:
        return super().token_positions(x, positions).bfloat16()


@mistake("rope.int16_positions", part="rope")
class Int16Positions(RopeSteps):
    """Casts the positions to 16-bit whole numbers, which end at 32767."""

    def token_positions(self, x: Tensor, positions: Tensor) -> Tensor:
        return super().token_positions(x, positions).to(torch.int16)


# -- the cast of the result -----------------------------------------------------------------------------------


@mistake("rope.dtype_upcast", part="rope")
class DtypeUpcast(RopeSteps):
    """Forgets the cast at the end and returns FP32 for bf16 inputs."""

    def finish_rope(self, y: Tensor, x: Tensor) -> Tensor:
        return y


@mistake("rope.always_bf16", part="rope")
class AlwaysBf16(RopeSteps):
    """Returns bf16 for every input, FP32 ones too."""

    def finish_rope(self, y: Tensor, x: Tensor) -> Tensor:
        return y.bfloat16()


@mistake("rope.through_fp16", part="rope")
class ThroughFp16(RopeSteps):
    """Rounds twice: the FP32 result passes through FP16 on its way to bf16."""

    def finish_rope(self, y: Tensor, x: Tensor) -> Tensor:
        return super().finish_rope(y if x.dtype == torch.float32 else y.half(), x)


@mistake("rope.truncation", part="rope")
class Truncation(RopeSteps):
    """Makes bf16 by cutting off the lower half of the FP32 bits instead of rounding."""

    def finish_rope(self, y: Tensor, x: Tensor) -> Tensor:
        return super().finish_rope(truncated(y) if x.dtype == torch.bfloat16 else y, x)


@mistake("rope.rounded_pi", part="rope")
class RoundedPi(RopeSteps):
    """Brings angles back to one turn with pi = 3.1416, which is off by more with every turn."""

    def angle(self, positions: Tensor, theta: Tensor) -> Tensor:
        return torch.remainder(super().angle(positions, theta), 2 * 3.1416)
