# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The ground floor: how files that people write are read and refused, and how packages of others are found."""
