# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Report: figures and pictures of a run."""

from regolith_files.moved import names_of

__getattr__ = names_of('regolith_bringup.report', 'regolith_bringup.report.page')
