# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A rover's autonomy from public topics alone: where it is, what is in its way, where to drive. A template."""
