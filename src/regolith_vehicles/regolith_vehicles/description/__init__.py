# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Description of a vehicle: model file, visual description, URDF."""
