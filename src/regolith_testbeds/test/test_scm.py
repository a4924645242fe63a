# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of SCM against closed forms and conservation laws."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_terrain.config import load_soil
from regolith_terrain.contact import (
    CONTACT_OK,
    CREEP_SPEED,
    LEFT_WINDOW,
    SCRATCH_TOO_SMALL,
    SHEAR_RELAXATION_S,
    STAT_INVERSE_WIDTH,
    STAT_LOADED_AREA,
    STAT_LOADED_NODES,
    STAT_PATCHES,
)
from regolith_terrain.contact.ground_contact import spring_limit
from regolith_terrain.contact.mobilization import mobilize
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField, PlaneField
from regolith_terrain.scm import make_scratch, scm_ground
from regolith_terrain.scm.constants import DAMPING, ELASTIC
from regolith_testbeds.soil_bin import SoilBin as Bin

MODES = ('reference', 'regolith')


def quiet(soil: str = 'chrono_lunar') -> np.ndarray:
    """Return the soil without damping."""
    parameters = load_soil(soil).parameters()
    parameters[DAMPING] = 0.0
    return parameters


@pytest.mark.parametrize('mode', MODES)
@pytest.mark.parametrize('soil', ['chrono_lunar', 'chrono_sandmid', 'chrono_lete'])
def test_scm_plate_matches_bekker(mode: str, soil: str) -> None:
    k_phi, k_c, n = quiet(soil)[:3]
    bin_ = Bin(quiet(soil), mode=mode)
    # 21 x 31 nodes of 1 cm; the hull through node centers (reference) is one cell smaller than the plate.
    length, width = (0.21, 0.31) if mode == 'regolith' else (0.20, 0.30)
    inverse_width = (length + width) / (length * width)
    for z in (0.005, 0.01, 0.03):
        assert bin_.plate((0.0, 0.0, -z)) == CONTACT_OK
        pressure = (k_c * inverse_width + k_phi) * z**n
        assert bin_.stats[STAT_INVERSE_WIDTH] == pytest.approx(inverse_width, rel=1e-12)
        assert bin_.force[2] == pytest.approx(pressure * 0.21 * 0.31, rel=1e-12)
        assert np.allclose(bin_.torque, 0.0, atol=1e-9 * bin_.force[2])


def test_scm_upright_cylinder_equals_a_round_plate() -> None:
    bin_ = Bin(quiet(), spacing=0.005, bounds=(-60, 61, -60, 61))
    assert bin_.wheel((0.0, 0.0, 0.09), axis=(0.0, 0.0, 1.0), radius=0.2, width=0.2) == CONTACT_OK
    # The number of lattice points in a circle of 40 cells is pi 40^2 within 1 % (Gauss circle problem).
    assert bin_.stats[STAT_LOADED_AREA] == pytest.approx(math.pi * 0.04, rel=0.01)
    # 1 / b of a disc is P / (2 A) = 1 / R; a hull of cells is within 5 % of it.
    assert bin_.stats[STAT_INVERSE_WIDTH] == pytest.approx(5.0, rel=0.05)
    pressure = (1400.0 * bin_.stats[STAT_INVERSE_WIDTH] + 0.82e6) * 0.01
    assert bin_.force[2] == pytest.approx(pressure * bin_.stats[STAT_LOADED_AREA], rel=1e-12)


@pytest.mark.parametrize('mode', MODES)
def test_scm_without_contact_has_no_force(mode: str) -> None:
    bin_ = Bin('chrono_lunar', mode=mode)
    assert bin_.wheel((0.0, 0.0, 0.2501), velocity=(1.0, 0.0, -1.0)) == CONTACT_OK
    assert not bin_.force.any() and not bin_.torque.any() and not bin_.window.touched.any()
    assert bin_.stats[STAT_LOADED_NODES] == 0


@pytest.mark.parametrize('mode', MODES)
def test_scm_shear_saturates_at_mohr_coulomb(mode: str) -> None:
    bin_ = Bin(quiet(), mode=mode)
    for _ in range(200):  # 0.2 m of sliding, more than ten times K
        bin_.plate((0.0, 0.0, -0.01), velocity=(1.0, 0.0, 0.0))
    area = 0.21 * 0.31
    limit = 170.0 * area + bin_.force[2] * math.tan(math.radians(35.0))
    # exp(-0.2 / 0.0178) = 1.3e-5 is missing to saturation.
    assert bin_.force[0] == pytest.approx(-limit, rel=2e-5)


