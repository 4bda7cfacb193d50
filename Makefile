.PHONY: run check test lint bench lock licences sbom

PYTHON ?= python3
VENV := .venv
STAMP := $(VENV)/.installed
DEV_STAMP := $(VENV)/.installed-dev
CHECKED := distpriv app.py pages benchmarks data deploy tools
PIP := $(VENV)/bin/python -m pip install --quiet --disable-pip-version-check
COMPILE := $(VENV)/bin/uv pip compile --quiet --universal --fork-strategy fewest \
	--python-version 3.11 --generate-hashes --no-annotate --no-header

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
	$(VENV)/bin/bandit --quiet --configfile pyproject.toml --recursive $(CHECKED)
	$(VENV)/bin/python -m tools.licences --check
	$(VENV)/bin/python -m tools.advisories

bench: $(DEV_STAMP)
	$(VENV)/bin/python -m benchmarks.bench

# After make lock and make lint have brought in what is new.
licences: $(DEV_STAMP)
	$(VENV)/bin/python -m tools.licences

# What the dashboard runs on, by name, version and hash.
sbom: $(DEV_STAMP)
	$(VENV)/bin/python -m tools.sbom

$(STAMP): requirements-lock.txt
	test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --require-hashes -r requirements-lock.txt
	touch $@

$(DEV_STAMP): requirements-dev-lock.txt $(STAMP)
	$(PIP) --require-hashes -r requirements-lock.txt -r requirements-dev-lock.txt
	touch $@

# The newest versions that requirements/ and requirements-dev.txt allow; the second lock leaves out
# what the first one has.
lock: $(STAMP)
	$(PIP) uv
	$(COMPILE) --upgrade requirements-dev.txt -o requirements-dev-lock.txt
	$(COMPILE) --upgrade -c requirements-dev-lock.txt requirements.txt -o requirements-lock.txt
	$(COMPILE) -c requirements-lock.txt requirements-dev.txt -o requirements-dev-lock.txt \
		$$(sed -n 's/^\([a-z0-9-]*\)==.*/--no-emit-package \1/p' requirements-lock.txt)
