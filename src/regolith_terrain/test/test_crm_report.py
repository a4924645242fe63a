# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the report section of particle regions, with a synthetic recording."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

from regolith_files.extension_points import Figure, Table
from regolith_terrain.config import TerrainConfig
from regolith_terrain.particle_report import cross_sections, ground_at_end, section, wheel_forces

STRIP = {
    'model': 'crm',
    'rectangle': {'low': [0.4, -0.4], 'high': [1.2, 0.4]},
    'name': 'strip',
    'vehicle': 'amber',
    'spacing_m': 0.1,
    'depth_m': 0.2,
}
FIELDS = ['level_initial', 'level', 'sinkage_plastic', 'sigma_yield', 'mass_kgpm2']


def commit(seq: int, nodes: dict[tuple[int, int], float]) -> tuple[str, Any]:
    i, j = np.array(sorted(nodes), np.int32).reshape(-1, 2).T
    values = np.zeros((5, len(i)))
    values[1] = [nodes[n] for n in sorted(nodes)]
    told = SimpleNamespace(x=i, y=j, fields=FIELDS, values=values.reshape(-1))
    key = SimpleNamespace(epoch=0, cycle=seq - 1, attempt=1)
    return '/regolith/terrain/committed', SimpleNamespace(
        key=key, t_ns=20_000_000 * seq, soil_seq=seq, nodes=told, soil_hash=''
    )


def wheels(t: float) -> tuple[str, Any]:
    header = SimpleNamespace(stamp=SimpleNamespace(sec=int(t), nanosec=round((t % 1.0) * 1e9)))
    each = [SimpleNamespace(name=n, normal_load=100.0 * t + k, drawbar_pull=-t) for k, n in enumerate('ab')]
    return '/amber/wheel_states', SimpleNamespace(header=header, wheels=each)


def cloud(*places: tuple[float, float, float]) -> tuple[str, Any]:
    table = np.zeros((len(places), 13), '<f4')
    table[:, :3] = places
    header = SimpleNamespace(stamp=SimpleNamespace(sec=1, nanosec=0))
    return '/amber/soil_surfels', SimpleNamespace(
        header=header, width=len(places), point_step=52, data=table.view(np.uint8).reshape(-1)
    )


RECORDED = [
    commit(1, {(8, 0): -0.05, (9, 1): 0.02}),
    commit(2, {(8, 0): -0.08}),
    commit(1, {(8, 0): -0.05, (9, 1): 0.02}),
    commit(3, {}),
    wheels(0.5),
    wheels(1.25),
    cloud((0.9, 0.01, 0.3), (0.8, 0.3, 0.2), (3.0, 0.0, 0.1)),
]


class FakeRun:
    """Finished run as a report section reads it."""

    def __init__(self, terrain: dict[str, Any], recorded: bool = True) -> None:
        self.scenario = SimpleNamespace(terrain=TerrainConfig.model_validate(terrain), seed=1)
        told = {'particles': 128, 'moving': 60, 'surface_error': 0.0025, 'deepest_m': 0.08, 'highest_m': 0.02}
        book = {'ground_kg': 0.0, 'carried_kg': 0.0, 'in_flight_kg': 0.0, 'in_transit_kg': 0.0, 'error_kg': 0.0}
        self.summary = {'vehicles': {'amber': {'particles': {'strip': told}}}, 'terrain': {'mass_balance': book}}
        self.recorded = {topic for topic, _ in RECORDED} if recorded else set()
        self.bag = self

    def messages(self, *topics: str) -> Iterator[Any]:
        return (SimpleNamespace(topic=topic, content=content) for topic, content in RECORDED if topic in topics)


GROUND = {'source': 'flat', 'spacing_m': 0.1, 'regions': [STRIP]}


def test_final_terrain_has_every_change_once() -> None:
    """The repeated first change does not undo the second one."""
    grid = ground_at_end(FakeRun(GROUND))
    assert grid.levels(np.array([0.8, 0.9, 0.7]), np.array([0.0, 0.1, 0.0])).tolist() == [-0.08, 0.02, 0.0]


def test_cross_sections_are_at_the_middle_and_the_deepest_point() -> None:
    run = FakeRun(GROUND)
    (region,) = run.scenario.terrain.owned_regions()
    along, across = cross_sections(region, ground_at_end(run), np.array([(0.9, 0.01, 0.3), (0.8, 0.3, 0.2)]))
    assert np.allclose(along.along, 0.1 * np.arange(4, 12)) and np.argmin(along.after) == 4 and not along.before.any()
    assert across.title == 'strip, x = 0.80 m' and np.allclose(across.along, 0.1 * np.arange(-4, 4))
    assert across.after.tolist() == [0.0] * 4 + [-0.08] + [0.0] * 3
    assert along.dots.tolist() == [[0.9, 0.3]] and across.dots.tolist() == [[0.3, 0.2]]


def test_crm_report_has_tables_profiles_and_forces() -> None:
    """Two tables, a plot of lines and a plot of forces; only tables without a recording; None without regions."""
    run = FakeRun(GROUND)
    made = section(run)
    assert made is not None and made.title == 'Particles'
    tables = [part for part in made.parts if isinstance(part, Table)]
    assert list(tables[0].rows) == [('strip', 'amber', '100', '128', '60', '0.25', '80.0', '20.0')]
    assert [part.about for part in made.parts if isinstance(part, Figure)] == [
        'Cross-sections of regions of particles',
        'Forces of the ground on the wheels of amber',
    ]
    forces = wheel_forces(run, 'amber')
    assert forces is not None and forces[0] == ('a', 'b') and forces[1].tolist() == [0.5, 1.25]
    assert forces[2].tolist() == [[[50.0, 51.0], [125.0, 126.0]], [[-0.5, -0.5], [-1.25, -1.25]]]
    bare = section(FakeRun(GROUND, recorded=False))
    assert bare is not None and not any(isinstance(part, Figure) for part in bare.parts)
    assert section(FakeRun({'source': 'flat'})) is None
