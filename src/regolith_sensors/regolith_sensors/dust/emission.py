# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Dust that vehicles and bodies throw up: parcels from the parts of their surfaces that move soil.

The mass rate per area is eta rho_s (v - v_th) with the velocity v of the soil at the surface. Soil moves as the soil
grid does not show, so velocities are those against resting soil. On wheels and track shoes, which roll, v is the slip
velocity along the surface. Tools, hulls and bodies also carry soil along where they advance into it, as a blade does or
a body that falls; there v is the velocity of the surface. A parcel leaves with 0.3 to 1 of v, within 30 deg of a
direction that is v tilted upward by 20 to 60 deg.

Simplifications: mud guards, and soil that sticks to a rim and leaves it higher up, are left out. Tools, hulls and
bodies throw up soil from the upper 5 cm only. What they have pushed ahead is not resting soil, but counts as such.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from regolith_sensors.arrays import Bools, Floats, Longs
from regolith_sensors.config.dust import DustConfig
from regolith_sensors.surfaces.meshes import Mesh
from regolith_sensors.surfaces.visual_mesh import visual_mesh
from regolith_terrain.grid import SoilGrid
from regolith_vehicles.visuals import PartRole, Visual, VisualDescription
from regolith_world.numerics import rotation
from regolith_world.random import generator

_ANGLES, _ACROSS = 72, 3
"""Samples around a wheel and across it."""
_TOUCH_M = 0.01
"""Height of a surface above the committed ground up to which it touches the soil [m]."""
_DEPTH_M = 0.05
"""Depth below the committed ground from which tools and bodies throw up soil [m]."""
_SAMPLE_M, _SAMPLES = 0.04, (32, 400)
"""Distance of the samples of tools and bodies [m], and their least and largest number per mesh."""
_RECURRENCE = np.array([0.7548776662466927, 0.5698402909980532])
"""Inverse powers of the plastic number; their multiples are spread evenly over a square."""
_MOST_LEFT_OUT = 2**53
"""Largest number of parcels of a cycle that are counted as left out."""
_SLOWEST, _CONE_COSINE = 0.3, math.cos(math.radians(30.0))
_TILT_RAD = math.radians(20.0), math.radians(60.0)


class NewParcels(NamedTuple):
    """Parcels that leave the ground during a cycle."""

    place: Floats
    """Position of the emitting surface [m], shape (n, 3)."""
    velocity: Floats
    """Velocity at the start [m/s], shape (n, 3)."""
    t_ns: Longs
    """Time of the start [ns], shape (n,)."""
    left_out: int
    """Number of further parcels, which are not drawn because there are too many."""


@dataclass(frozen=True, eq=False)
class EmittingSurface:
    """Samples of the surface of a vehicle or body, in the frames of its parts."""

    row: Longs
    """Index of the part among the poses, shape (n,)."""
    place: Floats
    """Position [m], shape (n, 3)."""
    normal: Floats
    """Outward normal, shape (n, 3)."""
    area: Floats
    """Area [m^2], shape (n,)."""
    size: Floats
    """Half extents along the direction of motion and across it, over which parcels start [m], shape (n, 2)."""
    rolls: Bools
    """Whether soil moves along the surface only, as on wheels and track shoes, shape (n,)."""

    @staticmethod
    def of_vehicle(looks: VisualDescription) -> EmittingSurface:
        """Return the surface of all parts of a vehicle."""
        found: list[tuple[int, bool, _Samples]] = []
        for row, part in enumerate(looks.parts):
            if part.role == PartRole.WHEEL:
                found += [(row, True, samples) for samples in _wheel(part.visuals)]
            elif part.role == PartRole.TRACK_SHOE:
                found += [(row, True, samples) for samples in _shoe(part.visuals)]
            elif part.role == PartRole.BODY:
                for v in part.visuals:
                    mesh = visual_mesh(v).moved(v.position, rotation.matrix(v.orientation))
                    found.append((row, False, _sampled(mesh)))
        return EmittingSurface._joined(found)

    @staticmethod
    def of_body(mesh: Mesh) -> EmittingSurface:
        """Return the surface of a body with one pose."""
        return EmittingSurface._joined([(0, False, _sampled(mesh))])

    @staticmethod
    def _joined(found: Sequence[tuple[int, bool, _Samples]]) -> EmittingSurface:
        every = [_NO_SAMPLES, *(samples for _, _, samples in found)]
        counts = [0, *(len(samples[2]) for _, _, samples in found)]
        rows = np.repeat(np.array([0, *(row for row, _, _ in found)], np.int64), counts)
        rolls = np.repeat(np.array([False, *(rolls for _, rolls, _ in found)]), counts)
        place, normal, area, size = (np.concatenate(column) for column in zip(*every, strict=True))
        return EmittingSurface(rows, place, normal, area, size, rolls)


_Samples = tuple[Floats, Floats, Floats, Floats]
"""Positions [m], outward normals, areas [m^2] and half extents [m] of samples."""
_NO_SAMPLES: _Samples = (np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), np.zeros((0, 2)))


