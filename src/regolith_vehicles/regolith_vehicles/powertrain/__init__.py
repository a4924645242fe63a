# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What drives cars and tanks: engines, motors, couplings, gearboxes, brakes; and batteries, which rovers have, too."""
