# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What the report, the summary and the commands show of what sensors saw, read from a run's bag."""
