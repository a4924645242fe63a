# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of CRM beds with mirror symmetry."""

import numpy as np
import pytest

from regolith_terrain.crm.arrays import MARKER, SOIL
from regolith_terrain.crm.particle_bed import ParticleBed
from regolith_terrain.crm.soil import Discretization, load_particle_soil
from regolith_testbeds.crm import mirror_symmetry
from regolith_testbeds.crm.climb import CrmClimb
from regolith_testbeds.crm.mirror_symmetry import TURNED
from regolith_testbeds.slope_climb import load_wheel_rig

pytestmark = pytest.mark.seconds


def _climb(workers: int = 1) -> CrmClimb:
    rig = load_wheel_rig(
        {'trough': {'length_m': 0.9, 'width_m': 0.3, 'depth_m': 0.1}, 'drive_s': 0.5, 'settle_s': 0.05}
    )
    return CrmClimb(rig, 10.0, load_particle_soil('grc1'), Discretization(spacing_m=0.025), workers)


def test_crm_mirror_bed_equals_the_full_bed(monkeypatch: pytest.MonkeyPatch) -> None:
    half = _climb()
    with monkeypatch.context() as patched:
        patched.setattr(mirror_symmetry, 'ParticleBed', None)  # disables mirror symmetry
        whole = _climb()
    assert type(whole.bed) is ParticleBed
    assert whole.bed.soil_count == 2 * half.bed.soil_count
    for _ in range(3):
        for climb in (half, whole):
            climb.advance(lambda part: None)
    assert half.steps == whole.steps > 100
    # The order of sums differs, and rounding grows with the number of steps.
    scale = half.rig.mass_kg * 9.81
    np.testing.assert_allclose(half.wheel.state, whole.wheel.state, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(half.bed.force[1], whole.bed.force[1], atol=1e-5 * scale)
    np.testing.assert_allclose(half.bed.torque[1], whole.bed.torque[1], atol=1e-5 * scale)
    right = whole.bed.particles[whole.bed.soil_rows()]
    right = right[right[:, 1] > 0.0]
    np.testing.assert_allclose(half.bed.particles[half.bed.soil_rows()], right, rtol=1e-4, atol=1e-4 * abs(right).max())


def test_crm_mirror_images_follow_their_particles() -> None:
    climb = _climb()
    climb.advance(lambda part: None)
    bed = climb.bed
    bed._markers_at(bed.particles, 0.0)
    own, image = np.flatnonzero(bed.label >= 0), np.flatnonzero(bed.label < 0)
    assert len(image) > 100
    for kind in (SOIL, MARKER):
        rows = {bed.label[k]: k for k in own if bed.kind[k] == kind}
        for k in image[bed.kind[image] == kind]:
            np.testing.assert_array_equal(bed.particles[k], TURNED * bed.particles[rows[-1 - bed.label[k]]])


def test_crm_mirror_bed_saves_and_is_bit_identical_for_any_threads() -> None:
    climb, other = _climb(), _climb(workers=2)
    climb.advance(lambda part: None)
    saved = climb.save()
    climb.advance(lambda part: None)
    other.load(saved)
    other.advance(lambda part: None)
    assert other.bed.save() == climb.bed.save()
    again = _climb()
    again.advance(lambda part: None)
    again.advance(lambda part: None)
    again.load(saved)  # into a bed that already has mirror images
    again.advance(lambda part: None)
    assert again.bed.save() == climb.bed.save()
