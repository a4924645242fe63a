# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
#
# make demo    two rovers on the Moon, then the run folder's path       make lint    ruff, mypy, package checks
# make test    the tests, from nothing                                  make bench   the speed figures
# make test-fast those that start no node, in a minute                  make validate  write docs/validation anew
# make test-all  the slow ones too                                      make docs    the documentation site: build/docs
#                                                                       make clean   back to the checkout

SHELL := /bin/bash
# Even an empty environment has somewhere to find programs.
export PATH := $(or $(PATH),/usr/local/bin:/usr/bin:/bin)
# Hundreds of processes start here: what they import is compiled once, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE
.DELETE_ON_ERROR:

requirements := $(wildcard tools/requirements*.txt) tools/constraints.txt tools/setup.sh tools/make_underlay.py
# Python sources are linked, not copied, into install/, so only these make a build necessary.
built_from := $(shell find src underlay \( -name '*.msg' -o -name '*.srv' -o -name '*.action' -o -name 'CMakeLists.txt' -o -name '*.cmake' -o -name 'package.xml' \
	-o -name 'setup.py' -o -path '*/config/*' -o -path '*/launch/*' \) -type f 2>/dev/null)

.PHONY: setup demo test test-fast test-all lint docs bench validate clean

setup: install/.stamp

.venv/.stamp: $(requirements)
	@tools/setup.sh venv
	@touch $@

install/.stamp: .venv/.stamp $(built_from)
	@tools/setup.sh build
	@touch $@
	@echo 'regolith set-up: done; to begin with: make demo, or ./regolith scenarios'

demo: setup
	@./regolith run two_rovers

test: setup
	@tools/test.sh

test-fast: setup
	@tools/test.sh --fast

test-all: setup
	@tools/test.sh --all

lint: setup
	@tools/lint.sh

docs: setup
	@./regolith exec sphinx-build -q -W --keep-going -E -j auto -c docs . build/docs
	@echo build/docs/index.html

bench: setup
	@./regolith bench all

validate: setup
	@./regolith exec python3 tools/validate_scm.py
	@MPLBACKEND=Agg ./regolith exec python3 tools/validate_tires.py
	@MPLBACKEND=Agg ./regolith exec python3 tools/validate_vehicles.py
	@MPLBACKEND=Agg ./regolith exec python3 tools/validate_excavation.py
	@./regolith exec python3 tools/validate_dem.py
	@./regolith exec python3 tools/validate_crm.py

clean:
	rm -rf .venv build install log .cache
