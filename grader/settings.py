"""A course's settings: points, which checks run, what students see, limits. Read once, from ``assignment.toml``."""

from __future__ import annotations

import difflib
import fnmatch
import sys
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from grader.devices import gpus_in, needs_gpu
from grader.errors import UsageError
from grader.runners.base import Limits
from grader.runners.docker.options import ContainerLimits

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_Seconds = Annotated[float, Field(gt=0, le=3600)]
_Points = Annotated[int, Field(ge=0, le=100)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)  # "1" or true is not a number of points


class AssignmentSection(_Section):
    """What the assignment is called."""

    title: str


class LimitsSection(_Section):
    """What one submission may use; see ``runners.base.Limits``. Seconds and MiB."""

    start: _Seconds = 120
    load: _Seconds = 20
    call: _Seconds = 10
    submission: _Seconds = 300
    output_mib: Annotated[int, Field(gt=0, le=1024)] = 8
    memory_mib: Annotated[int, Field(ge=0, le=1 << 20)] = 4096

    def for_runner(self) -> Limits:
        """The same limits as a runner takes them."""
        return Limits(
            start=self.start,
            load=self.load,
            call=self.call,
            submission=self.submission,
            output=self.output_mib << 20,
            memory=self.memory_mib << 20,
        )


class DockerSection(_Section):
    """What one container may use and what it is made of; see ``runners.docker.options.ContainerLimits``. MiB."""

    memory_mib: Annotated[int, Field(ge=256, le=1 << 20)] = 1024
    processes: Annotated[int, Field(ge=8, le=4096)] = 64
    cpus: Annotated[float, Field(gt=0, le=1024)] = 1.0
    scratch_mib: Annotated[int, Field(ge=1, le=1 << 16)] = 32
    runtime: str = ""
    image: str = ""
    gpu_memory_mib: Annotated[int, Field(ge=1024, le=1 << 20)] = 8192

    def for_runner(self) -> ContainerLimits:
        """The same limits as the docker runner takes them."""
        return ContainerLimits(
            memory=self.memory_mib,
            processes=self.processes,
            cpus=self.cpus,
            scratch=self.scratch_mib,
            runtime=self.runtime,
            image=self.image,
            gpu_memory=self.gpu_memory_mib,
        )


class VisibilitySection(_Section):
    """Which checks students see only as a category; shell patterns of ids."""

    hidden: list[str] = Field(default_factory=list)


HintLevel = Literal[1, 2, 3]


class HintsSection(_Section):
    """How much students see of what failed: 1 the symptom, 2 the mistake by name too, 3 the numbers too."""

    level: HintLevel = 3
    checks: dict[str, HintLevel] = Field(default_factory=dict)


class Settings(_Section):
    """Everything that ``assignment.toml`` says.

    Attributes:
        points: of every check that runs, by id; a check that is not named does not run.
        device_points: the same for the checks that need a GPU. Where there is none they are worth nothing, so they
            stand beside the 100.
    """

    assignment: AssignmentSection
    limits: LimitsSection = LimitsSection()
    docker: DockerSection = DockerSection()
    points: Annotated[dict[str, _Points], Field(min_length=1)]
    device_points: dict[str, _Points] = Field(default_factory=dict)
    visibility: VisibilitySection = VisibilitySection()
    hints: HintsSection = HintsSection()

    @property
    def worth(self) -> dict[str, int]:
        """Points of all checks by id, those that need a GPU last."""
        return {**self.points, **self.device_points}

    def most(self, devices: Sequence[str]) -> int:
        """Points of a right submission that is asked on these devices."""
        return sum(self.points.values()) + (sum(self.device_points.values()) if gpus_in(devices) else 0)

    def is_hidden(self, check: str) -> bool:
        """Whether students see only the category of this check."""
        return any(fnmatch.fnmatchcase(check, pattern) for pattern in self.visibility.hidden)

    def hints_for(self, check: str) -> HintLevel:
        """How much students see of this check; of several patterns that fit, the last one counts."""
        fitting = [level for pattern, level in self.hints.checks.items() if fnmatch.fnmatchcase(check, pattern)]
        return fitting[-1] if fitting else self.hints.level


def load(path: Path | None, known: Mapping[str, object]) -> Settings:
    """Read settings; None reads the assignment that comes with the grader.

    Args:
        known: the checks that exist, by id.

    Raises:
        UsageError: a sentence that names the file and the key.
    """
    name = str(path) if path else "assignment.toml"
    try:
        text = (
            path.read_text("utf-8-sig")  # Windows editors put a byte order mark first
            if path
            else resources.files("grader").joinpath("assignment.toml").read_text("utf-8")
        )
        values: dict[str, Any] = tomllib.loads(text)
    except OSError as error:
        raise UsageError(f"cannot read {name}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{name} is not valid TOML: {error}") from None
    try:
        settings = Settings.model_validate(values)
    except ValidationError as error:
        raise UsageError(f"{name}: {_sentence(error)}") from None
    for table, named in (("points", settings.points), ("device_points", settings.device_points)):
        for check in named:
            if check not in known:
                raise UsageError(f'{name}: unknown check "{table}.{check}"{_did_you_mean(check, known)}')
            if needs_gpu(check) != (table == "device_points"):
                other = "device_points" if table == "points" else "points"
                raise UsageError(f'{name}: "{table}.{check}" belongs into [{other}]')
    patterns = {"visibility.hidden": settings.visibility.hidden, "hints.checks": list(settings.hints.checks)}
    for key, given in patterns.items():
        for pattern in given:
            if not fnmatch.filter(known, pattern):
                raise UsageError(f'{name}: "{key}" names no check: {pattern!r}')
    return settings


def _sentence(error: ValidationError) -> str:
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return f'unknown key "{key}"{_did_you_mean(key, _keys())}'
    if first["type"] == "missing":
        return f'missing key "{key}"'
    return f'"{key}" = {first["input"]!r}: {first["msg"][0].lower()}{first["msg"][1:]}'


def _keys() -> list[str]:
    found = []
    for section, field in Settings.model_fields.items():
        found.append(section)
        if isinstance(field.annotation, type) and issubclass(field.annotation, _Section):
            found += [f"{section}.{name}" for name in field.annotation.model_fields]
    return found


def _did_you_mean(given: str, known: Mapping[str, object] | list[str]) -> str:
    close = difflib.get_close_matches(given, list(known), n=1, cutoff=0.6)
    return f'; did you mean "{close[0]}"?' if close else ""
