# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Bodies of a scenario: from its objects to descriptions, and the checks before a run."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from regolith_files import YamlSource
from regolith_terrain.bodies import shapes
from regolith_terrain.bodies.body_set import RigidBodies
from regolith_terrain.bodies.config import BodiesConfig
from regolith_terrain.bodies.description import BodyDescription
from regolith_terrain.bodies.ground import BodyGround
from regolith_terrain.bodies.ground_depth import depth_in_ground
from regolith_terrain.bodies.motion import prepare_body, set_pose
from regolith_terrain.bodies.reach import solids_near
from regolith_terrain.bodies.shapes import BodyShape
from regolith_terrain.bodies.steps import BodySteps
from regolith_terrain.config import TerrainConfig
from regolith_terrain.contact.arrays import make_wrench
from regolith_terrain.contact.ground_contact import make_pose
from regolith_terrain.grid.node_records import Floats
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField
from regolith_terrain.scenario_bodies.rock_bodies import MovableRock, movable_rocks
from regolith_terrain.solids.contact import add_solid_wrench
from regolith_terrain.solids.point_force import POINT_DEPTH
from regolith_terrain.solids.solids import Solids
from regolith_terrain.terrain_model import find_terrain_model, terrain_models
from regolith_world import TerrainSurface
from regolith_world.cycle import ShapeKind, SpawnedObject
from regolith_world.numerics import rotation
from regolith_world.objects import RigidBodyConfig

if TYPE_CHECKING:
    from regolith_terrain.height_field import HeightField

MOST_BODIES = 1000
"""Largest number of bodies of a scenario."""
MOST_REACH_M = 20.0
"""Largest radius of a body about its center of mass [m]; contact arrays grow with its square."""
DEEPEST_M = 2e-3
"""Largest depth of a body in static solids or rigid terrain at the start [m]: the stiffest spring turns it into 1 m/s.

Boxes of 5 and 20 kg are thrown up by 3 and 2 cm then."""
DEEPEST_IN_SOIL_M = 0.01
"""Largest depth of a body in soil at the start [m]. Plates of 10 kg and 0.36 m^2 are thrown up by 2 cm then, a box of
20 kg not at all."""


def body_configs(objects: Mapping[str, Mapping[str, Any]]) -> dict[str, RigidBodyConfig]:
    """Return the rigid bodies among the objects of a scenario, in name order."""
    return {
        name: RigidBodyConfig.model_validate(dict(entry))
        for name, entry in sorted(objects.items())
        if entry.get('type') == 'rigid_body'
    }


def body_shape(config: RigidBodyConfig) -> BodyShape:
    """Return the shape of a body."""
    size, kind = config.shape.size_m, config.shape.kind
    if kind == 'hull':
        return shapes.hull(config.shape.points_m)
    if kind == 'sphere':
        return shapes.sphere(size[0])
    if kind == 'box':
        return shapes.box(size)
    return (shapes.capsule if kind == 'capsule' else shapes.cylinder)(size[0], size[1])


def description_of(body: SpawnedObject, section: BodiesConfig) -> BodyDescription:
    """Return the description of a body of one shape that was spawned.

    Args:
        body: The body.
        section: Section ``bodies`` of the scenario.
    """
    shape = body.shapes[0]
    given = shape.vertices if shape.kind == ShapeKind.HULL else shape.size
    made = shapes.make_shape(shape.kind.name.lower(), given)
    ploughs = None if section.plough else False
    return BodyDescription(body.name, made, body.state.mass, body.restitution, ploughs, friction=body.friction)


def make_bodies(
    section: BodiesConfig,
    configs: Mapping[str, RigidBodyConfig],
    ground: BodyGround,
    rocks: Sequence[MovableRock] = (),
) -> RigidBodies:
    """Return the bodies at their initial states; rocks sleep in their beds.

    Args:
        section: Section ``bodies`` of the scenario.
        configs: Rigid bodies by name.
        ground: The ground.
        rocks: Movable rocks of the terrain, behind the others.
    """
    descriptions = [
        BodyDescription(
            name,
            body_shape(config),
            config.mass_kg,
            config.restitution,
            None if section.plough else False,
            config.weightless,
            config.friction,
        )
        for name, config in configs.items()
    ]
    bodies = RigidBodies([*descriptions, *(rock.description for rock in rocks)], ground, section)
    for n, config in enumerate(configs.values()):
        bodies.place(
            n,
            np.array(config.position),
            config.orientation,
            np.array(config.velocity_mps),
            np.array(config.angular_velocity_radps),
        )
    for n, rock in enumerate(rocks, len(descriptions)):
        bodies.place(n, rock.position, rock.orientation)
        bodies.awake[n], bodies.in_bed[n] = False, True
    return bodies


