# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the tables of the run policy in docs."""

from __future__ import annotations

import sys

from harness import ROOT

sys.path.insert(0, str(ROOT / 'tools'))
import make_failures_page as tool


def test_page_has_the_cases_of_the_run_policy() -> None:
    assert tool.PAGE.read_text(encoding='utf-8') == tool.page()
    rows = [line for line in tool.page().splitlines() if line.startswith('| A node fails (`wait`). | ')]
    assert rows == ['| A node fails (`wait`). | The node is restarted. |'] * 2
