# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs of scenarios: plan, processes, supervision, results."""
