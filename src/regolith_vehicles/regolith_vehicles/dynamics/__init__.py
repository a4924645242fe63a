# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Vehicle dynamics: multibody model, substeps, motors, odometry, placement."""
