# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Calls of functions of ``regolith_world`` with fixed unequal arguments, for the baseline ``functions``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from regolith_world.contacts import contact_solver, time_of_impact
from regolith_world.cycle.records import BodyState, Impulse, Shape, ShapeKind
from regolith_world.cycle.step_control import StepControl
from regolith_world.names import is_valid_ros_name, valid_file_name, valid_ros_name
from regolith_world.numerics import portable_math, rotation
from regolith_world.objects import constraints, contact_polygons, force_field
from regolith_world.objects.bounding_box import ShapeBounds
from regolith_world.objects.constraint_types import CABLE, JOINT
from regolith_world.objects.entities import BoxRegion, SphereRegion, bounds, intersects_region
from regolith_world.objects.field_force import field_force
from regolith_world.objects.linkages import joints
from regolith_world.objects.linkages.linkage_types import RopeConfig, capsule_inertia, cylinder_inertia, inertia_of
from regolith_world.objects.named_poses import NamedPose
from regolith_world.objects.object import Intersection, Object, Status
from regolith_world.objects.platform import Platform, PlatformMotion
from regolith_world.objects.rigid_body import RigidBody
from regolith_world.objects.rigid_state import box_inertia, make_rigid_state, sphere_inertia, turned_inertia
from regolith_world.objects.state_history import StateManager, interpolate_body, rigidly_attached
from regolith_world.objects.static_body import StaticBody
from regolith_world.random import keyed_generator, philox
from regolith_world.reporting.trajectories import principal_coordinates
from regolith_world.reporting.view_layer import sagging_line

Calls = Iterator[tuple[str, Any]]
TURN = rotation.from_rpy_deg((20.0, -35.0, 50.0))
INERTIA = np.array([[0.4, 0.02, -0.03], [0.02, 0.5, 0.01], [-0.03, 0.01, 0.7]])


def state(name: str, x: float, *, mass: float = 2.0, turn: np.ndarray = TURN) -> BodyState:
    """Return the state of a body whose center of mass is beside its origin."""
    place = np.array([x, 0.3, -0.2])
    return BodyState(
        name,
        place,
        turn,
        np.array([0.5 - x, 0.2, -0.7]),
        np.array([0.4, -1.0, 0.3 + x]),
        mass,
        place + (0.1, -0.05, 0.02),
        turned_inertia(rotation.matrix(turn), INERTIA * mass),
    )


def shapes() -> list[Shape]:
    """Return a shape of each kind, off the body's origin and turned."""
    sizes = {
        ShapeKind.SPHERE: (0.2, 0.0, 0.0),
        ShapeKind.BOX: (0.3, 0.2, 0.1),
        ShapeKind.CAPSULE: (0.1, 0.4, 0.0),
        ShapeKind.CYLINDER: (0.3, 0.1, 0.0),
    }
    return [
        Shape(kind, np.array(size), np.array([0.1 * k, -0.2, 0.05]), rotation.from_rpy_deg((10.0 * k, 25.0, -15.0)))
        for k, (kind, size) in enumerate(sizes.items())
    ]


