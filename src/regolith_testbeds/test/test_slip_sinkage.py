# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of soil transport by slipping wheels: amount, direction and mass balance."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from campaigns import row

from regolith_terrain import contact, scm
from regolith_terrain.config import TerrainConfig, load_soil
from regolith_terrain.contact.constants import STAT_INVERSE_WIDTH
from regolith_terrain.grid.mass_balance import MASS_QUANTUM_KGPM2
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField, PlaneField
from regolith_terrain.scm.constants import (
    CARRIES,
    DAMPING,
    DENSITY,
    ELASTIC,
    EXPONENT,
    JANOSI,
    K_C,
    K_PHI,
    SHEAR_LAYER,
    TAN_PHI,
)
from regolith_terrain.updates.merge import merge
from regolith_testbeds.experiments import wheel_rig
from regolith_testbeds.slope_climb import load_wheel_rig
from regolith_testbeds.soil_bin import SoilBin, roll, rolling_bounds

RADIUS, WIDTH, OMEGA, HEIGHT = 0.25, 0.2, 0.8, 0.012
STEP = 1e-3


def rules(**values: float) -> np.ndarray:
    return TerrainConfig.model_validate({'slip_sinkage': values}).displacement()


def quiet(name: str = 'lunar_nominal') -> np.ndarray:
    parameters = load_soil(name).parameters()
    parameters[DAMPING] = 0.0
    return parameters


def wheel(height: float = HEIGHT) -> contact.Shapes:
    return contact.cylinder(RADIUS, WIDTH, 24, height, 0.006) if height else contact.cylinder(RADIUS, WIDTH)


def bed(soils: np.ndarray | None = None, field=None, bounds=(-60, 90, -60, 61), **values) -> SoilBin:
    given = soils if soils is not None else quiet()
    return SoilBin(given, 0.01, bounds=bounds, field=field, displacement=rules(**values))


def drag(
    bin_: SoilBin,
    shape: contact.Shapes,
    depth: float,
    velocity: tuple,
    spin: tuple,
    seconds: float,
    rotation: np.ndarray | None = None,
) -> float:
    """Move a wheel from the origin with its lowest point ``depth`` below z = 0; return its final x."""
    x = y = 0.0
    turn = np.eye(3) if rotation is None else rotation
    for _ in range(round(seconds / STEP)):
        assert bin_.body(shape, (x, y, RADIUS - depth), turn, velocity, spin, STEP) == contact.CONTACT_OK
        x, y = x + STEP * velocity[0], y + STEP * velocity[1]
    return x


def raised(bin_: SoilBin) -> np.ndarray:
    return bin_.window.level_initial - bin_.window.base[1:-1, 1:-1]


def books(bin_: SoilBin) -> np.ndarray:
    quanta = bin_.window.mass_kgpm2 / MASS_QUANTUM_KGPM2
    assert np.array_equal(quanta, np.rint(quanta))
    return quanta.astype(np.int64)


@pytest.mark.seconds
def test_slip_sinkage_depth_matches_reece() -> None:
    """Below its foot, the terrain has lost h i / (1 - i), the transport at the foot per meter of travel."""
    slip = 0.5
    bin_ = bed(shear_layer_m=1e-9)
    x = drag(bin_, wheel(), 0.025, (OMEGA * RADIUS * (1 - slip), 0.0, 0.0), (0.0, OMEGA, 0.0), 4.0)
    volume = -raised(bin_)[raised(bin_) < 0.0].sum() * 1e-4
    foot = bin_.window.level_initial[round(x / 0.01) + 60, 60]
    # A node passes the foot up to half its width before or after the others of its row: 5 % of a contact of 11 cm.
    assert -foot == pytest.approx(HEIGHT * slip / (1 - slip), rel=0.05)
    # Open hole in steady motion: two thirds of the box of a parabola below the rim, an equal length of full depth
    # behind the foot, and an equal length that fills up along a parabola.
    chord = math.sqrt(2 * RADIUS * 0.025)
    assert volume == pytest.approx(-foot * WIDTH * chord * (2 / 3 + 1 + 2 / 3), rel=0.05)


