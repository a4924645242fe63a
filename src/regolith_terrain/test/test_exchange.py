# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the exchange of soil between tools and terrain."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

import numpy as np
import pytest

from regolith_terrain.config import SoilRegionConfig, TerrainConfig
from regolith_terrain.excavation.diggable_soil import DiggableSoil
from regolith_terrain.excavation.exchange import SoilDeposit, SoilRequest, ToolExchange, boxes, exchange
from regolith_terrain.excavation.loose_soil import LooseSoil
from regolith_terrain.excavation.relaxation import MARGIN
from regolith_terrain.grid.mass_balance import MASS_QUANTUM_KGPM2
from regolith_terrain.grid.node_records import NodeRecords
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField
from regolith_terrain.terrain_participant import TerrainParticipant
from regolith_terrain.updates.merge import SoilDelta, SoilUpdate
from regolith_world.cycle.records import TERRAIN_ROLES, VEHICLE_ROLES, Command, Cycle, CycleKey, CycleResult, Verdict

SPACING, DENSITY, GRAVITY = 0.02, 1500.0, 1.62


def nodes(rows: range, columns: range) -> tuple[np.ndarray, np.ndarray]:
    """Return the nodes of a rectangle, sorted."""
    i, j = np.meshgrid(np.array(rows, np.int32), np.array(columns, np.int32), indexing='ij')
    return i.ravel(), j.ravel()


def quanta(height: float) -> float:
    """Return the mass per area of a height of soil, in whole quanta."""
    return math.floor(height * DENSITY / MASS_QUANTUM_KGPM2) * MASS_QUANTUM_KGPM2


def ask(tool: str, rows: range, columns: range, height: float, path: float) -> ToolExchange:
    """Return the request of one tool for a height of soil of each node of a rectangle."""
    i, j = nodes(rows, columns)
    return ToolExchange((SoilRequest(tool, i, j, np.full(len(i), quanta(height)), np.full(len(i), path)),))


def drop(rows: range, columns: range, height: float) -> ToolExchange:
    """Return soil that is dumped on a rectangle."""
    i, j = nodes(rows, columns)
    return ToolExchange((), SoilDeposit(i, j, np.full(len(i), quanta(height))))


class Site:
    """Flat terrain with a sequence of committed exchanges."""

    def __init__(self, **terrain: object) -> None:
        config = TerrainConfig(source='flat', **terrain)
        self.grid = SoilGrid(FlatField(), SPACING, config.law)
        self.ground = DiggableSoil(config, GRAVITY)
        self.loose = LooseSoil()
        self.cell = SPACING**2

    def cycle(
        self, works: Mapping[str, ToolExchange], merged: NodeRecords | None = None
    ) -> dict[tuple[str, str], float]:
        """Exchange and commit; return the granted mass per area [kg/m^2]."""
        merged = NodeRecords.empty() if merged is None else merged
        owner = np.zeros(len(merged), np.int16)
        out = exchange(self.grid, merged, owner, works, self.loose, self.ground)
        self.grid.apply(out.records)
        assert len(out.owner) == len(out.records)
        self.loose = self.loose.changed(out.loose)
        return {(g.agent, g.tool): g.granted for g in out.grants}


def test_exchange_two_tools_share_soil_without_duplication() -> None:
    """Both tools request 5 cm from the same columns, down to 5 cm: the first name gets all of it.

    If the path of the other one is 2 cm lower, it gets those; the sum equals the removed soil.
    """
    site, rows = Site(), range(0, 5)
    got = site.cycle(
        {
            'beryl': ask('drum', rows, range(0, 4), 0.05, -0.05),
            'amber': ask('drum', rows, range(2, 6), 0.05, -0.05),
        }
    )
    assert got == {('amber', 'drum'): 20 * quanta(0.05), ('beryl', 'drum'): 10 * quanta(0.05)}
    assert got == {k: v for k, v in sorted(got.items())} and site.grid.moved_mass() == -sum(got.values())
    assert site.grid.records_at(*nodes(rows, range(0, 6))).level == pytest.approx(-0.05, abs=1e-9)
    got = site.cycle(
        {
            'beryl': ask('drum', rows, range(0, 4), 0.05, -0.09),
            'amber': ask('drum', rows, range(2, 6), 0.05, -0.07),
        }
    )
    shared = 10 * (quanta(0.02) + quanta(0.02))
    assert sum(got.values()) == pytest.approx(10 * quanta(0.02) + shared + 10 * quanta(0.04), rel=1e-7)
    levels = site.grid.records_at(*nodes(range(1), range(0, 6))).level
    assert levels == pytest.approx([-0.09] * 4 + [-0.07] * 2, abs=1e-8)


