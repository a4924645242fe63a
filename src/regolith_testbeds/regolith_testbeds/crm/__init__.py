# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Testbeds of CRM: particle beds with blades, drums, wheels, plates and projectiles."""
