# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Sun and Earth in the sky of a place, and the light that its horizon leaves."""