@pytest.mark.parametrize('mode', MODES)
def test_scm_steady_sliding_matches_janosi_hanamoto(mode: str) -> None:
    bin_ = Bin(quiet(), mode=mode)
    for k in range(1, 40):
        bin_.plate((0.0, 0.0, -0.01), velocity=(0.6, 0.8, 0.0))
        limit = 170.0 * 0.21 * 0.31 + bin_.force[2] * math.tan(math.radians(35.0))
        expected = limit * -math.expm1(-k * 1e-3 / 0.0178)
        assert math.hypot(bin_.force[0], bin_.force[1]) == pytest.approx(expected, rel=1e-9)
        assert bin_.force[1] / bin_.force[0] == pytest.approx(0.8 / 0.6, rel=1e-9)


def test_scm_shear_reverses_and_stays_at_rest() -> None:
    bin_ = Bin(quiet())
    for _ in range(100):
        bin_.plate((0.0, 0.0, -0.01), velocity=(1.0, 0.0, 0.0))
    forward = bin_.force[0]
    bin_.plate((0.0, 0.0, -0.01))
    assert bin_.force[0] == pytest.approx(forward, rel=1e-12)  # at rest the soil keeps its shear stress
    bin_.plate((0.0, 0.0, -0.01), velocity=(-1e-6, 0.0, 0.0))
    # It does not jump with the sign of creep: internal friction adds 2 v T / K = 2e-5 of the strength.
    assert bin_.force[0] == pytest.approx(forward, rel=5e-5)
    for _ in range(300):
        bin_.plate((0.0, 0.0, -0.01), velocity=(-1.0, 0.0, 0.0))
    assert bin_.force[0] == pytest.approx(-forward, rel=0.01)  # 1 - exp(-0.1 / K) = 0.996 of the limit either way


def test_internal_friction_damps_a_plate() -> None:
    """A plate that rocks by less than K comes to rest; with Janosi-Hanamoto alone it would oscillate without end."""
    bin_ = Bin(quiet())
    mass, x, v, swing = 400.0, 0.0, 2e-3, []
    for _ in range(4000):
        bin_.plate((x, 0.0, -0.01), velocity=(v, 0.0, 0.0))
        v += bin_.force[0] / mass * 1e-3
        x += v * 1e-3
        swing.append(abs(v))
    assert max(swing[-500:]) < 1e-2 * max(swing[:500])


def test_internal_friction_depends_on_the_shear_rate() -> None:
    """u = m + T (1 - |v| / v_0) dm / dt from rest, m = -(1 - exp(-|v| t / K)), up to the sliding speed; never above
    1.
    """
    step, janosi = 1e-3, 0.018
    for speed in (1e-6, 5e-3, 0.019):
        mx, my, ux, uy = mobilize(0.0, 0.0, 0.6 * speed, -0.8 * speed, speed, step, janosi)
        grown = -math.expm1(-speed * step / janosi)
        assert (mx, my) == pytest.approx((-0.6 * grown, 0.8 * grown), rel=1e-12)
        stress = grown * (1.0 + SHEAR_RELAXATION_S / step * (1.0 - speed / CREEP_SPEED))
        assert stress < 1.0 and (ux, uy) == pytest.approx((-0.6 * stress, 0.8 * stress), rel=1e-12)
    assert (
        mobilize(0.3, 0.0, 0.05, 0.0, 0.05, step, janosi)[2:] == mobilize(0.3, 0.0, 0.05, 0.0, 0.05, step, janosi)[:2]
    )
    assert math.hypot(*mobilize(1.0, 0.0, -0.01, 0.0, 0.01, step, janosi)[2:]) <= 1.0


