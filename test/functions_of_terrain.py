# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Calls of functions of ``regolith_terrain`` with fixed unequal arguments, for the baseline ``functions``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from regolith_terrain import geodesy, polygons
from regolith_terrain.config import ProfileConfig, load_soil
from regolith_terrain.contact import shapes
from regolith_terrain.elevation import detail, plausibility
from regolith_terrain.excavation import cutting, relaxation
from regolith_terrain.excavation.sweep import fill_fraction
from regolith_terrain.grid import soil_map
from regolith_terrain.grid.mass_balance import soil_mass_balance
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import PlaneField
from regolith_terrain.height_profiles import profile
from regolith_terrain.hillshade import hillshade_image
from regolith_terrain.lunar import cell_random, craters, degradation, relief, rocks, statistics
from regolith_terrain.lunar.field import LunarField
from regolith_terrain.lunar.presets import load_preset, preset_names
from regolith_terrain.solids import height_map, obstacles, polyhedron, rock_shapes
from regolith_terrain.solids.config import ObstacleConfig
from regolith_terrain.tile_pyramid import TilePyramid
from regolith_testbeds import (
    drum_trench,
    drum_trench_scm,
    heap_measurement,
    sinkage_formulas,
    slope_climb,
    slope_settings,
)
from regolith_testbeds.dem import beds, bodies, clumps, contact, materials, packing
from regolith_testbeds.dem.assembly import Assembly
from regolith_testbeds.experiments import bevameter, cratering, multipass, plate_sinkage, wheel_rig
from regolith_testbeds.experiments import bucket_drum as drum_bench

Calls = Iterator[tuple[str, Any]]


def relief_of(rows: int, cols: int) -> np.ndarray:
    """Return heights unlike along both axes [m], by products alone."""
    x, y = np.linspace(-1.0, 1.3, rows)[:, None], np.linspace(-0.7, 1.0, cols)[None, :]
    made: np.ndarray = 1.3 * x - 2.1 * y + 0.4 * x * y - 0.7 * x * x + 3.0 * y * y * y + 0.25 * x * x * y
    return made


def quiet(*_: Any) -> None:
    """Ignore the progress."""


def digging() -> Calls:
    beta = cutting.rupture_angle(0.9, 0.55, 0.3)
    factors = cutting.cutting_factors(0.9, 0.55, 0.3, 0.7)
    yield 'rupture_angle', [beta, cutting.rupture_angle(1.3, 0.2, 0.1)]
    yield 'cutting_factors', factors
    yield (
        'blade_force',
        [cutting.blade_force(factors, d, 0.4, 1500.0, 1.62, 170.0, 30.0, 20.0) for d in (-0.1, 0.05, 0.11)],
    )
    yield 'critical_height', [relaxation.critical_height(170.0, 0.6, 1500.0, g) for g in (1.62, 9.81)]
    level = relief_of(9, 11)
    yield 'face_height', [relaxation.face_height(level, r, c, 0.07) for r in range(1, 8, 2) for c in range(1, 10, 3)]
    yield (
        'faces_end',
        [relaxation.face_is_bounded(level, r, c, s) for r in (0, 4, 7) for c in (1, 5) for s in (0.01, 0.2, 0.9)],
    )
    fill, share = np.array([[0.0, 0.3, 1.0], [0.0, 0.6, 0.9]]), np.array([[0.9, 0.7, 0.1], [1.0, 0.4, 0.2]])
    yield 'entering', [fill_fraction(fill, share, tool, at) for tool in (0, 1) for at in (-0.1, 0.2, 0.5, 0.95, 1.4)]
    dug = drum_trench.Drum(0.21, 5, 0.05, 0.8, 0.07, 0.06, 1.9, 0.8, 1.62, 1450.0, 150.0, 0.6)
    yield 'Drum', [dug.end, dug.chip, dug.reach, dug.gone(0.13), dug.gone(0.9), dug.share(0.05), dug.share(3.0)]
    samples = [(0.1 * k, 3.0 + k, 2.0 - 0.1 * k, 5.0 + 0.2 * k, 1.0 - 0.3 * k, 0.5 * k) for k in range(25)]
    yield 'drum.measured', drum_trench.drum_results(dug, samples)  # type: ignore[arg-type]
    yield 'drum.measured.early', drum_trench.drum_results(dug, samples[:3])  # type: ignore[arg-type]
    trench = drum_trench_scm.ScmTrench(dug, -1.0, 0.02, 2e-3)
    for _ in range(3):
        trench.advance(quiet)
    yield 'drum_on_grid', [{k: v for k, v in trench.row().items() if k != 'wall_s'}, trench.part]


