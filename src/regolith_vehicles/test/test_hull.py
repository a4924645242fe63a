# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of hulls on soil: contact forces, rest, saved states and ground shapes."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from regolith_terrain import contact
from regolith_terrain.config import load_soil
from regolith_terrain.contact.ground_contact import spring_limit
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import HeightField
from regolith_terrain.solids.contact_arrays import SolidContactArrays
from regolith_terrain.solids.friction_memory import NO_SOLIDS
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.contact.contact_parts import _hull_frame, _underside
from regolith_vehicles.description.model_config import GroundShapeConfig, VehicleModelConfig
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.dynamics.kinematics import wheel_commands
from regolith_vehicles.dynamics.model_checks import check_substep
from regolith_world.numerics.rotation import from_rotation_vector, matrix

CYCLE_NS = 20_000_000
STILL = np.zeros(4)
WEIGHT = 434.92 * 1.62
BELLY, DECK, MAST, HEAD = range(4, 8)
Maker = Callable[..., Vehicle]


class Ridge(HeightField):
    """Level ground with a flat ridge along x, 0.5 m high and narrower than the track width of a rover."""

    def heights(self, x, y):
        return np.where(np.abs(np.asarray(y)) < 0.3, 0.5, 0.0) + 0.0 * np.asarray(x)

    def fingerprint(self):
        return 'ridge'


class Rough(HeightField):
    """Waves of some decimeters with steep slopes."""

    def heights(self, x, y):
        return 0.12 * np.sin(2.5 * np.asarray(x)) * np.cos(2.1 * np.asarray(y))

    def fingerprint(self):
        return 'rough'


def _stand(vehicle: Vehicle, seconds: float) -> None:
    for _ in range(round(seconds * 50)):
        vehicle.grid.apply(vehicle.evolve(CYCLE_NS, STILL, STILL))
        vehicle.commit()


def _turn_over(vehicle: Vehicle) -> None:
    """Place the rover gently upside down, on the mast head and the rear edge of the deck."""
    angle = math.pi + math.atan2(1.95 - 1.09, 0.53 + 0.64)
    vehicle.place_at((0.0, 0.0, 1.26), (0.0, math.sin(0.5 * angle), 0.0, math.cos(0.5 * angle)))
    assert vehicle.step.settle()
    vehicle._data.qvel[:] = 0.0
    vehicle._refresh()
    vehicle.commit()


def _static_sinkage(vehicle: Vehicle, part: int, soil: str) -> float:
    """Return the static sinkage of a part in fresh soil [m], at its present load and angle.

    Bisection over the depth of Bekker's pressure without the shear of Janosi-Hanamoto: pressure acts along the surface
    of the part, and its upward share per node is p(s) spacing^2.
    """
    load = float(vehicle.step.wrenches.force[part, 2])
    law = load_soil(soil)
    parts, data = vehicle._parts, vehicle._data
    b = parts.body[part]
    turn = data.xmat[b].reshape(3, 3) @ parts.frame[part]
    center = data.xpos[b] + data.xmat[b].reshape(3, 3) @ parts.offset[part]
    half, spacing = parts.shapes.size[part, :3], vehicle.grid.spacing
    reach = np.abs(turn) @ half
    i = np.arange(math.ceil((center[0] - reach[0]) / spacing), math.floor((center[0] + reach[0]) / spacing) + 1)
    j = np.arange(math.ceil((center[1] - reach[1]) / spacing), math.floor((center[1] + reach[1]) / spacing) + 1)
    dx, dy = np.meshgrid(i * spacing - center[0], j * spacing - center[1], indexing='ij')
    low, high = np.full(dx.shape, -np.inf), np.full(dx.shape, np.inf)
    for k in range(3):
        offset, climb = turn[0, k] * dx + turn[1, k] * dy, turn[2, k]
        if abs(climb) < 1e-12:
            high = np.where(np.abs(offset) > half[k], -np.inf, high)
            continue
        ends = (-half[k] - offset) / climb, (half[k] - offset) / climb
        low, high = np.maximum(low, np.minimum(*ends)), np.minimum(high, np.maximum(*ends))
    under = np.where(low <= high, low, np.inf)
    bearing = law.k_phi + law.k_c * vehicle.step.wrenches.stats[part, contact.STAT_INVERSE_WIDTH]
    shallow, deep = 0.0, 0.5
    for _ in range(60):
        depth = 0.5 * (shallow + deep)
        sinkage = np.maximum(0.0, depth - (under - under.min()))
        carried = float((bearing * sinkage**law.exponent).sum()) * spacing**2
        shallow, deep = (depth, deep) if carried < load else (shallow, depth)
    return deep