def _sampled(mesh: Mesh) -> _Samples:
    """Return samples of equal area on the triangles of a mesh, in their order.

    Source: roberts2018.
    Checked by: test_dust.py::test_samples_of_a_mesh_have_its_area_and_its_middle.
    """
    corners = mesh.vertices[mesh.triangles]
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    outward = np.cross(first, second)
    twice = np.sqrt((outward * outward).sum(axis=1))
    shares = np.cumsum(0.5 * twice)
    if not len(shares) or shares[-1] <= 0.0:
        return _NO_SAMPLES
    area = float(shares[-1])
    count = int(np.clip(area / _SAMPLE_M**2, *_SAMPLES))
    chosen = np.searchsorted(shares, (np.arange(count) + 0.5) * area / count)
    u = np.arange(1, count + 1)[:, None] * _RECURRENCE % 1.0
    u = np.where(u.sum(axis=1, keepdims=True) > 1.0, 1.0 - u, u)
    place = corners[chosen, 0] + u[:, :1] * first[chosen] + u[:, 1:] * second[chosen]
    half = 0.5 * math.sqrt(area / count)
    normal = outward[chosen] / twice[chosen, None]
    return place, normal, np.full(count, area / count), np.full((count, 2), half)


def _wheel(visuals: tuple[Visual, ...]) -> list[_Samples]:
    """Return samples of the tread of a wheel: of its widest cylinder, or of one around its mesh."""
    rims = []
    for visual in visuals:
        turn = rotation.matrix(visual.orientation)
        if visual.shape in ('cylinder', 'grouser_wheel'):
            rims.append((visual.size[0], visual.size[1], visual.position, turn[:, 2]))
        elif visual.mesh is not None:
            vertices = visual.mesh.vertices.astype(np.float64) @ turn.T + visual.position
            low, high = vertices.min(axis=0), vertices.max(axis=0)
            axis = int(np.argmin(high - low))
            half = 0.5 * np.delete(high - low, axis)
            rims.append((float(half.max()), 0.5 * float((high - low)[axis]), 0.5 * (low + high), np.eye(3)[axis]))
    if not rims:
        return []
    radius, half_width, middle, axle = max(rims, key=lambda rim: rim[0])
    first = np.cross(axle, np.eye(3)[int(np.argmin(np.abs(axle)))])
    first /= np.linalg.norm(first)
    angle = 2.0 * math.pi * np.arange(_ANGLES) / _ANGLES
    normal = np.cos(angle)[:, None] * first + np.sin(angle)[:, None] * np.cross(axle, first)
    across = half_width * ((2.0 * np.arange(_ACROSS) + 1.0) / _ACROSS - 1.0)
    place = (middle + radius * normal)[:, None] + across[None, :, None] * axle
    size = math.pi * radius / _ANGLES, half_width / _ACROSS
    count = _ANGLES * _ACROSS
    normals = np.repeat(normal, _ACROSS, axis=0)
    return [(place.reshape(-1, 3), normals, np.full(count, 4.0 * size[0] * size[1]), np.tile(size, (count, 1)))]


def _shoe(visuals: tuple[Visual, ...]) -> list[_Samples]:
    """Return samples of both faces of a track shoe: of its largest box."""
    boxes = [visual for visual in visuals if visual.shape == 'box']
    if not boxes:
        return []
    box = max(boxes, key=lambda visual: visual.size[0] * visual.size[1])
    turn, half = rotation.matrix(box.orientation), np.array(box.size[:3])
    sides = np.array([-1.0, 1.0])
    place = box.position + sides[:, None] * half[2] * turn[:, 2]
    normal = sides[:, None] * turn[:, 2]
    return [(place, normal, np.full(2, 4.0 * half[0] * half[1]), np.tile(half[:2], (2, 1)))]