def test_exchange_is_independent_of_the_order_of_deltas() -> None:
    """Tools are served in name order; the order of the mapping has no effect on any bit."""
    first, second = ask('a', range(4), range(4), 0.03, -0.03), ask('b', range(4), range(4), 0.03, -0.04)
    works = {
        'amber': ToolExchange((second.requests[0], first.requests[0])),
        'beryl': ask('a', range(4), range(2, 9), 0.02, -0.05),
    }
    sites = [Site(), Site()]
    got = [
        sites[0].cycle(works),
        sites[1].cycle({'beryl': works['beryl'], 'amber': ToolExchange((first.requests[0], second.requests[0]))}),
    ]
    assert got[0] == got[1] and sites[0].grid.save() == sites[1].grid.save()
    assert got[0]['amber', 'a'] == 16 * quanta(0.03) > got[0]['amber', 'b'] > 0.0


def test_exchange_grants_nothing_below_bedrock_or_on_rigid_terrain() -> None:
    """Bedrock is 1 cm deep; a pad of rigid terrain grants nothing."""
    site = Site(bedrock_depth_m=0.01)
    site.cycle({'amber': ask('drum', range(4), range(4), 0.05, -0.05)})
    assert site.grid.records_at(*nodes(range(4), range(4))).level == pytest.approx(-0.01, abs=1e-9)
    disc = {'center': (0.0, 0.0), 'radius_m': 1.0}
    pad = Site(regions=(SoilRegionConfig.model_validate({'model': 'rigid', 'disc': disc, 'soil': {}}),))
    assert pad.cycle({'amber': ask('drum', range(4), range(4), 0.05, -0.05)}) == {('amber', 'drum'): 0.0}
    assert pad.grid.modified_count == 0


def test_exchange_resets_the_history_of_dug_nodes() -> None:
    """In a rut of the same cycle, soil is dug below its bottom: undisturbed soil remains; beside it the rut keeps its
    history.
    """
    i, j = nodes(range(1), range(2))
    rut = NodeRecords.from_values(i, j, np.array([[0.0] * 2, [-0.02] * 2, [0.02] * 2, [1e4] * 2, [0.0] * 2]))
    site = Site()
    site.cycle({'amber': ask('drum', range(1), range(1), 0.03, -0.05)}, rut)
    dug, left = (site.grid.records_at(i[k : k + 1], j[k : k + 1]).table[:, 0] for k in (0, 1))
    assert dug[:4] == pytest.approx([-0.05, -0.05, 0.0, 0.0], abs=1e-9) and dug[4] == -quanta(0.03)
    assert left.tolist() == [0.0, -0.02, 0.02, 1e4, 0.0]


@pytest.mark.seconds
def test_dumped_soil_slides_to_repose_without_loss() -> None:
    """A height of 0.2 m stands; twice this height slides to the angle of repose within some seconds without loss."""
    site = Site()
    site.cycle({'amber': drop(range(10), range(35), 0.2)})
    poured = 350 * quanta(0.2)
    for _ in range(3):
        site.cycle({})
    assert len(site.loose.marked) == 0 and site.grid.modified_count == 350
    site.cycle({'amber': drop(range(10), range(35), 0.2)})
    cycles = 0
    while len(site.loose.marked) and cycles < 400:
        site.cycle({})
        cycles += 1
    assert cycles < 400 and site.grid.modified_count > 700
    assert site.grid.moved_mass() == 2.0 * poured == math.fsum(site.loose.mass)
    levels = site.grid.window(-60, 80, -60, 100).level
    steepest = max(np.abs(np.diff(levels, axis=a)).max() for a in (0, 1)) / SPACING
    assert steepest <= math.tan(math.radians(35.0)) + 2e-3


def test_digging_at_the_foot_of_a_heap_causes_sliding() -> None:
    """A face of 0.2 m stands; a trench of 0.15 m along it makes it 0.35 m, of which only loose soil slides."""
    site = Site()
    site.cycle({'amber': drop(range(10), range(35), 0.2)})
    site.cycle({})
    assert not len(site.loose.marked)
    site.cycle({'amber': ask('blade', range(10, 25), range(35), 0.15, -0.15)})
    for _ in range(400):
        site.cycle({})
    window = site.grid.window(0, 25, 0, 35)
    assert window.level[8, 17] < 0.15 and window.level[24, 17] >= -0.15
    assert (window.level[:10] >= -1e-12).all()


def test_relaxation_windows_do_not_overlap() -> None:
    """Distant nodes are in separate windows, near ones share a window, each with its margin."""
    i = np.array([0, 5, 70, 400, 420, -300], np.int32)
    j = np.array([0, 5, 70, 400, 470, 10], np.int32)
    found = list(boxes(i, j))
    assert len(found) == 5 and found == sorted(found)
    for a, b in zip(i, j, strict=True):
        home = [x for x in found if x[0] <= a - MARGIN and a + MARGIN < x[1] and x[2] <= b - MARGIN < b + MARGIN < x[3]]
        assert len(home) == 1
    for n, x in enumerate(found):
        assert not any(x[0] < y[1] and y[0] < x[1] and x[2] < y[3] and y[2] < x[3] for y in found[:n])


