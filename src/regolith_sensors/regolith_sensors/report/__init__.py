# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The sensors' part of report, summary and commands, read from a run's bag."""
