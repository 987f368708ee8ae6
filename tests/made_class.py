"""A class of any size, with the assignment's real checks and mistakes, and every state that a submission can end in."""

from __future__ import annotations

import random

import made_reports as made

from grader.catalogue import all_checks
from grader.errors import Outcome
from grader.feedback import messages
from grader.report.summary import Attempt, CheckCell, CheckColumn, Entry, Health, Student, Summary

FAMILY, GIVEN = "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨", "伟芳娜敏静磊军洋勇艳杰涛明超霞平刚"
LATIN = ("Ada Lovelace", "Grace Hopper", "Alan Turing", "Barbara Liskov", "Emmy Noether")


def mistakes_of_areas() -> dict[str, list[str]]:
    """Real ids of mistakes by the area of their checks."""
    found: dict[str, list[str]] = {}
    for id in messages._chinese_mistakes():
        found.setdefault(id.partition(".")[0], []).append(id)
    return found


def make_class(count: int, *, seed: int = 1, hidden: tuple[str, ...] = ()) -> Summary:
    """``count`` submissions: most with a mistake or two, some without a name, some without a grade."""
    draw = random.Random(seed)
    checks = [
        CheckColumn(
            id=info.id,
            section=info.section,
            title={language: messages.title(info.id, info.title, language) for language in messages.LANGUAGES},
            advice=info.advice,
            hidden=info.id in hidden,
            max_points=0 if info.advice else 1,
        )
        for info in all_checks().values()
    ]
    known = mistakes_of_areas()
    entries = [_entry(number, checks, known, draw) for number in range(count)]
    named = {id for entry in entries for id in entry.mistakes}
    sentences = {
        id: {"en": f"Says {id} in a sentence.", "zh": messages._chinese_mistakes()[id]} for id in sorted(named)
    }
    return made.make_summary(
        made.make_report(),
        checks=checks,
        max_score=sum(column.max_points for column in checks),
        mistakes=sentences,
        submissions=entries,
        health=Health(started="2026-11-01T10:00:00+00:00", seconds=0.4 * count + 2, jobs=2, retries=count // 60),
    )


def _entry(number: int, checks: list[CheckColumn], known: dict[str, list[str]], draw: random.Random) -> Entry:
    most = sum(column.max_points for column in checks)
    name = draw.choice(LATIN) if number % 5 == 0 else draw.choice(FAMILY) + "".join(draw.choices(GIVEN, k=2))
    student = Student(id=f"{202600000 + number}", name=name, section=f"S{number % 3 + 1}", in_roster=True)
    state = draw.choices(("graded", "infrastructure", "unreadable", "missing"), (94, 1, 2, 3))[0]
    if number in (1, 2, 3):
        state = ("infrastructure", "unreadable", "missing")[number - 1]
    base = {"id": student.id, "student": student, "max_score": most}
    if state != "graded":
        reason = {"en": f"{state}: the reason why", "zh": f"{state}：原因"}
        return Entry(**base, state=state, reason=reason, tries=int(state == "infrastructure"))
    areas = sorted({column.id.partition(".")[0] for column in checks if not column.advice})
    wrong = draw.sample(areas, draw.choices((0, 1, 2, 4), (25, 40, 25, 10))[0])
    unnamed = draw.random() < 0.06
    of_area = {
        area: [known[area][int(draw.expovariate(0.7)) % len(known[area])]]
        for area in wrong
        if area in known and not (unnamed and area == wrong[0])
    }
    cells = [_cell(column, wrong, of_area, draw) for column in checks]
    return Entry(
        **base,
        state="graded",
        attempt=Attempt(source=f"{student.id}.zip", late=draw.random() < 0.05),
        digest="d" * 64,
        score=sum(cell.points for cell in cells),
        checks=cells,
        mistakes=list(dict.fromkeys(id for cell in cells for id in cell.mistakes)),
        seconds=round(draw.uniform(0.2, 2.5), 3),
        tries=1,
        notes=[{"en": "Not in the roster.", "zh": "不在名单中。"}] if draw.random() < 0.02 else [],
        page=f"reports/{student.id}/report.html",
    )


def _cell(column: CheckColumn, wrong: list[str], of_area: dict[str, list[str]], draw: random.Random) -> CheckCell:
    area = column.id.partition(".")[0]
    outcome = Outcome.PASS
    if area in wrong and draw.random() < 0.5:
        outcome = draw.choices(
            (Outcome.FAIL, Outcome.STUDENT_ERROR, Outcome.CARRIED_FORWARD, Outcome.BLOCKED), (70, 10, 15, 5)
        )[0]
    elif area == "advice" and draw.random() < 0.3:
        outcome = Outcome.FAIL
    failed = outcome not in (Outcome.PASS, Outcome.CARRIED_FORWARD)
    named = of_area.get(area, []) if outcome in (Outcome.FAIL, Outcome.STUDENT_ERROR, Outcome.CARRIED_FORWARD) else []
    points = 0 if failed else column.max_points
    return CheckCell(id=column.id, outcome=outcome, points=points, max_points=column.max_points, mistakes=named)
