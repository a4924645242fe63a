# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Small worlds to read and to run."""
