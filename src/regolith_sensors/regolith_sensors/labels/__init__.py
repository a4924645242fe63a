# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Ground truth for who learns or measures from images."""