@pytest.mark.parametrize('slip', [0.0, 0.3, -0.3])
def test_slip_sinkage_moves_soil_against_the_slip(slip: float) -> None:
    """A driven wheel leaves a heap behind, a braked one pushes it ahead, a rolling one moves nothing."""
    bin_ = bed()
    drag(bin_, wheel(), 0.02, (OMEGA * RADIUS * (1 - slip), 0.0, 0.0), (0.0, OMEGA, 0.0), 1.5)
    moved = raised(bin_)
    if slip == 0.0:
        assert np.abs(moved).max() < 1e-12 and not books(bin_).any()
        return
    nodes = (np.arange(-60, 90)[:, None] * 0.01) * np.ones_like(moved)
    heap, hole = nodes[moved > 1e-4], nodes[moved < -1e-4]
    assert hole.min() > heap.max() if slip > 0 else hole.max() < heap.min()


def test_slip_sinkage_conserves_mass_to_the_quantum() -> None:
    """Soils of two densities side by side: mass is conserved, and each column gives the mass of its volume."""
    light, dense = quiet(), quiet()
    light[DENSITY], dense[DENSITY] = 1300.0, 1900.0
    bin_ = bed(np.stack((light, dense)))
    bin_.ground.region[:, 60:] = 1
    drag(bin_, wheel(), 0.03, (0.0, 0.0, 0.0), (0.0, OMEGA, 0.0), 0.5)
    quanta, moved = books(bin_), raised(bin_)
    assert quanta.sum() == 0
    for side, soil in ((slice(None, 60), light), (slice(60, None), dense)):
        dug = moved[:, side] < 0.0
        mass = quanta[:, side][dug].sum() * MASS_QUANTUM_KGPM2
        # Half a quantum per column and step.
        assert mass < -1.0 and mass == pytest.approx(moved[:, side][dug].sum() * soil[DENSITY], rel=1e-7)


@pytest.mark.parametrize('heading', [0.4, math.pi / 2, 2.5, -1.9])
def test_slip_sinkage_is_independent_of_heading(heading: float) -> None:
    """A wheel on another heading transports the same volume, opposite to its motion."""
    volumes = []
    for angle in (0.0, heading):
        c, s = math.cos(angle), math.sin(angle)
        rotation = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        bin_ = bed(bounds=(-80, 81, -80, 81))
        drag(bin_, wheel(), 0.02, (0.1 * c, 0.1 * s, 0.0), (-OMEGA * s, OMEGA * c, 0.0), 2.0, rotation=rotation)
        moved = raised(bin_)
        i, j = np.nonzero(np.abs(moved) > 1e-9)
        way = ((i - 80) * c + (j - 80) * s) * 0.01
        volumes.append((-moved[moved < 0].sum() * 1e-4, (moved[i, j] * way).sum() * 1e-6))
        assert books(bin_).sum() == 0
    # Volume of the hole, and the first moment of the moved soil along the heading. Nodes of a rotated contact are not
    # in rows.
    assert volumes[1] == pytest.approx(volumes[0], rel=0.08)
    assert volumes[0][1] < 0.0


def test_slip_sinkage_on_a_slope_equals_that_on_level_terrain() -> None:
    """On a plane of 15 degrees along the heading, the vertical depth of the wheel's rut equals that on level
    terrain.
    """
    depths = []
    for grade in (0.0, math.tan(math.radians(15.0))):
        bin_ = bed(field=PlaneField(grade))
        c = 1.0 / math.hypot(1.0, grade)
        rotation = np.array([[c, 0.0, -c * grade], [0.0, 1.0, 0.0], [c * grade, 0.0, c]])
        x, speed = 0.0, 0.1
        for _ in range(2000):
            # 2 cm deep along the normal of the plane.
            height = grade * x + (RADIUS - 0.02) / c
            status = bin_.body(
                wheel(), (x, 0.0, height), rotation, (speed * c, 0.0, speed * c * grade), (0.0, OMEGA, 0.0), STEP
            )
            assert status == contact.CONTACT_OK
            x += STEP * speed * c
        depths.append(-raised(bin_).min() * c)
    assert depths[1] == pytest.approx(depths[0], rel=0.05)  # nodes are 3.5 % farther apart along the slope


def test_slip_sinkage_grousers_move_penetrated_soil() -> None:
    """A wheel with grouser tips at 1 mm depth moves 1 mm of soil between its grousers, in addition to the shear
    band.
    """
    dug = []
    for height in (0.0, HEIGHT):
        bin_ = bed(shear_layer_m=1e-4)
        drag(bin_, wheel(height), 1e-3, (0.1, 0.0, 0.0), (0.0, OMEGA, 0.0), STEP)
        dug.append(-raised(bin_)[raised(bin_) < 0.0].sum())
    assert dug[1] / dug[0] == pytest.approx(1.0 + 1e-3 / 1e-4, rel=1e-9)


