# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Who hears whom: tile graph, radio propagation, breadcrumbs, datagrams."""
