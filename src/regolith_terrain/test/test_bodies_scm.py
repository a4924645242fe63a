# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of rigid bodies on SCM soil: rows 1, 2, 3, 6 and 9 of the acceptance of bodies, closed forms of small bodies."""

from __future__ import annotations

import math

import numpy as np
import pytest
from bodies_on_ground import (
    DENSITY,
    EARTH,
    MOON,
    ball_depth,
    one_body,
    run,
    scm_parameters,
    tilted,
)

from regolith_terrain.bodies import BodySteps, RigidBodies, shapes
from regolith_terrain.contact.arrays import make_wrench
from regolith_terrain.contact.ground_contact import make_pose
from regolith_terrain.scm.body_contact import passive_force
from regolith_terrain.scm.point_loads import rolling_resistance

K_PHI = 0.82e6


def laid(bodies: RigidBodies, depth: float) -> float:
    """Return the load of a body that was pressed slowly to a depth below its lowest point [N]."""
    contact, pose, wrench = bodies.contact, make_pose(), make_wrench()
    reach = int(bodies.reach[0] / bodies.ground.grid.spacing) + 8
    arrays = contact.arrays(bodies.ground.grid.window(-reach, reach, -reach, reach), 1)
    lowest = bodies.reach[0]
    for step in range(1, 101):
        pose.center[2] = lowest - depth * step / 100.0
        # Nodes must not lie symmetrically about the center: that is the worst case, not the average.
        pose.center[0], pose.center[1] = 0.31 * bodies.ground.grid.spacing, 0.17 * bodies.ground.grid.spacing
        assert contact.press(arrays, 1e-3, 0, pose, wrench) == 0
    return float(wrench.force[2])


@pytest.mark.parametrize('spacing', [0.01, 0.02])
@pytest.mark.parametrize('k_c', [0.0, 1400.0])
@pytest.mark.parametrize('gravity', [MOON, EARTH])
def test_row_1_sphere_laid_slowly_on_scm_has_the_load_of_the_closed_form(
    gravity: float, k_c: float, spacing: float
) -> None:
    """Within 2 % where the radius of the contact is three spacings or more, within 5 % where it is below two."""
    sizes = set()
    for radius in (0.02, 0.05, 0.15, 0.3, 0.6):
        mass = DENSITY * 4.0 / 3.0 * math.pi * radius**3
        depth, stiffness = ball_depth(radius, K_PHI, mass * gravity), K_PHI
        for _ in range(30):  # the modulus depends on the radius of the contact
            stiffness = K_PHI + k_c / math.sqrt(2.0 * radius * depth - depth * depth)
            depth = ball_depth(radius, stiffness, mass * gravity)
        contact = math.sqrt(2.0 * radius * depth - depth * depth) / spacing
        bodies = one_body(shapes.sphere(radius), mass, scm_parameters(k_c=k_c, elastic_stiffness=2e8), gravity, spacing)
        load = laid(bodies, depth)
        assert bool(bodies.contact.small[0]) == (contact < 2.0)
        sizes.add('small' if contact < 2.0 else 'resolved' if contact >= 3.0 else 'between')
        tolerance = 0.02 if contact >= 3.0 else 0.05
        assert load == pytest.approx(mass * gravity, rel=tolerance), (radius, contact)
    assert sizes >= {'small', 'resolved'}


@pytest.mark.parametrize(('drop', 'deepest'), [(0.0, 0.0232), (0.1, 0.0430), (0.5, 0.0692), (1.0, 0.0869)])
def test_row_2_sphere_dropped_on_scm_stops_at_the_depth_of_the_formula(drop: float, deepest: float) -> None:
    """Within 2 % of m g (D + z) = 2 pi k z^3 / 6 (R - z / 4), without damping and friction on the flanks."""
    soil = scm_parameters(k_c=0.0, damping=0.0, elastic_stiffness=2e8, friction_angle_deg=0.0, cohesion_pa=0.0)
    bodies = one_body(shapes.sphere(0.15), 41.0, soil)
    bodies.place(0, np.array([0.003, 0.002, 0.15 + drop]))
    lowest = math.inf
    while bodies.velocity[0, 2] <= 0.0 and bodies.velocity[0, 2] > -10.0:
        bodies.ground.grid.apply(BodySteps(bodies).advance(1e-3, [0]))
        lowest = min(lowest, float(bodies.position[0, 2]))
    assert 0.15 - lowest == pytest.approx(deepest, rel=0.02)


