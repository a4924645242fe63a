# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Shared setup of the tests of the stack."""

from __future__ import annotations

import sys
from pathlib import Path

# The package need not be built for tests.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
