"""Write docs/tutorial.md and docs/tutorial.zh.md: run every command that they show, and put in what it printed.

python docs/tutorial/make.py writes both; tests/test_tutorial.py holds them to what the grader prints today.
"""

from __future__ import annotations

import difflib
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import jinja2

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
FILES = {"en": HERE.parent / "tutorial.md", "zh": HERE.parent / "tutorial.zh.md"}
SEED = "7"
_WIDTH = "118"

PAIRS = (
    "rope.py",
    """    x_fp32 = x.float()
    even, odd = x_fp32.chunk(2, dim=-1)
    rotated = torch.cat((even * cos - odd * sin, even * sin + odd * cos), dim=-1)
    return rotated.to(x.dtype)
""",
    """    x_fp32 = x.float()
    even, odd = x_fp32[..., 0::2], x_fp32[..., 1::2]
    rotated = torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1)
    return rotated.flatten(-2).to(x.dtype)
""",
)
WEIGHT = (
    "norm.py",
    "        return normed.to(x.dtype) * self.weight\n",
    "        return (normed * self.weight.float()).to(x.dtype)\n",
)
MASK = (
    "attention.py",
    "    return torch.ones(n_queries, n_keys, dtype=torch.bool, device=device).tril()\n",
    "    return torch.ones(n_queries, n_keys, dtype=torch.bool, device=device).tril(n_keys - n_queries)\n",
)
NAMED = {
    "dtype_promote": "norm.dtype_promote",
    "half_split": "rope.half_split",
    "causal_topleft": "attn.causal_topleft",
}
_OF_THE_DEMO = """    cos, sin = cos.to(x.dtype), sin.to(x.dtype)
    even, odd = x[..., 0::2], x[..., 1::2]
    rotated = torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1)  # [B, T, H, d/2, 2]
    return rotated.flatten(-2)
"""


class Run:
    """One walk from an empty folder to all points, in one language."""

    def __init__(self, folder: Path, language: str) -> None:
        self._folder, self._language = folder, language

    def grader(self, *arguments: str) -> str:
        """What a command prints."""
        environment = {**os.environ, "COLUMNS": _WIDTH, "PYTHONUTF8": "1", "NO_COLOR": "1"}
        ended = subprocess.run(  # noqa: S603 - our own command
            [sys.executable, "-m", "grader", *arguments, "--lang", self._language],
            cwd=self._folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        if ended.returncode != 0:
            raise RuntimeError(f"grader {' '.join(arguments)} ended with {ended.returncode}: {ended.stdout}")
        lines = [line.rstrip() for line in ended.stdout.strip("\n").splitlines()]
        return "\n".join(lines)

    def check(self, *arguments: str) -> str:
        """What ``grader check`` of the submission prints."""
        return self.grader("check", "hw", "--seed", SEED, *arguments)

    def write_everything(self) -> None:
        """The student's first complete program: the demo's files, with the mistakes of this walk."""
        for path in (ROOT / "tests" / "bank" / "demo" / "assignment1").glob("*.py"):
            text = path.read_text("utf-8").replace(_OF_THE_DEMO, PAIRS[1])
            (self._folder / "hw" / "assignment1" / path.name).write_text(text, "utf-8")

    def mend(self, change: tuple[str, str, str]) -> str:
        """Apply one change; returns it as a diff."""
        name, old, new = change
        path = self._folder / "hw" / "assignment1" / name
        before = path.read_text("utf-8")
        if before.count(old) != 1:
            raise RuntimeError(f"{name} does not hold what is to be changed")
        after = before.replace(old, new)
        path.write_text(after, "utf-8")
        lines = difflib.unified_diff(before.splitlines(), after.splitlines(), name, name, lineterm="", n=1)
        return "\n".join(line.rstrip() for line in lines).rstrip()


def outputs(language: str) -> Mapping[str, str]:
    """What each command of the walk prints, and each change as a diff."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run(Path(folder), language)
        found = {"init": run.grader("init", "hw"), "empty": last_lines(run.check())}
        run.write_everything()
        first = run.check()
        found["summary"] = last_lines(first)
        for name, id in NAMED.items():
            (found[name],) = [one for one in mistakes(first, language) if f"[{id}]" in one]
        found["explain"] = run.grader("explain", "rope.adjacent-pairs")
        found["weight"], found["pairs"] = run.mend(WEIGHT), run.mend(PAIRS)
        found["rope"] = last_lines(run.check("--only", "rope"))
        found["mask"] = run.mend(MASK)
        found["all"] = last_lines(run.check())
        return found


def mistakes(printed: str, language: str) -> list[str]:
    """The paragraphs that begin with a mistake's name."""
    from grader.report.terminal_words import WORDS

    paragraphs = printed.split("\n\n")
    return [one for one in paragraphs if one.startswith(WORDS[language]["mistake"])]


def last_lines(printed: str) -> str:
    """The score, and how many checks pass; not the sentence between them, which depends on the machine."""
    score, _, passed = [line for line in printed.splitlines() if line][-3:]
    return f"{score}\n{passed}"


def page(language: str) -> str:
    """The tutorial."""
    environment = jinja2.Environment(  # noqa: S701 - Markdown with our own output, no HTML
        undefined=jinja2.StrictUndefined, keep_trailing_newline=True, trim_blocks=True
    )
    template = environment.from_string((HERE / f"tutorial.{language}.md.jinja").read_text("utf-8"))
    return template.render(seed=SEED, **outputs(language))


if __name__ == "__main__":
    for one, target in FILES.items():
        target.write_text(page(one), "utf-8")