def algebra() -> Calls:
    q, p = TURN, rotation.from_rpy_deg((-100.0, 15.0, 170.0))
    yield (
        'rotation',
        [
            rotation.matrix(q),
            rotation.product(q, p),
            rotation.rotation_vector(p),
            rotation.yaw(p),
            rotation.from_yaw(0.7),
        ],
    )
    yield (
        'rotation.more',
        [
            rotation.matrices(np.array([q, p])),
            rotation.products(np.array([q, p]), np.array([p, q])),
            rotation.from_matrix(rotation.matrix(p)),
        ],
    )
    yield 'slerp', [rotation.slerp(q, s * p, share) for s in (1.0, -1.0) for share in (0.2, 0.9)]
    yield (
        'from_rotation_vector',
        [rotation.from_rotation_vector(np.array(v)) for v in ((0.3, -0.5, 0.2), (1e-9, 0.0, 0.0), (3.0, 1.0, -2.0))],
    )
    a, b = np.array([0.3, -0.5, 0.2]), np.array([1.0, 0.4, -0.6])
    yield (
        'arithmetic',
        [
            portable_math.dot(a, b),
            portable_math.cross(a, b),
            portable_math.norm(a),
            portable_math.times(INERTIA, a),
            portable_math.solved(INERTIA, np.eye(3)),
        ],
    )
    yield 'solved_two', portable_math.solved_two(np.array([[0.3, 0.1], [-0.2, 0.5]]), np.array([1.0, -2.0]))
    key = philox.stream_key(5, 'a', 'b')
    yield (
        'counter',
        [
            int(key) % 2**40,
            philox.philox_block(key, 3, 4),
            philox.normal_and_uniform(key, 3, 4),
            float(philox.mix_bits(np.uint64(77))) / 1e12,
        ],
    )
    yield 'generator', keyed_generator.generator(5, 'a', 'b', 3).random(4)
    yield (
        'names',
        [
            valid_file_name('b c', ()),
            valid_file_name('A', ('b',)),
            valid_ros_name('Rover_2'),
            is_valid_ros_name('a_1'),
            is_valid_ros_name('1a'),
        ],
    )
    pose = NamedPose(position=(1.0, 2.0, 3.0), rpy_deg=(10.0, 20.0, 30.0), clearance_m=(0.5, 1.0, 2.0))
    yield 'named_pose', [pose.orientation, pose.bounds()]
    control, tried = StepControl(100_000_000, 1_000_000), []
    for before, after in ((0.01, -0.03), (0.02, -0.001), (-0.01, -0.002), (0.5, -0.0011)):
        control.reject(80_000_000, before, after)
        tried += [control.propose(50_000_000), control.at_min_step(control.next_try_ns)]
    control.accept()
    yield 'step_control', [*tried, control.propose(50_000_000), control.propose(10), control.propose(10**12)]
    yield 'hanging', [sagging_line(a, b, length) for length in (None, 1.0, 2.5)]
    positions = np.array([[0.0, 0.1, 1.0], [1.0, 2.0, 0.5], [2.1, 3.7, 0.2], [np.nan, 0.0, 0.0]])
    yield 'principal', principal_coordinates(positions)