def test_hull_rests_on_a_ridge(make_vehicle: Maker) -> None:
    """With the wheels in the air the hull sinks in as by Bekker's law: s = (W / A) / (k_c / b + k_phi).

    A is the area of the 27 rows of nodes on top; the two at the edges of the ridge have the normal of the edge and
    carry almost nothing. 2 %: there are 55 or 56 nodes along the hull, and the edges carry a little.
    """
    vehicle = make_vehicle(field=Ridge())
    depth = WEIGHT / (1.11 * 27 * 0.02) / 0.82e6
    vehicle.place_at((0.01, 0.0, 0.5 - 0.2 - depth), (0.0, 0.0, 0.0, 1.0))
    assert vehicle.step.settle()
    _stand(vehicle, 0.5)
    inverse_width = vehicle.step.wrenches.stats[BELLY, contact.STAT_INVERSE_WIDTH]
    assert not vehicle.step.wrenches.stats[:BELLY, contact.STAT_LOADED_NODES].any()
    # Of a strip l by w, 1 / b = (l + w) / (l w) by the perimeter and area of its hull.
    assert inverse_width == pytest.approx((1.11 + 0.58) / (1.11 * 0.58), rel=0.02)
    mean = WEIGHT / (1.11 * 27 * 0.02) / (0.82e6 + 1400.0 * inverse_width)
    state = vehicle.body_state()
    assert 0.5 - 0.2 - float(state.position[2]) == pytest.approx(mean, rel=0.02)
    assert float(vehicle.step.wrenches.force[BELLY, 2]) == pytest.approx(WEIGHT, rel=1e-3)
    assert vehicle.hull_load_fraction() == pytest.approx(1.0, rel=1e-3)
    assert np.abs(state.linear_velocity).max() < 1e-3 and matrix(state.orientation)[2, 2] > 0.999


@pytest.mark.parametrize('seconds', [6.0, pytest.param(60.0, marks=pytest.mark.slow)])
def test_overturned_rover_comes_to_rest(make_vehicle: Maker, seconds: float) -> None:
    """It is at rest, with no part deeper than 1.5 times the sinkage by the law for its load and angle on fresh soil."""
    vehicle = make_vehicle(soil='lunar_nominal')
    vehicle.grid.__init__(vehicle.grid.height_field, 0.04)
    _turn_over(vehicle)
    _stand(vehicle, 0.5 * seconds)
    middle = vehicle.body_state()
    _stand(vehicle, 0.5 * seconds)
    end = vehicle.body_state()
    assert matrix(end.orientation)[2, 2] < -0.7
    assert np.abs(end.linear_velocity).max() < 1e-4
    assert np.linalg.norm(end.position - middle.position) < 1e-4
    assert vehicle.step.wrenches.force[:, 2].sum() == pytest.approx(WEIGHT, rel=1e-3)
    loaded = [part for part in range(8) if vehicle.step.wrenches.stats[part, contact.STAT_LOADED_NODES]]
    assert loaded == [DECK, HEAD]
    for part in loaded:
        sinkage = float(vehicle.step.wrenches.stats[part, contact.STAT_MAX_SINKAGE])
        static = _static_sinkage(vehicle, part, 'lunar_nominal')
        assert 0.5 * static < sinkage < 1.5 * static, (part, sinkage, static)


def test_overturned_rover_dropped_stays_above_ground(make_vehicle: Maker) -> None:
    """Dropped from 0.5 m it hits the ground without passing through and does not drive away."""
    vehicle = make_vehicle()
    angle = math.pi + 0.5
    vehicle.place_at((0.0, 0.0, 1.8), (0.0, math.sin(0.5 * angle), 0.0, math.cos(0.5 * angle)))
    for _ in range(150):
        vehicle.grid.apply(vehicle.evolve(CYCLE_NS, np.full(4, 2.0), STILL))
        vehicle.commit()
    assert vehicle.grid.max_rut_depth() < 0.25
    # It may tumble once about its mast, which is 2 m long.
    assert np.abs(vehicle.body_state().position[:2]).max() < 2.0
    assert float(vehicle.body_state().position[2]) > 0.4


def test_overturned_rover_is_restored_bit_identical(make_vehicle: Maker) -> None:
    """A new vehicle continues from the saved state, hull shear included; a discarded cycle leaves no trace."""
    first, second = make_vehicle(), make_vehicle()
    _turn_over(first)
    _stand(first, 0.2)
    assert set(first.contact.shear.layer) >= {DECK}
    state, ground = first.state(), first.grid.save()
    first.evolve(13_000_001, np.full(4, 1.0), STILL)
    first.discard()
    second.grid.load(ground)
    second.restore(state)
    for vehicle in (first, second):
        _stand(vehicle, 0.2)
    assert first.state() == second.state()
    assert first.grid.soil_hash() == second.grid.soil_hash()


