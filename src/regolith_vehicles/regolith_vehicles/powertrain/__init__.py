# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Powertrains of cars and tracked vehicles (engines, motors, couplings, gearboxes, brakes), and batteries."""
