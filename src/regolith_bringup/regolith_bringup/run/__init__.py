# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""From a scenario to a run: plan, processes, supervision, what a run leaves."""
