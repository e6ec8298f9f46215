# Every target sets itself up: all it needs is python3 (3.11 or newer) with pip.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --quiet --disable-pip-version-check

# What each kind of work needs; a stamp in the environment says that it is there.
# The demo reads no file, so it does without pyarrow and is run from the sources. Packages bring their own tests
# along, 40 MB of them; where nothing but the demo was installed, they are not kept.
NEEDS_demo   := --no-compile --group demo
SPARES_demo  := tests
NEEDS_install := --editable ".[plot]"
NEEDS_studio := --editable ".[studio]"
NEEDS_docs   := --editable ".[plot,studio]" --group docs
NEEDS_release := --editable . --group release
NEEDS_dev    := --editable ".[files,notebook,plot,tables,studio,postgres]" --group dev
DEMO   := $(VENV)/.ready-demo
INSTALL := $(VENV)/.ready-install
STUDIO := $(VENV)/.ready-studio
DEV    := $(VENV)/.ready-dev
DOCS   := $(VENV)/.ready-docs
RELEASE := $(VENV)/.ready-release

.PHONY: docs demo install studio page browser test test-lowest test-matrix release-check lint format bench bench-heart clean

demo: $(DEMO)            ## cluster the bundled digits, add answers, see the agreement rise
	@PYTHONPATH=src PYTHONDONTWRITEBYTECODE=1 $(BIN)/python -m linkwise demo
	@command -v linkwise > /dev/null || echo "For these commands: make install, then source $(BIN)/activate."

install: $(INSTALL)      ## the command line, as $(BIN)/linkwise
	@$(BIN)/linkwise --version

studio: $(STUDIO) page   ## open the studio on the bundled digits
	$(BIN)/linkwise studio

page: $(BIN)/python      ## build the studio's page; Node is fetched where there is none
	@$(BIN)/python web/build.py --fetch

browser: $(DEV)          ## a browser for the studio's tests, where one can be had
	@$(BIN)/python tools/browser.py

test: $(DEV) page browser  ## the whole suite, doctests and browser tests included
	$(BIN)/python web/check.py test --fetch
	$(BIN)/python -m pytest -q -n auto --dist loadgroup

test-lowest: $(DEV) page ## the suite with the oldest versions that pyproject.toml allows
	$(BIN)/python tools/environments.py lowest

test-matrix: $(DEV) page ## the suite with each Python that is supported
	$(BIN)/python tools/environments.py matrix

docs: $(DOCS)            ## the documentation site, into out/docs; a warning is an error (FAST=1: run no example)
	$(BIN)/python -m sphinx -W --keep-going -q -b html $(if $(FAST),-D plot_gallery=0) docs out/docs
	@echo "Look at out/docs/index.html"

release-check: $(RELEASE) page  ## make a release and check it; publishes nothing
	$(BIN)/python tools/release_check.py

lint: $(DEV)             ## style, types, layers, of Python and of the page
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python web/check.py lint --fetch

format: $(DEV)           ## let ruff, eslint and prettier rewrite the sources
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python web/check.py format --fetch

bench: $(DEV)            ## how fast the two operations over all rows are, beside their floors
	$(BIN)/python benchmarks/vote.py
	$(BIN)/python benchmarks/ensemble.py
	$(BIN)/python benchmarks/sequential_speed.py

bench-heart: $(DEV)      ## what answers buy, on every data set at hand (hours on 2 cores; can be resumed)
	$(BIN)/python benchmarks/heart.py
	$(BIN)/python benchmarks/heart.py --print

clean:                   ## forget the environments and the caches
	rm -rf $(VENV) .venvs .pytest_cache .mypy_cache .ruff_cache .import_linter_cache

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "linkwise needs Python 3.11 or newer, found " + sys.version.split()[0])'
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --quiet uninstall --yes setuptools  # Python 3.11 brings it; nothing here asks for it

$(VENV)/.ready-%: pyproject.toml | $(BIN)/python
	@echo "Setting up $(VENV) for $* (once, a minute or so) ..."
	@$(if $(findstring --group,$(NEEDS_$*)),$(PIP) install --no-compile --upgrade "pip>=25.1")
	@$(PIP) install $(NEEDS_$*)
	@$(if $(SPARES_$*),$(if $(filter-out $@,$(wildcard $(VENV)/.ready-*)),,find $(VENV)/lib -type d -name $(SPARES_$*) -prune -exec rm -r {} +))
	@touch $@
