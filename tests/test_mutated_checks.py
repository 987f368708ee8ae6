"""The bank notices when the checks themselves are damaged: a bound loosened, a comparison dropped."""

from __future__ import annotations

import dataclasses

import pytest
from bank_loader import BANK

from grader import settings
from grader.catalogue import all_checks
from grader.errors import Outcome
from grader.numerics import answer, bounds, noise
from grader.runners.local import LocalRunner
from grader.selftest.bank import Bank, BankEntry
from grader.session import grade


@pytest.fixture(scope="module")
def wrong() -> dict[str, BankEntry]:
    return {entry.name: entry for entry in Bank(BANK).wrong()}


@pytest.fixture(scope="module")
def runner():
    runner = LocalRunner()
    kept, runner.close = runner.close, lambda: None
    yield runner
    kept()


def failed(entry: BankEntry, runner) -> set[str]:
    selected = sorted(entry.killed_by)
    report = grade(
        entry.submission, runner, settings.load(None, all_checks()), seed=1, selected=selected, examples=False
    )
    assert report.error is None
    return {check.id for check in report.checks if check.outcome is not Outcome.PASS}


LOOSENED = {
    # bound: a loss of precision that is between 1 and 100 bounds away from right
    "rope": ("rope_rounded_pi", "rope.precision"),
    "rms_norm": ("norm_fast_inverse_root", "norm.rmsnorm-values"),
    "layer_norm": ("norm_ln_through_fp16", "norm.layernorm-precision"),
}


@pytest.mark.parametrize("name", LOOSENED)
def test_a_bound_loosened_a_hundred_times_is_noticed(name, wrong, runner, monkeypatch):
    entry, check = LOOSENED[name]
    right = getattr(bounds, name)
    assert check in failed(wrong[entry], runner)

    monkeypatch.setattr(bounds, name, lambda *args, **kwargs: 100 * right(*args, **kwargs))

    assert check not in failed(wrong[entry], runner)


def test_noise_that_is_too_wide_is_noticed(wrong, runner, monkeypatch):
    monkeypatch.setattr(noise, "KAPPA", 1e7)

    assert "attention.values" not in failed(wrong["attn_scale_dmodel"], runner)


DROPPED = {
    "dtype": ("norm_dtype_promote", "norm.rmsnorm-dtype"),
    "values": ("rope_half_split", "rope.adjacent-pairs"),
    "shape": ("rope_cos_sin_no_head_axis", "rope.cos-sin-shapes"),
}


@pytest.mark.parametrize("part", DROPPED)
def test_comparison_dropped_is_noticed(part, wrong, runner, monkeypatch):
    entry, check = DROPPED[part]
    assert check in failed(wrong[entry], runner)

    def lenient(self, actual, *, any_dtype=False):
        """Compares everything but one part."""
        looked_at = self
        if part == "dtype":
            looked_at = dataclasses.replace(self, dtype=actual.dtype)
        if part == "values":
            looked_at = dataclasses.replace(self, limit=self.bound + float("inf"))
        if part == "shape":
            return
        has_form(looked_at, actual)
        if part != "dtype":
            accepts(looked_at, actual, any_dtype=any_dtype)

    accepts, has_form = answer.Answer.accepts, answer.Answer.has_form
    monkeypatch.setattr(answer.Answer, "accepts", lenient)
    if part != "values":
        monkeypatch.setattr(answer.Answer, "has_form", lenient)

    assert check not in failed(wrong[entry], runner)