def bodies() -> Calls:
    first, last = state('a', 0.2), state('a', 0.7, turn=rotation.from_rpy_deg((30.0, -30.0, 70.0)))
    yield 'interpolate_body', interpolate_body(first, last, 0.3)
    yield 'carried', rigidly_attached(state('b', 1.3), first, last)
    kept: StateManager[BodyState] = StateManager(interpolate_body)
    kept.new_state(0, first)
    kept.new_state(10, last)
    yield 'states', [kept.get_state(3), kept.last_step_ns, kept.newest_time_ns]
    yield (
        'inertia',
        [
            sphere_inertia(3.0, 0.4),
            box_inertia(3.0, np.array([0.3, 0.2, 0.1])),
            capsule_inertia(3.0, 0.2, 0.4),
            cylinder_inertia(3.0, 0.2, 0.4),
        ],
    )
    yield 'inertia_of', [inertia_of(shape, 3.0) for shape in shapes()]
    yield 'rigid_state', make_rigid_state('a', np.array([1.0, 2.0, 3.0]), 3.0, INERTIA, orientation=TURN)
    outline, normal = ShapeBounds(shapes()), np.array([0.6, 0.0, 0.8])
    yield 'outline', [outline.bounds(first), outline.turning(first, np.array([0.3, -0.4, 1.0]), normal), outline.reach]
    for shape in shapes():
        alone = ShapeBounds([shape])
        yield (
            f'outline.{shape.kind.name}',
            [alone.bounds(first), alone.turning(first, np.array([0.3, -0.4, 1.0]), normal), alone.reach],
        )
    yield (
        'time_to_meet',
        [
            time_of_impact.time_of_impact(gap, v, a, within)
            for gap, v, a, within in (
                (0.2, 0.5, 0.0, 2.0),
                (0.2, 0.5, -0.4, 9.0),
                (0.2, -0.1, 1.6, 9.0),
                (0.2, 0.1, 0.0, 2.5),
                (0.2, 0.5, 1.6, 9.0),
            )
        ],
    )
    free = RigidBody('f', state('f', 0.4), shapes(), gravity=np.array([0.0, 0.0, -1.62]), t_ns=0)
    blow = Impulse('f', 'w', np.array([0.3, 0.1, -0.2]), np.array([0.5, -0.2, 0.9]))
    yield 'speeds', [time_of_impact.closing_speeds(free, normal, blows) for blows in ((), (blow,))]
    yield 'free.after', [free.after((blow,)), free.free_acceleration(), free.next_dt_ns()]
    wall = StaticBody('w', np.array([0.1, 0.2, -0.6]), shapes()[1:2], orientation=TURN)
    yield 'entity.bounds', [bounds(free), bounds(wall)]
    yield (
        'touches',
        [
            intersects_region(free, region)
            for region in (
                SphereRegion(np.array([0.4, 0.3, 0.6]), 0.4),
                SphereRegion(np.array([0.4, 0.3, 0.6]), 0.9),
                SphereRegion(np.array([1.4, 0.3, -0.2]), 0.5),
                BoxRegion(np.array([0.7, 0.5, 0.1]), np.array([2.0, 2.0, 2.0])),
                BoxRegion(np.array([2.0, -1.0, -1.0]), np.array([3.0, 2.0, 2.0])),
            )
        ],
    )
    points = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.3, 0.2, 1.0], [0.1, 0.9, 2.0]])
    normals = np.array([[0.0, 0, 1]] * 4 + [[1.0, 0, 0]] * 2)
    yield 'surfaces', contact_polygons.contact_polygons(points[[2, 0, 3, 1, 4, 5]], normals)
    field = force_field.ForceField(
        'g', np.zeros(3), shapes(), acceleration=np.array([0.1, 0.2, -0.3]), drag_per_s=0.4, repulsion_per_s2=9.0
    )
    meeting = Intersection(
        field, free, Status.COLLISION_POINTS, -0.02, points[:2], normal, normals[:2], np.array([-0.02, -0.01])
    )
    swapped = Intersection(
        free, field, Status.COLLISION_POINTS, -0.02, points[:2], normal, normals[:2], np.array([-0.02, -0.01])
    )
    yield 'field.acts_on', [field.force_on(free, meeting), field.force_on(free, swapped), field.next_dt_ns()]
    pull = field_force(None, np.array([1.0, 2.0, 3.0]), np.array([0.1, 0.2, 0.3]), 0.0)
    yield 'pulled', [pull, field_force(pull, np.array([2.0, 1.0, 0.0]), np.array([0.3, 0.1, 0.0]), 0.1)]
    for returns in (True, False):
        way = PlatformMotion(np.array([0.0, 1.0, 2.0]), np.array([3.0, 1.5, 0.0]), 2_000_000_000, returns)
        yield f'way.{returns}', [way.at(t) for t in (-5, 0, 500_000_000, 2_000_000_000, 2_700_000_000, 4_100_000_000)]
    platform = Platform('p', way, shapes()[1:2], t_ns=100)
    platform.delay(1_000)
    yield 'platform', [platform.moved(platform.body, 100, 700_000_000), platform.free_acceleration()]


