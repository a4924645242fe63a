# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of DEM testbeds: beds, heaps and a climbing wheel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from regolith_testbeds import heap_measurement as heap_measures
from regolith_testbeds.dem.beds import Filled, fill_bin
from regolith_testbeds.dem.climb import ClimbBed, DemClimb, check, climb
from regolith_testbeds.experiments import angle_of_repose
from regolith_testbeds.slope_climb import WheelRig

CONE_M, SLOPE = 0.4, math.radians(25.0)


def cone() -> heap_measures.Heap:
    """Return a cone of known slope as evenly distributed points."""
    points = np.random.default_rng(3).random((400_000, 3)) * (2.0 * CONE_M, 2.0 * CONE_M, 0.2) - (CONE_M, CONE_M, 0.0)
    each = 4.0 * CONE_M**2 * 0.2 / len(points)
    points = points[points[:, 2] < math.tan(SLOPE) * (CONE_M - np.hypot(points[:, 0], points[:, 1]))]
    return heap_measures.Heap(points, np.full(len(points), each), 0.01, 0.3, 1.0, None, 1e-4)


def test_heap_measures_of_a_cone_match_its_geometry() -> None:
    heap = cone()
    at, height = heap_measures.profile(heap)
    edges = 0.5 * (at[1] - at[0])
    assert np.sum(height * np.pi * ((at + edges) ** 2 - (at - edges) ** 2)) == pytest.approx(
        heap.volume.sum(), rel=1e-9
    )
    found = heap_measures.measured(heap, 0.2)
    # At least 8000 points in a ring on the flank: its height is known to 1 %.
    assert found['slope_deg'] == pytest.approx(25.0, abs=0.3)
    assert found['radius_m'] == pytest.approx(CONE_M, abs=0.01)
    assert found['run_out'] == pytest.approx(1.0, abs=0.05)
    assert found['height_m'] == pytest.approx((CONE_M - 0.02) * math.tan(SLOPE), rel=0.05)  # mean of a ring 20 mm wide


def test_heap_edge_is_extrapolated_from_its_foot() -> None:
    """The line fits the three outermost rings that are high enough; a very flat foot ends at twice their radius."""
    at = np.array([0.5, 1.5, 2.5, 3.5, 4.5, 5.5])
    for height, edge in (
        ([6.0, 5.0, 4.0, 3.0, 0.1, 0.0], 6.5),
        ([6.0, 5.0, 4.99, 4.98, 0.1, 0.0], 7.0),
        ([6.0, 5.0, 5.0, 5.0, 0.1, 0.0], 3.5),
        ([0.1, 5.0, 5.0, 5.0, 0.1, 0.0], 0.5),
        ([6.0, 5.0, 4.0, 3.0, 2.0, 1.0], 6.5),
        ([6.0, 0.1, 4.0, 3.0, 2.0, 1.0], 0.5),
    ):
        assert heap_measures._edge(at, np.array(height), 0.5) == pytest.approx(edge), height


def heaps(**values: Any) -> list[dict[str, Any]]:
    ticks: list[tuple[int, int]] = []
    settings = angle_of_repose.Settings.model_validate(
        {'radius_m': 0.04, 'height_m': 0.06, 'element_count': 250, 'youngs_modulus_pa': 1e7, 'threads': 1, **values}
    )
    rows = angle_of_repose.run(settings, lambda *tick: ticks.append(tick))
    assert ticks[-1][0] == ticks[-1][1] and [t[0] for t in ticks] == sorted(t[0] for t in ticks)
    return rows


@pytest.mark.slow
def test_dem_heap_slope_grows_with_friction() -> None:
    """The angle of a heap of 250 grains varies by 2 degrees with the seed or the processor.

    A few grains with low friction may leave only one ring on the flank. Then there is no slope, and the row says so.
    """
    gained: list[float] = []
    for seed in range(1, 9):
        smooth, rough = heaps(friction='0.05,0.6', release='collapse', seed=seed)
        if smooth['incomplete']:
            assert 'on the flank of the heap; allowed: at least 2' in smooth['problem']
            continue
        gained.append(rough['slope_deg'] - smooth['slope_deg'])
        assert rough['slope_deg'] < 40.0
        assert smooth['height_m'] < rough['height_m'] and rough['run_out'] > 0.3
        for row in (smooth, rough):
            assert row['elements'] == 250 and row['settled_s'] > 0.0
            assert 0.0 < row['largest_overlap'] < 0.2
        if len(gained) == 3:
            break
    # Three heaps of each are known to about 1.6 degrees; six seeds gained 8 on average.
    assert len(gained) == 3 and np.mean(gained) > 4.0


@pytest.mark.parametrize(
    ('key', 'value', 'allowed'),
    [
        ('count', 10, 'count'),
        ('friction', -0.1, 'above 0.0'),
        ('count', 100, ''),
        ('ground', 'mud', 'ground'),
        ('height_m', 0.0, 'height_m'),
    ],
)
def test_repose_invalid_settings_are_rejected(key: str, value: Any, allowed: str) -> None:
    if allowed:
        with pytest.raises(ValidationError, match=allowed):
            angle_of_repose.Settings.model_validate({key: value})
    with pytest.raises(ValidationError, match='allowed: enough elements'):
        angle_of_repose.Settings.model_validate({'element_count': 100, 'height_m': 5.0})


