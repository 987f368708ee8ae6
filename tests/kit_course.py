"""The course that the tests' kit is of: four areas with a check or two each, and hidden ones."""

from __future__ import annotations

from pathlib import Path

PUBLIC = ["norm.rmsnorm-values", "norm.rmsnorm-affine", "rope.adjacent-pairs", "rope.base", "gqa.values"]
HIDDEN = ["rope.head-axis", "gqa.given-positions", "ffn.swiglu-gate"]
SEED = 5


def assignment(folder: Path, public=PUBLIC, hidden=HIDDEN) -> Path:
    points = "".join(f'"{check}" = 2\n' for check in [*public, *hidden])
    path = folder / "course.toml"
    path.write_text(f'[assignment]\ntitle = "A course"\n[visibility]\nhidden = {hidden}\n[points]\n{points}', "utf-8")
    return path