@pytest.mark.parametrize('mode', MODES)
def test_scm_damping_is_proportional_to_speed(mode: str) -> None:
    """The force on a plate that moves down at v is larger by R v A than at rest, to rounding."""
    forces = []
    for speed in (0.0, -0.05, -0.1):
        bin_ = Bin('chrono_lunar', mode=mode)
        bin_.plate((0.0, 0.0, -0.01), velocity=(0.0, 0.0, speed))
        forces.append(float(bin_.force[2]))
    assert np.diff(forces) == pytest.approx([3e4 * 0.05 * 0.21 * 0.31] * 2, rel=1e-9)


@pytest.mark.parametrize(('share', 'grows'), [(0.98, False), (1.02, True)])
def test_scm_plate_oscillation_grows_only_above_the_step_limit(share: float, grows: bool) -> None:
    """Semi-implicit Euler on the unloading spring, with a load below the yield pressure: |v| stays or grows."""
    parameters, mass, area = quiet(), 50.0, 0.21 * 0.31
    limit = spring_limit(mass, area, float(parameters[ELASTIC]), 0.0).seconds
    bin_ = Bin(parameters)
    bin_.plate((0.0, 0.0, -0.02))
    rest = -0.02 + 0.5 * bin_.force[2] / (parameters[ELASTIC] * area)
    bin_.plate((0.0, 0.0, float(rest)))
    weight, z, v, swing = float(bin_.force[2]), float(rest) + 1e-9, 0.0, []
    for _ in range(100):
        bin_.plate((0.0, 0.0, z))
        v += (float(bin_.force[2]) - weight) / mass * share * limit
        z += v * share * limit
        swing.append(abs(v))
    assert (max(swing[50:]) > 1.5 * max(swing[:50])) == grows
    assert spring_limit(10.0, 0.2, 1e7, 3e4).seconds == pytest.approx(min(2.0 * math.sqrt(10.0 / 2e6), 10.0 / 6e3))


def test_scm_shear_is_reset_without_contact() -> None:
    bin_ = Bin('chrono_lunar')
    for _ in range(50):
        bin_.wheel((0.0, 0.0, 0.23), spin=(0.0, 4.0, 0.0))
    assert bin_.shear.any()
    bin_.wheel((0.0, 0.0, 0.26))
    assert not bin_.shear.any()


@pytest.mark.parametrize('mode', MODES)
def test_scm_loading_cycles_never_gain_energy(mode: str) -> None:
    bin_ = Bin(quiet('chrono_sandmid'), mode=mode)
    work = 0.0
    previous = 0.0
    depth = 0.0
    lowest = 0.0
    for k in range(4000):
        depth = 0.02 * abs(math.sin(k * 0.013)) * (0.5 + k / 8000.0)
        bin_.wheel((0.0, 0.0, 0.25 - depth))
        # The force at the end of each step is used both ways, so that a spring alone does no net work.
        work += bin_.force[2] * (depth - previous)
        previous = depth
        lowest = min(lowest, work)
    # Unloading is an explicit spring sum: the quadrature adds at most force times step (2e3 N x 3e-4 m).
    assert lowest > -0.6
    assert work > 1.0


def test_scm_damping_never_pulls() -> None:
    bin_ = Bin('chrono_lunar')
    bin_.plate((0.0, 0.0, -0.01))
    bin_.plate((0.0, 0.0, -0.00999), velocity=(0.0, 0.0, 5.0))
    assert bin_.stats[STAT_LOADED_NODES] > 0 and bin_.force[2] == 0.0
    reference = Bin('chrono_lunar', mode='reference')
    reference.plate((0.0, 0.0, -0.01))
    reference.plate((0.0, 0.0, -0.00999), velocity=(0.0, 0.0, 5.0))
    assert reference.force[2] < 0.0


