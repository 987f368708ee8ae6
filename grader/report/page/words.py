"""The page's own words, each in every language."""

from __future__ import annotations

Said = dict[str, str]


def said(en: str, zh: str) -> Said:
    """One wording in every language."""
    return {"en": en, "zh": zh}


WORDS = {
    "score": said("Score", "得分"),
    "of": said("of {most}", "/ {most}"),
    "not_graded": said("Not graded, through no fault of the submission", "未评分，与提交无关"),
    "not_graded_means": said(
        "The grader could not finish. This is no zero: hand the page to whoever runs the grader.",
        "评分器未能完成。这不是零分：请把本页交给负责评分的人。",
    ),
    "all_right": said("Every check passes.", "所有检查均通过。"),
    "lost": said(
        "{passed} of {total} checks pass; points lost: {points}, in checks: {failed}. What to do about them is below.",
        "{total} 项检查中通过 {passed} 项；有 {failed} 项共扣 {points} 分，改法见下。",
    ),
    "carried_means": said(
        "{count} more fail only because of a mistake that other checks take points for: "
        "they are carried forward and cost nothing.",
        "另有 {count} 项未通过，只是受了别的检查已经扣过分的错误影响：按错误延续处理，不扣分。",
    ),
    "no_device": said(
        "{count} checks need a GPU and were skipped (no device); they are worth nothing here.",
        "{count} 项检查需要 GPU，已跳过（没有设备），此处不计分。",
    ),
    "only": said("Only the selected checks ran.", "只运行了所选的检查。"),
    "mistakes": said("Mistakes", "错误"),
    "minus": said("points lost: {points}", "扣 {points} 分"),
    "costs_nothing": said("costs nothing", "不扣分"),
    "section": said("Section {section}: {title}", "第 {section} 节：{title}"),
    "case": said("in the case {case}", "用例 {case}"),
    "chapter": said("The chapter's own numbers, which you can redo by hand", "课程例题的数字，可以手算核对"),
    "designed": said("Small enough to redo by hand", "足够小、可以手算的反例"),
    "shrunk": said(
        "The check's own input, cut down as far as it still fails", "由本项检查的输入缩减而来、仍然出错的反例"
    ),
    "yours": said("yours", "你的结果"),
    "right": said("right", "正确结果"),
    "try": said("To see it, in the folder that holds assignment1", "在含有 assignment1 的文件夹里运行，即可重现"),
    "examples_error": said(
        "Some examples are missing, through a fault of the grader; the points are right. ({error})",
        "由于评分器自身的故障，缺少部分反例；分数不受影响。（{error}）",
    ),
    "frames": said("In your code", "在你的代码中"),
    "next": said("Next", "下一步"),
    "next_rule": said("reads the rule with numbers to redo by hand", "查看规则和可以手算的例子"),
    "next_again": said("checks this alone again", "单独重跑这一项"),
    "also": said("Checks that fail because of it too:", "同样因此未通过的检查："),
    "costless": said(
        "Carried forward, because they fail only because of it:", "只因它而未通过，按错误延续处理、不扣分："
    ),
    "hidden": said("a hidden check of section {section}", "第 {section} 节的隐藏检查"),
    "others": said("Other failed checks", "其他未通过的检查"),
    "others_means": said(
        "No known mistake explains these, so they have no name.", "已知的错误都解释不了它们，因此没有错误名称。"
    ),
    "carried": said("{count} checks carried forward", "{count} 项错误延续的检查"),
    "carried_from": said(
        "Carried forward: right around a mistake elsewhere ({parts}).",
        "错误延续：除别处的错误（{parts}）之外都正确。",
    ),
    "blocked": said("{count} checks blocked", "{count} 项受阻的检查"),
    "blocked_means": said(
        "They could not come to a verdict, because something that they call does not run at all: mend that first.",
        "它们调用的部分根本无法运行，因此没有得出结论：请先修好那一部分。",
    ),
    "blocked_by": said("Blocked: {parts} does not run at all.", "受阻：{parts} 根本无法运行。"),
    "expected": said("Expected", "应为"),
    "got": said("Got", "实际"),
    "where": said("Where", "位置"),
    "why": said("Why", "原因"),
    "naming_error": said(
        "Mistakes could not be named, through a fault of the grader; the points are right. ({error})",
        "由于评分器自身的故障，无法指出具体错误；分数不受影响。（{error}）",
    ),
    "advice": said("Advice, worth no points", "建议（不计分）"),
    "by_section": said("Points by section", "各节得分"),
    "all_checks": said("All {count} checks", "全部 {count} 项检查"),
    "check": said("Check", "检查"),
    "promise": said("Promise", "要求"),
    "outcome": said("Outcome", "结果"),
    "points": said("Points", "分数"),
    "graded": said("What was graded", "评分对象"),
    "name": said("Name", "名称"),
    "files": said("Files that were read", "已读取的文件"),
    "skipped": said("Found and not read", "发现但未读取"),
    "more": said("and {count} more, in report.json", "另有 {count} 个，见 report.json"),
    "digest": said("Digest (SHA-256)", "摘要 (SHA-256)"),
    "again": said("Seed, trust and environment", "随机种子、可信度与环境"),
    "seed": said("Seed", "随机种子"),
    "seed_means": said(
        "grader check --seed {seed} draws the same inputs again.", "grader check --seed {seed} 会生成相同的输入。"
    ),
    "trust": said("Trust", "可信度"),
    "environment": said("Environment", "环境"),
    "started": said("Graded", "评分时间"),
    "took": said("{seconds} s", "{seconds} 秒"),
    "numbers": said("The numbers", "数值"),
    "shortened": said(
        "Later failures are shortened, to keep this page small; report.json has all of them.",
        "为控制页面大小，靠后的失败项有所省略；完整内容见 report.json。",
    ),
}


def filled(word: str, **values: object) -> Said:
    """One of ``WORDS`` with its placeholders filled; a value that is ``Said`` itself is taken in its language."""
    return {
        language: text.format(
            **{name: value[language] if isinstance(value, dict) else value for name, value in values.items()}
        )
        for language, text in WORDS[word].items()
    }
