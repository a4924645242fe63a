# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The ground: height fields, the soil grid, soil contact mechanics, the merge of many vehicles' changes."""
