# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Ray tracing of a scene and of the light that rays return."""