class Stage:
    """Terrain participant in cycles with two participants."""

    def __init__(self) -> None:
        self.results: list[CycleResult] = []
        self.updates: list[SoilUpdate] = []
        self.key = CycleKey(0, -1, -1)
        config = TerrainConfig(source='flat')
        self.terrain = TerrainParticipant(config, FlatField(), self.results.append, self.updates.append)

    def step(
        self, works: Mapping[str, ToolExchange], verdict: Verdict = Verdict.COMMIT, command: Command = Command.EVOLVE
    ) -> None:
        """Send the verdict of the last attempt and compute the next cycle with the given works."""
        cycle = self.key.cycle + (verdict == Verdict.COMMIT or self.key.cycle < 0)
        self.key = CycleKey(self.key.epoch, cycle, self.key.attempt + 1)
        names, roles = ('amber', 'beryl', 'terrain'), (VEHICLE_ROLES, VEHICLE_ROLES, TERRAIN_ROLES)
        self.terrain.on_cycle(Cycle(self.key, 0, 20_000_000, verdict, command, names, roles))
        for name in names[:2] if command == Command.EVOLVE else ():
            self.terrain.on_delta(SoilDelta(self.key, name, NodeRecords.empty(), works.get(name, ToolExchange())))


POURED = {'amber': drop(range(10), range(35), 0.4), 'beryl': ask('drum', range(40, 50), range(35), 0.03, -0.03)}


def test_discarded_exchange_has_no_effect() -> None:
    """Loose soil and grants of a discarded attempt do not exist in the next attempt."""
    straight, stage = Stage(), Stage()
    stage.step(POURED, Verdict.NONE)
    stage.step({}, Verdict.DISCARD)
    straight.step({}, Verdict.NONE)
    for each in (stage, straight):
        each.step({})
    assert stage.terrain.save() == straight.terrain.save() and not len(stage.terrain.loose)
    assert stage.results[-1].state_hash == stage.results[-1].soil_hash == straight.results[-1].soil_hash


def test_loose_soil_is_part_of_the_terrain_state() -> None:
    """Two bit-identical surfaces, one with loose soil, have different hashes. Saved soil in motion continues
    identically."""
    stage = Stage()
    stage.step(POURED, Verdict.NONE)
    result = stage.results[-1]
    assert result.state_hash != result.soil_hash and stage.updates[-1].grants[0].granted == 350 * quanta(0.03)
    stage.step({})
    stage.step({}, command=Command.HOLD)
    saved = stage.terrain.save()
    other = Stage()
    other.key = stage.key
    other.terrain.restore(saved, 0)
    assert len(other.terrain.loose.marked) and other.terrain.save() == saved
    for _ in range(5):
        for each in (stage, other):
            each.step({})
    assert other.results[-1].state_hash == stage.results[-1].state_hash
    assert other.results[-1].soil_hash == stage.results[-1].soil_hash
    with pytest.raises(ValueError, match=r'terrain: saved state of terrain .* truncated'):
        other.terrain.restore(saved[:50], 0)


def test_restarted_terrain_follows_from_updates_alone() -> None:
    """Records and loose soil from updates alone, as for a restarted node, lead to the same state."""
    stage, other = Stage(), Stage()
    for n in range(4):
        stage.step(POURED if n == 0 else {}, Verdict.NONE if n == 0 else Verdict.COMMIT)
        verdict = Verdict.NONE if n == 0 else Verdict.COMMIT
        names, roles = ('amber', 'beryl', 'terrain'), (VEHICLE_ROLES, VEHICLE_ROLES, TERRAIN_ROLES)
        other.terrain.replay_update(stage.updates[-1])
        other.terrain.on_cycle(Cycle(stage.key, 0, 20_000_000, verdict, Command.EVOLVE, names, roles))
        assert other.results[-1].state_hash == stage.results[-1].state_hash
    stage.step({}, command=Command.STOP)
    other.terrain.on_cycle(Cycle(stage.key, 0, 0, Verdict.COMMIT, Command.STOP, names, roles))
    assert other.terrain.save() == stage.terrain.save()
    book = json.loads(stage.results[-1].summary_json)['mass_balance']
    assert book['ground_kg'] == pytest.approx((350 * quanta(0.4) - 350 * quanta(0.03)) * SPACING**2, rel=1e-12)


@pytest.mark.parametrize('budget', [1, 7])
def test_relaxation_windows_share_the_budget_of_a_cycle(monkeypatch: pytest.MonkeyPatch, budget: int) -> None:
    """The second window cannot use the budget that the first one spent; its soil waits for the next cycle."""
    given: list[int] = []

    def look(*told: object) -> int:
        given.append(int(told[-1]))  # type: ignore[call-overload]
        return given[-1] - 3

    monkeypatch.setattr('regolith_terrain.excavation.exchange.relax', look)
    monkeypatch.setattr('regolith_terrain.excavation.exchange.SWEEPS', 1)
    site = Site()
    works = {'amber': drop(range(4), range(4), 0.2), 'beryl': drop(range(900, 904), range(4), 0.2)}
    exchange(site.grid, NodeRecords.empty(), np.zeros(0, np.int16), works, site.loose, site.ground, budget=budget)
    assert given == ([1] if budget == 1 else [7, 4])
