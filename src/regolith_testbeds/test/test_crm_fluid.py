# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of fluids in CRM's particles: pressure at rest, viscosity, dam break."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from pydantic import ValidationError

from regolith_terrain.crm import Discretization, Fluid, ParticleBed, boundary_markers
from regolith_terrain.crm.arrays import XX, ZZ, U, X, Y, Z
from regolith_terrain.crm.fluid_step import diffuse_pressure
from regolith_testbeds.crm.fluid_column import Column, FluidColumn
from regolith_testbeds.experiments import dam_break


def nothing(done: int, total: int) -> None:
    assert 0 <= done <= total


def row(**values: Any) -> dict[str, Any]:
    """Return the row of an experiment."""
    (found,) = dam_break.run(dam_break.Settings.model_validate(values), nothing)
    return found


def small(at_rest: bool) -> FluidColumn:
    """Return a column of 6 by 12 particles."""
    return FluidColumn(Column(0.25, 0.5, at_rest, 4.0, 9.81, 2.0), 6, Fluid.falling(9.81, 0.5))


@pytest.mark.parametrize(
    ('count', 'seconds'),
    [
        pytest.param(6, 0.25, marks=pytest.mark.seconds),
        pytest.param(10, 5.0, marks=pytest.mark.slow),
    ],
)
def test_fluid_at_rest_has_hydrostatic_pressure(count: int, seconds: float) -> None:
    """Every layer deeper than the kernel's reach has rho g depth, to 2 % of the largest pressure.

    The fluid stays at rest: its speed is below a hundredth of the fall from its depth.
    """
    found = row(width_m=0.25, height_m=0.5, count_across=count, at_rest=True, duration_s=seconds)
    assert len(found['layers']) >= 2 * count - 4
    assert found['pressure_error'] < 0.02
    assert found['rms_speed_mps'] < 0.01 * math.sqrt(2.0 * 9.81 * 0.5)


@pytest.mark.slow
@pytest.mark.parametrize('gravity', [9.81, 1.62])
def test_front_of_a_dam_break_matches_the_measurement(gravity: float) -> None:
    """Within 10 % of Martin and Moyce (1952) at every time, never faster than Ritter's 2 sqrt(g H).

    At the same scaled time the front does not depend on gravity.
    """
    found = row(count_across=12, gravity_mps2=gravity)
    ratios = found['front_over_measured']
    assert len(ratios) == len(dam_break.MEASURED)
    assert list(ratios.values()) == pytest.approx(np.ones(len(ratios)), abs=0.1)
    # The same values under both gravities, to 2 %: viscosity is the only other time scale, and is small.
    assert list(ratios.values()) == pytest.approx([1.086, 1.056, 0.999, 0.978], abs=0.02)
    t, x = np.array(found['front']).T
    assert np.all(x <= 0.5 + 0.5 * 0.5 / 12 + 2.0 * math.sqrt(gravity * 1.0) * t + 1e-9)


def test_opened_column_has_the_pressure_of_an_incompressible_fluid() -> None:
    """Laplace's equation by finite differences of a 30th of the width, to 1 % of rho g H."""
    bed = small(False).bed
    n, m, spacing = 30, 60, 0.25 / 30
    matrix, load = np.zeros((n * m, n * m)), np.zeros(n * m)
    for i in range(n):
        for j in range(m):
            here = i * m + j
            for a, b in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
                if 0 <= a < n and 0 <= b < m:
                    matrix[here, here] -= 1.0
                    matrix[here, a * m + b] += 1.0
                elif a == n or b == m:  # no pressure half a cell outside
                    matrix[here, here] -= 2.0
                elif b < 0:  # dp / dz = -rho g on the floor
                    load[here] -= 9810.0 * spacing
    pressure = np.linalg.solve(matrix, load).reshape(n, m)
    found = bed.particles[bed.soil_rows()]
    # A particle is in the middle of five by five cells.
    known = pressure[(found[:, X] / spacing).astype(int), (found[:, Z] / spacing).astype(int)]
    assert -found[:, XX] == pytest.approx(known, abs=0.01 * 9810.0 * 0.5)
    assert known.max() > 0.1 * 9810.0


def test_pressure_diffuses_toward_hydrostatic() -> None:
    """Hydrostatic pressure stays to rounding, noise of one Pascal decreases."""
    bed = small(True).bed
    bed.sort()
    for noise in (0.0, 1.0):
        now = bed.particles.copy()
        # Markers have no pressure before the first step.
        now[:, XX : ZZ + 1] = (9810.0 * (now[:, 2] - 1.0))[:, None]
        rows = bed._soil
        random = np.random.default_rng(1).standard_normal(len(rows))
        now[rows, XX : ZZ + 1] += noise * random[:, None]
        new = now.copy()
        arguments = (now, new, bed._near, rows, 1e-4, bed.gravity, bed.material, bed.scheme)
        diffuse_pressure(0, len(rows), *arguments)
        change = new[rows, XX] - now[rows, XX]
        if noise:
            # One step removes a little of the noise: the changes are opposite to it.
            assert np.corrcoef(change, random)[0, 1] < -0.8
        else:
            assert np.abs(change).max() < 1e-9 * 9810.0