def test_ball_released_at_one_meter_comes_to_rest_at_the_depth_of_its_impact() -> None:
    bodies = one_body(shapes.sphere(0.15), 41.0, scm_parameters(k_c=0.0))
    bodies.place(0, np.array([0.0, 0.0, 1.15]))
    track = run(bodies, 8.0)
    # Damping dissipates energy, so it rests between the depths of a slow and of an undamped impact.
    assert 0.0133 < 0.15 - track[-1, 2] < 0.0869
    assert np.abs(track[-10:, 3:]).max() < 2e-3


@pytest.mark.parametrize('elastic', [2e7, 2e8])
@pytest.mark.parametrize('slope_deg', [6.0, 10.0, 15.0, 20.0])
def test_row_3_ball_on_a_slope_has_the_acceleration_of_the_formula(slope_deg: float, elastic: float) -> None:
    """a = 5/7 g (sin - f cos) within 0.005 m/s^2 and 5 %; below f it decelerates and stops."""
    radius, mass = 0.15, 41.0
    weight = mass * MOON * math.cos(math.radians(slope_deg))
    share = math.sqrt(K_PHI / elastic)
    low, high = 0.0, radius
    for _ in range(60):
        z = 0.5 * (low + high)
        low, high = (
            (z, high) if math.pi * K_PHI * z * z / 2.0 * (radius - z / 3.0) * (1.0 + share) < weight else (low, z)
        )
    resistance = 1.03 * rolling_resistance(K_PHI, elastic, 1.0, low / radius)  # 3 % more: not a paraboloid
    assert resistance == pytest.approx(0.134 if elastic == 2e7 else 0.163, rel=0.03)
    slope = math.radians(slope_deg)
    expected = 5.0 / 7.0 * MOON * (math.sin(slope) - resistance * math.cos(slope))
    soil = scm_parameters(k_c=0.0, elastic_stiffness=elastic, damping=1e3)
    bodies = one_body(shapes.sphere(radius), mass, soil, tilted(slope_deg))
    bodies.place(0, np.array([0.0, 0.0, radius - low]), velocity=(0.5, 0.0, 0.0), spin=(0.0, 0.5 / radius, 0.0))
    track = run(bodies, 1.6)
    speeds = track[20:, 3]
    seconds = 0.02 * (len(speeds) - 1)
    assert (speeds[-1] - speeds[0]) / seconds == pytest.approx(expected, abs=0.005 + 0.05 * abs(expected))


def test_row_3_ball_stops_on_a_slope_below_its_resistance() -> None:
    bodies = one_body(shapes.sphere(0.15), 41.0, scm_parameters(k_c=0.0), tilted(3.0))
    bodies.place(0, np.array([0.0, 0.0, 0.133]), velocity=(0.2, 0.0, 0.0), spin=(0.0, 0.2 / 0.15, 0.0))
    track = run(bodies, 8.0)
    assert np.abs(track[-10:, 3]).max() < 5e-3
    assert track[-1, 0] < 0.5


def test_rock_like_hull_comes_to_rest_on_soil() -> None:
    """Facets shallower than a cell give a noisy torque, which must not drive the body."""
    points = np.random.default_rng(3).normal(size=(80, 3)) * (0.1, 0.08, 0.06)
    bodies = one_body(shapes.hull(points), 20.0, scm_parameters())
    bodies.place(0, np.array([0.0, 0.0, 0.4]), np.array([0.3, 0.1, 0.2, math.sqrt(0.86)]))
    track = run(bodies, 5.0)
    assert np.abs(track[-10:, 3:]).max() < 5e-3


