# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Report: figures and pictures of a run."""