def compile_bodies() -> None:
    """Compile the kernels of bodies on all terrain models that have a contact of bodies."""
    for name in terrain_models():
        law = find_terrain_model(name)
        if law.body_contact and law.lay_region is None:
            terrain = TerrainConfig.model_validate({'source': 'flat', 'model': name})
            grid = SoilGrid(FlatField(), terrain.spacing_m, law)
            ground = BodyGround(grid, terrain.soil_map(), np.array([0.0, 0.0, -1.62]))
            bodies = RigidBodies([BodyDescription('ball', shapes.sphere(0.2), 80.0)], ground)
            bodies.place(0, np.array([0.0, 0.0, 0.19]))
            BodySteps(bodies).advance(1e-3, [0])


def check_bodies(
    section: BodiesConfig,
    objects: Mapping[str, Mapping[str, Any]],
    terrain: TerrainConfig,
    gravity_mps2: float,
    field: TerrainSurface,
    seed: int,
    source: YamlSource,
    solids: Callable[[], Solids | None],
) -> None:
    """Refuse bodies that cannot be computed.

    Args:
        section: Section ``bodies``.
        objects: Section ``objects``.
        terrain: Section ``terrain``.
        gravity_mps2: Gravity [m/s^2].
        field: Height field of the undisturbed surface.
        seed: Seed of the scenario.
        source: Scenario file, for messages.
        solids: Returns all rocks and obstacles; none: there are none.

    Raises:
        InputError: If there are no bodies or too many, one starts inside the ground, a rock or an obstacle, or one is
            too thin or too light for the substep.
    """
    rocks = _checked_rocks(section, terrain, seed, source)
    if taken := sorted({rock.description.name for rock in rocks} & objects.keys()):
        raise source.error(('objects', taken[0]), 'has the name of a movable rock', 'another name', taken[0])
    count = sum(entry.get('type') == 'rigid_body' for entry in objects.values()) + len(rocks)
    if count > MOST_BODIES:
        problem = f'has {count} objects of type rigid_body and movable rocks'
        place = ('bodies', 'movable_rocks') if rocks else ('objects',)
        raise source.error(place, problem, f'up to {MOST_BODIES}', count)
    configs = body_configs(objects)
    gravity = np.array([0.0, 0.0, -gravity_mps2])
    grid = SoilGrid(cast('HeightField', field), terrain.spacing_m, terrain.law)
    if not configs:
        return
    for name, config in configs.items():
        try:
            reach = float(body_shape(config).reach)
        except ValueError as error:
            problem, _, allowed = str(error).partition('; allowed: ')
            raise source.error(('objects', name, 'shape'), problem, allowed or 'a shape with a volume') from error
        if reach > MOST_REACH_M:
            problem = f'reaches {reach:.3g} m from the center of mass'
            raise source.error(('objects', name, 'shape'), problem, f'up to {MOST_REACH_M:g} m', reach)
    ground = BodyGround(grid, terrain.soil_map(), gravity, solids(), terrain.scm_mode)
    bodies = make_bodies(section, configs, ground)
    for n, (name, config) in enumerate(configs.items()):
        if (found := placement_problem(bodies, n)) is not None:
            problem, allowed = found
            raise source.error(('objects', name, 'position'), f'{problem} at the start', allowed, list(config.position))
        shape = bodies.bodies[n].shape
        limit = bodies.step_limit(n)
        if section.substep_s > limit.seconds:
            problem = (
                f'is too light for its area of {shape.shadow_area:.3g} m^2: its contact with the ground ({limit.why}) '
                f'is stable up to a substep of {limit.seconds:.3g} s, bodies.substep_s is {section.substep_s:.3g} s'
            )
            heavier = _least_mass(bodies, shape.shadow_area, section.substep_s)
            allowed = f'bodies.substep_s up to {limit.seconds:.3g} s, or at least {heavier:.3g} kg'
            raise source.error(('objects', name, 'mass_kg'), problem, allowed, config.mass_kg)