def grains() -> Calls:
    sand = materials.GrainMaterial(
        youngs_modulus_pa=2e7,
        poisson_ratio=0.25,
        restitution=0.4,
        friction=0.35,
        rolling_resistance=0.1,
        cohesion=0.3,
        density_kgpm3=2500.0,
    )
    steel = sand.model_copy(
        update={'youngs_modulus_pa': 9e7, 'poisson_ratio': 0.31, 'friction': 0.6, 'restitution': 0.7}
    )
    law = materials.contact_law(sand, steel, 1.62)
    given = materials.UserStiffness(
        normal_npm=3e4, tangential_npm=2e4, normal_damping_ps=700.0, tangential_damping_ps=300.0
    )
    user = materials.user_law(given, sand, 1.62)
    yield 'contact_law', [law, materials.contact_law(sand, sand, 9.81)]
    yield 'user_law', user
    yield 'rayleigh_time', [materials.rayleigh_time(sand, 0.007), materials.longest_step(sand, 0.007)]
    yield 'longest_step', materials.longest_step(sand, 0.004, given)
    n = np.array([0.6, 0.0, 0.8])
    for name, which in (('hertz', law), ('user', user)):
        for at, fast in enumerate((0.01, 2.0)):
            slip = np.array([[1e-6, 2e-6, -3e-6, 1e-4, -2e-4, 3e-4], [0.0, 1e-6, 1e-6, 2e-4, 1e-4, 0.0]])
            force = contact.contact_force(
                which,
                0.003,
                0.002,
                0.005,
                0.003,
                2e-5,
                n[0],
                n[1],
                n[2],
                fast,
                -0.3 * fast,
                0.2 * fast,
                3.0 * fast,
                1.0,
                -2.0,
                slip,
                at,
                1e-5,
            )
            yield f'contact_force.{name}.{fast}', [np.array(force), slip]
    for shape in (
        clumps.clump_of_three(),
        clumps.clump(np.array([[0.0, 0.0, 0.0], [0.7, 0.2, 0.0]]), np.array([1.0, 0.6])),
    ):
        yield (
            f'clump.{len(shape.radius)}',
            [np.abs(shape.offset), shape.radius, shape.volume, shape.moments, shape.equivalent_radius],
        )
    yield 'packing', [packing.sizes(5, 'a', 40, 0.01, 0.2), packing.attitudes(5, 'a', 12)]
    yield 'lattice', packing.lattice(3, 'b', 60, 0.02, lambda at: np.hypot(at[:, 0], at[:, 1]) < 0.1, 0.3, 0.1)
    yield 'smooth', packing.smooth(sand)
    wheel = bodies.wheel(0.05, 0.06, 5, 0.012, 0.004)
    yield 'grain_wheel', [[part.kind, part.size, part.place, np.array(part.axes), part.reach()] for part in wheel]
    yield (
        'grain_plane',
        [np.array(bodies.plane(normal, (0.1, 0.2, 0.3)).axes) for normal in ((1.0, 2.0, -2.0), (0.0, -1.0, 0.1))],
    )
    kind = beds.Grains(radius_m=0.01, radius_spread=0.2, shape='clump3')
    bed = beds.GrainBin(length_m=0.5, width_m=0.2, depth_m=0.1)
    yield 'bin', [kind.step_s, kind.scales(4, 'g', 20), bed.count(kind), [p.place for p in bed.walls(kind).parts]]
    body = bodies.Body(
        (*wheel, bodies.tube(0.1, 0.1), bodies.box((0.3, 0.2, 0.02), (0.0, 0.0, 0.08))),
        steel,
        place=(0.01, 0.02, 0.14),
        velocity=(0.3, 0.0, -1.5),
        spin=(0.0, 6.0, 1.0),
        mass=0.7,
        free=(True, False, True),
    )
    floor = bodies.Body((bodies.plane((0.1, 0.0, 1.0), (0.0, 0.0, -0.01)),), sand)
    log = bodies.Body((bodies.cylinder(0.03, 0.04),), sand, place=(0.02, 0.01, -0.02))
    for shape_name in ('sphere', 'clump3'):
        scale = packing.sizes(2, 'c', 30, 0.011, 0.2)
        place = packing.lattice(2, 'c', 30, 0.014, lambda at: np.abs(at).max(axis=1) < 0.06, 0.0, 0.06)
        made = Assembly(
            place,
            scale,
            sand,
            bodies=[floor, log, body],
            gravity=(0.4, 0.0, -1.6),
            shape=clumps.SHAPES[shape_name](),
            turn=packing.attitudes(2, 'c', 30),
        )
        made.grains.motion[:, 0], made.grains.motion[:, 2], made.grains.motion[:, 4] = 0.3, -0.5, 5.0
        made.advance(300 if shape_name == 'sphere' else 900)
        made.freeze_outside((-0.03, -1.0, -1.0), (1.0, 1.0, 1.0))
        made.advance(50)
        yield (
            f'assembly.{shape_name}',
            {
                'place': made.grains.place,
                'motion': made.grains.motion,
                'turn': made.grains.turn,
                'impulse': made.bodies.impulse,
                'bodies': [made.bodies.place, made.bodies.axes, made.bodies.velocity],
                'overlap': made.largest_overlap,
                'overlaps': made.overlaps().sum(),
                'touching': made.touching,
                'momentum': made.momentum,
                'energy': made.kinetic_energy,
                'time': made.time,
                'active': made.grains.active,
            },
        )


