"""What a grade depends on: a changed check is that check's affair, what checks share is all of theirs."""

from __future__ import annotations

from grader import settings
from grader.batch.digests import check_sources, digests, digests_of_file
from grader.catalogue import all_checks

SOURCE = '''
from grader.catalogue import check

WIDTH = 4

@check("a.one", section="4.1", catches=())
def check_one(student):
    """One."""
    student.call(WIDTH)

@check("a.two", section="4.1", catches=())
def check_two(student):
    """Two."""
'''


def changed(old: str, new: str) -> set[str]:
    before, after = digests_of_file(SOURCE), digests_of_file(SOURCE.replace(old, new))
    return {check for check in before if before[check] != after[check]}


def test_every_check_has_a_digest_of_its_own():
    found = check_sources()

    assert set(found) == set(all_checks())
    assert len(set(found.values())) == len(found)


def test_a_changed_function_touches_its_check():
    assert changed("call(WIDTH)", "call(WIDTH + 1)") == {"a.one"}
    assert changed("Two.", "Both.") == {"a.two"}


def test_what_checks_share_touches_all_of_them():
    assert changed("WIDTH = 4", "WIDTH = 5") == {"a.one", "a.two"}


def test_comments_and_layout_touch_nothing():
    assert changed("WIDTH = 4", "WIDTH  =  4  # wide") == set()


def of(**changes):
    loaded = settings.load(None, all_checks())
    values = {"runner": "local", "image": "", "device": "cpu", "seed": 1}
    return digests(changes.pop("settings", loaded), **{**values, **changes})


def test_runner_image_device_seed_and_limits_touch_everything():
    loaded = settings.load(None, all_checks())
    limits = loaded.limits.model_copy(update={"call": 1.0})
    others = [{"runner": "docker"}, {"image": "x"}, {"device": "cuda"}, {"seed": 2}]
    bases = [of(**other).base for other in others] + [of(settings=loaded.model_copy(update={"limits": limits})).base]

    assert len({of().base, *bases}) == 6


def test_points_and_visibility_touch_their_check():
    loaded = settings.load(None, all_checks())
    points = loaded.model_copy(update={"points": {**loaded.points, "rope.base": 9}})
    hidden = loaded.visibility.model_copy(update={"hidden": ["rope.base"]})

    for other in (points, loaded.model_copy(update={"visibility": hidden})):
        before, after = of(), of(settings=other)
        assert before.base == after.base
        assert {check for check in before.checks if before.checks[check] != after.checks[check]} == {"rope.base"}