@pytest.mark.parametrize('mode', ['regolith', 'reference'])
def test_hull_above_ground_does_not_change_the_state(make_vehicle: Maker, mode: str) -> None:
    """Skipping the hull where it cannot touch gives bit-identical results to always including it."""
    vehicle, thorough = make_vehicle(field=Rough(), mode=mode), make_vehicle(field=Rough(), mode=mode)
    seen = []
    decide = vehicle.step.touching

    def noting(duration: float, *more: float) -> tuple[int, SolidContactArrays, None]:
        active, solids, _ = decide(duration, *more)
        seen.append(active)
        return active, solids, None

    vehicle.step.touching = noting
    thorough.step.touching = lambda duration, *more: (8, NO_SOLIDS, None)
    for v in (vehicle, thorough):
        v.place_at((0.3, 0.2, 0.45), (0.0, 0.0, 0.0, 1.0))
        speeds, angles = wheel_commands(v.body.layout, 0.6, 0.1)
        for _ in range(60):
            v.grid.apply(v.evolve(CYCLE_NS, speeds, angles))
            v.commit()
    assert seen.count(4) > 20
    assert vehicle.state() == thorough.state()
    assert vehicle.grid.soil_hash() == thorough.grid.soil_hash()


def test_hull_distance_check_has_no_false_negative() -> None:
    """No node that a tilted box can touch within its travel is missed, compared with all nodes at random poses."""
    generator = np.random.default_rng(3)
    grid = SoilGrid(Rough(), 0.05)
    half, middle = np.array([0.5, 0.4, 0.2]), np.array([0.1, -0.05, 0.3])
    hits = misses = 0
    for _ in range(300):
        turn = matrix(from_rotation_vector(generator.normal(size=3)))
        place = generator.uniform((-3.0, -3.0, -0.3), (3.0, 3.0, 1.5))
        plane = _underside(middle, half, np.eye(3), place, turn.reshape(-1), np.zeros(6), np.zeros(3))
        near = grid.rises_above(plane[:-1], 0.02)
        center = place + turn @ middle
        i = np.arange(math.ceil((center[0] - 1.0) / 0.05), math.floor((center[0] + 1.0) / 0.05) + 1)
        j = np.arange(math.ceil((center[1] - 1.0) / 0.05), math.floor((center[1] + 1.0) / 0.05) + 1)
        x, y = np.meshgrid(i * 0.05, j * 0.05, indexing='ij')
        z = grid.levels(x, y)
        local = (np.stack((x, y, z), axis=-1) - center) @ turn
        touching = bool((np.abs(local) <= half).all(axis=-1).any())
        assert near or not touching
        hits, misses = hits + touching, misses + (not near)
    assert hits > 30 and misses > 30


def _config(**changes: object) -> VehicleModelConfig:
    return load_vehicle_model('viper')[0].model_copy(update=changes)


def test_wheels_and_hull_have_separate_step_limits() -> None:
    """Each limit is that of the part alone, with its own area; the error names the part."""
    config, ground = _config(), partial(spring_limit, elastic=2e8, damping=3e4)
    area = 4 * 3**0.5 * 0.25 * 0.30
    wheels = check_substep(config, 434.92, ground, area)
    assert check_substep(config, 434.92, ground, area, hull_area=0.1) == wheels
    assert check_substep(config, 434.92, ground, area, hull_area=1.0) == pytest.approx(2.0 * math.sqrt(434.92 / 2e8))
    with pytest.raises(ValueError, match=r'substep_s = 0.001.* on 4 m\^2 of soil \(ground_shapes\)'):
        check_substep(config, 434.92, ground, area, hull_area=4.0)


@pytest.mark.parametrize(
    ('section', 'words'),
    [
        ({'kind': 'box'}, 'kind and size, or mesh'),
        ({'kind': 'box', 'size': [1.0, 1.0]}, 'size: has 2 numbers; allowed: 3 for a box'),
        ({'kind': 'sphere', 'size': [1.0, 1.0]}, "'box' or 'cylinder'"),
        ({'mesh': 'a.obj', 'kind': 'box', 'size': [1.0, 1.0, 1.0]}, 'kind and size, or mesh'),
        ({'kind': 'cylinder', 'size': [1.0, 1.0], 'orientation': [0.0, 0.0, 0.0, 2.0]}, 'unit quaternion'),
    ],
)
def test_invalid_ground_shape_is_refused(section: dict[str, object], words: str) -> None:
    """The section gives the allowed values."""
    with pytest.raises(ValueError, match=words):
        GroundShapeConfig.model_validate({'name': 'belly', **section})