def placement_problem(bodies: RigidBodies, n: int) -> tuple[str, str] | None:
    """Return why a body cannot begin at its state, and what is allowed; none: it can.

    It is too deep in the ground, a rock or an obstacle, which would throw it away.

    Args:
        bodies: A set of bodies.
        n: Index of the body; its contacts with solids are reset.
    """
    shape, position, ground = bodies.bodies[n].shape, bodies.position[n], bodies.ground
    if (depth := _depth_in_solids(bodies, n)) > DEEPEST_M:
        return f'is {depth:.3g} m inside a rock or obstacle', f'up to {DEEPEST_M:g} m'
    depth = depth_in_ground(shape.solid, position, rotation.matrix(bodies.orientation[n]), ground.grid)
    most = DEEPEST_M if _is_rigid(ground, position) else DEEPEST_IN_SOIL_M
    if not depth <= most:  # also refuses NaN
        return f'its deepest point is {depth:.3g} m inside the ground', f'up to {most:g} m'
    return None


def _is_rigid(ground: BodyGround, position: Floats) -> bool:
    """Return whether the terrain below a position is rigid."""
    i, j = (math.floor(v / ground.grid.spacing + 0.5) for v in position[:2].tolist())
    row = int(ground.soils.rows(i, i + 1, j, j + 1, ground.grid.spacing)[0, 0])
    return ground.grid.law.is_rigid or bool(np.isnan(ground.soils.soils[row]).all())


def _checked_rocks(section: BodiesConfig, terrain: TerrainConfig, seed: int, source: YamlSource) -> list[MovableRock]:
    """Return the movable rocks.

    Raises:
        InputError: If there are none, although the section requests them, or the ground has no beds for them.
    """
    config = section.movable_rocks
    if config is None:
        return []
    place = ('bodies', 'movable_rocks')
    if not terrain.law.contact_class(of_bodies=True).has_beds:
        raise source.error(
            place,
            f'is not possible on terrain of the model {terrain.model}',
            'soil into which rocks sink',
            terrain.model,
        )
    if config.most_m < config.least_m:
        raise source.error((*place, 'most_m'), 'is below least_m', f'at least {config.least_m:g}', config.most_m)
    if not terrain.has_rocks:
        problem = 'finds no rock, since the terrain has none'
        raise source.error(place, problem, 'a terrain with preset or detail, and rocks: true', config.model_dump())
    if not terrain.rock_collision:
        problem = 'rocks have no collision shape, but bodies.movable_rocks makes bodies of them'
        raise source.error(('terrain', 'rock_collision'), problem, 'true, or no bodies.movable_rocks', False)
    rocks = movable_rocks(terrain, seed, config)
    if not rocks:
        problem = f'finds no rock from {config.least_m:g} to {config.most_m:g} m within {config.half_side_m:g} m'
        raise source.error(place, problem, 'a terrain with rocks of these sizes that do not overlap others', 0)
    return rocks


def _least_mass(bodies: RigidBodies, area: float, substep_s: float) -> float:
    """Return the smallest mass whose contact of an area [m^2] is stable at a substep [kg]."""
    low, high = 0.0, 1.0
    while bodies.contact.step_limit(high, area).seconds < substep_s:
        low, high = high, 2.0 * high
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if bodies.contact.step_limit(middle, area).seconds < substep_s else (low, middle)
    return high


def _depth_in_solids(bodies: RigidBodies, n: int) -> float:
    """Return the depth of the deepest point of a body in static solids [m]; its contacts with them are reset."""
    numbers, _ = solids_near(bodies, [n], np.zeros(1))
    if not len(numbers):
        return 0.0
    arrays, pose = bodies.solid_contact.arrays(numbers, bodies.arrays.mobility), make_pose()
    prepare_body(bodies.arrays, n)
    set_pose(bodies.arrays, n, pose)
    add_solid_wrench(arrays, bodies.section.substep_s, n, pose, make_wrench())
    depth = float(arrays.found[: arrays.touched[n], POINT_DEPTH].max(initial=0.0))
    bodies.solid_contact.release([n])
    return depth