def benches() -> Calls:
    wheel = slope_climb.WheelRig(
        omega_radps=0.9,
        mass_kg=12.0,
        gravity_mps2=3.7,
        grousers=0,
        settle_s=0.3,
        spin_up_s=0.4,
        drive_s=2.0,
        averaging_fraction=0.5,
    )
    t = np.linspace(0.0, 2.3, 47)
    samples = np.stack((t, 0.1 * t + 0.01 * t**3, 0.02 + 0.005 * t, 3.0 + t, 40.0 - 2.0 * t), axis=1)
    yield 'climbs.measured', slope_climb.measured(wheel, samples)
    yield 'climbs.rig', [wheel.outermost_m, wheel.start_m, wheel.end_s, wheel.pull(12.0), wheel.under(1.62)]
    yield 'climbs.rate', [wheel.rate(at) for at in (0.1, 0.3, 0.5, 2.0)]
    rolling = slope_climb.DrivenWheel(wheel, 12.0)
    for step in range(40):
        rolling.push(3.0 - 0.1 * step, 50.0 + step, 0.02)
    yield 'climbs.DrivenWheel', [rolling.state, rolling.rotation, rolling.depth, rolling.rate]
    angle, r = 2.4 * np.arange(400), 0.1 * np.sqrt(np.arange(400) / 400.0)
    place = np.stack(
        (r * np.cos(angle), r * np.sin(angle), 0.6 * (0.1 - r) * np.mod(0.37 * np.arange(400), 1.0)), axis=1
    )
    heap = heap_measurement.Heap(
        place, np.full(400, np.pi * 0.1**2 * 0.02 / 400) * (1.5 - r / 0.1), 0.005, 0.1, 0.4, None, 1e-5
    )
    yield 'heaps', [heap_measurement.profile(heap), heap_measurement.measured(heap, 0.05)]
    sides, depths = np.array([0.1, 0.25]), np.linspace(0.01, 0.05, 7)
    pressures = (900.0 * 2.0 / sides[:, None] + 5e5) * depths**0.9 * (1.0 + 0.1 * depths)
    yield 'fit_bekker', bevameter.fit_bekker(sides, depths, pressures)
    slid = np.linspace(0.001, 0.08, 30)
    yield 'fit_janosi', bevameter.fit_janosi(slid, 700.0 * (1.0 - np.exp(-slid / 0.011)) + 40.0 * slid)
    yield 'uehara_depth', cratering.uehara_depth(0.013, 2.1, 0.4, 0.55)
    yield (
        'bearing_capacity',
        [
            plate_sinkage.bearing_capacity(0.2, 300.0, phi, 2500.0, disc)
            for phi in (0.0, 0.55)
            for disc in (False, True)
        ],
    )
    press = plate_sinkage.Settings(soil=load_soil('grc1'), a_m=0.2, b_m=0.3, grid_spacing_m=0.05, dt_s=5e-3)
    yield 'plate.bekker_sinkage', [plate_sinkage.bekker_sinkage(press, 900.0), press.spacing(), press.plate(3.0)]
    reference = press.model_copy(update={'scm_mode': 'reference'})
    yield 'plate.reference', [plate_sinkage.bekker_sinkage(reference, 900.0), reference.spacing()]
    rolled = wheel_rig.Settings(soil=load_soil('grc1'))
    yield 'wheel_rig.Settings', rolled
    yield 'multipass.Settings', multipass.Settings()
    yield 'slopes.Settings', slope_settings.SlopeSettings()
    yield 'drum.Settings', drum_bench.Settings(depth_m=(0.08,), cohesion_pa=90.0).drum(0.08)


