# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of soil contact on slopes and with leaning wheels."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_terrain import contact
from regolith_terrain.config import load_soil
from regolith_terrain.contact.shapes import box
from regolith_terrain.height_field import PlaneField
from regolith_terrain.scm.constants import DAMPING
from regolith_terrain.scm.settings import BulldozingConfig
from regolith_testbeds.soil_bin import SoilBin

SIDE, WIDTH = 0.21, 0.31


def quiet() -> np.ndarray:
    """Return a soil without damping."""
    parameters = load_soil('chrono_lunar').parameters()
    parameters[DAMPING] = 0.0
    return parameters


def tilted(slope_x: float, slope_y: float) -> np.ndarray:
    """Return axes whose z is normal to a plane and whose x is above the world x axis."""
    z = np.array([-slope_x, -slope_y, 1.0]) / math.sqrt(1.0 + slope_x**2 + slope_y**2)
    x = np.cross([0.0, 1.0, 0.0], z)
    x /= np.linalg.norm(x)
    return np.ascontiguousarray(np.stack([x, np.cross(z, x), z], axis=1))


def pressed(
    slope_x: float, slope_y: float, depths: np.ndarray, bulldozing: np.ndarray | None = None
) -> tuple[SoilBin, float]:
    """Press a plate into a plane along its normal; return the soil bin and the displaced volume."""
    options = {} if bulldozing is None else {'displacement': bulldozing}
    bin_ = SoilBin(quiet(), bounds=(-70, 71, -70, 71), field=PlaneField(slope_x, slope_y), **options)
    plate = bin_.containing(box(SIDE, WIDTH, 0.1))
    turn, displaced = tilted(slope_x, slope_y), 0.0
    for depth in depths:
        assert bin_.body(plate, turn[:, 2] * (0.05 - depth), turn) == contact.CONTACT_OK
        displaced += bin_.stats[contact.STAT_DISPLACED]
    return bin_, float(displaced)


@pytest.mark.parametrize(('slope_x', 'slope_y'), [(0.0, 0.0), (0.7, 0.0), (0.0, -0.5), (0.4, 0.3)])
def test_plate_on_a_slope_displaces_area_times_distance(slope_x: float, slope_y: float) -> None:
    """The volume is independent of the slope; nodes count whole cells, so the area of the plate is known to 7 %.

    Without the stretch factor of the slope, the volume would be too small by 1 / nz: 22 % at 0.7.
    """
    bin_, displaced = pressed(slope_x, slope_y, np.linspace(0.001, 0.02, 20))
    plastic = float(bin_.window.sinkage_plastic.max())
    assert 0.019 < plastic < 0.02
    assert displaced == pytest.approx(SIDE * WIDTH * plastic, rel=0.07)
    # Vertical change of the terrain: removed soil, without the elastic rebound.
    window = bin_.window
    nz = 1.0 / math.sqrt(1.0 + slope_x**2 + slope_y**2)
    assert displaced == pytest.approx(float(window.sinkage_plastic.sum()) / nz * 1e-4, rel=1e-9)
    # All except the few nodes that a side of the plate has hit.
    sunk = (window.level_initial - window.level)[window.touched]
    assert np.mean(np.abs(sunk - 0.02 / nz) < 1e-9) > 0.9


@pytest.mark.parametrize('slope', [0.0, 0.5])
def test_bulldozing_on_a_slope_conserves_volume(slope: float) -> None:
    """The raised volume equals the displaced volume on slopes too, and every raised node is in the delta."""
    rules = BulldozingConfig.model_validate({'enabled': True, 'flow_factor': 1.0}).parameters()
    bin_, displaced = pressed(slope, 0.0, np.linspace(0.0005, 0.02, 40), rules)
    window = bin_.window
    raised = window.level_initial - window.base[1:-1, 1:-1]
    assert float(raised.sum()) * 1e-4 == pytest.approx(displaced, rel=1e-9)
    changed = window.changed()
    before = float(window.base[1:-1, 1:-1].sum())
    told = np.zeros(window.shape)
    told[changed.i - window.i0, changed.j - window.j0] = changed.level_initial
    rest = np.where(window.touched, 0.0, window.base[1:-1, 1:-1])
    assert float((told + rest).sum()) - before == pytest.approx(displaced * 1e4, rel=1e-6)
    assert (np.abs(raised) > 0.0).sum() > 20 and window.touched[raised != 0.0].all()


@pytest.mark.parametrize('camber', [-25.0, -8.0, 12.0, 30.0])
@pytest.mark.parametrize('heading', [0.0, 35.0, 90.0, 200.0])
def test_cambered_wheel_contact_is_complete(camber: float, heading: float) -> None:
    """The kernel checks only the part of a wheel's vertical projection that is low enough.

    A pillar without contact at the corner of the projection makes the kernel check all of it. The result must be
    bit-identical.
    """
    c, h = math.radians(camber), math.radians(heading)
    axis = (-math.cos(c) * math.sin(h), math.cos(c) * math.cos(h), math.sin(c))
    radius, width = 0.25, 0.3
    depth = radius * math.cos(c) + 0.5 * width * abs(math.sin(c)) - 0.06
    narrow, whole = (SoilBin(quiet(), bounds=(-60, 61, -60, 61)) for _ in range(2))
    reach = [radius * math.sqrt(1.0 - a * a) + 0.5 * width * abs(a) for a in axis[:2]]
    i, j = (math.floor(r / 0.01) for r in reach)
    pillar = (60 + i, 60 + j)
    for part in (whole.window.base[1:-1, 1:-1], whole.window.level_initial, whole.window.level):
        part[pillar] = 1.0
    stands_alone = True
    for _ in range(3):
        for bin_ in (narrow, whole):
            assert (
                bin_.wheel(
                    (0.0, 0.0, depth), axis, (0.1, 0.05, -0.01), spin=(0.3, 0.9, 0.1), radius=radius, width=width
                )
                == contact.CONTACT_OK
            )
        stands_alone = stands_alone and not whole.window.touched[pillar]
    if not stands_alone:  # the projection fills its rectangle
        assert heading % 90.0 == 0.0
        return
    assert narrow.stats[contact.STAT_LOADED_NODES] > 50
    assert narrow.force.tobytes() == whole.force.tobytes() and narrow.torque.tobytes() == whole.torque.tobytes()
    rest = np.ones(narrow.window.shape, dtype=bool)
    rest[pillar] = False
    for name in ('level', 'sinkage_plastic', 'sigma_yield'):
        assert np.array_equal(getattr(narrow.window, name)[rest], getattr(whole.window, name)[rest]), name
    assert np.array_equal(narrow.shear[rest], whole.shear[rest])
