# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Properties are tried on the same examples in every run, so that what fails once fails again."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile('repeatable', derandomize=True, deadline=None)
settings.load_profile('repeatable')
