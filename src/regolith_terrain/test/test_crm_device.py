# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of CRM beds on a device: Warp kernels against the compiled loops, and device selection.

The kernels run on the processor, and on a graphics card where one is present.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import warp as wp
from particles import of_soil, soil

from regolith_terrain.crm import boundary_markers, device_selection
from regolith_terrain.crm.device import card
from regolith_terrain.crm.device.bed import DeviceBed
from regolith_terrain.crm.device.structs import MODULE
from regolith_terrain.crm.particle_bed import ParticleBed
from regolith_terrain.crm.soil import Discretization
from regolith_terrain.crm.soil_step import LIMITS

DT = 3e-4
DEVICES = ['cpu', 'cuda'] if card() else ['cpu']
CASES: dict[str, dict[str, Any]] = {
    'repeats itself': {'soil': {'limiting_friction': 0.9, 'cohesion_pa': 50.0}, 'period': True},
    'boxes': {'soil': {'limiting_friction': 0.9}, 'boxes': True, 'corrected_gradients': True, 'xsph_coefficient': 0.0},
    'clay': {'soil': {'law': 'cam_clay', 'preconsolidation_pressure_pa': 2000.0}, 'period': True},
}


def shaken_bed(of: type[ParticleBed], case: dict[str, Any], device: str = 'cpu') -> ParticleBed:
    """Return soil with random positions, velocities and stresses, and a ball that moves through it.

    With ``period``, both extend over the periodic boundary.
    """
    values = dict(case)
    made, period, boxes = soil(**values.pop('soil')), values.pop('period', False), values.pop('boxes', False)
    d, width, depth = 0.02, 0.18, 0.16
    walls = (
        boundary_markers.floor((0, 0, 0), (width, width, 0), d)
        if period
        else boundary_markers.trough((0, 0, 0), (width, width, depth), d, 0.04)
    )
    ball = boundary_markers.ball(0.05, d)
    body = np.repeat(np.array([0, 1], np.int32), (len(walls), len(ball)))
    extra: dict[str, Any] = {'device': device} if of is DeviceBed else {}
    bed = of(
        made,
        Discretization.model_validate({'spacing_m': d, **values}),
        (0.3, 0.0, -9.81),
        boundary_markers.lattice((0, 0, 0), (width, width, depth), d),
        np.concatenate((walls, ball)),
        body,
        period=(width, width) if period else (0.0, 0.0),
        **extra,
    )
    bed.lay_at_rest(depth)
    rng, rows, particles = np.random.default_rng(1), bed.soil_rows(), bed.particles
    particles[rows, :3] += rng.uniform(-2e-3, 2e-3, (len(rows), 3))
    particles[rows, 3:6] = rng.normal(0.0, 0.1, (len(rows), 3))
    particles[rows, 6:] += rng.normal(0.0, 100.0, (len(rows), 6))
    bodies = bed.bodies
    bodies.center[1], bodies.velocity[1] = (0.17 if period else 0.1, 0.1, 0.16), (0.1, 0.0, -0.5)
    bodies.spin[1], bodies.acceleration[1] = (0.2, 3.0, 0.1), (1.0, 2.0, 3.0)
    if boxes:
        bed.boxes, bed.still = np.array([[0.0, 0.0, 0.05, 0.1, 0.1, 0.3]]), 0.15
    return bed


def moved(bed: ParticleBed, steps: int) -> ParticleBed:
    for _ in range(steps):
        bed.step(DT)
        bed.bodies.center[1] += DT * bed.bodies.velocity[1]
    return bed


def apart(one: ParticleBed, other: ParticleBed) -> float:
    """Return the largest difference of two beds, relative to the largest value of its kind."""
    rows, others = (np.lexsort((bed.label, bed.kind)) for bed in (one, other))
    p, q = one.particles[rows], other.particles[others]
    pairs = [(p[:, a:b], q[:, a:b]) for a, b in ((0, 3), (3, 6), (6, 9), (9, 12))]
    if len(one.memory):
        pairs += [(one.memory[rows, k], other.memory[others, k]) for k in range(2)]
    pairs += [(one.force, other.force), (one.torque, other.torque), (one.largest_step(), other.largest_step())]
    pairs += [(one._limits[:, k], other._limits[:, k]) for k in range(LIMITS)]
    return max(float(np.abs(a - b).max() / np.abs(a).max()) for a, b in pairs)