def emitted(
    name: str,
    surface: EmittingSurface,
    poses: tuple[Floats, Floats],
    t_ns: tuple[int, int],
    grid: SoilGrid,
    config: DustConfig,
    seed: int,
) -> NewParcels:
    """Return the parcels that an entity throws up during a cycle; a function of committed states, seed and time.

    Args:
        name: Name of the vehicle or body, which keys the random numbers with the time of the commit.
        surface: Its surface.
        poses: Poses of its parts at the start and at the end of the cycle, shape (parts, 7) each.
        t_ns: Times of both [ns].
        grid: Ground committed at the end of the cycle.
        config: Section ``dust``.
        seed: Seed of the scenario.

    Source: hsu2012.
    Checked by: test_dust.py::test_emitted_mass_is_that_of_the_slip_velocity,
    test_dust.py::test_parcels_leave_within_their_cone_and_speed,
    test_dust.py::test_blade_throws_up_the_soil_that_it_pushes.
    """
    dt = (t_ns[1] - t_ns[0]) * 1e-9
    sample, place, motion, slip, rate = _slipping(surface, poses, dt, grid, config)
    total = float(rate.sum()) * dt / config.parcel_mass_kg
    if total <= 0.0:
        return NewParcels(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0, np.int64), 0)
    random = generator(seed, name, 'dust', t_ns[1])
    # A mean above the limit of parcels in flight has no use, and a huge one no distribution.
    drawn = min(total, 2.0 * config.max_parcels)
    count = int(random.poisson(drawn))
    u = random.random((count, 8))
    shares = np.cumsum(rate)
    chosen = np.minimum(np.searchsorted(shares, u[:, 0] * shares[-1], side='right'), len(rate) - 1)
    slip = slip[chosen]
    speed = np.sqrt((slip * slip).sum(axis=1))
    ahead = slip / speed[:, None]
    flat = np.hypot(ahead[:, 0], ahead[:, 1])
    heading = np.where(flat > 1e-9, np.arctan2(ahead[:, 1], ahead[:, 0]), 2.0 * math.pi * u[:, 1])
    velocity = _launch(heading, u[:, 2:5]) * (speed * (_SLOWEST + (1.0 - _SLOWEST) * u[:, 5]))[:, None]
    size = surface.size[sample][chosen]
    along, across = (2.0 * u[:, 6] - 1.0) * size[:, 0], (2.0 * u[:, 7] - 1.0) * size[:, 1]
    # One after another during the cycle, each where the surface is at that time.
    order = np.arange(1, count + 1)
    times = t_ns[0] + (t_ns[1] - t_ns[0]) * order // max(count, 1)
    start = place[chosen] - motion[chosen] * ((t_ns[1] - times) * 1e-9)[:, None]
    start[:, 0] += along * np.cos(heading) - across * np.sin(heading)
    start[:, 1] += along * np.sin(heading) + across * np.cos(heading)
    return NewParcels(start, velocity, times.astype(np.int64), int(min(total - drawn, _MOST_LEFT_OUT)))


def _slipping(
    surface: EmittingSurface, poses: tuple[Floats, Floats], dt: float, grid: SoilGrid, config: DustConfig
) -> tuple[Longs, Floats, Floats, Floats, Floats]:
    """Return the samples that emit: number, position [m], its velocity, that of the soil [m/s], rate [kg/s]."""
    before, after = poses
    rows = surface.row
    turns = rotation.matrices(after[:, 3:7])[rows]
    offset = np.einsum('nij,nj->ni', turns, surface.place)
    place, normal = after[rows, :3] + offset, np.einsum('nij,nj->ni', turns, surface.normal)
    low = np.flatnonzero((normal[:, 2] < -0.2) | ~surface.rolls)
    above = place[low, 2] - grid.levels(place[low, 0], place[low, 1])
    touching = low[(above < _TOUCH_M) & (surface.rolls[low] | (above > -_DEPTH_M))]
    parts = np.unique(rows[touching])
    linear, angular = np.zeros((len(after), 3)), np.zeros((len(after), 3))
    for part in parts:
        linear[part] = (after[part, :3] - before[part, :3]) / dt
        inverse = before[part, 3:7] * (-1.0, -1.0, -1.0, 1.0)
        angular[part] = rotation.rotation_vector(rotation.product(after[part, 3:7], inverse)) / dt
    own = rows[touching]
    velocity = linear[own] + np.cross(angular[own], offset[touching])
    normal = normal[touching]
    advance = (velocity * normal).sum(axis=1, keepdims=True)
    slip = velocity - np.where(surface.rolls[touching, None], advance, np.minimum(advance, 0.0)) * normal
    speed = np.sqrt((slip * slip).sum(axis=1))
    fast = speed > config.threshold_mps
    factor = config.lofted_fraction * config.soil_density_kgpm3
    rate = factor * (speed[fast] - config.threshold_mps) * surface.area[touching[fast]]
    return touching[fast], place[touching[fast]], linear[own[fast]], slip[fast], rate


def _launch(heading: Floats, u: Floats) -> Floats:
    """Return unit vectors within a cone about a direction that is tilted upward, never below the horizontal.

    Args:
        heading: Horizontal direction from the x axis to the left [rad], shape (n,).
        u: Three random numbers in [0, 1) each, shape (n, 3).
    """
    tilt = _TILT_RAD[0] + (_TILT_RAD[1] - _TILT_RAD[0]) * u[:, 0]
    cosine = 1.0 - u[:, 1] * (1.0 - _CONE_COSINE)
    sine, turn = np.sqrt(1.0 - cosine * cosine), 2.0 * math.pi * u[:, 2]
    # In the frame of the heading: x ahead, y left, z up.
    ahead = cosine * np.cos(tilt) - sine * np.cos(turn) * np.sin(tilt)
    up = cosine * np.sin(tilt) + sine * np.cos(turn) * np.cos(tilt)
    left = sine * np.sin(turn)
    x = ahead * np.cos(heading) - left * np.sin(heading)
    y = ahead * np.sin(heading) + left * np.cos(heading)
    return np.stack([x, y, np.abs(up)], axis=1)