def ground() -> Calls:
    yield 'curvature_radii', geodesy.curvature_radii(6378137.0, 1.0 / 298.25, 0.8)
    yield 'hillshade', [hillshade_image(relief_of(12, 17), 0.3), hillshade_image(relief_of(12, 17), 0.3, 200.0, 50.0)]
    yield 'mass_balance', soil_mass_balance(120.0, 0.04, 3.0, 5.0, 7.0)
    yield 'bekker_sinkage', sinkage_formulas.bekker_sinkage(150.0, 0.13, 0.17, 8e5, 0.9)
    yield 'lyasko_factor', [sinkage_formulas.lyasko_factor(slip) for slip in (0.0, 0.15, 0.6)]
    yield 'ding_sinkage', sinkage_formulas.ding_sinkage(150.0, 0.13, 0.17, 8e5, 0.9, 0.4, 0.25)
    yield (
        'crossing',
        [polygons.crossing([(0, 0), (2, 0), (0, 1), (2, 1.5)]), polygons.crossing([(0, 0), (2, 0), (2, 1)])],
    )
    yield 'roughness', [detail.roughness(relief_of(41, 33) ** 3, 5.0), detail.roughness(relief_of(9, 33), 5.0)]
    for name, heights in (
        ('relief', 30.0 * relief_of(40, 23)),
        ('flat', 0.001 * relief_of(12, 9)),
        ('steps', np.round(relief_of(30, 30)) * 150.0),
    ):
        found = plausibility.height_statistics(heights, 7.0)
        yield f'measure.{name}', [found, plausibility.unusual_heights(found, 7.0, (3, 4))]
    for name in ('chronology', 'production'):
        yield (
            name,
            getattr(statistics, name)(np.array([0.5, 3.0, 3.9] if name == 'chronology' else [0.05, 2.0, 40.0, 700.0])),
        )
    yield 'age_of', statistics.age_of(np.array([1e-4, 2e-3, 0.05]))
    d = np.array([0.4, 2.0, 31.0])
    yield 'equilibrium', statistics.equilibrium(d, 0.08, -1.9)
    yield 'visible_count', [statistics.visible_count(d, 0.08, 1.9, 3.2), statistics.crater_density(d, 0.08, 1.9, 3.2)]
    yield 'fresh_depth_ratio', degradation.fresh_depth_ratio(np.array([0.5, 20.0, 90.0, 400.0, 3000.0]))
    yield 'fresh_profile', degradation.fresh_profile(np.linspace(0.0, 2.9, 40))
    yield 'profile_table', degradation.profile_table()
    yield 'relative_depth', [degradation.relative_depth(np.array([0.0, 0.003, 0.05])), degradation.age_at_depth(0.4)]
    key = cell_random.key_of(7, 'ground')
    word = cell_random.cell_word(key, 2, -3, 5)
    yield (
        'draws',
        [
            cell_random.unit(word),
            cell_random.uniform_draw(word, 0),
            cell_random.uniform_draw(word, 3),
            cell_random.poisson(0.83, 2.7),
        ],
    )
    yield 'octaves', relief.octaves(key, 9.0, 0.3, 0.8, 0.05, 1.5)
    yield 'deviation', relief.deviation(np.array([0.1, 0.7, 2.5]))
    table = craters.crater_classes(0.6, 40.0, 0.1, 1.9, 3.2, 0.04)
    yield 'crater_classes', table
    yield 'gather', craters.gather(-20.0, 31.0, -15.0, 4.0, key, table, degradation.AGE_ROWS, 1, 1.4)
    yield 'steepness', [rocks.steepness(np.array([0.03, 0.2])), rocks.rock_density(np.array([0.1, 0.5]), 0.07, 1.2)]
    for name in preset_names():
        preset = load_preset(name)
        field = LunarField(11, preset)
        x, y = np.array([-7.3, 0.2, 55.0, 130.1]), np.array([3.3, -40.7, 12.2, 9.9])
        yield f'lunar.{name}.heights', field.heights(x, y)
        yield f'lunar.{name}.nodes', [field.nodes(-3, 9, 4, 21, 0.25), field.coarse_nodes(-3, 6, 4, 9, 2.0)]
        strewn = rocks.RockField(field, [(np.array([[0.0, 0.0], [9.0, 4.0]]), 2.0)])
        yield f'lunar.{name}.rocks', strewn.rocks_in(-20.0, 25.0, -10.0, 12.0, 0.3).columns()


