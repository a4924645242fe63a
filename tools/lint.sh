#!/usr/bin/env bash
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
#
# Run ruff, mypy (strict), codespell, the package checks of ROS 2, and the checks of generated pages.
set -euo pipefail
cd "$(dirname "$0")/.."
. install/env.sh
ruff check .
ruff format --check --quiet .
mypy src/regolith_{files,world,comms,terrain,vehicles,sensors,testbeds,bringup}/regolith_*/ examples/autonomy_stack/autonomy_stack/
codespell src test tools docs examples bench docker packaging Makefile pyproject.toml ./*.md CITATION.cff
python3 tools/check_packages.py
python3 tools/make_parameters_page.py --check
python3 tools/make_messages_page.py --check
python3 tools/make_reference_pages.py --check
python3 tools/make_topics_page.py --check
python3 tools/make_failures_page.py --check
python3 tools/check_terms.py
python3 tools/equations.py --check
python3 tools/evolution_table.py --check
