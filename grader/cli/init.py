"""``grader init``: a folder to start from."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.text import Text

from grader import template
from grader.contract import MODULES, PACKAGE

WORDS = {
    "en": {
        "wrote": "{folder} now holds {count} files.",
        "next": "Next: read README.md there, fill in {first}, and then run in that folder",
        "check": "what passes, what does not, and why",
        "watch": "the same again whenever you save a file",
        "pytest": "the same checks, for those who prefer pytest",
    },
    "zh": {
        "wrote": "{folder} 中已写入 {count} 个文件。",
        "next": "下一步：阅读其中的 README.md，先完成 {first}，然后在该文件夹里运行",
        "check": "哪些通过，哪些没通过，为什么",
        "watch": "每次保存文件后自动重新检查",
        "pytest": "同样的检查，供习惯 pytest 的人使用",
    },
}
_COMMANDS = {"check": "grader check", "watch": "grader check --watch", "pytest": "pytest"}


def run(folder: Path, language: str, console: Console) -> int:
    """Write the template and say what to do next. Raises UsageError when something there is in its way."""
    written = template.write(folder)
    words = WORDS[language]
    console.print(Text(words["wrote"].format(folder=folder, count=len(written)), style="bold"))
    console.print(Text(words["next"].format(first=f"{PACKAGE}/{MODULES[0]}.py")))
    for word, command in _COMMANDS.items():
        console.print(Text.assemble("  ", (f"{command:<22}", "bold"), words[word]))
    return 0
