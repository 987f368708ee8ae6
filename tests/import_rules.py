"""The table of who may import whom: one rule for every place, from the bottom layer to the top."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """What the modules of a place may import besides the standard library and their own place."""

    ours: str = ""
    others: str = ""


RULES = {
    "reference": Rule(others="torch"),
    # on both sides of the wire
    "grader": Rule("grader.practice"),
    "grader.wire": Rule(),
    "grader.wire.tensors": Rule("grader.wire.codec", "torch"),
    "grader.worker": Rule("grader.wire", "torch"),
    # words and tables
    "grader.errors": Rule(),
    "grader.devices": Rule("grader.errors"),
    "grader.text": Rule(),
    "grader.contract": Rule(),
    "grader.pictures": Rule(others="pydantic"),
    "grader.template": Rule("grader.errors"),
    "grader.feedback": Rule("grader.errors"),
    "grader.intake": Rule("grader.contract grader.errors"),
    "grader.intake.notebook": Rule("grader.contract grader.errors grader.intake", "nbformat"),
    # the submission, and the way to it
    "grader.runners": Rule("grader.errors grader.wire"),
    "grader.runners.gpus": Rule("grader.errors grader.runners.launch", "filelock"),
    "grader.runners.bubblewrap": Rule("grader.worker.defences.readable"),  # the same files inside and outside
    "grader.runners.in_process": Rule(
        "grader.runners.base grader.wire grader.worker.failures grader.worker.flags grader.worker.serve"
    ),
    "grader.runners.docker": Rule("grader grader.errors grader.runners grader.wire", "docker requests"),
    "grader.runners.docker.options": Rule("grader.wire.relayed"),
    "grader.doctor": Rule("grader.errors grader.runners.docker grader.wire.relayed"),
    "grader.doctor.gpu": Rule(
        "grader.doctor.limits grader.errors grader.runners.base grader.runners.gpus grader.wire.codec"
    ),
    "grader.settings": Rule(
        "grader.devices grader.errors grader.runners.base grader.runners.docker.options", "pydantic"
    ),
    "grader.run_state": Rule("grader.devices grader.errors grader.runners.base"),
    "grader.transcript": Rule("grader.wire.codec"),
    "grader.student": Rule(
        "grader.contract grader.devices grader.errors grader.run_state grader.transcript grader.wire", "torch"
    ),
    # what is right
    "grader.numerics": Rule("grader.contract grader.errors grader.pictures", "torch"),
    # how answers are compared with those of programs that have known mistakes, whoever knows them
    "grader.diagnosis.records": Rule("grader.transcript"),
    "grader.diagnosis.agreement": Rule("grader.wire", "torch"),
    "grader.diagnosis.known": Rule("grader.diagnosis.agreement grader.diagnosis.records"),
    "grader.source": Rule(
        "grader.contract grader.numerics grader.diagnosis.known grader.diagnosis.records", "torch"
    ),  # what an oracle is, live or recorded
    "grader.oracle": Rule("grader.contract grader.numerics grader.pictures grader.source reference", "torch"),
    # what goes wrong: models of mistakes, and the search that replays what was asked to them
    "grader.diagnosis": Rule(others="torch"),
    "grader.diagnosis.memory": Rule("grader.transcript grader.wire.codec"),
    "grader.diagnosis.compare": Rule("grader.diagnosis.agreement grader.transcript grader.wire", "torch"),
    "grader.diagnosis.replay": Rule(
        "grader.diagnosis.agreement grader.diagnosis.compare grader.diagnosis.known grader.diagnosis.memory"
        " grader.diagnosis.mistakes"
        " grader.diagnosis.program grader.diagnosis.records grader.transcript grader.wire"
        " grader.worker.serve",  # a model is served as a submission is, but here: it is our own code
    ),
    "grader.diagnosis.borrowed": Rule(
        "grader.diagnosis.agreement grader.diagnosis.program grader.diagnosis.records grader.diagnosis.replay"
        " grader.errors",
        "torch",
    ),
    "grader.diagnosis.search": Rule("grader.diagnosis.agreement grader.diagnosis.known grader.diagnosis.records"),
    # both live, or both from an answer key
    "grader.live": Rule(
        "grader.diagnosis.borrowed grader.diagnosis.memory grader.diagnosis.records"
        " grader.diagnosis.replay grader.numerics.draw grader.oracle grader.source"
    ),
    "grader.key": Rule(
        "grader.contract grader.errors grader.numerics grader.source grader.transcript grader.wire"
        " grader.diagnosis.agreement grader.diagnosis.known grader.diagnosis.records",
        "pydantic safetensors torch",
    ),
    # the checks: types aside, they know the vocabulary only
    "grader.catalogue": Rule("grader.checks"),
    "grader.checks": Rule("grader.catalogue grader.contract"),
    # the verdict
    "grader.report": Rule(),
    "grader.report.base": Rule(others="pydantic"),
    "grader.report.example": Rule("grader.report.base"),
    "grader.report.models": Rule("grader.errors grader.pictures grader.report.base grader.report.example", "pydantic"),
    "grader.report.devices": Rule("grader.devices grader.errors grader.report.models"),
    "grader.report.files": Rule(),
    "grader.report.json_file": Rule("grader.report.files grader.report.models"),
    "grader.report.summary": Rule("grader.errors grader.report.files grader.report.models", "pydantic"),
    "grader.report.environment": Rule("grader grader.report.models reference", "torch"),
    "grader.report.results": Rule(
        "grader.catalogue grader.errors grader.feedback grader.intake.submission grader.pictures grader.report.models"
        " grader.settings grader.text"
    ),
    "grader.report.student_view": Rule("grader.feedback grader.report.models"),
    "grader.report.worked": Rule("grader.report.example grader.report.models", "rich"),
    "grader.report.terminal_words": Rule(),
    "grader.report.terminal": Rule(
        "grader.contract grader.errors grader.feedback grader.report.models grader.report.student_view"
        " grader.report.terminal_words grader.report.worked",
        "rich",
    ),
    "grader.report.page": Rule(
        "grader.contract grader.errors grader.feedback"
        " grader.pictures grader.report.example grader.report.models grader.report.student_view",
        "jinja2 markupsafe",
    ),
    "grader.blocked": Rule("grader.contract grader.errors grader.report.models grader.transcript"),
    # numbers to redo by hand: what a check asked, asked again with less
    "grader.counterexample": Rule(
        "grader.contract grader.diagnosis.agreement grader.diagnosis.compare grader.diagnosis.memory"
        " grader.diagnosis.mistakes"
        " grader.diagnosis.replay grader.errors"
        " grader.numerics grader.oracle grader.run_state grader.runners.in_process grader.source"
        " grader.report.example grader.report.models grader.student grader.text"
        " grader.transcript grader.wire",
        "torch",
    ),
    "grader.report.site": Rule(
        "grader.errors grader.feedback.outcomes grader.report.files grader.report.page.words grader.report.summary",
        "jinja2 markupsafe",
    ),
    "grader.sources": Rule(
        "grader.counterexample.attach grader.counterexample.programs grader.errors grader.key grader.live"
        " grader.needed_names grader.report.models"
        " grader.settings grader.source grader.transcript"
    ),
    "grader.penalties": Rule("grader.catalogue"),
    "grader.verdicts": Rule(
        "grader.diagnosis.records grader.diagnosis.search grader.source grader.transcript grader.devices grader.errors"
        " grader.feedback grader.penalties grader.report.models"
    ),
    "grader.plugin": Rule(
        "grader.catalogue grader.transcript grader.errors grader.numerics.inputs grader.source"
        " grader.report.models grader.report.results grader.run_state grader.settings grader.student",
        "pytest",
    ),
    "grader.rounds": Rule(
        "grader.catalogue grader.errors grader.plugin grader.report.results grader.run_state grader.settings"
        " grader.source",
        "pytest",
    ),
    "grader.pytest_run": Rule("grader.plugin grader.rounds", "pytest"),
    "grader.session": Rule(
        "grader.blocked grader.catalogue grader.devices grader.errors"
        " grader.intake.submission grader.live grader.plugin"
        " grader.pytest_run grader.report grader.rounds grader.run_state"
        " grader.runners.base grader.settings grader.source grader.sources grader.student grader.text grader.transcript"
        " grader.verdicts",
        "torch",
    ),
    "grader.needed_names": Rule(
        "grader.diagnosis.program grader.errors grader.intake.submission grader.report.models"
        " grader.runners.in_process grader.session grader.settings"
    ),
    # reports in the formats of others
    "grader.exports": Rule(
        "grader grader.contract grader.errors grader.feedback grader.intake grader.report grader.template grader.text",
        "pydantic",
    ),
    # those who start it: they alone pick a runner
    "grader.kit": Rule(
        "grader grader.catalogue grader.diagnosis grader.errors grader.key grader.live grader.needed_names"
        " grader.numerics grader.plugin grader.pytest_run"
        " grader.report.files grader.run_state grader.runners.in_process"
        " grader.settings grader.source grader.template grader.transcript",
        "safetensors torch",
    ),
    "grader.practice": Rule(
        "grader grader.catalogue grader.contract grader.errors grader.feedback grader.intake.submission"
        " grader.report grader.runners.in_process grader.session grader.settings grader.sources grader.wire"
        " grader.worker.failures grader.worker.flags grader.worker.placement",
        "rich torch",
    ),
    "grader.selftest": Rule(
        "grader.catalogue grader.errors grader.intake grader.runners.base grader.runners.kept grader.session"
        " grader.settings",
        "jinja2 pydantic",
    ),
    "grader.batch": Rule(
        "grader.catalogue grader.checks grader.devices grader.errors grader.feedback grader.intake grader.report"
        " grader.runners.base"
        " grader.runners.kept grader.session grader.settings grader.text",
        "distributed pydantic",
    ),
    "grader.cli": Rule(
        "grader.batch grader.catalogue grader.contract grader.errors grader.exports grader.feedback grader.intake"
        " grader.report"
        " grader.devices grader.doctor grader.kit grader.runners.base grader.runners.docker grader.runners.gpus"
        " grader.runners.kept grader.runners.leased grader.runners.local grader.selftest"
        " grader.session grader.settings grader.sources grader.template grader.text",
        "pydantic rich typer",
    ),
    "grader.pytest_mixed": Rule("grader.catalogue grader.errors grader.plugin grader.report.results", "pytest"),
    "grader.pytest_entry": Rule(
        "grader.catalogue grader.errors grader.intake grader.pytest_mixed grader.run_state"
        " grader.runners.local grader.settings grader.sources",
        "pytest",
    ),
    "grader.__main__": Rule("grader.cli"),
}

TYPES_FOR_CHECKS = {"grader.numerics.inputs", "grader.source", "grader.student.submission"}
"""What check files name in annotations, and do not import when they run."""

UPWARD = {
    ("grader.catalogue", "grader.checks"),
    ("grader", "grader.practice"),
    ("grader.sources", "grader.needed_names"),
}
"""The catalogue lists the folder of checks; the checks get their decorator from the catalogue.

``grader.check`` is looked up when a notebook asks for it. Which names a check calls is found by running it."""
