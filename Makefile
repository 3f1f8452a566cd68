# Everything runs from the environment in .venv, which the targets create.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help demo test unit timing soak differential conformance-releases rules chart lint format bench promises testbed cluster cluster-down image docs release release-check lock clean

help: ## print this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/runtime.stamp ## a network from manifest to verdict to OVN and FRR, without a cluster; V=1 prints every document
	@$(BIN)/python deploy/demo.py

# Functional tests wait for half of their time, so there are two workers for each processor. The tests of a file
# stay on one worker: they share servers. Compiled tests are kept whatever the shell sets: compiling takes half of a start.
WORKERS ?= $(shell expr $$(nproc) \* 2)
PYTEST  := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest
SHARING := -n $(WORKERS) --dist loadfile --no-loadscope-reorder

test: $(VENV)/dev.stamp testbed ## all tests, on the real parts that this machine can have
	@$(BIN)/python -m tests.support.differential.peer
	@$(PYTEST) $(SHARING) $(PYTEST_ARGS)

unit: $(VENV)/dev.stamp ## the unit tests only
	@$(PYTEST) tests/unit -n auto --dist worksteal $(PYTEST_ARGS)

timing: $(VENV)/dev.stamp ## the unit tests that wait for threads and clocks, 50 times on a busy machine
	@$(BIN)/python -m tests.support.busy 4 env $(PYTEST) tests/unit -m timing --repeat 50 -n auto --dist worksteal $(PYTEST_ARGS)

soak: $(VENV)/dev.stamp $(VENV)/release.stamp testbed ## all tests in their long form: hours
	@$(BIN)/python -m tests.support.differential.peer
	@OVNGUARD_SOAK=1 $(PYTEST) $(SHARING) $(PYTEST_ARGS)

MINUTES ?= 10
CASES   ?= 1000000
JOBS    ?= $(shell nproc)
differential: $(VENV)/dev.stamp testbed ## random cases against the API server's own code, MINUTES=10; SEED=N repeats a run
	@$(BIN)/python -m tests.support.differential.peer
	@$(BIN)/python -m tests.support.differential.run --minutes $(MINUTES) --cases $(CASES) --jobs $(JOBS) $(if $(SEED),--seed $(SEED))

conformance-releases: $(VENV)/dev.stamp ## verdicts under Kubernetes 1.29 to 1.37, each asked of that release's own code
	@$(BIN)/python -m tests.support.differential.peer 1.29 1.30 1.31 1.32 1.33 1.34 1.36 1.37
	@$(PYTEST) tests/releases -n auto $(PYTEST_ARGS)

# Each line is a process of its own: what the second one writes needs the index that the first one wrote.
RULES := tests/unit/validators/network/rules
rules: $(VENV)/dev.stamp ## what is made from network rules and their cases: index, examples, pages
	@$(PYTEST) -q --update $(RULES)/test_index.py::test_the_index_is_up_to_date
	@$(PYTEST) -q --update tests/unit/docs tests/unit/validators/cli/explain/test_rule_examples.py \
	  -k "up_to_date or that_has_cases or what_is_shown"
	@$(PYTEST) -q tests/unit/docs $(RULES)/test_index.py $(RULES)/test_cases.py \
	  tests/unit/validators/cli/explain/test_rule_examples.py -k "not what_is_shown"

chart: $(VENV)/dev.stamp ## deploy/chart, the Helm chart that is made of the overlays
	@$(BIN)/python -m tests.support.manifests.chart

lint: $(VENV)/dev.stamp ## ruff, mypy --strict, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/dev.stamp ## let ruff fix what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/dev.stamp ## ratios to peers, measured in the same run
	@$(BIN)/python -m tests.bench

testbed: $(VENV)/dev.stamp ## get OVN, FRR, etcd, kube-apiserver, Chromium and others into the user's cache
	@$(BIN)/python -m tests.testbed $(TESTBED_ARGS)

cluster: $(VENV)/dev.stamp testbed ## a whole cluster on this machine, without containers, to try things on
	@$(BIN)/python -m tests.support.deployed.own_cluster up