def blows() -> Calls:
    normal, other = np.array([0.6, 0.0, 0.8]), np.array([0.0, 0.28, 0.96])
    for bounce in (0.0, 0.5):
        a, b = (
            Object('a', state('a', 0.2), restitution=bounce, friction=0.4),
            Object('b', state('b', 0.9, mass=5.0), friction=0.7),
        )
        c = Object('c', state('c', 0.5, mass=0.0))
        points = np.array([[0.5, 0.1, -0.1], [0.55, 0.3, -0.2]])
        hits = [
            Intersection(
                a,
                b,
                Status.COLLISION_POINTS,
                -0.004,
                points,
                normal,
                np.array([normal, other]),
                np.array([-0.004, 0.001]),
            ),
            Intersection(
                b,
                c,
                Status.COLLISION_POINTS,
                -0.002,
                points[::-1] + 0.2,
                other,
                np.array([-normal, other]),
                np.array([-0.001, -0.002]),
            ),
        ]
        impulses, separation = contact_solver.solve_contacts(hits, 0.02, {('a', 'b'): 3.0})
        yield f'solve_contacts.{bounce}', [impulses, {'.'.join(k): v for k, v in separation.items()}]
        pressed = contact_solver.contact_accelerations(hits, {('a', 'b'): 0.3, ('b', 'c'): 0.1}, 0.02)
        yield f'measured_pressing.{bounce}', {'.'.join(k): v for k, v in pressed.items()}
        yield (
            f'approach_speed.{bounce}',
            [contact_solver.approach_speed(hit, hit.points[0], hit.normal) for hit in hits],
        )
    near, far = (
        RigidBody('a', state('a', 0.2), shapes(), t_ns=0),
        RigidBody('b', state('b', 0.9, mass=5.0), shapes(), t_ns=0),
    )
    given: dict[str, dict[str, Any]] = {
        'cable': {'type': 'cable', 'ends': ((0.1, 0.0, 0.2), (-0.1, 0.3, 0.0)), 'length_m': 0.3},
        'elastic': {
            'type': 'cable',
            'ends': ((0.1, 0.0, 0.2), (-0.1, 0.3, 0.0)),
            'length_m': 0.3,
            'stiffness_npm': 900.0,
            'damping': 20.0,
        },
        'spring': {
            'type': 'joint',
            'kind': 'spring',
            'ends': ((0.1, 0.0, 0.2), (-0.1, 0.3, 0.0)),
            'rest_length_m': 1.9,
            'stiffness_npm': 900.0,
            'damping': 20.0,
        },
        'distance': {'type': 'joint', 'kind': 'distance', 'ends': ((0.1, 0.0, 0.2), (-0.1, 0.3, 0.0))},
        **{kind: {'type': 'joint', 'kind': kind, 'at': (0.3, 0.1, 0.2)} for kind in ('fixed', 'ball')},
        **{
            kind: {'type': 'joint', 'kind': kind, 'at': (0.3, 0.1, 0.2), 'axis': (0.2, -1.0, 0.4)}
            for kind in ('hinge', 'slider')
        },
    }
    for name, values in given.items():
        kind = CABLE if values['type'] == 'cable' else JOINT
        section = kind.section.model_validate({'between': ('a', 'b'), 'release_s': 7.0, **values})
        made = kind.make('c', section, np.zeros(3))
        assert isinstance(made, constraints.Constraint)
        objects: dict[str, Object] = {'a': near, 'b': far, 'c': made}
        found = constraints.solve_constraints(objects, 0, ())
        yield f'coupling.{name}', [found, made.near, made.far, made.step_ns, made.until_ns, made.next_dt_ns()]
    rope = RopeConfig.model_validate(
        {'ends': ((0.0, 0.0, 1.0), (1.5, 0.7, 1.4)), 'length_m': 2.0, 'rods': 7, 'mass_kg': 3.0}
    )
    yield 'rope.nodes', rope.nodes()
    joined = [
        joints.LinkageJoint(
            kind,
            (0, 1),
            (np.array([0.3, 0.1, 0.2]), np.array([0.5, 0.4, 0.1])),
            np.array([0.6, 0.0, 0.8]),
            2.0 if kind in joints.DAMPED else 0.0,
            30.0,
            0.2,
        )
        for kind in joints.ROWS
    ]
    yield (
        'joints',
        [
            joints.frames(
                joined,
                np.array([[0.0, 0.1, 0.0], [0.7, 0.2, 0.3]]),
                rotation.matrices(np.array([TURN, TURN[[1, 0, 2, 3]]])),
            ),
            joints.rows(joined),
        ],
    )
    yield 'square_axes', [joints.orthonormal_axes(np.array(axis)) for axis in ((0.6, 0.0, 0.8), (0.0, 1.0, 0.0))]


def calls() -> Calls:
    """Return names and results of all calls."""
    for part in (algebra, bodies, blows):
        for name, value in part():
            yield f'world.{name}', value