def pressed(shape: contact.Shapes, soil: np.ndarray, depth: float) -> tuple[float, SoilBin]:
    """Press a wheel straight down in small steps; return the final vertical force [N] and the bed."""
    frictionless = soil.copy()
    frictionless[JANOSI] = 1e6  # no shear develops on such a short path
    bin_ = SoilBin(frictionless, 0.005, bounds=(-60, 61, -40, 41), displacement=rules())
    bin_.containing(shape)
    for k in range(1, 401):
        assert bin_.body(shape, (0.0, 0.0, RADIUS - depth * k / 400), dt=STEP) == contact.CONTACT_OK
    return float(bin_.force[2]), bin_


@pytest.mark.parametrize(('depth', 'count', 'thickness'), [(0.008, 24, 0.006), (0.02, 24, 0.006), (0.03, 12, 0.01)])
def test_grouser_plates_and_drum_share_the_load(depth: float, count: int, thickness: float) -> None:
    """The vertical force is the integral of Bekker pressure on plates and drum, with Janssen friction on the flanks.

    The closed form omits k_c of the patch, so the soil has only the k_c of the plates: 1e3 of 1e6 Pa/m at b = 0.2 m.
    The sum over nodes of 5 mm differs from the integral by less than 2 % for contacts of 20 nodes.
    """
    soil = quiet()
    soil[[K_PHI, K_C, EXPONENT]] = 1e6, 1e3, 1.0
    force, bin_ = pressed(contact.cylinder(RADIUS, WIDTH, count, HEIGHT, thickness), soil, depth)
    pitch = 2.0 * math.pi * RADIUS / count
    share, friction = thickness / pitch, soil[TAN_PHI]
    silo = math.exp(2.0 * (1.0 - math.sin(math.atan(friction))) * friction * HEIGHT / (pitch - thickness))
    x = (np.arange(-4000, 4000) + 0.5) * 5e-5
    s = np.sqrt(RADIUS**2 - np.minimum(x**2, RADIUS**2)) - RADIUS + depth
    s = np.maximum(0.0, s)
    slot = thickness + RADIUS / 15.0 * (2.0 * s / RADIUS) ** 1.5
    drum = np.maximum(0.0, s - HEIGHT + HEIGHT * slot / pitch)
    b = 1.0 / bin_.stats[STAT_INVERSE_WIDTH]
    on_plates = share * (1e6 + 1e3 / thickness) * s
    on_drum = (1.0 - share) * (1e6 + 1e3 / b) * drum * silo
    # Nodes on the edges of the wheel count with whole cells: 41 of 5 mm across 0.2 m.
    width = 41 * 0.005
    assert force == pytest.approx((on_plates + on_drum).sum() * 5e-5 * width, rel=0.02)
    # Less than on the solid cylinder, and more than on the plates alone if the drum has contact.
    whole = ((1e6 + 1e3 / b) * s).sum() * 5e-5 * width
    assert force < 0.9 * whole
    assert (force > 1.02 * on_plates.sum() * 5e-5 * width) == bool(drum.any())


def test_grouser_plates_without_gaps_equal_a_cylinder() -> None:
    """Plates without a gap carry the same load as the cylinder around their tips, bit-identical."""
    soil = quiet()
    count = 100
    gap = 2.0 * math.pi * RADIUS / count
    dense, _ = pressed(contact.cylinder(RADIUS, WIDTH, count, HEIGHT, gap * (1.0 - 1e-9)), soil, 0.02)
    solid, _ = pressed(contact.cylinder(RADIUS, WIDTH), soil, 0.02)
    assert dense == solid


def test_firm_soil_supports_a_wheel_on_its_grousers() -> None:
    """Soil a hundred times as stiff as lunar soil carries the wheel of a rover before the drum has contact."""
    soil = quiet()
    soil[[K_PHI, K_C]] *= 100.0
    soil[ELASTIC] = 2e9
    # Half of the depth of drum contact; 176 N are a quarter of the weight of a rover of 435 kg on the Moon.
    force, _ = pressed(contact.cylinder(RADIUS, WIDTH, 24, HEIGHT, 0.006), soil, 0.5 * (HEIGHT - 1e-3))
    assert force > 176.0


