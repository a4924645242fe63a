# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Contact of rigid parts with the terrain: kernels, rigid terrain, shear memory."""