def test_row_6_block_on_scm_slides_above_the_angle_of_the_formula() -> None:
    """tan(th) = tan(phi) + c A / (W cos(th)): 43.9 deg for 50 kg on 0.3 m x 0.3 m; within 1 deg."""
    critical = 43.9
    gravity = tilted(critical - 4.0)
    # A short shear displacement: with 18 mm it would have to slide by 6 cm to mobilize its shear. The block is flat:
    # the shear below a tall one unloads its rear edge, which then has no cohesion.
    bodies = one_body(shapes.box((0.15, 0.15, 0.01)), 50.0, scm_parameters(janosi_shear_m=1e-3), gravity, ploughs=False)
    # Nodes are in the middle of cells of the block: their area is that of the block.
    bodies.place(0, np.array([0.005, 0.005, 0.0095]))
    angle = critical - 4.0
    while bodies.velocity[0, 0] < 0.03:  # the slope rises by 0.4 deg/s
        bodies.ground.grid.apply(BodySteps(bodies).advance(0.02, [0]))
        angle += 0.008
        bodies.arrays.gravity[:] = tilted(angle)
    assert angle == pytest.approx(critical, abs=1.0)


@pytest.mark.parametrize('kind', ['sphere', 'box', 'capsule', 'cylinder', 'hull'])
def test_row_9_energy_of_a_body_in_free_flight_never_grows_on_scm(kind: str) -> None:
    """Between contacts nothing is stored in the soil, so kinetic and potential energy must not grow by more than 1e-9."""
    random = np.random.default_rng(5)
    shape = {
        'sphere': lambda: shapes.sphere(0.1),
        'box': lambda: shapes.box((0.15, 0.1, 0.08)),
        'capsule': lambda: shapes.capsule(0.08, 0.12),
        'cylinder': lambda: shapes.cylinder(0.1, 0.12),
        'hull': lambda: shapes.hull(random.normal(size=(60, 3)) * 0.1),
    }[kind]()
    bodies = one_body(shape, 20.0, scm_parameters(elastic_stiffness=2e6, k_phi=1e6, damping=1e3))
    turn = random.normal(size=4)
    bodies.place(0, np.array([0.0, 0.0, 0.6]), turn / np.linalg.norm(turn), spin=random.normal(size=3))
    start = energy = bodies.energy(0)
    flights = 0
    for _ in range(200):
        bodies.ground.grid.apply(BodySteps(bodies).advance(0.02, [0]))
        if np.abs(bodies.contact_force[0]).max() == 0.0:
            assert bodies.energy(0) <= energy * (1.0 + 1e-9)
            energy, flights = bodies.energy(0), flights + 1
    assert flights > 10
    assert bodies.energy(0) < start


def test_small_box_and_cylinder_rest_at_the_depth_of_a_plate() -> None:
    """W = A (k_phi + k_c / b) z, where b is half of the side of its face; a breadcrumb is a cylinder of 0.1 kg."""
    for shape, area, width in (
        (shapes.box((0.012, 0.012, 0.012)), 0.024**2, 0.012),
        (shapes.cylinder(0.015, 0.01), math.pi * 0.015**2, 0.015),
    ):
        bodies = one_body(shape, 0.1, scm_parameters(), spacing=0.02)
        assert bodies.contact.small[0]
        half = 0.012 if shape.kind == 'box' else 0.01
        depth = 0.1 * MOON / (area * (K_PHI + 1400.0 / width))
        bodies.place(0, np.array([0.0, 0.0, half - depth]))
        track = run(bodies, 1.0)
        assert half - track[-1, 2] == pytest.approx(depth, rel=0.05)
        assert np.abs(track[-1, 3:]).max() < 1e-3
        assert bodies.ground.grid.modified_count == 0  # it leaves no rut


def test_small_sphere_rolls_with_the_resistance_of_the_formula() -> None:
    radius = 0.012
    mass = DENSITY * 4.0 / 3.0 * math.pi * radius**3
    bodies = one_body(shapes.sphere(radius), mass, scm_parameters(k_c=0.0, damping=0.0), spacing=0.02)
    assert bodies.contact.small[0]
    depth = ball_depth(radius, K_PHI, mass * MOON)
    bodies.place(0, np.array([0.0, 0.0, radius - depth]), velocity=(0.3, 0.0, 0.0), spin=(0.0, 0.3 / radius, 0.0))
    track = run(bodies, 0.6)
    resistance = rolling_resistance(K_PHI, 2e7, 1.0, depth / radius)
    assert (track[-1, 3] - track[9, 3]) / 0.4 == pytest.approx(-5.0 / 7.0 * resistance * MOON, rel=0.1)


