# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Drivers: built-in ones, tasks, and the interface of plug-ins."""
