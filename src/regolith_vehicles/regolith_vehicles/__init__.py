# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What drives: multibody models, wheels on soil, drivers, the agent of one vehicle."""
