# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Counter-based random numbers keyed by seed, object, quantity and cycle."""
