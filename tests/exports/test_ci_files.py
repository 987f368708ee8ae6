"""The CI files of docs/ci: valid, with commands and options that there are, and results are shown whatever happens."""

from __future__ import annotations

import ast
import re
import shlex
from pathlib import Path

import pytest
import typer.main
import yaml

from grader.cli.app import app

FOLDER = Path(__file__).parents[2] / "docs" / "ci"
COMMANDS = dict(typer.main.get_command(app).commands.items())


def strings_in(value):
    if isinstance(value, str):
        yield value
    for item in [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []:
        yield from strings_in(item)


def loaded(name):
    return yaml.safe_load((FOLDER / name).read_text("utf-8"))


def calls(name):
    """Every call of the grader in a CI file, as words."""
    lines = [line for text in strings_in(loaded(name)) for line in text.splitlines()]
    found = [re.search(r"(?:^|\s)grader (check|export|batch)\b.*", line) for line in lines]
    return [shlex.split(hit[0].strip()) for hit in found if hit]


@pytest.mark.parametrize("name", ["github-actions.yml", "gitlab-ci.yml"])
def test_every_call_uses_options_that_there_are(name):
    assert {words[1] for words in calls(name)} == {"check", "export"}
    for words in calls(name):
        options = {option for one in COMMANDS[words[1]].params for option in one.opts}
        assert {word for word in words if word.startswith("--")} <= options


@pytest.mark.parametrize("name", ["github-actions.yml", "gitlab-ci.yml"])
def test_exports_name_formats_of_one_report(name):
    from grader.exports.registry import FORMATS

    formats = [words[words.index("--to") + 1] for words in calls(name) if words[1] == "export"]

    assert "junit" in formats
    assert all(FORMATS[one].report for one in formats)


def test_github_needs_no_rights_and_gives_the_checkout_no_token():
    workflow = loaded("github-actions.yml")
    job = workflow["jobs"]["grade"]

    assert workflow["permissions"] == {"contents": "read"}
    assert set(workflow[True]) == {"push", "workflow_dispatch"}  # YAML 1.1 reads `on` as true
    assert job["timeout-minutes"] <= 30
    assert job["steps"][0]["with"] == {"persist-credentials": False}
    assert "github.event" not in (FOLDER / "github-actions.yml").read_text("utf-8")  # which others write


def test_github_shows_results_of_what_failed_too():
    steps = loaded("github-actions.yml")["jobs"]["grade"]["steps"]

    after = steps[[step.get("id") for step in steps].index("grade") + 1 :]
    assert len(after) == 3
    assert all("!cancelled()" in step["if"] for step in after)


def test_gitlab_keeps_the_report_of_a_job_that_failed():
    job = loaded("gitlab-ci.yml")["grade"]

    assert job["artifacts"]["when"] == "always"
    assert job["artifacts"]["reports"]["junit"].endswith(".xml")
    assert any("--to junit" in line for line in job["after_script"])


def test_classroom50s_autograder_is_python_and_ends_with_the_exporters_code():
    text = (FOLDER / "classroom50-autograder.py").read_text("utf-8")

    tree = ast.parse(text)
    assert "classroom50" in text
    assert any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in tree.body)


@pytest.mark.parametrize("path", sorted(FOLDER.iterdir()), ids=lambda path: path.name)
def test_nothing_is_fetched_but_from_python_and_pytorch(path):
    addresses = re.findall(r"https?://[^\s\"')]+", path.read_text("utf-8"))

    assert set(addresses) <= {"https://download.pytorch.org/whl/cpu"}
