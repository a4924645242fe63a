# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Bucket drum that digs a trench in CRM soil.

The bed is periodic along the axle, so the cut is plane. The drum is a shell with openings. Behind each opening is a
lip, a wedge with its edge on the circle of the lips, as rough as the strength of the soil. Cut soil passes through the
opening in front of the lip. There are no baffles inside: soil may leave again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.crm import Device, Discretization, ParticleSoil, bed_class, boundary_markers, refuse_too_many
from regolith_terrain.grid import Floats
from regolith_testbeds.crm.blade import soil_to_cut
from regolith_testbeds.crm.driven_body import DrivenBody
from regolith_testbeds.drum_trench import Drum, Samples, drum_results

ACROSS = 9
"""Period of the bed in spacings: three cells."""
_BLOCK = 20
"""Number of steps of one advance, whose means are a sample."""
_COURANT = 0.4
_VISCOSITY = 0.05
_AHEAD, _BELOW, _BEHIND = 1.5, 0.5, 0.3
"""Soil ahead, below and behind the trench, in depths of the cut."""
OPENING = 1.5
"""Length of an opening along the shell over the height of the lips."""
_RELIEF = math.tan(math.radians(10.0))
"""Slope between the back of a lip and the path of its edge."""


def section(drum: Drum, spacing: float) -> tuple[Floats, Floats]:
    """Return markers of lips and shell in a drum's cross section, (x, z) about the axle [m], shape (n, 2)."""
    shell, thick = drum.radius - drum.lip, boundary_markers.LAYERS * spacing
    roots, plates, rings = [], [], []
    for k in range(drum.lips):
        angle = 2.0 * math.pi * k / drum.lips
        out = np.array([math.sin(angle), math.cos(angle)])
        ahead = np.array([math.cos(angle), -math.sin(angle)])
        # Directions down the face from the edge, and away from the face on the side that does not cut.
        down = -math.cos(drum.rake) * ahead - math.sin(drum.rake) * out
        back = -math.sin(drum.rake) * ahead + math.cos(drum.rake) * out
        foot = _length_to(drum.radius, shell, drum.rake)
        root = drum.radius * out + foot * down
        roots.append(math.atan2(root[0], root[1]))
        along = (np.arange(math.ceil((foot + thick) / spacing)) + 0.5) * spacing
        deep = (np.arange(boundary_markers.LAYERS) + 0.5) * spacing
        plate = drum.radius * out + (along[:, None, None] * down + deep[None, :, None] * back).reshape(-1, 2)
        clear = np.hypot(*plate.T) <= drum.radius - np.maximum(-(plate @ ahead), 0.0) * _RELIEF
        plates.append(plate[clear & (np.hypot(*plate.T) > shell)])
    opening = OPENING * drum.lip / shell
    for layer in range(boundary_markers.LAYERS):
        ring = shell - (layer + 0.5) * spacing
        count = round(2.0 * math.pi * ring / spacing)
        turn = 2.0 * math.pi * np.arange(count) / count
        closed = np.ones(count, np.bool_)
        for begin in roots:
            closed &= (turn - begin) % (2.0 * math.pi) > opening
        rings.append(ring * np.stack((np.sin(turn), np.cos(turn)), axis=1)[closed])
    return np.concatenate(plates), np.concatenate(rings)


def _drawn_out(flat: Floats, spacing: float) -> Floats:
    """Return markers of a body with a constant cross section along its axle [m], shape (n, 3)."""
    rows = (np.arange(ACROSS) + 0.5) * spacing
    return np.stack((np.repeat(flat[:, 0], ACROSS), np.tile(rows, len(flat)), np.repeat(flat[:, 1], ACROSS)), axis=1)


def _length_to(radius: float, shell: float, rake: float) -> float:
    """Return the length down a face, from its edge on a circle to a concentric smaller circle [m]."""
    half = radius * math.sin(rake)
    return half - math.sqrt(half * half - radius * radius + shell * shell)


def refuse(drum: Drum, spacing: float) -> None:
    """Reject more particles than fit into memory.

    Args:
        drum: Drum and soil.
        spacing: Particle spacing [m].

    Raises:
        ValueError: If the memory is insufficient. The message states memory and time.
    """
    length = 2.0 * drum.reach + drum.advance * drum.gone(drum.end) + (_BEHIND + _AHEAD) * drum.depth
    volume = length * (1.0 + _BELOW) * drum.depth * ACROSS * spacing
    refuse_too_many(volume, drum.end, _soil(drum), _settings(spacing), finer_along=2)