cluster-down: $(VENV)/dev.stamp ## end that cluster; nothing of it stays
	@$(BIN)/python -m tests.support.deployed.own_cluster down

image: $(VENV)/dev.stamp ## the image as dist/ovnguard-image-ARCHITECTURE.tar (OCI archive), built by buildah as root
	@$(BIN)/python -m tests.support.image.build

docs: $(VENV)/dev.stamp $(VENV)/release.stamp ## the documentation as a site in site/, with every link checked
	@$(BIN)/python -m tests.testbed --only site-scripts >/dev/null
	@$(BIN)/python -m tests.support.release.site

release-check: $(VENV)/dev.stamp $(VENV)/release.stamp ## what must hold before a release, as docs/releasing.md lists it
	@$(BIN)/python -m tests.support.release.checklist

promises: $(VENV)/dev.stamp ## what a release promises to keep, as docs/promises.md explains
	@$(BIN)/python -m tests.support.release.promises

release: $(VENV)/dev.stamp $(VENV)/release.stamp ## the artefacts of a release, in dist/; PUBLISH=1 refuses where something is not set
	@$(BIN)/python -m tests.support.release.build $(if $(PUBLISH),--publish)

# the bill of materials of what the image holds (CycloneDX)
dist/ovnguard.cdx.json: requirements.lock pyproject.toml $(VENV)/release.stamp
	@mkdir -p dist
	@$(RELEASE)/bin/cyclonedx-py requirements requirements.lock --pyproject pyproject.toml --mc-type application \
	  --spec-version 1.6 --output-format JSON --output-reproducible --validate --output-file dist/ovnguard.cdx.json

lock: $(VENV)/bin/python ## resolve the dependencies again
	@$(BIN)/pip install --quiet uv
	UV_CUSTOM_COMPILE_COMMAND='make lock' $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate \
	  --python-version 3.11 --no-emit-index-url --upgrade pyproject.toml -o requirements.lock
	UV_CUSTOM_COMPILE_COMMAND='make lock' $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate \
	  --python-version 3.11 --no-emit-index-url --upgrade --group build -o requirements-build.lock
	UV_CUSTOM_COMPILE_COMMAND='make lock' $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate \
	  --python-version 3.11 --no-emit-index-url --upgrade --group release -c requirements.lock -o requirements-release.lock
	UV_CUSTOM_COMPILE_COMMAND='make lock' $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate \
	  --python-version 3.11 --no-emit-index-url --group dev -c requirements.lock pyproject.toml -o requirements-dev.lock

clean: ## remove the environment and caches of the tools (not the testbed)
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# The environment is installed in two steps, so that the demo needs no test tools.
$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "ovnguard needs Python >= 3.11, this is " + sys.version.split()[0] + "; name another one: make PYTHON=python3.12")'
	@$(PYTHON) -m venv $(VENV) || { echo "The venv module failed; on Debian and Ubuntu: apt-get install python3-venv" >&2; rm -rf $(VENV); exit 1; }

$(VENV)/runtime.stamp: requirements.lock requirements-build.lock pyproject.toml | $(VENV)/bin/python
	@echo "Installing ovnguard into $(VENV) ..." >&2
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-build.lock -r requirements.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@# as pip does for regular installations, so that a command does not compile its sources at every start
	@$(BIN)/python -m compileall -q crd_schemas validators webhook reconciler
	@touch $@

$(VENV)/dev.stamp: requirements-dev.lock $(VENV)/runtime.stamp
	@echo "Installing the test tools into $(VENV) ..." >&2
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@

# The tools of a release have an environment of their own: with them, every process that imports jsonschema starts 3 s
# later, because jsonschema then compiles the grammar of all formats.
RELEASE := $(VENV)/release
$(VENV)/release.stamp: requirements-release.lock | $(VENV)/bin/python
	@$(BIN)/python -m venv $(RELEASE)
	@$(RELEASE)/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-release.lock
	@touch $@
