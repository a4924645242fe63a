# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of regions of rigid terrain in soil."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from regolith_terrain import contact as terrain_contact
from regolith_terrain.config import TerrainConfig
from regolith_terrain.contact.ground_contact import CONTACT_OK, ContactSetting, GroundContact, PartPose
from regolith_terrain.contact.mixed_contact import MixedContact, make_contact
from regolith_terrain.grid.soil_grid import SoilGrid, SoilWindow
from regolith_terrain.height_field import FlatField

RADIUS, WIDTH, SPACING, STIFFNESS = 0.25, 0.2, 0.02, 2e5


def pad(west: float, east: float, **more: Any) -> TerrainConfig:
    """Return flat soil with a rigid pad between two x positions."""
    corners = [[west, -2.0], [east, -2.0], [east, 2.0], [west, 2.0]]
    return TerrainConfig.model_validate(
        {'source': 'flat', 'spacing_m': SPACING, 'regions': [{'model': 'rigid', 'polygon': corners}], **more}
    )


def wheel_on(terrain: TerrainConfig) -> tuple[GroundContact, SoilWindow]:
    shape = terrain_contact.cylinder(RADIUS, WIDTH)
    setting = ContactSetting(terrain.soil_map(), shape, np.array([terrain_contact.reach(shape)]), SPACING)
    return make_contact(terrain.law, setting), SoilGrid(FlatField(), SPACING, terrain.law).window(-60, 61, -20, 21)


def force(
    contact: GroundContact,
    window: SoilWindow,
    place: Sequence[float],
    speed: Sequence[float] = (0.1, 0.0, -0.02),
    spin: float = 0.5,
) -> np.ndarray:
    """Return force, torque and statistics of one wheel step."""
    arrays = contact.arrays(window, 1)
    wrench = terrain_contact.make_wrench()
    pose = PartPose(np.array(place), np.eye(3), np.array(speed), np.array([0.0, spin, 0.0]))
    assert contact.press(arrays, 1e-3, 0, pose, wrench) == CONTACT_OK
    contact.remember(window, arrays)
    return np.concatenate(wrench)


@pytest.mark.parametrize('x', [-0.8, 0.8])
def test_mixed_contact_away_from_the_border_equals_a_single_model(x: float) -> None:
    both, window = wheel_on(pad(0.0, 9.0))
    alone, its_own = wheel_on(TerrainConfig.model_validate({'source': 'flat', 'model': 'rigid' if x > 0.0 else 'scm'}))
    assert isinstance(both, MixedContact) and not isinstance(alone, MixedContact)
    for _ in range(3):  # for friction and shear to develop
        mixed, single = force(both, window, (x, 0.0, RADIUS - 0.01)), force(alone, its_own, (x, 0.0, RADIUS - 0.01))
        # The search along the rim may find a point that is deeper by rounding.
        np.testing.assert_allclose(mixed[:6], single[:6], rtol=1e-12, atol=1e-9)
    assert window.touched.any() == (x < 0.0)


def test_mixed_contact_force_at_a_pad_edge_is_continuous() -> None:
    """Depth of the rim at a distance u from the axle is d - R + sqrt(R^2 - u^2): the force starts at zero without
    jumps.
    """
    sunk, edge = 0.03, -0.5 * SPACING  # half a cell before the first node of the pad
    felt = math.sqrt(RADIUS**2 - (RADIUS - sunk) ** 2)
    distances = np.linspace(1.2 * felt, 0.0, 400)
    both, window = wheel_on(pad(0.0, 9.0))
    assert isinstance(both, MixedContact)
    lifts = [force(both.both[1], window, (edge - u, 0.0, RADIUS - sunk), (0.0, 0.0, 0.0), 0.0)[2] for u in distances]
    depth = np.maximum(0.0, sunk - RADIUS + np.sqrt(RADIUS**2 - np.minimum(distances, RADIUS) ** 2))
    # Arcs of 12 mm, bisected to 12 um: at a rim slope of at most 0.55, this is 4 N on three rims.
    np.testing.assert_allclose(lifts, 3.0 * STIFFNESS * depth, atol=4.0)
    assert lifts[0] == 0.0 and lifts[-1] == pytest.approx(3.0 * STIFFNESS * sunk, rel=1e-3)


