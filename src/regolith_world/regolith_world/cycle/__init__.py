# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The cycle protocol: participants, their messages, step control, state hash."""
