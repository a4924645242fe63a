# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Report, summary and commands of the sensors, from a run's bag."""