def test_mixed_contact_at_the_border_changes_only_the_soil() -> None:
    both, window = wheel_on(pad(0.0, 9.0))
    mixed = force(both, window, (-0.02, 0.0, RADIUS - 0.03))
    rows = np.arange(-60, 61)
    assert window.touched[rows < 0].any() and not window.touched[rows >= 0].any()
    assert (window.level[rows >= 0] == 0.0).all()
    soil = force(wheel_on(pad(0.0, 9.0))[0].both[0], wheel_on(pad(0.0, 9.0))[1], (-0.02, 0.0, RADIUS - 0.03))
    rigid = force(wheel_on(pad(0.0, 9.0))[0].both[1], window, (-0.02, 0.0, RADIUS - 0.03))
    np.testing.assert_allclose(mixed[:6], soil[:6] + rigid[:6], rtol=1e-12)
    assert mixed[6 + terrain_contact.STAT_LOADED_NODES] == soil[6 + terrain_contact.STAT_LOADED_NODES] + 3.0


def test_mixed_contact_soil_region_in_rigid_terrain() -> None:
    patch = {'model': 'scm', 'disc': {'center': [0.0, 0.0], 'radius_m': 1.0}, 'soil': 'lunar_nominal'}
    terrain = TerrainConfig.model_validate({'source': 'flat', 'model': 'rigid', 'regions': [patch]})
    assert terrain.grounds == ('rigid', 'scm') and 'sigma_yield' in terrain.law.names
    soils = terrain.soil_map()
    assert np.isnan(soils.soils[0]).all() and np.isfinite(soils.soils[1]).all() and len(soils.only_model()) == 1
    assert soils.of('rigid').soils[0, 1] == STIFFNESS
    assert TerrainConfig.model_validate(terrain.model_dump(mode='json')) == terrain
    both, window = wheel_on(terrain)
    assert force(both, window, (0.0, 0.0, RADIUS - 0.01))[2] > 0.0 and window.touched.any()
    # The smaller step limit of both applies.
    assert both.step_limit(400.0, 1.0) == min(c.step_limit(400.0, 1.0) for c in both.both)  # type: ignore[attr-defined]


def test_mixed_contact_saves_and_loads_both_models() -> None:
    contact, window = wheel_on(pad(0.0, 9.0))
    place = (-0.02, 0.0, RADIUS - 0.03)
    for _ in range(3):
        force(contact, window, place)
    kept, values = contact.save(), window.values.copy()
    after = force(contact, window, place)
    contact.reset()
    window.values[:] = values
    assert not np.array_equal(force(contact, window, place), after)
    contact.load(kept)
    window.values[:] = values
    assert np.array_equal(force(contact, window, place), after)
    for cut in (kept[:4], kept[:-8], b'\xff' * 8 + kept[8:]):
        with pytest.raises(ValueError, match='allowed'):
            contact.load(cut)


def test_mixed_contact_unsupported_combination_is_rejected() -> None:
    with pytest.raises(
        ValidationError,
        match=r'bulldozing\.enabled = true: is not supported with models scm and rigid; allowed: one model',
    ):
        pad(0.0, 1.0, bulldozing={'enabled': True})
    with pytest.raises(ValidationError, match=r"no such terrain model: 'mud'; allowed: .*rigid, scm"):
        TerrainConfig.model_validate({'regions': [{'model': 'mud', 'disc': {'center': [0.0, 0.0], 'radius_m': 1.0}}]})
    # Without a terrain model, a region still needs a soil.
    with pytest.raises(ValidationError, match='soil'):
        TerrainConfig.model_validate({'regions': [{'disc': {'center': [0.0, 0.0], 'radius_m': 1.0}}]})
