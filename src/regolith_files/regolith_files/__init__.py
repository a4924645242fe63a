# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Configuration files: YAML reader, schemas, validation, error messages and loading of plug-ins."""
