# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What a person touches: scenario files, the command line, supervisor, recorder, report."""
