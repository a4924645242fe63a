# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tracked vehicles: bands of shoes around sprockets, road wheels and idlers, with drive, brakes and steering."""

from regolith_vehicles.tracks.running_gear import Tracks as Tracks
