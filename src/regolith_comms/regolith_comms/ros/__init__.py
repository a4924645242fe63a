# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""ROS interface of the radios."""
