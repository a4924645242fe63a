# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Ground truth labels for training and measuring on images."""
