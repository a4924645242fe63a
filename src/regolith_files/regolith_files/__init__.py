# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The ground floor: reading and refusing users' files, and finding plug-ins."""