@pytest.mark.seconds
@pytest.mark.parametrize(
    ('slope', 'slip'),
    [
        (5, 0.1153),
        (10, 0.2524),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in ((15, 0.4356), (25, 0.7083))),
        (20, 0.5961),
    ],
)
def test_sinkage_over_slip_matches_crm(slope: int, slip: float) -> None:
    """On GRC-1 with the wheel of the rig grc1_mgru3, sinkage is within 30 % of the particle model at the same slip.

    No value is fitted to it, but the rows were known when the plate model was written. This is a regression test, not
    an independent check (docs/validation/scm.md).
    """
    rig = load_wheel_rig('grc1_mgru3')
    found = row('crm.csv', f'wheel_{slope}')
    assert float(found['slip']) == pytest.approx(slip, abs=1e-3)
    load = rig.mass_kg * rig.gravity_mps2 * math.cos(math.radians(slope))
    settings = wheel_rig.Settings.model_validate(
        {
            'soil': rig.scm_soil,
            'slip': slip,
            'load_n': load,
            'radius_m': rig.outermost_m,
            'width_m': rig.width_m,
            'grousers': rig.grousers,
            'grouser_height_m': rig.grouser_height_m,
            'grouser_thickness_m': rig.grouser_thickness_m,
            'omega_radps': rig.omega_radps,
        }
    )
    sinkage = wheel_rig.run(settings, lambda *tick: None)[0]['sinkage_m']
    assert sinkage == pytest.approx(float(found['sinkage_m']), rel=0.3)


@pytest.mark.seconds
def test_default_rig_sinkage_grows_with_slip() -> None:
    """With no setting but slip, on simulant, sinkage grows strictly and visibly."""
    settings = wheel_rig.Settings.model_validate({'soil': 'jsc1a', 'slip': (0.0, 0.1, 0.3, 0.6)})
    depths = [found['sinkage_m'] for found in wheel_rig.run(settings, lambda *tick: None)]
    assert all(b > a + 5e-4 for a, b in itertools.pairwise(depths))
    # Soil dug by grousers after Reece, h i / (1 - i), between slips of 0.1 and 0.6: 16.7 mm; part of it lands under the
    # rim.
    assert depths[-1] - depths[1] == pytest.approx(0.012 * (1.5 - 1.0 / 9.0), rel=0.25)


def test_slip_sinkage_with_individual_contact_moves_soil() -> None:
    bin_ = bed()
    shape = bin_.containing(contact.grousered_wheel(RADIUS, WIDTH, 24, HEIGHT, 0.006))
    drag(bin_, shape, 0.02, (0.1, 0.0, 0.0), (0.0, OMEGA, 0.0), 1.0)
    assert raised(bin_).min() < -2e-3 and books(bin_).sum() == 0


def test_slip_sinkage_plate_moves_the_shear_band() -> None:
    """A slipping plate moves the shear band from its front end past its rear end; a sinking one moves nothing."""
    bin_ = bed(bounds=(-40, 41, -30, 31))
    for _ in range(400):
        assert bin_.plate((0.0, 0.0, -0.005), velocity=(-0.05, 0.0, 0.0), dt=STEP) == contact.CONTACT_OK
    moved = raised(bin_)
    # 20 mm of slip with a band of 0.56 mm over a width of 31 cm.
    assert moved[moved > 0].sum() * 1e-4 == pytest.approx(0.02 * 5.6e-4 * 0.31, rel=1e-3)
    assert np.nonzero(moved > 1e-9)[0].max() < 40 - 10 < np.nonzero(moved < -1e-9)[0].min() + 12
    still = bed(bounds=(-40, 41, -30, 31))
    for k in range(100):
        still.plate((0.0, 0.0, -5e-5 * k), velocity=(0.0, 0.0, -0.05))
    assert not books(still).any()


@pytest.mark.seconds
@pytest.mark.parametrize(
    ('height', 'most'),
    [(0.0, 0.9), *(pytest.param(*each, marks=pytest.mark.slow) for each in ((0.012, 0.9), (0.03, 0.8)))],
)
def test_slip_sinkage_grows_with_slip(height: float, most: float) -> None:
    """Slip is limited to values at which h i / (1 - i) alone does not sink the axle.

    Grousers dig h i / (1 - i) after Reece. Part of the soil lands below the rim again, and the deeper rim has a longer
    contact, 15 % in all. A smooth rim digs with its shear band alone.
    """
    sinkages = []
    # For a smooth rim only the ends are compared.
    for slip in (s for s in ((0.0, 0.2, 0.4, 0.6, 0.8, 0.9) if height else (0.0, 0.9)) if s <= most):
        speed = OMEGA * RADIUS * (1.0 - slip)
        bin_ = SoilBin('lunar_nominal', 0.02, bounds=rolling_bounds(0.02, speed, RADIUS, WIDTH), displacement=rules())
        sinkages.append(roll(bin_, 200.0, slip, OMEGA, RADIUS, WIDTH, STEP, wheel(height)).sinkage)
        assert books(bin_).sum() == 0
    if height:
        assert sinkages[-1] - sinkages[0] == pytest.approx(height * most / (1.0 - most), rel=0.15)
    else:
        assert sinkages[-1] > 1.15 * sinkages[0]
    # Shear on the rim lifts a wheel by some tenths of a millimeter at first, more than the band of a smooth one digs.
    assert height == 0.0 or sinkages == sorted(sinkages)


