# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tracked vehicles: closed bands of shoes round sprockets, road wheels and idlers, driven, braked and steered."""

from regolith_vehicles.tracks.running_gear import Tracks as Tracks
