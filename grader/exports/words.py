"""The exports' own words, each in every language; the page's are used where they say the same."""

from __future__ import annotations

from grader.report.page.words import WORDS as PAGE_WORDS
from grader.report.page.words import Said, said

WORDS = {
    "score": said("Score {score} of {most}", "得分 {score} / {most}"),
    "not_graded": said(
        "Not graded, through no fault of the submission. This is no zero.", "未评分，与提交无关。这不是零分。"
    ),
    "nothing_to_earn": said("Nothing in this report is worth points.", "本报告中没有计分的检查。"),
    "no_verdict": said("No verdict: the run was not finished.", "没有结论：评分未完成。"),
    "hidden_title": said("A hidden check of section {section}", "第 {section} 节的隐藏检查"),
    "hidden_failed": said(
        "A hidden check failed; section {section} is where to look.", "一项隐藏检查未通过；请查看第 {section} 节。"
    ),
    "labelled": said("{label}: {text}", "{label}：{text}"),
    "mistake": said("Mistake: {text}", "错误：{text}"),
    "section": said("Section {section}", "第 {section} 节"),
    "carried": said(
        "Fails only because of a mistake that other checks take points for: carried forward, costs nothing.",
        "只因别的检查已扣过分的错误而未通过：按错误延续处理，不扣分。",
    ),
    "advice": said("Advice, worth no points: {text}", "建议（不计分）：{text}"),
    "blocked": said("Blocked: what it builds on does not work yet.", "受阻：它所依赖的部分还不能工作。"),
    "skipped": said("Skipped here.", "在此跳过。"),
    "frame": said("{file}, line {line}, in {function}: {text}", "{file} 第 {line} 行，{function}：{text}"),
    "rule": said(
        "The rule with numbers to redo by hand: grader explain {id}", "规则和可以手算的例子：grader explain {id}"
    ),
    "again": said("Check this alone again: grader check --only {id}", "单独重跑这一项：grader check --only {id}"),
    "passes": said("Passes.", "通过。"),
    "passed": said("passed", "通过"),
    "failed": said("failed", "未通过"),
    "shortened": said(
        "Shortened, to stay within the platform's limit; report.json has all of it.",
        "受平台大小限制有所省略；完整内容见 report.json。",
    ),
    "more": said("{count} more in the step summary.", "另有 {count} 条，见步骤摘要。"),
    "check": said("Check", "检查"),
    "points": said("Points", "分数"),
    "outcome": said("Outcome", "结果"),
    "sections": said("Section", "章节"),
    "failed_checks": said("Failed checks", "未通过的检查"),
    "mistakes": said("Mistakes", "错误"),
    "costs": said("points lost: {points}", "扣 {points} 分"),
    "unreadable": said("Nothing could be graded.", "没有可评分的内容。"),
    "missing": said("Nothing was handed in.", "没有提交。"),
    "feedback_score": said("Score {score} of {most}.", "得分 {score} / {most}。"),
    "feedback_right": said("Every check passes.", "所有检查均通过。"),
    "feedback_failed": said("Failed: {checks}.", "未通过：{checks}。"),
    "feedback_hidden": said("hidden checks: {count}", "隐藏检查 {count} 项"),
    "feedback_carried": said("Carried forward at no cost: {count}.", "另有 {count} 项按错误延续处理，不扣分。"),
}


def say(word: str, language: str, **values: object) -> str:
    """One of these words, else one of the page's, with its placeholders filled. KeyError: there is no such word."""
    return (WORDS.get(word) or PAGE_WORDS[word])[language].format_map(values)


__all__ = ["WORDS", "Said", "say"]