@pytest.mark.seconds
@pytest.mark.parametrize('on', DEVICES)
@pytest.mark.parametrize('case', CASES.values(), ids=CASES)
def test_device_bed_agrees_with_compiled_loops(
    case: dict[str, Any], on: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """To 1e-6 of the largest value after one step and after 25 with sorting: only the rounding of sums differs."""
    host, device = shaken_bed(ParticleBed, case), shaken_bed(DeviceBed, case, on)
    start = host.particles.copy()
    for steps in (1, 24):
        moved(host, steps)
        moved(device, steps)
        assert apart(host, device) < 1e-6
    assert host.rebuilds == device.rebuilds > 1 and host.t == device.t
    assert np.abs(host.force[1]).max() > 1.0
    # The case is meaningful: soil moved, and in cases with boxes part of it is frozen.
    frozen = (host.particles[host.soil_rows(), 3:6] == 0.0).all(axis=1)
    assert frozen.any() == ('boxes' in case) and not frozen.all()
    assert np.abs(of_soil(host) - start[: host.soil_count]).max() > 0.0
    host.sort()
    device.sort()
    assert device.moving_count == host.moving_count < len(host.label)
    assert np.abs(device.moving_places() - host.moving_places()).max() < 1e-6
    assert device.mean_neighbors == host.mean_neighbors and device.nbytes > device.particles.nbytes
    assert capfd.readouterr().out == ''  # compiler output must not mix with results


@pytest.mark.parametrize('on', DEVICES)
def test_device_bed_is_deterministic_and_continues_from_saved_state(on: str) -> None:
    """Bit-identical on one device; between kinds of beds to 1e-6."""
    case = CASES['repeats itself']
    device = moved(shaken_bed(DeviceBed, case, on), 5)
    device.sort()
    again = shaken_bed(DeviceBed, case, on)
    host = shaken_bed(ParticleBed, case)
    for bed in (again, host):
        bed.load(device.save())
        bed.bodies.center[1] = device.bodies.center[1]
        moved(bed, 5)
    moved(device, 5)
    assert device.save() == again.save()
    assert apart(host, device) < 1e-6
    back = shaken_bed(DeviceBed, case, on)
    host.sort()
    back.bodies.center[1] = host.bodies.center[1]
    back.load(host.save())
    # Soil is bit-identical; markers are recomputed, with the rounding of each bed.
    assert np.array_equal(of_soil(back), of_soil(host)) and back.t == host.t
    other = shaken_bed(DeviceBed, case, on)
    other.take_soil(host)
    assert np.array_equal(of_soil(other), of_soil(host)) and other.largest_step() == host.largest_step()
    with pytest.raises(ValueError, match='allowed: '):
        back.load(host.save()[:-8])


@pytest.mark.parametrize('on', DEVICES)
def test_device_bed_uses_values_written_between_steps(on: str) -> None:
    case = CASES['repeats itself']
    host, device = (moved(shaken_bed(of, case, on), 3) for of in (ParticleBed, DeviceBed))
    for bed in (host, device):
        bed.particles[bed.soil_rows(), 5] += 0.2
        moved(bed, 2)
    assert apart(host, device) < 1e-6


@pytest.mark.parametrize('on', DEVICES)
@pytest.mark.parametrize(('value', 'column'), [(np.nan, 0), (np.inf, 3), (1e9, 2)])
def test_device_bed_with_diverging_soil_raises(value: float, column: int, on: str) -> None:
    bed = moved(shaken_bed(DeviceBed, CASES['repeats itself'], on), 1)
    bed.particles[bed.soil_rows()[0], column] = value
    with pytest.raises(FloatingPointError, match='soil'):
        bed.sort()
        bed.step(DT)


@pytest.mark.parametrize('on', DEVICES)
def test_device_bed_with_soil_packed_too_densely_raises(on: str) -> None:
    bed = shaken_bed(DeviceBed, CASES['repeats itself'], on)
    bed.particles[bed.soil_rows(), :3] *= 0.3
    with pytest.raises(FloatingPointError, match='too densely'):
        bed.sort()


@pytest.mark.slow
def test_device_kernels_compile_for_a_graphics_card(tmp_path: Path) -> None:
    """Without a graphics card, the test compiles to machine code for compute capability 8.0."""
    (file,) = wp.compile_aot_module(MODULE, arch=80, module_dir=tmp_path, use_ptx=False)
    assert b'advance_soil' in file.read_bytes()


def test_device_auto_selects_an_available_graphics_card(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_selection, 'missing_gpu_requirement', lambda: None)
    assert (
        device_selection.bed_class('auto') is DeviceBed
        and device_selection.bed_class('cuda') is DeviceBed
        and device_selection.bed_class('cpu') is ParticleBed
    )
    monkeypatch.setattr(device_selection, 'missing_gpu_requirement', lambda: 'a reason')
    assert device_selection.bed_class('auto') is ParticleBed and device_selection.bed_class('cpu') is ParticleBed


def test_missing_device_requirement_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_selection, 'find_spec', lambda name: None)
    assert device_selection.missing_gpu_requirement() == 'Warp (pip install warp-lang)'
    monkeypatch.undo()
    monkeypatch.setattr(wp, 'is_cuda_available', lambda: False)
    monkeypatch.setattr(device_selection.ctypes, 'CDLL', lambda name: None)
    assert device_selection.missing_gpu_requirement() == 'a GPU that CUDA can use'
    monkeypatch.setattr(wp, 'is_cuda_available', lambda: True)
    assert device_selection.missing_gpu_requirement() is None
