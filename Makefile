.PHONY: run check test lint bench

PYTHON ?= python3
VENV := .venv
STAMP := $(VENV)/.installed
DEV_STAMP := $(VENV)/.installed-dev

run: $(STAMP)
	$(VENV)/bin/python -m streamlit run app.py

# What a change touches, for the work in between; `make test` is the whole.
check: lint
	$(VENV)/bin/python -m pytest -m "not slow" $$($(VENV)/bin/python -m tests.affected)

test: $(DEV_STAMP)
	$(VENV)/bin/python -m pytest

lint: $(DEV_STAMP)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

bench: $(DEV_STAMP)
	$(VENV)/bin/python -m benchmarks.bench

$(STAMP): requirements.txt
	test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	touch $@

$(DEV_STAMP): requirements-dev.txt $(STAMP)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	touch $@
