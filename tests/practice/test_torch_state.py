"""After ``grader.check`` the notebook's torch is as it was."""

from __future__ import annotations

import pytest
import torch

import grader


def swiglu_hidden_dim(dim, multiple_of=1):
    torch.rand(3)
    return 8 * dim // 3


@pytest.fixture
def unusual():
    """Settings that grading changes, all other than it wants them."""
    before = (torch.get_default_dtype(), torch.get_num_threads(), torch.get_float32_matmul_precision())
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(2)
    torch.set_float32_matmul_precision("medium")
    torch.set_grad_enabled(False)
    torch.set_default_device("meta")
    yield
    torch.set_default_device(None)
    torch.set_default_dtype(before[0])
    torch.set_num_threads(before[1])
    torch.set_float32_matmul_precision(before[2])
    torch.set_grad_enabled(True)


def settings_now():
    return {
        "dtype": torch.get_default_dtype(),
        "device": torch.get_default_device(),
        "threads": torch.get_num_threads(),
        "precision": torch.get_float32_matmul_precision(),
        "gradients": torch.is_grad_enabled(),
        "autocast": torch.is_autocast_enabled("cpu"),
        "inference": torch.is_inference_mode_enabled(),
        "fp16 sums": torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction,
        "bf16 math": torch.backends.cuda.fp16_bf16_reduction_math_sdp_allowed(),
    }


def test_settings_are_the_notebooks_own_again(unusual):
    before = settings_now()

    grader.check(swiglu_hidden_dim=swiglu_hidden_dim)

    assert settings_now() == before
    assert before["dtype"] is torch.float64
    assert before["precision"] == "medium"
    assert before["device"].type == "meta"


def test_the_contexts_around_the_call_hold_and_do_not_reach_the_checks():
    with torch.autocast("cpu"), torch.inference_mode():
        before = settings_now()
        result = grader.check(swiglu_hidden_dim=swiglu_hidden_dim)

        assert settings_now() == before
        assert before["autocast"]
        assert before["inference"]
    assert result.report.graded


def test_random_numbers_go_on_as_if_nothing_had_happened():
    torch.manual_seed(3)
    expected = torch.rand(4)
    torch.manual_seed(3)

    grader.check(swiglu_hidden_dim=swiglu_hidden_dim)

    assert torch.equal(torch.rand(4), expected)


def test_settings_come_back_when_the_run_was_interrupted(unusual):
    before = settings_now()

    def endless(dim, multiple_of=1):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grader.check(swiglu_hidden_dim=endless)

    assert settings_now() == before