def test_ploughing_force_is_that_of_passive_earth_pressure() -> None:
    """7.1 N at 3 cm and 16.6 N at 6 cm for a face of 0.3 m in lunar_nominal."""
    soil = scm_parameters()
    passive = math.tan(math.radians(45.0 + 17.5)) ** 2
    for depth in (0.03, 0.06):
        weight = 0.5 * passive * soil[8] * MOON * depth**2
        assert passive_force(soil, MOON, 0.3, depth) == pytest.approx(
            0.3 * (weight + 2.0 * 170.0 * math.sqrt(passive) * depth), rel=1e-12
        )


def test_ploughing_stops_a_sunken_block_sooner() -> None:
    distance = {}
    for ploughs in (False, True):
        soil = scm_parameters(k_phi=2e4, k_c=0.0, elastic_stiffness=2e6, friction_angle_deg=5.0, cohesion_pa=50.0)
        bodies = one_body(shapes.box((0.15, 0.15, 0.1)), 50.0, soil, ploughs=ploughs)
        bodies.place(0, np.array([0.005, 0.005, 0.055]), velocity=(0.5, 0.0, 0.0))
        distance[ploughs] = float(run(bodies, 1.5)[-1, 0])
    assert 0.0 < distance[True] < 0.95 * distance[False]


def test_light_plate_takes_shorter_substeps_and_gains_no_height() -> None:
    """A plate of 0.1 kg, for which check refuses 1 ms, as after a spawn: it does not rise above the place of its fall."""
    body = one_body(shapes.box([0.2, 0.2, 0.001]), 0.1, scm_parameters(), spacing=0.02)
    assert body.step_limit(0).seconds < body.section.substep_s
    assert body.substep[0] == pytest.approx(0.5 * body.step_limit(0).seconds)
    body.place(0, np.array([0.0, 0.0, 0.3]), spin=np.array([0.3, 0.2, 0.0]))
    track = run(body, 4.0)
    assert track[:, 2].max() <= 0.3 + 1e-9
    assert np.abs(track[-50:, 5]).max() < 0.05


@pytest.mark.parametrize('spacing', [0.01, 0.02, 0.04])
@pytest.mark.parametrize('fraction', [0.0, 0.1, 0.25, 0.4])
def test_impulse_on_a_flat_box_acts_at_the_mean_of_the_nodes_below_it(fraction: float, spacing: float) -> None:
    """Its distance from the center, up to half a spacing, turns a box that falls straight. The page states the drift.

    The angular momentum after 2 ms of contact, over the impulse; the box turns by less than 1e-4 rad in that time.
    """
    x, step = fraction * spacing, 2e-3
    bodies = one_body(shapes.box([0.15, 0.15, 0.1]), 20.0, scm_parameters(), spacing=spacing)
    bodies.place(0, np.array([x, 0.0, 0.1 + 1e-6]), velocity=np.array([0.0, 0.0, -0.5]))
    BodySteps(bodies).advance(step, [0])
    impulse = 20.0 * (bodies.velocity[0, 2] + 0.5 + MOON * step)
    turn = bodies.inertia(0)[1, 1] * bodies.spin[0, 1]  # a force at +d along x turns about -y
    nodes = np.arange(-50, 51) * spacing
    below = nodes[np.abs(nodes - x) <= 0.15]
    assert -turn / impulse == pytest.approx(below.mean() - x, abs=0.01 * spacing)
    assert abs(below.mean() - x) <= 0.5 * spacing


def test_flat_box_that_falls_straight_drifts_only_where_its_nodes_are_unsymmetric() -> None:
    """Dropped from 0.3 m on 2 cm nodes: no drift on a symmetric place, below 20 mm elsewhere, along x only."""
    for fraction, most in ((0.0, 1e-9), (0.25, 0.02)):
        bodies = one_body(shapes.box([0.15, 0.15, 0.1]), 20.0, scm_parameters(), spacing=0.02)
        bodies.place(0, np.array([fraction * 0.02, 0.0, 0.4]))
        run(bodies, 3.0)
        drift = bodies.position[0, :2] - (fraction * 0.02, 0.0)
        assert abs(drift[0]) <= most and abs(drift[1]) < 1e-6
        assert not most > 1e-3 or abs(drift[0]) > 1e-3