def test_slip_sinkage_leaves_terrain_of_another_model_unchanged() -> None:
    """Behind the wheel is a pad (a row of NaN): soil that would land there stays in place."""
    soil = quiet()
    bin_ = bed(np.stack((soil, np.full_like(soil, np.nan))))
    bin_.ground.region[:50] = 1
    drag(bin_, wheel(), 0.02, (0.0, 0.0, 0.0), (0.0, OMEGA, 0.0), 1.0)
    assert not books(bin_)[:50].any() and not raised(bin_)[:50].any()
    assert books(bin_).sum() == 0


def test_slip_sinkage_of_two_vehicles_adds_up() -> None:
    """Where both vehicles lower or raise the same nodes, heights and masses add up."""
    deltas = {}
    for name, start in (('a', 0.0), ('b', 0.04)):
        window = SoilGrid(FlatField(), 0.02).window(-40, 60, -40, 41)
        ground = scm.scm_ground(window)
        scratch, wrench = scm.make_scratch(0.5, 0.02), contact.make_wrench()
        shear = np.zeros((*window.shape, 2))
        for _ in range(100):
            scm.body_wrench(
                ground,
                quiet()[None, :],
                rules(),
                scm.MODE_REGOLITH,
                STEP,
                wheel(),
                0,
                np.array([start, 0.0, RADIUS - 0.02]),
                np.eye(3),
                np.zeros(3),
                np.array([0.0, OMEGA, 0.0]),
                shear,
                scratch,
                wrench,
            )
        deltas[name] = window.changed()
    grid = SoilGrid(FlatField(), 0.02)
    merged = merge(grid, deltas).records
    total = {}
    for part in deltas.values():
        for i, j, level, mass in zip(part.i, part.j, part.level_initial, part.mass_kgpm2):
            key = int(i), int(j)
            total[key] = (total.get(key, (0.0, 0.0))[0] + level, total.get(key, (0.0, 0.0))[1] + mass)
    assert merge(grid, deltas).conflicts > 50
    for i, j, level_initial, mass in zip(merged.i, merged.j, merged.level_initial, merged.mass_kgpm2):
        assert (level_initial, mass) == (pytest.approx(total[i, j][0], abs=1e-15), total[i, j][1])
    assert merged.mass_kgpm2.sum() == 0.0
    grid.apply(merged)
    assert grid.moved_mass() == 0.0


def test_shear_band_is_eight_median_grains() -> None:
    assert rules()[SHEAR_LAYER] == pytest.approx(8 * 70e-6)


def test_reference_mode_has_no_slip_sinkage() -> None:
    assert rules()[CARRIES] == 1.0 and rules(enabled=False)[CARRIES] == 0.0
    assert TerrainConfig.model_validate({'scm_mode': 'reference'}).displacement()[CARRIES] == 0.0
    with pytest.raises(
        ValueError,
        match=r"slip_sinkage\.enabled = true: is not supported in mode 'reference'; allowed: mode 'regolith'",
    ):
        TerrainConfig.model_validate({'scm_mode': 'reference', 'slip_sinkage': {'enabled': True}})


@pytest.mark.seconds
def test_reference_mode_rig_is_unchanged_by_grousers() -> None:
    """Grousers without individual contact do not change any bit; in regolith mode, where they carry soil, they do."""

    def rows(**values: object) -> list[dict[str, object]]:
        settings = wheel_rig.Settings.model_validate({'slip': '0.5', 'grid_spacing_m': 0.02, 'grousers': 24, **values})
        return wheel_rig.run(settings, lambda *tick: None)

    for values in ({'scm_mode': 'reference'}, {'slip_sinkage': False}):
        assert rows(individual_contact=False, **values) == rows(grousers=0, **values)
    assert (
        rows(individual_contact=False)[0]['sinkage_m']
        > 1.3 * rows(individual_contact=False, slip_sinkage=False)[0]['sinkage_m']
    )
    with pytest.raises(
        ValueError, match="slip_sinkage = true: is not supported in mode 'reference'; allowed: mode 'regolith'"
    ):
        rows(scm_mode='reference', slip_sinkage=True)
