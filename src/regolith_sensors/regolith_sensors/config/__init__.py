# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Sensor sections of a scenario: sensor types, sensors, lighting, stereo."""
