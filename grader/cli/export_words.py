"""What ``grader export`` and ``grader package`` say."""

from __future__ import annotations

WORDS = {
    "en": {
        "wrote": "{file}: {count} submissions",
        "not_what_was_graded": "{count} are not what was graded: {who}",
        "not_found": "{count} were not found any more, or cannot be read: {who}",
        "large_junit": "GitLab reads files of up to 30 MB only: name a folder with --out for a file a submission",
        "packaged": "{file}: {count} files; upload it to Gradescope as the autograder",
        "filled": "{file}: {grades} grades and {feedbacks} comments filled in ({platform})",
        "changed": "{count} grades were another before: {who}",
        "left": "{count} left as they were, {reason}: {who}",
        "without_row": "{count} submissions have no row: {who}",
        "without_submission": "{count} rows have no submission, and stay as they were",
        "infrastructure": "not graded, through no fault of theirs",
        "unreadable": "nothing could be graded",
        "missing": "nothing was handed in",
        "excused": "excused (EX)",
        "short row": "the row ends before the column of grades",
        "feedback already there": "with a comment that was there before (--replace-feedback writes over it)",
    },
    "zh": {
        "wrote": "{file}：{count} 份提交",
        "not_what_was_graded": "{count} 份与评分时的内容不同：{who}",
        "not_found": "{count} 份已找不到或无法读取：{who}",
        "large_junit": "GitLab 只读取 30 MB 以内的文件：请用 --out 指定一个文件夹，每份提交一个文件",
        "packaged": "{file}：共 {count} 个文件；请作为 autograder 上传到 Gradescope",
        "filled": "{file}：已填入 {grades} 个成绩、{feedbacks} 条评语（{platform}）",
        "changed": "{count} 个成绩与原有的不同：{who}",
        "left": "{count} 项保持原样，{reason}：{who}",
        "without_row": "{count} 份提交在表中没有对应的行：{who}",
        "without_submission": "{count} 行没有对应的提交，保持原样",
        "infrastructure": "未评分，与学生无关",
        "unreadable": "没有可评分的内容",
        "missing": "没有提交",
        "excused": "免交 (EX)",
        "short row": "该行在成绩列之前就结束了",
        "feedback already there": "原来已有评语（用 --replace-feedback 覆盖）",
    },
}
