"""``pytest --pyargs grader.checks --submission PATH``: the same checks for those who prefer pytest.

A folder that ``grader init`` made says both in its ``pytest.ini``, so that there ``pytest`` alone is enough.

Registered as a pytest plugin, so it loads in every pytest run of this environment: it does nothing, and imports nothing
heavy, unless a submission is named and the run is to grade it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

CHECKS = "grader.checks"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("grader", "Assignment 1 grader")
    group.addoption("--submission", metavar="PATH", help="grade this submission with the checks of grader.checks")
    group.addoption("--grader-seed", type=int, default=None, metavar="N", help="seed of all inputs; fresh without it")
    parser.addini("grader_submission", "the submission of a run of grader.checks, from this file's folder", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Register the grading plugin when a submission was named."""
    path = _submission(config)
    if path is None:
        return
    from grader import settings
    from grader.catalogue import all_checks
    from grader.errors import UsageError
    from grader.intake.read import read
    from grader.runners.local import LocalRunner
    from grader.sources import seed_for, source

    config.addinivalue_line("python_files", "check_*.py")
    config.addinivalue_line("python_functions", "check_*")
    try:
        loaded = settings.load(None, all_checks())
        submission = read(path)
        seed = seed_for(config.getoption("--grader-seed"))
    except UsageError as error:
        raise pytest.UsageError(str(error)) from None
    runner = LocalRunner(loaded.limits.for_runner())
    runner.prepare()
    from grader.pytest_mixed import MixedPlugin, Words
    from grader.run_state import RunState

    run = RunState(runner, submission.files)
    plugin = MixedPlugin(run, loaded, source(seed), set(loaded.points))
    config.pluginmanager.register(plugin, "grader-checks")
    config.pluginmanager.register(Words(), "grader-words")
    config.add_cleanup(run.close)


def _submission(config: pytest.Config) -> Path | None:
    """What is to be graded: what the command line names, or what the ini file names if the checks are to run."""
    given = config.getoption("--submission", default=None)
    if given:
        return Path(given)
    named = str(config.getini("grader_submission"))
    asked = any(argument.split("::")[0].startswith(CHECKS) for argument in config.args)
    return config.rootpath / named if named and asked else None
