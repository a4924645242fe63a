# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Ray tracing with Embree 4, in packets of 16 rays that are shaded as they return."""
