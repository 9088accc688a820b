# Needs Python 3.11 to 3.13, make and a package index. `make help` lists the targets.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
DEMO_HOST := 0.19.0
PYTEST := $(BIN)/python -m pytest

.DEFAULT_GOAL := help

help:  ## Show the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

demo:  ## Real turns of a real Hermes with real MCP servers, with and without the plugin
	@echo "Setting up Hermes $(DEMO_HOST) and five MCP servers (once) ..."
	@$(PYTHON) -m testing.hosts $(DEMO_HOST)
	@.hosts/$(DEMO_HOST)/bin/python -m testing.demo

setup: $(VENV)/stamp  ## The development environment in .venv

$(VENV)/stamp: setup.cfg pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

check: setup  ## Lint, format, types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test-core: setup  ## Tests that need no Hermes
	$(PYTEST) -m "not hermes"

test: check test-core  ## Everything: check, core tests, all of tests/hermes on Hermes 0.19, one scenario on every release
	$(PYTEST) -m hermes -n 3
	HOSTS=all $(PYTEST) -m hermes -n 3 -k smoke

test-hosts: setup  ## All of tests/hermes on every supported release, and the matrix in the README
	HOSTS=all $(PYTEST) -m hermes -n 3 --junit-xml=.hosts/report.xml
	$(BIN)/python -m testing.matrix .hosts/report.xml README.md

test-scenarios: setup  ## The scenarios of the matrix alone, on every supported release, and the matrix
	HOSTS=all $(PYTEST) tests/hermes/test_install.py tests/hermes/test_scenarios.py -n 3 --junit-xml=.hosts/report.xml
	$(BIN)/python -m testing.matrix .hosts/report.xml README.md

bench: bench-retrieval bench-cost bench-speed  ## All benchmarks

bench-retrieval bench-cost bench-speed: bench-%: setup  ## One of them; benchmarks/README.md says what each measures
	$(BIN)/python -m benchmarks.$*

.PHONY: help demo setup check test-core test test-hosts test-scenarios bench bench-retrieval bench-cost bench-speed