def test_dem_bed_beyond_memory_is_rejected() -> None:
    with pytest.raises(ValueError, match=r'GB and .* hours on one core; allowed: larger grains'):
        ClimbBed.model_validate({'grains': {'radius_m': 2e-4}})


@pytest.mark.parametrize(
    ('bed', 'slope', 'message'),
    [
        ({'grains': {'radius_m': 0.06, 'radius_spread': 0.1}}, 10.0, 'quarter of width_m'),
        ({}, 60.0, '-45 to 45'),
        ({'bin': {'length_m': 1.0}}, 10.0, 'length_m 1.0 of the trough'),
        ({'bin': {'width_m': 0.22, 'length_m': 1.5}}, 10.0, '1.2 times'),
    ],
)
def test_dem_climb_invalid_settings_are_rejected(bed: dict[str, Any], slope: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check(WheelRig(), slope, ClimbBed.model_validate(bed))


RIG = WheelRig(
    radius_m=0.045,
    width_m=0.04,
    grousers=12,
    grouser_height_m=0.01,
    grouser_thickness_m=0.003,
    mass_kg=0.4,
    omega_radps=4.0,
    settle_s=0.0,
    spin_up_s=0.0,
    drive_s=0.4,
    averaging_fraction=0.5,
)
BED = ClimbBed.model_validate(
    {
        'grains': {'shape': 'sphere', 'radius_m': 0.004, 'youngs_modulus_pa': 5e6},
        'threads': 1,
        'bin': {'packing': 'dense', 'length_m': 0.21, 'width_m': 0.06, 'depth_m': 0.025},
    }
)


@pytest.mark.parametrize('shape', ['sphere', 'clump3', 'clump6'])
def test_dem_climb_wheel_starts_above_the_highest_grain(shape: str) -> None:
    """Covers grains of different sizes and attitudes; grains before or behind the wheel may be higher."""
    x, z, size = np.array(
        [
            # Its center is the highest, but its top is not; the top of the next one is.
            [RIG.start_m - 0.01, -0.002, 0.001],
            [RIG.start_m + 0.02, -0.004, 0.006],
            [RIG.start_m, -0.006, 0.004],
            [RIG.start_m + 1.2 * RIG.outermost_m, 0.02, 0.004],
            [RIG.start_m - 1.05 * RIG.outermost_m, 0.02, 0.004],
        ]
    ).T
    bed = BED.model_copy(update={'grains': BED.grains.model_copy(update={'shape': shape})})
    run = DemClimb(RIG, 0.0, bed)
    turn = np.tile((0.0, 0.0, 0.0, 1.0), (len(x), 1))
    run._start(Filled(np.column_stack([x, np.zeros(len(x)), z]), size, turn, 1500.0))
    wheel_x, wheel_y, wheel_z = run.assembly.bodies.place[1]
    assert (wheel_x, wheel_y) == (RIG.start_m, 0.0)
    # The largest extent of a grain is its size; the wheel is within the circle of its tips.
    assert wheel_z - RIG.outermost_m == pytest.approx(0.002, abs=1e-12)
    assert run.track.rows[0][:3] == pytest.approx((0.0, 0.0, -0.002), abs=1e-12)
    run.assembly.find_contacts()
    assert not run.assembly.overlaps().any()


@pytest.mark.seconds
def test_dem_bed_is_dense_and_level() -> None:
    filled = fill_bin(BED.bin, BED.grains, 9.81)
    top = filled.place[:, 2]
    assert -BED.bin.depth_m < top.min() and top.max() < 0.5 * BED.grains.radius_m
    assert np.quantile(top, 0.99) > -2.0 * BED.grains.radius_m
    # Random close packing is 0.64; walls ten grains apart reduce it.
    assert 0.54 < filled.bulk_density / BED.grains.density_kgpm3 < 0.66
    # The bed is level along the bin and centered, because there is no lateral force.
    along = np.array_split(np.argsort(filled.place[:, 0]), 4)
    levels = [np.quantile(top[part], 0.95) for part in along]
    assert np.ptp(levels) < BED.grains.radius_m
    assert filled.place[:, 0].mean() == pytest.approx(0.5 * BED.bin.length_m, abs=0.5 * BED.grains.radius_m)
    loose = fill_bin(BED.bin.model_copy(update={'packing': 'loose'}), BED.grains, 9.81)
    assert loose.bulk_density < 0.97 * filled.bulk_density


@pytest.mark.slow
@pytest.mark.seconds
def test_dem_climb_slip_grows_with_slope() -> None:
    ticks: list[tuple[int, int]] = []
    up, level = (climb(RIG, slope, lambda *tick: ticks.append(tick), BED) for slope in (12.0, 0.0))
    assert ticks[-1] == (100, 100)
    assert -0.2 < level.slip < up.slip < 1.0
    for found, slope in ((up, 12.0), (level, 0.0)):
        # The wheel neither rises nor sinks much: grains support its weight, except for bounces on such a small bed.
        across = RIG.mass_kg * RIG.gravity_mps2 * math.cos(math.radians(slope))
        assert found.normal_force_n == pytest.approx(across, rel=0.1)
        assert 0.0 < found.sinkage_m < 0.03
        assert found.power_w == pytest.approx(found.torque_nm * RIG.omega_radps)
        # The drive power lifts the wheel, and more is lost in the soil.
        lift = RIG.mass_kg * RIG.gravity_mps2 * math.sin(math.radians(slope)) * found.speed_mps
        assert found.power_w > lift
        assert found.usual_overlap < found.largest_overlap
