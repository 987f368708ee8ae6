"""A course's settings: what is written wrong is an error that names the key, never a silent change of grades."""

from __future__ import annotations

import shutil
from importlib import resources

import pytest
from pydantic import ValidationError

from grader import settings as course
from grader.catalogue import all_checks
from grader.errors import UsageError

KNOWN = all_checks()
MINIMAL = '[assignment]\ntitle = "A"\n[points]\n"rope.base" = 3\n"gqa.base" = 2\n'


@pytest.fixture
def load(tmp_path):
    """A function: settings from a text."""

    def run(text):
        path = tmp_path / "course.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return course.load(path, KNOWN)

    return run


# -- the shipped file --------------------------------------------------------------------------------------------


def test_without_a_file_the_shipped_assignment_is_read():
    settings = course.load(None, KNOWN)

    assert {*settings.points, *settings.device_points} == set(KNOWN)
    assert settings.assignment.title.startswith("Assignment 1")


def test_a_copy_of_the_shipped_file_gives_the_same_settings(tmp_path):
    copy = tmp_path / "course.toml"
    with resources.as_file(resources.files("grader").joinpath("assignment.toml")) as shipped:
        shutil.copy(shipped, copy)

    assert course.load(copy, KNOWN) == course.load(None, KNOWN)


def test_the_shipped_file_states_every_setting_and_its_default():
    shipped = course.load(None, KNOWN)

    assert shipped.limits == course.LimitsSection()
    assert shipped.visibility == course.VisibilitySection()


LIMITS = {"limits": course.LimitsSection, "docker": course.DockerSection}


@pytest.mark.parametrize(
    ("section", "name"), [(section, name) for section in LIMITS for name in LIMITS[section].model_fields]
)
def test_the_shipped_file_explains_every_limit(section, name):
    text = resources.files("grader").joinpath("assignment.toml").read_text("utf-8")
    lines = text.partition(f"\n[{section}]\n")[2].partition("\n[")[0].splitlines()

    (line,) = [line for line in lines if line.startswith(f"{name} = ")]
    assert " # " in line


def test_the_shipped_file_explains_its_sections():
    lines = resources.files("grader").joinpath("assignment.toml").read_text("utf-8").splitlines()

    assert lines[0].startswith("# ")
    for key in ("[points]", "hidden = []"):
        assert lines[lines.index(key) - 1].startswith("# "), key


# -- what is read ------------------------------------------------------------------------------------------------


def test_points_and_limits_are_read(load):
    settings = load(f"{MINIMAL}[limits]\ncall = 2.5\noutput_mib = 1\n")

    assert settings.points == {"rope.base": 3, "gqa.base": 2}
    assert settings.limits.for_runner().call == 2.5
    assert settings.limits.for_runner().output == 1 << 20
    assert settings.limits.for_runner().load == course.LimitsSection().load


def test_a_byte_order_mark_and_windows_line_ends_are_fine(load):
    text = b"\xef\xbb\xbf" + MINIMAL.replace("\n", "\r\n").encode()

    assert load(text).points == {"rope.base": 3, "gqa.base": 2}


def test_settings_do_not_change_once_read(load):
    with pytest.raises(ValidationError, match="frozen"):
        load(MINIMAL).assignment.title = "B"


@pytest.mark.parametrize(
    ("patterns", "hidden"),
    [
        ([], set()),
        (["rope.base"], {"rope.base"}),
        (["*.base"], {"rope.base", "gqa.base"}),
        (["gqa.*", "rope.base"], {"rope.base", "gqa.base"}),
        (["gqa.cache-?alues"], set()),
        (["[!r]*"], {"gqa.base"}),
    ],
)
def test_hidden_checks_are_named_by_shell_patterns(patterns, hidden, load):
    settings = load(f"{MINIMAL}[visibility]\nhidden = {patterns}\n")

    assert {check for check in settings.points if settings.is_hidden(check)} == hidden


# -- what is refused ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[limits]\ncal = 3", 'unknown key "limits.cal"; did you mean "limits.call"?'),
        ("[limit]\ncall = 3", 'unknown key "limit"; did you mean "limits"?'),
        ("[visibility]\nhiden = []", 'unknown key "visibility.hiden"; did you mean "visibility.hidden"?'),
        ("[docker]\nmemory = 512", 'unknown key "docker.memory"; did you mean "docker.memory_mib"?'),
        ("[zzz]\n", 'unknown key "zzz"'),
        ('"rope.bsae" = 1', 'unknown check "points.rope.bsae"; did you mean "rope.base"?'),
        ('"q" = 1', 'unknown check "points.q"'),
        ('[visibility]\nhidden = ["gqq.*"]', "\"visibility.hidden\" names no check: 'gqq.*'"),
    ],
)
def test_an_unknown_key_is_named_with_what_was_meant(text, sentence, load):
    with pytest.raises(UsageError) as error:
        load(f"{MINIMAL}{text}\n")

    assert str(error.value).endswith(f"course.toml: {sentence}")


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('"rope.dtype" = "1"', "points.rope.dtype"),
        ('"rope.dtype" = true', "points.rope.dtype"),
        ('"rope.dtype" = 1.0', "points.rope.dtype"),
        ('"rope.dtype" = -1', "points.rope.dtype"),
        ('"rope.dtype" = 101', "points.rope.dtype"),
        ("gqa.dtype = 1", "points.gqa"),  # not quoted: a table in TOML
        ('[limits]\ncall = "3"', "limits.call"),
        ("[limits]\ncall = 0", "limits.call"),
        ("[limits]\ncall = nan", "limits.call"),
        ("[limits]\ncall = inf", "limits.call"),
        ("[limits]\noutput_mib = 0.5", "limits.output_mib"),
        ("[docker]\nmemory_mib = 16", "docker.memory_mib"),
        ("[docker]\ncpus = 0", "docker.cpus"),
        ("[docker]\nruntime = 1", "docker.runtime"),
        ('[visibility]\nhidden = "gqa.*"', "visibility.hidden"),
        ("[visibility]\nhidden = [1]", "visibility.hidden.0"),
    ],
)
def test_a_value_of_a_wrong_type_or_size_is_named(text, key, load):
    with pytest.raises(UsageError, match=f'course.toml: "{key}" = '):
        load(f"{MINIMAL}{text}\n")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('[points]\n"rope.base" = 1', 'missing key "assignment"'),
        ('[assignment]\ntitle = "A"', 'missing key "points"'),
        ('[assignment]\n[points]\n"rope.base" = 1', 'missing key "assignment.title"'),
        ('[assignment]\ntitle = "A"\n[points]', '"points" = {}: '),
        ("[assignment", "is not valid TOML: "),
        (f'{MINIMAL}"rope.base" = 1', "is not valid TOML: "),
        (b"\xff\xfe", "is not valid TOML: "),
    ],
)
def test_an_incomplete_or_broken_file_is_refused(text, sentence, load):
    with pytest.raises(UsageError) as error:
        load(text)

    assert sentence in str(error.value)
    assert "course.toml" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UsageError, match=r"cannot read .*none\.toml: No such file"):
        course.load(tmp_path / "none.toml", KNOWN)