def test_unknown_body_is_named(make_vehicle: Maker) -> None:
    """A ground shape on a body that the MJCF file lacks is refused with key and value."""
    shape = GroundShapeConfig(name='tail', kind='box', size=(0.1, 0.1, 0.1), body='rump')
    config, mjcf = _config(ground_shapes=(shape,)), load_vehicle_model('viper')[1]
    vehicle = make_vehicle()
    with pytest.raises(ValueError, match=r"ground_shapes.tail.body = 'rump': no such body; allowed: base_link, "):
        Vehicle('rover', config, mjcf, vehicle.grid, load_soil('chrono_lunar'), 1.62)


def test_ground_shapes_in_the_wrong_unit_are_refused(make_vehicle: Maker, tmp_path: Path) -> None:
    """A plate of 1 m written in millimeters becomes one of 1 km; with its scale it is accepted."""
    corners = [(x, y, z) for x in (-500, 500) for y in (-500, 500) for z in (-20, 20)]
    sides = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]
    lines = [f'v {x} {y} {z}' for x, y, z in corners]
    lines += [f'f {" ".join(map(str, triangle))}' for a, b, c, d in sides for triangle in ((a, b, c), (a, c, d))]
    (tmp_path / 'plate.obj').write_text('\n'.join(lines) + '\n')
    mjcf, grid = load_vehicle_model('viper')[1], make_vehicle().grid

    def made(scale: float) -> Vehicle:
        shape = GroundShapeConfig(name='belly', mesh=str(tmp_path / 'plate.obj'), mesh_scale=scale)
        return Vehicle('rover', _config(ground_shapes=(shape,)), mjcf, grid, load_soil('chrono_lunar'), 1.62)

    assert made(1e-3)._parts.reach[-1] == pytest.approx(math.hypot(0.5, 0.5, 0.02))
    wrong = [
        {'kind': 'box', 'size': (290.0, 250.0, 100.0)},
        {'kind': 'cylinder', 'size': (150.0, 300.0)},
        {'kind': 'box', 'size': (0.3, 0.3, 0.1), 'position': (0.0, 0.0, 500.0)},
    ]
    for section in wrong:
        shapes = (GroundShapeConfig.model_validate({'name': 'belly', **section}),)
        with pytest.raises(ValueError, match=r'ground_shapes\.belly.*extends .*fix: sizes and positions are in meters'):
            Vehicle('rover', _config(ground_shapes=shapes), mjcf, grid, load_soil('chrono_lunar'), 1.62)
    for scale in (1.0, 1e-9):
        with pytest.raises(ValueError, match=r'ground_shapes\.belly.*extends .* in a vehicle of .*mesh_scale'):
            made(scale)


def test_plane_below_a_box_is_below_all_corners() -> None:
    """The corners of the box are on the plane or above it, four of them on it, at any attitude of box and body."""
    generator = np.random.default_rng(5)
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    for _ in range(50):
        turn, frame = (matrix(from_rotation_vector(generator.normal(size=3))) for _ in range(2))
        place, middle = generator.normal(size=(2, 3))
        half = generator.uniform(0.05, 1.0, 3)
        x, y, reach_x, reach_y, height, slope_x, slope_y, speed = _underside(
            middle, half, np.ascontiguousarray(frame), place, turn.reshape(-1), np.zeros(6), np.zeros(3)
        )
        points = place + (middle + (corners * half) @ frame.T) @ turn.T
        above = points[:, 2] - (height + slope_x * (points[:, 0] - x) + slope_y * (points[:, 1] - y))
        assert above.min() > -1e-9 and np.count_nonzero(above < 1e-9) == 4 and speed == 0.0
        assert np.abs(points[:, 0] - x).max() == pytest.approx(reach_x)
        assert np.abs(points[:, 1] - y).max() == pytest.approx(reach_y)


@pytest.mark.parametrize('axis', [(0.7, 0.0, 0.0), (0.0, -1.1, 0.0), (0.4, 0.3, 0.8)])
def test_ground_shape_orientation_is_applied(axis: tuple[float, float, float]) -> None:
    """The axis of a cylinder is z in its own frame, which is y for the soil; its ends are equal."""
    turn = from_rotation_vector(np.array(axis))
    given = {'name': 'tail', 'orientation': tuple(turn.tolist())}
    tank = _hull_frame(GroundShapeConfig.model_validate({**given, 'kind': 'cylinder', 'size': (0.1, 0.3)}))
    assert abs(tank[:, 1] @ matrix(turn)[:, 2]) == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(tank @ tank.T, np.eye(3), atol=1e-12)
    plate = _hull_frame(GroundShapeConfig.model_validate({**given, 'kind': 'box', 'size': (0.1, 0.3, 0.2)}))
    np.testing.assert_allclose(plate, matrix(turn), atol=1e-12)
