# Everything a contributor and CI need. A fresh machine has Python 3.11 or newer, Rust stable and make; the rest is
# installed into .venv from constraints.txt. Each step leaves a stamp, so that a second run does only what changed.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV   := .venv
BIN    := $(VENV)/bin
STAMPS := $(VENV)/stamps
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

RUST_SOURCES   := $(shell find rust -type f -not -name '*.md') Cargo.toml Cargo.lock rustfmt.toml
PYTHON_SOURCES := $(shell find python -type f -not -name '*.so' -not -path '*/__pycache__/*')
LINTED         := python tests $(wildcard benches) docs

# maturin looks for the environment here, whatever the caller has active.
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
export PATH := $(CURDIR)/$(BIN):$(PATH)

.DEFAULT_GOAL := help
.PHONY: help demo test lint bench bench-assembly bench-validity bench-quality bench-masking bench-tokens bench-calibration docs audit wheel develop develop-fast test-rust test-python clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(STAMPS)/extension ## build Octavo, assemble an agent's session (real tool outputs, steps by hand) into 8,000 tokens
	$(BIN)/python -m octavo assemble docs/demo/session.jsonl --model claude-sonnet-4-6 --budget 8000

test: test-rust test-python ## build everything and run all tests, Rust and Python

# Whoever works on the code searches at random; a release stands or falls with the same examples each time, as
# tests/conftest.py has it for Python. Read by every property test of the engine.
ifdef CI
export PROPTEST_RNG_SEED := 1
endif

test-rust: ## the engine's own tests
	cargo test --workspace --locked --quiet

test-python: $(STAMPS)/test $(STAMPS)/extension $(STAMPS)/wheel ## the tests of the Python package, its docs and its wheel
	$(BIN)/python -m pytest

lint: $(STAMPS)/lint $(STAMPS)/test $(STAMPS)/extension ## formatting, lints, types and stubs of both languages
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked --quiet -- --deny warnings
	$(BIN)/ruff format --check $(LINTED)
	$(BIN)/ruff check $(LINTED)
	$(BIN)/mypy
	$(BIN)/pyright --warnings
	$(BIN)/stubtest octavo._core --allowlist .stubtest-allowlist

bench: $(STAMPS)/bench $(STAMPS)/extension ## time the engine (criterion) and the package (pytest-benchmark)
	cargo bench --package octavo --locked
	$(BIN)/python -m pytest benches --benchmark-enable --benchmark-only

bench-assembly: $(STAMPS)/bench $(STAMPS)/extension ## a turn against the length of history, beside other libraries (3 minutes)
	$(BIN)/python -m benches.comparison.assembly

bench-validity: $(STAMPS)/bench $(STAMPS)/extension ## what each library sends at every recorded call (7 minutes)
	$(BIN)/python -m benches.comparison.validity

bench-quality: $(STAMPS)/bench $(STAMPS)/extension ## what the next recorded call still finds, stable prefix, cost, promises; build/quality.html (8 minutes)
	$(BIN)/python -m benches.quality.step_recall
	$(BIN)/python -m benches.quality.recall_grid
	$(BIN)/python -m benches.quality.cost
	$(BIN)/python -m benches.quality.promise_survival
	$(BIN)/python -m benches.quality.page

bench-masking: $(STAMPS)/bench-masking $(STAMPS)/extension ## what masking by rules hides, breaks and costs, beside other libraries (5 minutes)
	$(BIN)/python -m benches.comparison.masking

bench-tokens: $(STAMPS)/bench $(STAMPS)/extension ## counting against other tokenizers: equal first, then how fast (minutes)
	$(BIN)/python -m benches.comparison.tokens --write docs/reference/bench_tokens.md

bench-calibration: $(STAMPS)/bench $(STAMPS)/extension ## how far Claude counts are off on recorded sessions, before and after reported usage
	$(BIN)/python -m benches.quality.calibration

docs: $(STAMPS)/test $(STAMPS)/extension ## write the generated parts of README and docs/reference anew
	$(BIN)/python docs/generate.py

audit: ## licences, advisories and sources of the Rust dependencies (installs cargo-deny: minutes; not in CI)
	command -v cargo-deny >/dev/null || cargo install --locked cargo-deny
	cargo deny --all-features check

wheel: $(STAMPS)/wheel ## build the release wheel (abi3, CPython 3.11 and newer) into dist/
	@ls dist/*.whl

develop: $(STAMPS)/test $(STAMPS)/extension ## an editable install of the release build in .venv

develop-fast: $(STAMPS)/build ## an editable install without optimisation: quick to build, slow to run, warns at import
	$(BIN)/maturin develop --quiet
	@rm -f $(STAMPS)/extension

clean: ## remove everything that was built
	cargo clean
	rm -rf $(VENV) dist python/octavo/*.so .mypy_cache .pytest_cache .ruff_cache .hypothesis .benchmarks

# ---- steps with a stamp -------------------------------------------------------------------------------------------

$(STAMPS)/venv:
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, this is " + sys.version) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	mkdir -p $(STAMPS)
	touch $@

# The pinned pip comes first: older ones do not know the dependency groups of pyproject.toml.
$(STAMPS)/pip: $(STAMPS)/venv constraints.txt
	$(PIP) pip
	touch $@

$(STAMPS)/build $(STAMPS)/test $(STAMPS)/lint $(STAMPS)/bench $(STAMPS)/bench-masking: $(STAMPS)/%: $(STAMPS)/pip pyproject.toml constraints.txt
	$(PIP) --group $*
	touch $@

# Tests run on the release profile, the one people install; the wheel below reuses its compiled crates.
$(STAMPS)/extension: $(STAMPS)/build $(RUST_SOURCES) pyproject.toml
	$(BIN)/maturin develop --release --locked --quiet
	touch $@

$(STAMPS)/wheel: $(STAMPS)/build $(RUST_SOURCES) $(PYTHON_SOURCES) pyproject.toml README.md
	rm -f dist/*.whl
	$(BIN)/maturin build --release --locked --quiet --out dist
	touch $@
