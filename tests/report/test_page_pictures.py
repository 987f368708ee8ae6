"""Pictures of real wrong submissions: each kind from a mistake that it is there for, on that submission's page."""

from __future__ import annotations

import json

import jsonschema
import pytest

from grader.report import json_file
from grader.report.page.render import to_html
from grader.session import grade

CASES = {
    "rope_half_split": ("rope.adjacent-pairs", "rotation"),
    "attn_head_tile": ("attention.head-mapping", "heads"),
    "attn_causal_topleft": ("attention.causal-offset", "causal"),
    "cache_decode_pos_zero": ("gqa.decode-continues", "timeline"),
    "rope_low_precision_positions": ("rope.precision", "by_position"),
    "rope_base_hardcoded": ("rope.base", "by_pair"),
}


@pytest.fixture(scope="module")
def report_on(warm_runner, settings, several_wrong):
    def run(name, *, hidden=False):
        check, _ = CASES[name]
        visibility = settings.visibility.model_copy(update={"hidden": [check] if hidden else []})
        chosen = settings.model_copy(update={"visibility": visibility})
        return grade(several_wrong(name), warm_runner, chosen, seed=3, selected=[check])

    return run


@pytest.mark.bank
@pytest.mark.parametrize("name", CASES)
def test_a_mistake_of_the_bank_is_drawn(name, report_on):
    report = report_on(name)
    _, kind = CASES[name]

    pictures = {picture.kind: picture for picture in report.checks[0].finding.pictures}
    assert kind in pictures
    page = to_html(report)
    assert page.count("<svg") == len(pictures)
    assert json_file.from_json(json_file.to_json(report)) == report
    jsonschema.validate(json.loads(json_file.to_json(report)), json_file.published_schema())


@pytest.mark.bank
def test_the_pictures_say_what_the_mistake_is(report_on):
    def drawn(name):
        return {one.kind: one for one in report_on(name).checks[0].finding.pictures}

    assert drawn("attn_head_tile")["heads"].yours == [0, 1, 0, 1, 0, 1, 0, 1]
    assert drawn("cache_decode_pos_zero")["timeline"].yours == [0, 1, 2, 3, 0, 0, 0]
    assert drawn("attn_causal_topleft")["causal"].yours == [[0]]
    assert 256 in drawn("rope_low_precision_positions")["timeline"].yours


@pytest.mark.bank
@pytest.mark.parametrize("name", CASES)
def test_a_hidden_check_is_not_drawn(name, report_on):
    report = report_on(name, hidden=True)

    assert report.checks[0].finding.pictures == []
    assert "<svg" not in to_html(report)


@pytest.mark.bank
def test_one_seed_gives_the_same_page_outside_timing(report_on):
    first, second = (report_on("rope_half_split") for _ in range(2))

    assert to_html(first) == to_html(second.model_copy(update={"timing": first.timing}))
