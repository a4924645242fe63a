# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of soil ejected by wheels: sliding, cost and mass balance."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_terrain.config import TerrainConfig, load_soil
from regolith_terrain.excavation import ejected_soil
from regolith_terrain.excavation.diggable_soil import DiggableSoil
from regolith_terrain.excavation.ejected_soil import disturbed
from regolith_terrain.excavation.exchange import SoilDeposit, ToolExchange, exchange
from regolith_terrain.excavation.loose_soil import LooseSoil
from regolith_terrain.grid.mass_balance import MASS_QUANTUM_KGPM2
from regolith_terrain.grid.node_records import NodeRecords
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField
from regolith_terrain.terrain_participant import TerrainParticipant
from regolith_terrain.updates.merge import SoilDelta, SoilUpdate
from regolith_world.cycle.records import TERRAIN_ROLES, VEHICLE_ROLES, Command, Cycle, CycleKey, Verdict

SPACING, DENSITY, GRAVITY = 0.02, 1500.0, 1.62
TAN_REPOSE = math.tan(math.radians(35.0))


def nodes(rows: range, columns: range) -> tuple[np.ndarray, np.ndarray]:
    i, j = np.meshgrid(np.array(rows, np.int32), np.array(columns, np.int32), indexing='ij')
    return i.ravel(), j.ravel()


def quanta(height: float) -> float:
    return math.floor(height * DENSITY / MASS_QUANTUM_KGPM2) * MASS_QUANTUM_KGPM2


class Site:
    """Flat terrain of soil with given cohesion, with a sequence of committed cycles."""

    def __init__(self, cohesion: float = 0.0, **terrain: object) -> None:
        soil = load_soil('lunar_nominal').model_copy(update={'cohesion_pa': cohesion})
        config = TerrainConfig(source='flat', soil=soil, **terrain)
        self.grid = SoilGrid(FlatField(), SPACING, config.law)
        self.ground = DiggableSoil(config, GRAVITY)
        self.loose = LooseSoil()

    def raised(self, rows: range, columns: range, height: float) -> NodeRecords:
        """Return records of a rectangle of columns that a wheel raised or lowered."""
        records = self.grid.records_at(*nodes(rows, columns))
        mass = math.copysign(quanta(abs(height)), height)
        records.level_initial[:] += mass / DENSITY
        records.level[:] += mass / DENSITY
        records.mass_kgpm2[:] += mass
        return records

    def cycle(self, merged: NodeRecords | None = None, landed: SoilDeposit | None = None) -> bool:
        """Commit a cycle in the same way as the terrain node; return whether any column was checked."""
        merged = NodeRecords.empty() if merged is None else merged
        works = {} if landed is None else {'rover': ToolExchange((), landed)}
        owner = np.zeros(len(merged), np.int16)
        thrown = disturbed(self.grid, merged, owner, self.loose, self.ground)
        looks = bool(works or self.loose.mark.any() or len(thrown[0]))
        if looks:
            out = exchange(self.grid, merged, owner, works, self.loose, self.ground, thrown)
            merged, self.loose = out.records, self.loose.changed(out.loose)
        self.grid.apply(merged)
        return looks

    def settle(self) -> None:
        while self.loose.mark.any():
            self.cycle()

    def map(self, name: str = 'level', reach: int = 60) -> np.ndarray:
        return self.grid.window(-reach, reach + 1, -reach, reach + 1).values[self.grid.law.names.index(name)]


def test_ejected_soil_slides_like_dumped_soil() -> None:
    """A pillar of 0.3 m gives a bit-identical heap for ejected and dumped soil; no mass is lost."""
    thrown, dumped = Site(), Site()
    block = range(-4, 5), range(-4, 5)
    thrown.cycle(thrown.raised(*block, 0.3))
    i, j = nodes(*block)
    dumped.cycle(landed=SoilDeposit(i, j, np.full(len(i), quanta(0.3))))
    for site in (thrown, dumped):
        site.settle()
        assert site.grid.moved_mass() == len(i) * quanta(0.3)
    level = thrown.map()
    assert np.array_equal(level, dumped.map()) and np.array_equal(thrown.map('mass_kgpm2'), dumped.map('mass_kgpm2'))
    # The tolerance of sliding is a thousandth of the spacing.
    assert np.abs(np.diff(level, axis=0)).max() <= SPACING * (TAN_REPOSE + 2e-3)
    assert level.max() < 0.2


