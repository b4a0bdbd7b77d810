# What each target does: `make help`, README.md
.DEFAULT_GOAL := help
.PHONY: help init up demo test bench chaos soak ci lint audit format reference pictures llama venv venv-dev

PY := .venv/bin/python
ARGS ?=
# 1: without torch, for a small machine. What was set up so stays so; `make up SMALL=` brings the rest.
SMALL ?= $(if $(wildcard .venv/installed-requirements-onnx.txt),1)

help:
	@sed -n 's/^\([a-z-]*\):.*## /make \1	/p' Makefile

init: ## fresh secrets in deploy/secrets and a .env that names them, as far as they are missing (needs no set-up)
	@python3 deploy/init.py

up: venv ## set up whatever is missing, then serve until Ctrl-C
	@exec $(PY) manage.py up $(ARGS)

demo: venv ## against a running `make up`: told on Monday, known on Thursday, step by step
	@exec $(PY) manage.py demo $(ARGS)

test: venv-dev ## the whole test suite, on its own PostgreSQL and broker (ARGS="-k word" picks some)
	@exec $(PY) -m pytest -n 3 --dist worksteal $(ARGS)

bench: venv-dev ## the benchmarks, as tables
	@exec $(PY) -m bench $(ARGS)

chaos: venv-dev ## every fault on real processes, a thousand chats under random kills included (some 20 minutes)
	@CHAOS=1 exec $(PY) -m pytest tests/chaos -s $(ARGS)

soak: venv-dev ## half an hour of mixed load; memory, connections and speed must hold (ARGS=5 for five minutes)
	@exec $(PY) -m tests.chaos.soak $(ARGS)

ci: lint audit test ## what CI runs: format, lint, types, import rules, missing migrations, known holes, tests

lint: venv-dev ## format, lint, types, import rules, missing migrations
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy
	.venv/bin/lint-imports
	$(PY) -W ignore::RuntimeWarning manage.py makemigrations --check --dry-run

audit: venv-dev ## packages with known holes; says so loudly where the list of them cannot be reached
	@$(PY) -m tests.audit

format: venv-dev ## bring the code into its format, mend what can be mended
	.venv/bin/ruff format .
	.venv/bin/ruff check --fix .

reference: venv-dev ## make docs/reference and .env.example anew, from the code
	@$(PY) -m caesar.reference

pictures: venv-dev ## take the pictures of docs/images anew, in a browser (needs Chromium)
	@$(PY) -m pytest -q tests/browser/pictures.py $(ARGS)

llama: venv ## what a GGUF model in the box needs (CAESAR_LLM__BUILTIN__MODEL_PATH)
	@deploy/setup.sh requirements-llama.txt

venv:
	@deploy/setup.sh $(if $(SMALL),requirements-onnx.txt,requirements.txt)

venv-dev:
	@deploy/setup.sh requirements-dev.txt requirements-llama.txt requirements-llama-test.txt
