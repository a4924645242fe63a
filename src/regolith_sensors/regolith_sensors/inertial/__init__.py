# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What is felt and where one is: inertial units, positioning, their errors."""