def test_ejected_soil_on_a_pit_rim_slides_into_the_pit() -> None:
    """The walls are firm. Soil on the rim slides in completely, except for soil at the angle of repose."""
    site = Site()
    pit, rim = (range(-10, 0), range(-20, 21)), (range(0, 2), range(-20, 21))
    site.cycle(site.raised(*pit, -0.3))
    site.settle()
    assert np.array_equal(np.unique(site.map()), [-quanta(0.3) / DENSITY, 0.0])
    site.cycle(site.raised(*rim, 0.05))
    site.settle()
    mass = site.map('mass_kgpm2')
    assert mass.min() == -quanta(0.3) and mass[60:].sum() >= 0.0 and (mass[60:] >= 0.0).all()
    assert mass[50:60].sum() + 10 * 41 * quanta(0.3) > 0.5 * 2 * 41 * quanta(0.05)
    assert site.grid.moved_mass() == 2 * 41 * quanta(0.05) - 10 * 41 * quanta(0.3)


def test_stable_ejected_heaps_are_not_checked() -> None:
    """Covers heaps below the critical height, slopes below repose, and disabled slip-sinkage."""
    for site, height in (
        (Site(cohesion=170.0), 0.25),
        (Site(), 0.9 * SPACING * TAN_REPOSE),
        (Site(scm_mode='reference'), 0.5),
        (Site(slip_sinkage={'enabled': False}), 0.5),
    ):
        assert not site.cycle(site.raised(range(3), range(3), height)) and not len(site.loose)
    assert Site(cohesion=170.0).cycle(site.raised(range(3), range(3), 0.28))


def test_loose_soil_removed_by_wheels_is_subtracted() -> None:
    """Of 8 cm dumped into a pit, a wheel removes 3 cm: 5 cm of loose soil remain."""
    site, block = Site(), (range(-5, 6), range(-5, 6))
    site.cycle(site.raised(*block, -0.02))
    i, j = nodes(range(0, 1), range(0, 1))
    site.cycle(landed=SoilDeposit(i, j, np.array([quanta(0.01)])))
    assert site.loose.mass.tolist() == [quanta(0.01)]
    site.cycle(site.raised(range(0, 1), range(0, 1), -0.004))
    assert site.loose.mass == pytest.approx([quanta(0.01) - quanta(0.004)], abs=2 * MASS_QUANTUM_KGPM2)
    site.cycle(site.raised(range(0, 1), range(0, 1), -0.008))
    assert not len(site.loose)


def test_terrain_participant_relaxes_ejected_soil() -> None:
    """The delta of a vehicle raises a pillar. The update of that cycle already has slid soil, and the next ones
    continue.
    """
    soil = load_soil('lunar_nominal').model_copy(update={'cohesion_pa': 0.0})
    updates: list[SoilUpdate] = []
    terrain = TerrainParticipant(TerrainConfig(source='flat', soil=soil), FlatField(), lambda _: None, updates.append)
    terrain.join_request()
    maker, pillar = Site(), (range(2), range(2), 0.2)
    for n in range(40):
        key = CycleKey(0, n + 1, 1)
        verdict = Verdict.NONE if n == 0 else Verdict.COMMIT
        terrain.on_cycle(
            Cycle(key, 0, 10**7, verdict, Command.EVOLVE, ('rover', 'terrain'), (VEHICLE_ROLES, TERRAIN_ROLES))
        )
        terrain.on_delta(SoilDelta(key, 'rover', maker.raised(*pillar) if n == 0 else NodeRecords.empty()))
    assert len(updates) == 40 and len(updates[0].records) > 4 and len(updates[1].records)
    assert terrain.grid.moved_mass() == 4 * quanta(0.2)
    assert terrain.grid.levels(0.0, 0.0) < 0.1


@pytest.mark.parametrize('seed', range(4))
def test_narrow_window_gives_the_same_result_as_a_wide_one(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Heaps and pits of all widths: some faces leave the narrow window, some cross the columns of two vehicles."""
    rng = np.random.default_rng(seed)
    site = Site()
    i, j = nodes(range(40, 90), range(50, 80))
    records = site.grid.records_at(i, j)
    slope = 0.03 * rng.integers(-1, 2) * (i - 40) * (j > 60)
    heights = slope + 0.02 * rng.integers(-1, 2, len(i)) * (rng.random(len(i)) < 0.2)
    records.level[:] = records.level_initial[:] = heights
    records.mass_kgpm2[:] = np.where(rng.random(len(i)) < 0.5, 1.0, -1.0) * MASS_QUANTUM_KGPM2
    looked: list[int] = []
    usual, owner = ejected_soil._by_owner, (i > 64).astype(np.int16)
    monkeypatch.setattr(ejected_soil, '_by_owner', lambda i, j, whose: looked.append(len(i)) or usual(i, j, whose))
    near = disturbed(site.grid, records, owner, site.loose, site.ground)
    monkeypatch.setattr(ejected_soil, '_by_owner', lambda i, j, whose: ejected_soil.boxes(i, j))
    wide = disturbed(site.grid, records, owner, site.loose, site.ground)
    assert looked and len(wide[0]), 'the case has soil to move'
    assert [part.tolist() for part in near] == [part.tolist() for part in wide]