@pytest.mark.parametrize('mode', MODES)
def test_scm_rotated_wheel_gives_rotated_wrench(mode: str) -> None:
    straight = Bin('chrono_lunar', mode=mode, bounds=(-45, 46, -45, 46))
    turned = Bin('chrono_lunar', mode=mode, bounds=(-45, 46, -45, 46))
    flipped = Bin('chrono_lunar', mode=mode, bounds=(-45, 46, -45, 46))
    for k in range(20):
        x = 0.002 * k
        straight.wheel((x, 0.0, 0.23), velocity=(0.1, 0.0, 0.0), spin=(0.0, 0.8, 0.0))
        turned.wheel((0.0, x, 0.23), axis=(-1.0, 0.0, 0.0), velocity=(0.0, 0.1, 0.0), spin=(-0.8, 0.0, 0.0))
        flipped.wheel((x, 0.0, 0.23), axis=(0.0, -1.0, 0.0), velocity=(0.1, 0.0, 0.0), spin=(0.0, 0.8, 0.0))
    assert turned.force[1] == pytest.approx(straight.force[0], rel=1e-9)
    assert turned.force[2] == pytest.approx(straight.force[2], rel=1e-9)
    assert turned.torque[0] == pytest.approx(-straight.torque[1], rel=1e-9)
    assert np.allclose(flipped.force, straight.force, rtol=1e-12, atol=1e-9)


def test_scm_tilted_wheel_contacts_with_its_edge() -> None:
    bin_ = Bin(quiet())
    tilt = math.radians(10.0)
    axis = (0.0, math.cos(tilt), math.sin(tilt))
    # Lowest point of a tilted cylinder: R cos(tilt) + w sin(tilt) below its center, on the lower edge.
    reach = 0.25 * math.cos(tilt) + 0.105 * math.sin(tilt)
    assert bin_.wheel((0.0, 0.0, reach + 1e-6), axis=axis) == CONTACT_OK
    assert bin_.stats[STAT_LOADED_NODES] == 0
    assert bin_.wheel((0.0, 0.0, reach - 0.01), axis=axis) == CONTACT_OK
    cols = np.nonzero(bin_.window.touched.any(axis=0))[0] - 35
    assert len(cols) and cols.max() < 0  # the side towards -y is the lower one
    assert bin_.window.level.min() == pytest.approx(-0.01, abs=0.01 * math.tan(tilt))  # within one cell of the edge
    assert bin_.torque[0] < 0.0


def test_scm_wheel_on_a_slope_has_force_along_its_normal() -> None:
    slope = math.tan(math.radians(20.0))
    bin_ = Bin(quiet(), field=PlaneField(slope_x=slope))
    # An upright cylinder with a lower face cannot rest on a slope; a wheel can.
    assert bin_.wheel((0.0, 0.0, 0.25 / math.cos(math.radians(20.0)) - 0.02)) == CONTACT_OK
    # The contact of the wheel is symmetric about the slope normal, except for node positions.
    assert bin_.force[0] / bin_.force[2] == pytest.approx(-slope, rel=2e-3)
    # Its surface is an arc: width times R times the angle between the ends of the chord, to one row of nodes.
    arc = 0.21 * 2.0 * 0.25 * math.acos(1.0 - 0.02 * math.cos(math.radians(20.0)) / 0.25)
    assert bin_.stats[STAT_LOADED_AREA] == pytest.approx(arc, rel=0.06)


@pytest.mark.parametrize('mode', MODES)
def test_scm_two_bumps_give_two_patches(mode: str) -> None:
    bin_ = Bin(quiet(), mode=mode)
    for rows in (slice(35, 40), slice(51, 56)):
        for part in (bin_.window.base[1:-1, 1:-1], bin_.window.level_initial, bin_.window.level):
            part[rows, :] = 0.15
    assert bin_.plate((0.0, 0.0, 0.14)) == CONTACT_OK
    # Reference mode also counts soil less than 0.1 m below the plate; here it is 0.14 m below.
    assert bin_.stats[STAT_PATCHES] == 2
    side = 0.05 if mode == 'regolith' else 0.04
    other = 0.31 if mode == 'regolith' else 0.30
    assert bin_.stats[STAT_INVERSE_WIDTH] == pytest.approx((side + other) / (side * other), rel=1e-12)


