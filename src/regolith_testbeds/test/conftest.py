# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Shared setup of the tests of testbeds."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
