# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Reference rows of the validation tables in docs/validation."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

PAGES = Path(__file__).resolve().parents[3] / 'docs' / 'validation'


def row(table: str, case: str) -> dict[str, str]:
    """Return the row of a case in a table given by file name; skip the test if the file does not exist."""
    file = PAGES / table
    if not file.is_file():
        pytest.skip('the campaign table is part of the repository, not of the package')
    with file.open(encoding='utf-8') as text:
        return next(found for found in csv.DictReader(text) if found['case'] == case)
