"""``grader report``: the instructor's page of a class."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.text import Text

from grader.errors import UsageError

WORDS = {
    "en": {
        "wrote": "{file}: {count} submissions; open it in a browser",
        "missing": "{count} pages of students are not in the run's folder any more: {who}",
    },
    "zh": {
        "wrote": "{file}：{count} 份提交；请用浏览器打开",
        "missing": "{count} 份学生页面已不在运行结果的文件夹中：{who}",
    },
}


def run(source: Path, out: Path, language: str, console: Console) -> int:
    """Write the page and copy the students' pages beside it. Raises UsageError."""
    from grader.exports.source import Run, read
    from grader.report.site.write import INDEX, write

    found = read(source)
    if not isinstance(found, Run):
        raise UsageError(f"{source} is one report; `grader report` shows a run of `grader batch`")
    try:
        missing = write(
            found.summary,
            lambda entry: None if entry.page is None else found.path(entry.page),
            out,
            language=language,
        )
    except OSError as error:
        raise UsageError(f"cannot write {error.filename or out}: {error.strerror or error}") from None
    words = WORDS[language]
    if missing:
        console.print(Text(words["missing"].format(count=len(missing), who=", ".join(missing[:20]))))
    console.print(Text(words["wrote"].format(file=out / INDEX, count=len(found.summary.submissions))))
    return 0
