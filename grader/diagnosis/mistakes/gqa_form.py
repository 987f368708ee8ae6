"""Mistakes in the form of the attention module: parameters, refusals, dtype, gradients and views."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.attention import AttentionModule, AttentionSteps

# -- parameters -------------------------------------------------------------------------------------------------


class _Biased(AttentionSteps):
    biased: tuple[str, ...] = ()

    def add_projections(self, m: AttentionModule, dim: int) -> None:
        super().add_projections(m, dim)
        for name in self.biased:
            linear: nn.Linear = getattr(m, name)
            linear.bias = nn.Parameter(torch.zeros(linear.out_features))


@mistake("gqa.bias", part="gqa")
class Bias(_Biased):
    """Leaves the default biases in the four projections."""

    biased = ("w_q", "w_k", "w_v", "w_o")


@mistake("gqa.bias_in", part="gqa")
class BiasIn(_Biased):
    """Has biases in w_q, w_k and w_v."""

    biased = ("w_q", "w_k", "w_v")


@mistake("gqa.bias_out", part="gqa")
class BiasOut(_Biased):
    """Has a bias in w_o."""

    biased = ("w_o",)


@mistake("gqa.frequencies_trained", part="gqa")
class FrequenciesTrained(AttentionSteps):
    """Registers the RoPE frequencies as a parameter, so the optimiser changes them."""

    def add_projections(self, m: AttentionModule, dim: int) -> None:
        super().add_projections(m, dim)
        m.theta = nn.Parameter(self.rope_frequencies(m.head_dim, m.base))


@mistake("gqa.kv_full_width", part="gqa")
class FullWidth(AttentionSteps):
    """Makes w_k and w_v as wide as w_q."""

    def add_projections(self, m: AttentionModule, dim: int) -> None:
        super().add_projections(m, dim)
        m.w_k = nn.Linear(dim, m.n_heads * m.head_dim, bias=False)
        m.w_v = nn.Linear(dim, m.n_heads * m.head_dim, bias=False)


@mistake("gqa.kv_one_head", part="gqa")
class OneHead(AttentionSteps):
    """Makes w_k and w_v as wide as one head, whatever n_kv_heads says."""

    def add_projections(self, m: AttentionModule, dim: int) -> None:
        super().add_projections(m, dim)
        m.w_k, m.w_v = nn.Linear(dim, m.head_dim, bias=False), nn.Linear(dim, m.head_dim, bias=False)


# -- refusals ---------------------------------------------------------------------------------------------------


class _Refusal(AttentionSteps):
    module_error: type[Exception] | None = None

    def check_module_groups(self, n_heads: int, n_kv_heads: int) -> None:
        if n_heads % n_kv_heads and self.module_error is not None:
            raise self.module_error("unequal groups")


@mistake("gqa.asserts", part="gqa")
class Asserts(_Refusal):
    """Answers a wrong number of heads with an assertion instead of a ValueError."""

    module_error = AssertionError


@mistake("gqa.unequal_heads_accepted", part="gqa")
class Accepted(_Refusal):
    """Constructs the module with any number of key/value heads and raises no error."""


@mistake("gqa.other_error", part="gqa")
class OtherError(_Refusal):
    """Answers a wrong number of heads with a RuntimeError instead of a ValueError."""

    module_error = RuntimeError


@mistake("gqa.bare_exception", part="gqa")
class BareException(_Refusal):
    """Answers a wrong number of heads with a bare Exception instead of a ValueError."""

    module_error = Exception


# -- dtype ------------------------------------------------------------------------------------------------------


@mistake("gqa.dtype_upcast", part="gqa")
class DtypeUpcast(AttentionSteps):
    """Returns FP32 for bf16 inputs."""

    def finish_module(self, y: Tensor, x: Tensor) -> Tensor:
        return super().finish_module(y, x).float()


@mistake("gqa.mixed_dtypes", part="gqa")
class MixedDtypes(AttentionSteps):
    """Casts to FP32 on the way and hands that to a bf16 projection, which raises an error."""

    def begin_module(self, x: Tensor) -> Tensor:
        return super().begin_module(x).float()


# -- gradients --------------------------------------------------------------------------------------------------

Three = tuple[Tensor, Tensor, Tensor]


class _Detached(AttentionSteps):
    detached_projections: tuple[int, ...] = ()

    def projected(self, m: AttentionModule, x: Tensor) -> Three:
        q, k, v = (
            y.detach() if index in self.detached_projections else y for index, y in enumerate(super().projected(m, x))
        )
        return q, k, v


def _detaches(kind: str, sentence: str, which: tuple[int, ...]) -> None:
    steps = type("Detached", (_Detached,), {"detached_projections": which, "__doc__": sentence})
    mistake(f"gqa.{kind}", part="gqa")(steps)


_detaches("detached_q", "Detaches Q, so w_q is never trained.", (0,))
_detaches("detached_k", "Detaches K, so w_k is never trained.", (1,))
_detaches("detached_v", "Detaches V, so w_v is never trained.", (2,))
_detaches("detached_kv", "Detaches K and V before attention, so w_k and w_v are never trained.", (1, 2))
_detaches("detached_qk", "Detaches Q and K (as rotating under no_grad does), so w_q and w_k are never trained.", (0, 1))
_detaches("detached_qkv", "Detaches Q, K and V (or all of attention), so only w_o is trained.", (0, 1, 2))


@mistake("gqa.no_gradient", part="gqa")
class NoGradient(AttentionSteps):
    """Runs the whole module under no_grad, so nothing is trained."""

    def finish_module(self, y: Tensor, x: Tensor) -> Tensor:
        return super().finish_module(y, x).detach()


@mistake("gqa.input_detached", part="gqa")
class InputDetached(AttentionSteps):
    """Detaches x, so no gradient reaches the layers below."""

    def begin_module(self, x: Tensor) -> Tensor:
        return super().begin_module(x).detach()


# -- side effects -----------------------------------------------------------------------------------------------


@mistake("gqa.input_view", part="gqa")
class InputView(AttentionSteps):
    """Flattens the input with view, which raises an error for a transposed or sliced input."""

    def begin_module(self, x: Tensor) -> Tensor:
        return super().begin_module(x).view(-1, x.shape[-1]).view(x.shape)


@mistake("gqa.input_overwritten", part="gqa")
class InputOverwritten(AttentionSteps):
    """Changes x in place."""

    def finish_module(self, y: Tensor, x: Tensor) -> Tensor:
        y = super().finish_module(y, x)
        if not x.requires_grad:
            x.mul_(0.5)
        return y