def test_scm_second_pass_sinks_less_than_the_first() -> None:
    for compacted in (True, False):
        bin_ = Bin(quiet())
        bin_.plate((0.0, 0.0, -0.02))
        load = bin_.force[2]
        bin_.plate((0.0, 0.0, 0.0))
        if not compacted:  # a rut of which only the level is transferred
            window = bin_.window
            window.level_initial[:] = window.level
            window.sinkage_plastic[:] = 0.0
            window.sigma_yield[:] = 0.0
        depth = 0.02
        while True:
            bin_.plate((0.0, 0.0, -depth))
            if bin_.force[2] >= load * (1.0 - 1e-9):
                break
            depth += 1e-5
        extra = depth - 0.02
        assert extra == pytest.approx(0.0 if compacted else 0.02, abs=2e-5)


def test_scm_leaving_the_window_is_reported_without_changes() -> None:
    bin_ = Bin('chrono_lunar')
    assert bin_.wheel((0.35, 0.0, 0.2)) == LEFT_WINDOW
    assert bin_.wheel((0.0, -0.25, 0.2)) == LEFT_WINDOW
    assert not bin_.window.touched.any() and not bin_.force.any()


def test_scm_uncopied_parts_of_a_window_are_out_of_bounds() -> None:
    bin_ = Bin('chrono_lunar', bounds=(-40, 120, -35, 36))
    bin_.window = SoilGrid(FlatField(), 0.01).window(-40, 120, -35, 36, np.array([[-40, 60, -35, 36]], dtype=np.int32))
    bin_.ground = scm_ground(bin_.window)
    assert bin_.wheel((0.3, 0.0, 0.2)) == CONTACT_OK
    assert bin_.force[2] > 0.0
    assert bin_.wheel((0.4, 0.0, 0.2)) == LEFT_WINDOW


def test_scm_small_scratch_array_is_reported() -> None:
    bin_ = Bin('chrono_lunar')
    bin_.wheel((0.0, 0.0, 0.3))
    bin_.scratch = make_scratch(0.05, 0.01)
    assert bin_.wheel((0.0, 0.0, 0.2)) == SCRATCH_TOO_SMALL


def test_scm_equal_calls_are_bit_identical() -> None:
    outcome = []
    for _ in range(2):
        bin_ = Bin('chrono_lunar')
        for k in range(50):
            bin_.wheel((0.001 * k, 0.0, 0.235), velocity=(0.2, 0.01, -0.01), spin=(0.01, 1.0, 0.02))
        outcome.append((bin_.force.tobytes(), bin_.torque.tobytes(), bin_.window.level.tobytes(), bin_.shear.tobytes()))
    assert outcome[0] == outcome[1]


@pytest.mark.parametrize('mode', MODES)
def test_scm_side_slip_has_an_opposing_lateral_force(mode: str) -> None:
    """A wheel that rolls and drifts to its left is pushed to its right; mirrored drift mirrors the force."""
    forces = []
    for drift in (0.05, 0.0, -0.05):
        bin_ = Bin('chrono_lunar', mode=mode)
        for k in range(100):
            t = k * 1e-3
            bin_.wheel((0.2 * t, drift * t, 0.23), velocity=(0.2, drift, 0.0), spin=(0.0, 0.8, 0.0))
        forces.append(bin_.force.copy())
    left, straight, right = forces
    assert left[1] < -0.05 * left[2] < 0.0
    assert abs(straight[1]) < 1e-9 * straight[2]
    assert np.allclose(left * (1.0, -1.0, 1.0), right, rtol=1e-9)
    # Friction is one stress: a lateral part reduces the longitudinal part, and the sum stays below the strength.
    assert math.hypot(left[0], left[1]) < 170.0 * 0.3 * 0.3 + left[2] * (math.tan(math.radians(35.0)) + 0.5)


@pytest.mark.parametrize('mode', MODES)
def test_scm_dragged_plate_has_friction_opposite_to_motion(mode: str) -> None:
    for angle in (0.3, 1.2, 2.5):
        bin_ = Bin(quiet(), mode=mode)
        for _ in range(200):
            bin_.plate((0.0, 0.0, -0.01), velocity=(math.cos(angle), math.sin(angle), 0.0))
        limit = 170.0 * 0.21 * 0.31 + bin_.force[2] * math.tan(math.radians(35.0))
        assert bin_.force[0] == pytest.approx(-limit * math.cos(angle), rel=1e-4)
        assert bin_.force[1] == pytest.approx(-limit * math.sin(angle), rel=1e-4)