def _settings(spacing: float) -> Discretization:
    return Discretization(spacing_m=spacing, artificial_viscosity=_VISCOSITY, courant_number=_COURANT)


def _soil(drum: Drum) -> ParticleSoil:
    return soil_to_cut(drum.density, drum.cohesion, drum.friction, drum.gravity, drum.depth)


class CrmTrench(DrivenBody):
    """A drum in CRM soil."""

    def __init__(self, drum: Drum, spacing: float, workers: int = 1, device: Device = 'cpu') -> None:
        """Create a bed without the soil in the circle of the lips, and place the drum.

        Args:
            drum: Drum and soil.
            spacing: Particle spacing [m].
            workers: Number of threads; it does not change the result.
            device: Device of the computation, see :func:`regolith_terrain.crm.device_selection.bed_class`.
        """
        self.drum = drum
        self._across = ACROSS * spacing
        way = drum.advance * drum.gone(drum.end)
        low, high = -drum.reach - _BEHIND * drum.depth, drum.reach + way + _AHEAD * drum.depth
        floor = -(1.0 + _BELOW) * drum.depth
        filled, walls = boundary_markers.channel(
            (low, high), self._across, floor, spacing, 2.0 * boundary_markers.LAYERS * spacing
        )
        filled = filled[np.hypot(filled[:, 0], filled[:, 2] - self._height) > drum.radius]
        lips, shell = (_drawn_out(flat, spacing) for flat in section(drum, spacing))
        settings, soil = _settings(spacing), _soil(drum)
        super().__init__(
            bed_class(device)(
                soil,
                settings,
                (0.0, 0.0, -drum.gravity),
                filled,
                *boundary_markers.together(walls, lips, shell),
                workers=workers,
                period=(0.0, self._across),
            )
        )
        self.bed.lay_at_rest(0.0)
        self.dt = drum.end / max(1, math.ceil(drum.end / settings.step(self.bed.material)))
        self._weight = soil.density_kgpm3 * spacing**3 / self._across
        self._inner = drum.radius - drum.lip - boundary_markers.LAYERS * spacing
        self._samples: Samples = []

    @property
    def _height(self) -> float:
        """Height of the axle [m]."""
        return self.drum.radius - self.drum.depth

    @property
    def _all(self) -> int:
        return round(self.drum.end / self.dt)

    @property
    def part(self) -> float:
        """Completed fraction."""
        return self.steps / self._all

    def _place(self) -> None:
        drum, bodies, t = self.drum, self.bed.bodies, self.steps * self.dt
        gone, share = drum.gone(t), drum.share(t)
        c, s = math.cos(drum.rate * gone), math.sin(drum.rate * gone)
        bodies.center[1:] = drum.advance * gone, 0.0, self._height
        bodies.rotation[1:] = [[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]
        bodies.velocity[1:] = share * drum.advance, 0.0, 0.0
        bodies.spin[1:] = 0.0, share * drum.rate, 0.0

    def _block(self) -> None:
        total = np.zeros(4)
        count = min(_BLOCK, self._all - self.steps)
        for _ in range(count):
            self._place()
            self.bed.step(self.dt)
            force, cutting = self.bed.force[1:].sum(axis=0), -self.bed.torque[1, 1]
            total += cutting - self.bed.torque[2, 1], cutting, -force[0], force[2]
            self.steps += 1
        torque, cutting, draft, lift = (total / (count * self._across)).tolist()
        self._samples.append((self.steps * self.dt, torque, cutting, draft, lift, self._gathered()))

    def _gathered(self) -> float:
        """Return the soil inside the shell [kg/m]."""
        place = self.bed.particles[self.bed.soil_rows(), :3]
        x, _, z = self.bed.bodies.center[1].tolist()
        return self._weight * int(np.count_nonzero(np.hypot(place[:, 0] - x, place[:, 2] - z) < self._inner))

    def row(self) -> dict[str, Any]:
        """Return the results so far."""
        return {**drum_results(self.drum, self._samples), **self._cost(), 'step_s': self.dt}

    def _state(self) -> Mapping[str, Any]:
        return {'samples': np.array(self._samples).reshape(-1, 6)}

    def _restore(self, found: Mapping[str, NDArray[Any]]) -> None:
        self._samples = [(a, b, c, d, e, f) for a, b, c, d, e, f in found['samples'].tolist()]