def solids() -> Calls:
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3], [1, 2, 3], [0.5, 1, 1]], dtype=float)
    hull = polyhedron.convex_hull(points)
    yield 'hull', [hull, hull.normals]
    yield 'icosphere', rock_shapes.icosphere(1)
    for number in (0, 3, 17):
        yield f'rock.{number}', rock_shapes.rock(number, 2)
        yield f'scaled_rock.{number}', rock_shapes.scaled_rock(number)
    heights = np.zeros((9, 11))
    axes = np.array([[0.8, -0.6, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]])
    tops = height_map.ObstacleHeightMap(
        [(hull, np.array([1.0, 1.5, 0.2]), axes), (hull, np.array([3.1, 0.7, -1.0]), np.eye(3))]
    )
    yield 'skyline', [tops.facets, tops.max_heights(heights, -0.5, -0.3, 0.6)]
    made: list[dict[str, Any]] = [
        {'type': 'ramp', 'position': (1.0, 2.0)},
        {'type': 'ramp', 'position': (1.0, 2.0, 0.4)},
        {'type': 'step', 'position': (1.0, 2.0)},
        {'type': 'box', 'position': (1.0, 2.0)},
        {'type': 'wall', 'position': (1.0, 2.0, 0.1)},
    ]
    for number, values in enumerate(made):
        config = ObstacleConfig.model_validate({'size': (1.2, 0.7, 0.3), 'heading_deg': 25.0, **values})
        stands = obstacles.make_obstacle(
            'a', config, PlaneField(0.12, -0.07, 1.1), lambda path, unit: np.zeros((0, 3, 3))
        )
        yield f'obstacle.{number}', [stands.middle, stands.turn, stands.hulls, stands.triangles]
    soils = np.arange(12.0).reshape(4, 3)
    outline = np.array([[0.1, 0.2], [1.7, 0.4], [1.1, 1.9]])
    regions = [
        soil_map.Region(outline, 0.0),
        soil_map.Region(np.array([[1.0, 1.0]]), 0.6),
        soil_map.Region(outline - 1.0, 0.0),
    ]
    yield 'soil_map', soil_map.SoilMap(soils, regions).rows(-6, 11, -7, 12, 0.2)
    line = ProfileConfig.model_validate({'start': (-0.3, 0.2), 'end': (0.9, 0.7)})
    grid = SoilGrid(PlaneField(0.12, -0.07, 1.1), 0.1)
    yield 'profile', profile(grid, line)
    window = TilePyramid(PlaneField(0.12, -0.07, 1.1), 0.3)
    yield 'pyramid', [window.tile(2, 1, -2), window.tile(0, 1, 3), window.spacing_of(3)]
    for name, shape in (
        ('cylinder', shapes.cylinder(0.21, 0.13)),
        ('wheel', shapes.grousered_wheel(0.21, 0.13, 7, 0.011, 0.004)),
        ('box', shapes.box(0.4, 0.3, 0.2)),
        ('mesh', shapes.mesh(points[np.array([[0, 1, 2], [1, 4, 3], [2, 3, 4]])])),
    ):
        yield f'scm.{name}', [shape, shapes.reach(shape)]


def calls() -> Calls:
    """Return names and results of all calls."""
    for part in (digging, grains, benches, ground, solids):
        for name, value in part():
            yield f'terrain.{name}', value
