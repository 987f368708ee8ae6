"""How a check can end, in every language."""

from __future__ import annotations

from collections.abc import Mapping

from grader.errors import Outcome

OUTCOMES = {
    Outcome.PASS: {"en": "pass", "zh": "通过"},
    Outcome.CARRIED_FORWARD: {"en": "carried forward", "zh": "错误延续"},
    Outcome.FAIL: {"en": "wrong answer", "zh": "答案不对"},
    Outcome.STUDENT_ERROR: {"en": "exception", "zh": "引发异常"},
    Outcome.CRASH: {"en": "crash", "zh": "崩溃"},
    Outcome.TIMEOUT: {"en": "timeout", "zh": "超时"},
    Outcome.OOM: {"en": "out of memory", "zh": "内存不足"},
    Outcome.OUTPUT_LIMIT: {"en": "too much output", "zh": "输出过多"},
    Outcome.PROTOCOL: {"en": "no valid answer", "zh": "没有有效的回答"},
    Outcome.BLOCKED: {"en": "blocked", "zh": "受阻"},
    Outcome.SKIPPED: {"en": "skipped", "zh": "跳过"},
    Outcome.NOT_RUN: {"en": "not run", "zh": "未运行"},
    Outcome.GRADER_ERROR: {"en": "fault of the grader", "zh": "评分器故障"},
}
_EACH = {"en": ("{device}: {ended}", "; "), "zh": ("{device}：{ended}", "；")}


def on_devices(devices: Mapping[str, Outcome]) -> dict[str, str]:
    """How a check ended on each device, by language; empty for a run on one."""
    return {
        language: between.join(
            one.format(device=device, ended=OUTCOMES[outcome][language]) for device, outcome in devices.items()
        )
        for language, (one, between) in (_EACH.items() if devices else ())
    }