@pytest.mark.slow
def test_viscosity_damps_a_shear_wave() -> None:
    """u = cos(k y) decays as exp(-nu k^2 t), for the wave as particles see it.

    Each of the two gradients is that of a mean over the kernel, which reduces a wave by 1 - k^2 s^2 / 2 with the
    variance s^2 of the kernel along y; 3 % for terms of higher order and the rest of the discretization.
    """
    spacing, waves = 0.01, 30
    length, viscosity = waves * spacing, 5.0
    filled = boundary_markers.lattice((0.0, 0.0, 0.0), (9 * spacing, length, 9 * spacing), spacing)
    settings = Discretization(
        spacing_m=spacing, artificial_viscosity=0.0, xsph_coefficient=0.0, free_surface_threshold=0.0
    )
    fluid = Fluid(viscosity_pas=viscosity, sound_speed_mps=1.0)
    bed = ParticleBed(
        fluid,
        settings,
        (0.0, 0.0, 0.0),
        filled,
        np.zeros((0, 3)),
        np.zeros(0, np.int32),
        period=(9 * spacing, length),
    )
    k = 2.0 * math.pi / length

    def amplitude() -> float:
        found = bed.particles[bed.soil_rows()]
        found = found[np.abs(found[:, Z] - 4.5 * spacing) < 0.4 * spacing]  # far from the free surfaces
        return float(2.0 * np.mean(found[:, U] * np.cos(k * found[:, Y])))

    bed.particles[:, U] = 1e-3 * np.cos(k * bed.particles[:, Y])
    begin = amplitude()
    step = 0.1 * spacing**2 / (viscosity / 1000.0)
    for _ in range(30):
        bed.step(step)
    h = 1.3 * spacing
    q = np.linspace(0.0, 2.0, 2001)
    mass = (1.0 - 0.5 * q) ** 4 * (2.0 * q + 1.0) * q**2
    variance = h**2 * np.trapezoid(mass * q**2, q) / np.trapezoid(mass, q) / 3.0
    rate = -math.log(amplitude() / begin) / bed.t
    assert rate == pytest.approx(viscosity / 1000.0 * k**2 * (1.0 - 0.5 * k**2 * variance) ** 2, rel=0.03)


def test_fluid_column_is_the_same_for_two_threads_and_from_a_checkpoint() -> None:
    one, two = small(False), FluidColumn(small(False).column, 6, Fluid.falling(9.81, 0.5), workers=2)
    for run in (one, two):
        run.advance(lambda part: None)
    assert one.save() == two.save()
    again = small(False)
    again.load(one.save())
    for run in (one, again):
        run.advance(lambda part: None)
    assert again.save() == one.save() and again.row() == one.row()


def test_fluid_on_a_device_is_refused() -> None:
    pytest.importorskip('warp')
    from regolith_terrain.crm.device.bed import DeviceBed

    with pytest.raises(ValueError, match="a fluid is not supported on a device; allowed: device 'cpu'"):
        DeviceBed(
            Fluid(sound_speed_mps=10.0),
            Discretization(),
            (0.0, 0.0, -9.81),
            np.zeros((1, 3)),
            np.zeros((0, 3)),
            np.zeros(0, np.int32),
            device='cpu',
        )


@pytest.mark.parametrize(
    ('values', 'said'),
    [
        ({'at_rest': True, 'reach': 3.0}, 'reach = 3.0: does not apply to a column at rest; allowed: without at_rest'),
        ({'count_across': 200, 'height_m': 100.0, 'width_m': 0.1}, 'particles would need'),
        ({'viscosity_pas': -1.0}, 'greater than or equal to 0'),
    ],
)
def test_bad_settings_of_a_dam_break_are_refused(
    values: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr('regolith_terrain.crm.cost.machine_memory_gb', lambda: 0.1)
    with pytest.raises(ValidationError, match=said):
        dam_break.Settings.model_validate(values)


def test_plots_of_a_dam_break_show_particles_and_measurement() -> None:
    axes = Figure().add_subplot()
    front = {'front': [[0.1, 0.55], [0.2, 0.8]], 'layers': None, 'elements': 9}
    dam_break.draw(dam_break.Settings(), [front], axes)
    lines = {line.get_label(): np.array(line.get_data(), dtype=float) for line in axes.lines}
    assert lines['particles'][1] == pytest.approx([1.0, 1.1, 1.6])
    measured = lines['Martin & Moyce 1952'].T
    assert measured == pytest.approx(np.array(dam_break.MEASURED))
    axes = Figure().add_subplot()
    dam_break.draw(dam_break.Settings(at_rest=True), [{**front, 'layers': [[0.1, 990.0, 981.0]]}], axes)
    assert [line.get_ydata()[0] for line in axes.lines] == pytest.approx([0.99, 0.981])
