"""``grader merge RUN1 RUN2 ... -o RUN``: one run out of the parts of a class."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.text import Text

from grader.batch import merge
from grader.errors import GraderError, UsageError

WORDS = {
    "en": "{count} students from {parts} runs are in {folder}: {graded} graded",
    "zh": "{parts} 次运行的 {count} 名学生已合并到 {folder}：已评分 {graded} 份",
}


def run(parts: list[Path], target: Path, language: str, console: Console) -> int:
    """Merge; returns 0. Raises UsageError, GraderError."""
    if len({part.resolve() for part in parts}) < len(parts):
        raise UsageError("a run is given twice")
    try:
        whole = merge.merge(parts, target, language=language)
    except OSError as error:
        raise GraderError(f"the merged run cannot be written to {target}: {error.strerror}") from None
    count, graded = len(whole.submissions), len(whole.in_state("graded"))
    sentence = WORDS[language].format(count=count, parts=len(parts), folder=target, graded=graded)
    console.print(Text(sentence), soft_wrap=True)
    return 0
