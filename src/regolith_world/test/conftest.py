# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Configuration of the tests: hypothesis tries properties on the same examples in every run."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

settings.register_profile('repeatable', derandomize=True, deadline=None)
settings.load_profile('repeatable')
