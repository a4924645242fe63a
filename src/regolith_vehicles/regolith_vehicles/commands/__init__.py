# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands of a vehicle and its command interfaces."""
