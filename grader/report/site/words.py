"""The instructor's page in words, each in every language."""

from __future__ import annotations

from grader.feedback.outcomes import OUTCOMES
from grader.report.page.words import Said, said

WORDS = {
    "class": said("Class report", "班级报告"),
    "private": said(
        "For the instructor: this page names students and hidden checks.", "仅供教师：本页含学生姓名和隐藏检查。"
    ),
    "overview": said("Overview", "概览"),
    "graded": said("graded", "已评分"),
    "mean": said("mean", "平均分"),
    "median": said("median", "中位数"),
    "deviation": said("standard deviation", "标准差"),
    "range": said("lowest to highest", "最低至最高"),
    "need": said("need a human", "需要人工处理"),
    "of_points": said("of {most} points", "满分 {most}"),
    "distribution": said("Scores", "分数分布"),
    "distribution_means": said(
        "{count} graded submissions: mean {mean}, median {median}, from {lowest} to {highest} of {most} points.",
        "共 {count} 份已评分提交：平均 {mean}，中位数 {median}，最低 {lowest}，最高 {highest}，满分 {most}。",
    ),
    "nobody": said("Nobody has a score.", "没有任何分数。"),
    "as_table": said("As a table", "以表格查看"),
    "score_range": said("Points", "分数段"),
    "submissions": said("Submissions", "提交数"),
    "attention": said("Needs a human", "需要人工处理"),
    "attention_none": said("Nothing here needs a human.", "没有需要人工处理的内容。"),
    "infrastructure": said("Not graded, through our fault", "未评分（我们的故障）"),
    "infrastructure_means": said(
        "Run the batch again with --resume; these are no zeros.", "请用 --resume 再运行一次；这些不是零分。"
    ),
    "unreadable": said("Nothing could be graded", "没有可评分的内容"),
    "unreadable_means": said("Ask for another file, or look at it by hand.", "请学生重交，或人工查看。"),
    "missing": said("Nothing handed in", "未提交"),
    "missing_means": said("In the roster, without a submission.", "在名单中，但没有提交。"),
    "unnamed": said("Points lost without a known mistake", "失分但没有已知的错误能解释"),
    "unnamed_means": said(
        "The numbers are wrong in a way that no model of a mistake explains.", "结果不对，但没有任何错误模型能解释。"
    ),
    "notes": said("Other remarks", "其他说明"),
    "notes_means": said(
        "Another attempt, a student who is not in the roster, and the like.", "多次提交、不在名单中等。"
    ),
    "more": said("and {count} more; filter the table of submissions", "另有 {count} 份；请在提交表中筛选"),
    "teach": said("What to teach again", "该重讲什么"),
    "teach_means": said(
        "Mistakes by name, what cost the class most points first. One mistake costs a student once.",
        "按名称列出的错误，全班失分最多的在前。同一个错误每人只扣一次分。",
    ),
    "teach_none": said("No mistake was named.", "没有识别出任何错误。"),
    "mistake": said("Mistake", "错误"),
    "students": said("Students", "人数"),
    "points_lost": said("Points lost", "总失分"),
    "section": said("Section", "章节"),
    "shown_by": said("Shown by", "由哪些检查发现"),
    "who": said("Who", "是谁"),
    "show_them": said("show them", "查看名单"),
    "checks": said("Checks", "检查"),
    "checks_means": said(
        "How many submissions pass each check, the fewest first."
        " Carried forward: wrong only through another mistake, at no cost.",
        "每项检查有多少份通过，通过率低的在前。错误延续：只因别的错误而不同，不扣分。",
    ),
    "check": said("Check", "检查"),
    "rate": said("Right", "通过率"),
    "heat": said("Heat map", "热力图"),
    "bar": said("Outcomes", "结果"),
    "points": said("Points", "分数"),
    "advice": said("advice", "建议"),
    "hidden": said("hidden", "隐藏"),
    "passed": said("passed", "通过"),
    "carried": said("carried forward", "错误延续"),
    "failed": said("failed", "未通过"),
    "blocked": said("blocked", "受阻"),
    "skipped": said("skipped", "跳过"),
    "error": said("our fault", "我们的故障"),
    "map": said("Students and checks", "学生与检查"),
    "map_means": said(
        "A row for each graded student of the table below, the best first, and a column for each check that has"
        " points. Where there are more students than rows, a row is several of them, and the redder it is, the more of"
        " them fail.",
        "每行是下表中的一名已评分学生（高分在前），每列是一项计分的检查。学生多于行数时，一行代表多名学生，颜色越红，未通过的越多。",
    ),
    "map_keys": said(
        "Heat map. Arrow keys move, Enter shows the student in the table.",
        "热力图。方向键移动，回车键在表中显示该学生。",
    ),
    "of_them": said("{count} of {total} fail", "{total} 人中 {count} 人未通过"),
    "map_table": said(
        "The table below says the same in words: under Failed checks, all that are not passed.",
        "下面的提交表以文字给出同样的内容：“未通过的检查”一列列出所有未通过的项。",
    ),
    "table": said("Submissions", "提交"),
    "table_caption": said(
        "Submissions, with their scores, mistakes and failed checks", "所有提交：分数、错误和未通过的检查"
    ),
    "search": said("Search", "搜索"),
    "search_hint": said("name, number, section", "姓名、学号、班级"),
    "state": said("State", "状态"),
    "all_states": said("every state", "全部状态"),
    "state_graded": said("graded", "已评分"),
    "state_infrastructure": said("not graded (our fault)", "未评分（我们的故障）"),
    "state_unreadable": said("unreadable", "无法读取"),
    "state_missing": said("missing", "未提交"),
    "state_unnamed": said("graded, without a name for a mistake", "已评分，但有失分无法解释"),
    "state_noted": said("with a remark", "有说明"),
    "failed_check": said("Failed check", "未通过的检查"),
    "any_check": said("any", "不限"),
    "any_mistake": said("any", "不限"),
    "min_score": said("Points from", "分数从"),
    "max_score": said("to", "到"),
    "reset": said("Clear filters", "清除筛选"),
    "found": said("{count} of {total} submissions", "{total} 份提交中的 {count} 份"),
    "page_of": said("Page {page} of {pages}", "第 {page} 页，共 {pages} 页"),
    "previous": said("Previous", "上一页"),
    "next": said("Next", "下一页"),
    "student": said("Student", "学生"),
    "name": said("Name", "姓名"),
    "group": said("Class", "班级"),
    "score": said("Score", "得分"),
    "mistakes": said("Mistakes", "错误"),
    "failed_checks": said("Failed checks", "未通过的检查"),
    "seconds": said("Seconds", "秒"),
    "page": said("Page", "页面"),
    "open": said("open", "打开"),
    "late": said("late", "迟交"),
    "sort_by": said("sort by this column", "按此列排序"),
    "health": said("The run", "运行情况"),
    "input": said("Input", "输入"),
    "started": said("Started", "开始"),
    "duration": said("Duration", "用时"),
    "throughput": said("Submissions a minute", "每分钟提交数"),
    "per_submission": said("Seconds a submission: median, 95 %, slowest", "每份用时（秒）：中位数、95 %、最慢"),
    "jobs": said("Side by side", "并行数"),
    "starts": said("Starts, taken over from earlier ones", "启动次数，沿用先前结果"),
    "retries": said("Tried again after trouble of ours", "因我们的故障而重试"),
    "quarantined": said("Given up after trouble of ours", "因我们的故障而放弃"),
    "runner": said("Runner", "运行方式"),
    "untrusted": said("not trusted", "不可信"),
    "trusted": said("trusted", "可信"),
    "environment": said("Environment", "环境"),
    "skipped_files": said("In the input, and no submission", "输入中不属于任何提交的文件"),
    "no_script": said("Search, filters and the heat map need JavaScript.", "搜索、筛选和热力图需要 JavaScript。"),
    "none": said("none", "无"),
}


def worded(word: str, **values: object) -> Said:
    """One of ``WORDS`` with its placeholders filled."""
    return {language: text.format_map(values) for language, text in WORDS[word].items()}


__all__ = ["OUTCOMES", "WORDS", "Said", "said", "worded"]
