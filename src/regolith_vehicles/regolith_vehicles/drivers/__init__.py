# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Drivers: built-in drivers, tasks, and the interface of plug-ins."""
