# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Colors of vehicles in paths and plots."""

from __future__ import annotations

import zlib

_COLORS = (
    (255, 176, 46),
    (86, 180, 233),
    (0, 178, 136),
    (240, 108, 70),
    (204, 121, 197),
    (240, 228, 66),
    (150, 160, 255),
    (190, 190, 190),
)
"""Colors distinguishable with color vision deficiency (Okabe and Ito), brightened for a dark background."""
_NAMED = {'amber': 0, 'basalt': 1}


def color_of(name: str) -> tuple[int, int, int]:
    """Return the color of a vehicle, which depends only on its name."""
    return _COLORS[_NAMED.get(name, zlib.crc32(name.encode()) % len(_COLORS))]


def faded(color: tuple[int, int, int], step: int, of: int) -> tuple[int, int, int]:
    """Return a shade of a color. Among several lines of one vehicle, the first is brightest."""
    share = 1.0 - 0.55 * step / max(of - 1, 1)
    return tuple(round(share * c + (1.0 - share) * 60) for c in color)  # type: ignore[return-value]
