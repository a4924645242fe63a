# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The camera: lens, sensor and the stages between radiance and digital numbers."""
