# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Event camera: changes of brightness per pixel."""
