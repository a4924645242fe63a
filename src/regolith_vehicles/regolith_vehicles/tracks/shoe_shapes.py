# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Contact shape and visual description of a track's shoe."""

from __future__ import annotations

import numpy as np

from regolith_terrain import contact
from regolith_vehicles.tracks.config import ShoeConfig
from regolith_vehicles.visuals.visual_description import Visual, VisualMaterial

_IRON = VisualMaterial('shoe', (0.06, 0.055, 0.05), 0.6, 0.0, 0.04)
_RUBBER = VisualMaterial('pad', (0.025, 0.025, 0.025), 0.9, 0.0, 0.03)
_PIN = 0.017
"""Radius of a drawn pin [m]."""


def contact_surface(shoe: ShoeConfig) -> contact.Shapes:
    """Return the outer side of a shoe as a contact shape: its pads, two triangles each."""
    corners = []
    for pad in shoe.pads:
        x, y, z = pad.position
        a, b = 0.5 * pad.length_m, 0.5 * pad.width_m
        nodes = [(x + i * a, y + j * b, z) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        corners += [[nodes[0], nodes[1], nodes[2]], [nodes[0], nodes[2], nodes[3]]]
    return contact.mesh(np.array(corners))


def visual_shapes(shoe: ShoeConfig) -> tuple[Visual, ...]:
    """Return the visuals of a shoe: a plate between the pins, pads below it, a pin, and a guide horn."""
    half = max(abs(pad.position[1]) + 0.5 * pad.width_m for pad in shoe.pads)
    lying = np.array([np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)])
    made = [
        Visual('box', (0.44 * shoe.pitch_m, half, 0.5 * shoe.inner_face_height_m), None, _IRON, name='plate'),
        Visual('cylinder', (_PIN, half), None, _IRON, np.array([0.5 * shoe.pitch_m, 0.0, 0.0]), lying, 'pin'),
    ]
    for k, pad in enumerate(shoe.pads):
        x, y, z = pad.position
        deep = max(0.5 * abs(z), 0.005)
        size = (0.5 * pad.length_m, 0.5 * pad.width_m, deep)
        made.append(Visual('box', size, None, _RUBBER, np.array([x, y, z + deep]), name=f'pad_{k}'))
    if shoe.guide_horn_m is not None:
        length, width, height = shoe.guide_horn_m
        place = np.array([0.0, 0.0, 0.5 * height])
        made.append(Visual('box', (0.5 * length, 0.5 * width, 0.5 * height), None, _IRON, place, name='horn'))
    return tuple(made)
