# make book | test | test-lib | test-parallel | gpu | lab | edit | bench | lint | mutate | clean. The first run
# makes .venv and installs what requirements.txt pins; `make gpu` alone takes PYTHON as it is.
# Another Python: make book PYTHON=python3.13

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
BUILT := _build/html/notebooks/why-softmax.zip
SHARED_OUT := -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder  # among processes, file by file

.PHONY: book test test-lib test-parallel gpu lab edit bench lint mutate clean

# After a failure, or after Ctrl-C, the same command goes on: what has been executed is not executed again.
book: $(READY)
	$(BIN)/jupyter-book build . -n -W --keep-going

test: $(READY)
	$(BIN)/python -m tools.get_browsers
	$(BIN)/python -m pytest $(SHARED_OUT)

# The maths alone: no browser, no JupyterLab, no book.
test-lib: $(READY)
	$(BIN)/python -m pytest $(SHARED_OUT) tests/maths tests/fast lib \
		--ignore lib/book --ignore lib/figures --ignore lib/models

# What runs beside the rest: several processes at once, and the kernels for a GPU in Triton's interpreter.
test-parallel: $(READY)
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile tests/fast/parallel

# On a machine with a GPU, which may have no network: the tests that a GPU changes, then the benchmark, in less
# than eight minutes. What the benchmark has no time for it measures when the same command is given again. Where
# all has passed, the run is recorded in lib/fast/gpu/runs.json.
gpu:
	$(PYTHON) -m tools.on_gpu $(ARGS)

# The chapters as the last build made them, each with its exercises open, in a folder to write in.
lab: $(READY) $(BUILT)
	$(BIN)/python -m tools.lay_out
	$(BIN)/jupyter lab notebooks/index.ipynb

# Only where there is none yet: after a change to the book, `make book` comes first.
$(BUILT): | $(READY)
	$(MAKE) book

# The chapters' sources.
edit: $(READY)
	$(BIN)/jupyter lab

# ARGS=--quick takes two minutes. Ctrl-C stops, and the same command goes on from there.
bench: $(READY)
	$(BIN)/python -m bench $(ARGS)

# Python, the cells of the pages, JavaScript, what the maths promises by its types, and how long lines are.
lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m tools.lint_cells
	$(BIN)/oxlint --deny-warnings
	$(BIN)/mypy
	$(BIN)/python -m tools.lint_lines

# Changes the maths in small steps; a test must notice each.
# Of some modules: make mutate ONLY="lib/masks.py lib/softmax.py"
mutate: $(READY)
	$(BIN)/python -m tools.mutate $(ONLY)

# Not notebooks/, which has what the reader wrote.
clean:
	rm -rf _build .pytest_cache .ruff_cache .mypy_cache .hypothesis

$(READY): requirements.txt pyproject.toml lab-settings.json
	$(PYTHON) -c 'import sys; v = sys.version_info[:2]; \
		needed = "Python 3.11, 3.12 or 3.13 is needed; this is %d.%d. Try: make PYTHON=python3.13"; \
		sys.exit(None if (3, 11) <= v <= (3, 13) else needed % v)'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -r requirements.txt
	mkdir -p .venv/share/jupyter/lab/settings
	cp lab-settings.json .venv/share/jupyter/lab/settings/overrides.json
	touch $(READY)
