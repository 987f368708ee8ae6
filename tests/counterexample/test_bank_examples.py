"""Counter-examples of the bank's wrong submissions do in plain Python what the report says of them."""

from __future__ import annotations

import os

import bank_loader
import pytest
import snippets

from grader.errors import ANSWERED, Outcome
from grader.session import grade

SAMPLE = {
    "attn_detached_keys": ["attention.gradients"],
    "attn_inplace_query": ["attention.no-side-effects"],
    "attn_input_view": ["attention.no-side-effects"],
    "attn_unequal_heads_accepted": ["attention.errors"],
    "cache_decode_pos_zero": ["gqa.decode-continues"],
    "cache_length_counts_calls": ["cache.starts-empty"],
    "cache_overflow": ["cache.long"],
    "cache_shared_by_all": ["cache.independent"],
    "cache_shifted_buffer": ["cache.earlier-results"],
    "ffn_hidden_unaligned": ["ffn.hidden-dim"],
    "norm_dtype_promote": ["norm.rmsnorm-dtype"],
    "norm_rms_bias": ["norm.parameters"],
    "rope_cos_sin_no_head_axis": ["rope.cos-sin-shapes"],
    "rope_half_split": ["rope.adjacent-pairs", "gqa.values", "block.gradients"],
    "rope_low_precision_tables": ["rope.precision"],
    "rope_stale_base": ["rope.repeated-calls"],
    "swiglu_sigmoid_gate": ["ffn.swiglu-values"],
    "transformer_one_cache": ["transformer.caches"],
}
WITHOUT_A_CALL = (Outcome.CRASH, Outcome.TIMEOUT, Outcome.OOM)
WRONG = bank_loader.entries("wrong")
WHOLE_BANK = "GRADER_WHOLE_BANK" in os.environ
"""Twelve seconds a submission, half an hour in all: without it every eighth is tried."""


@pytest.fixture(scope="module")
def right_folder(tmp_path_factory):
    return snippets.write(tmp_path_factory.mktemp("right"), bank_loader.base().files)


@pytest.fixture(scope="module")
def bank():
    return {entry.name: entry for entry in bank_loader.entries("wrong")}


@pytest.fixture(scope="module")
def examples_of(warm_runner, settings, bank):
    """Failed checks of a submission of the bank, with their examples."""

    def run(name, selected=None):
        report = grade(bank[name].submission(), warm_runner, settings, seed=1, selected=selected)
        assert report.examples_error is None
        failed = [check for check in report.checks if check.finding is not None and not check.advice]
        return {check.id: check for check in failed if check.outcome in (*ANSWERED, Outcome.CARRIED_FORWARD)}

    return run


def unlike_what_is_said(folder, right_folder, examples):
    """Which examples do something else, with a wrong submission or with a right one."""
    theirs = snippets.run_all([(folder, one.snippet) for one in examples.values()])
    ours = snippets.run_all([(right_folder, one.snippet) for one in examples.values()])
    return {
        check: (example.snippet, wrong, right)
        for (check, example), wrong, right in zip(examples.items(), theirs, ours, strict=True)
        if not snippets.is_as_claimed(example, wrong) or not snippets.is_right(example, right)
    }


@pytest.mark.parametrize("name", SAMPLE)
def test_a_snippet_does_what_the_report_says(name, examples_of, right_folder, bank, tmp_path):
    failed = examples_of(name, SAMPLE[name])
    examples = {check: result.finding.example for check, result in failed.items()}

    assert examples.keys() == set(SAMPLE[name])
    assert None not in examples.values()
    folder = snippets.write(tmp_path, bank[name].submission().files)
    assert unlike_what_is_said(folder, right_folder, examples) == {}


@pytest.mark.parametrize("name", ["rope_half_split", "cache_decode_pos_zero"])
def test_a_snippet_runs_as_a_script_of_its_own(name, examples_of, right_folder, bank, tmp_path):
    check = SAMPLE[name][0]
    example = examples_of(name, [check])[check].finding.example
    folder = snippets.write(tmp_path, bank[name].submission().files)

    wrong, right = snippets.run_alone(folder, example.snippet), snippets.run_alone(right_folder, example.snippet)

    assert snippets.is_as_claimed(example, wrong)
    assert snippets.is_right(example, right)
    assert not snippets.is_right(example, wrong)


@pytest.mark.bank
@pytest.mark.parametrize("entry", WRONG if WHOLE_BANK else WRONG[::8], ids=lambda entry: entry.name)
def test_the_examples_of_a_submission_of_the_bank_do_what_they_say(entry, examples_of, right_folder, tmp_path):
    failed = examples_of(entry.name)
    found = {check: result.finding.example for check, result in failed.items()}
    examples = {check: example for check, example in found.items() if example is not None}

    if not examples:
        pytest.skip("none was found for it; benchmarks/counterexamples.py counts these")
    folder = snippets.write(tmp_path, entry.submission().files)
    assert unlike_what_is_said(folder, right_folder, examples) == {}
