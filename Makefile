# QwenChat. `make` lists what there is to do. Works with GNU make 3.81 and newer.
#
# PYTHON=python3.12   the interpreter to build .venv with (default: the newest of 3.13,
#                     3.12, 3.11 and python3 that will do; an existing .venv is kept)
# ARGS="..."          handed on to app.py (make run) or to pytest (make test, make accept)

PYTHON ?=
ARGS =

VENV_PYTHON := .venv/bin/python

# Nothing in the caller's environment may reach into .venv.
unexport PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONINSPECT PYTHONOPTIMIZE PYTHONWARNINGS

USABLE := import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))

# The interpreter that runs the set-up, in $$python. Without a usable one the set-up
# itself says what is missing.
define find_python
python='$(PYTHON)'; \
if [ -z "$$python" ] && $(VENV_PYTHON) -I -c pass 2>/dev/null; then python=$(VENV_PYTHON); fi; \
for candidate in python3.13 python3.12 python3.11 python3; do \
  if [ -z "$$python" ] && "$$candidate" -I -c '$(USABLE)' 2>/dev/null; then python=$$candidate; fi; \
done; \
python="$${python:-python3}"; \
if ! command -v "$$python" >/dev/null 2>&1; then \
  echo "There is no $$python on this machine. Install Python 3.11 or newer" >&2; \
  echo "(Debian, Ubuntu: apt-get install python3 python3-venv) and run this again." >&2; \
  exit 2; \
fi
endef

.PHONY: help setup setup-dev run test check accept clean

help:
	@echo "make run      set up once, then start QwenChat and open the browser"
	@echo "              make run ARGS=\"--model FOLDER_OR_ID --port 7861\""
	@echo "make setup    only the set-up: .venv with the pinned requirements"
	@echo "make test     set up, then all tests but the acceptance runs"
	@echo "make check    lint, format, types, and the direction of imports"
	@echo "make accept   every test, the long acceptance runs too"
	@echo "make clean    remove .venv and caches; the data folder and its models stay"

setup:
	@$(find_python); "$$python" -I scripts/setup.py

setup-dev:
	@$(find_python); "$$python" -I scripts/setup.py --dev

run: setup
	exec $(VENV_PYTHON) app.py $(ARGS)

# Three files at a time: most tests wait for a browser or an engine, not for the processor.
# In the order of their names: by the number of tests the few long ones would come last.
test: setup-dev
	$(VENV_PYTHON) -m pytest -n 3 --dist loadfile --no-loadscope-reorder $(ARGS)

check: setup-dev
	$(VENV_PYTHON) -m ruff check .
	$(VENV_PYTHON) -m ruff format --check .
	$(VENV_PYTHON) -m mypy
	$(VENV_PYTHON) -m pytest -q tests/test_imports.py

accept: setup-dev
	$(VENV_PYTHON) -m pytest -m "" $(ARGS)

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache build test-artifacts
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
