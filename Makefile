# make grade                      grade the bundled demo submission (it has three mistakes)
# make grade SUBMISSION=path      grade your own
# make test                       run all tests; make test-quick skips the whole-bank ones
# make selftest                   grade the bank, print how often verdicts and names are right; fails when that got worse
# make figures                    the same, and keep the result as what later runs are compared with
PYTHON ?= python3
SUBMISSION ?= tests/bank/demo
JOBS ?= 2
FIGURES := tests/figures.json
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: grade test test-quick lint selftest figures bench clean

grade: $(READY)
	$(BIN)/grader check $(SUBMISSION) --json report.json

test: $(READY)
	$(BIN)/python -m pytest -n $(JOBS)

test-quick: $(READY)
	$(BIN)/python -m pytest -n $(JOBS) -m "not bank"

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

selftest: $(READY)
	$(BIN)/grader selftest --jobs $(JOBS) --baseline $(FIGURES)

figures: $(READY)
	$(BIN)/grader selftest --jobs $(JOBS) --json $(FIGURES)

bench: $(READY)
	$(BIN)/python benchmarks/performance.py

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("Python 3.10 or later is needed, this is " + sys.version.split()[0]) if sys.version_info < (3, 10) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[dev]"
	touch $@

clean:
	rm -rf $(VENV) report.json
