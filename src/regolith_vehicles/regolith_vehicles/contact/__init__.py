# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Contact of a vehicle's parts with terrain and obstacles."""
