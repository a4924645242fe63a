# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What the tests of the stack share."""

from __future__ import annotations

import sys
from pathlib import Path

# It need not be built to be tested.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
