# Every target sets itself up: all it needs is python3 (3.11 or newer) with pip.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.PHONY: demo studio page test lint format bench bench-heart clean

demo: $(READY)           ## cluster the bundled digits, add answers, see the agreement rise
	@$(BIN)/linkwise demo

studio: page             ## open the studio on the bundled digits
	$(BIN)/linkwise studio

page: $(READY)           ## build the studio's page; Node is fetched where there is none
	@$(BIN)/python web/build.py --fetch

test: page               ## the whole suite, doctests and browser tests included
	$(BIN)/python web/check.py test --fetch
	$(BIN)/python -m pytest -q -n auto

lint: $(READY)           ## style, types, layers, of Python and of the page
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python web/check.py lint --fetch

format: $(READY)         ## let ruff, eslint and prettier rewrite the sources
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python web/check.py format --fetch

bench: $(READY)          ## how fast the two operations over all rows are, beside their floors
	$(BIN)/python benchmarks/vote.py
	$(BIN)/python benchmarks/ensemble.py
	$(BIN)/python benchmarks/sequential_speed.py

bench-heart: $(READY)    ## what answers buy, on every data set at hand (hours on 2 cores; can be resumed)
	$(BIN)/python benchmarks/heart.py
	$(BIN)/python benchmarks/heart.py --print

clean:                   ## forget the environment and the caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "linkwise needs Python 3.11 or newer, found " + sys.version.split()[0])'
	@echo "Setting up $(VENV) (once, a minute or two) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[files,plot,tables,studio,postgres,test,lint]"
	@touch $@
