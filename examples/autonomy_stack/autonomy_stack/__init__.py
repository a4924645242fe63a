# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Example of an autonomy stack that uses public topics only: localization, hazards, path planning. A template."""
