# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Breadcrumbs and stations in the world: as bodies where the scenario has the section ``bodies``, else as visuals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_files.problems import InputError
from regolith_world.cycle import Anchor, Command, Cycle

SCENARIO = """
seed: 5
terrain: {{source: flat, soil: lunar_nominal}}
vehicles: {{amber: {{position: [0.0, 0.0]}}}}
comms:
  stations: {{lander: [10.0, 4.0]}}
  drop_offset_m: {offset}
  breadcrumb_delay_s: 0.2
  breadcrumb_drops: [{{vehicle: amber, time_s: 0.1}}]
  traffic: [{{src: amber, dst: lander, period_s: 0.1}}]
{more}
"""


BODIES = """bodies: {}
objects:
  ball: {type: rigid_body, shape: {kind: sphere, size_m: [0.15]}, mass_kg: 41.0, position: [20.0, 0.0, 0.3]}
"""


def written(folder: Path, more: str, offset: float = 1.5) -> Path:
    file = folder / 'yard.yaml'
    file.write_text(SCENARIO.format(more=more, offset=offset), encoding='utf-8')
    return file


def cycles_of(folder: Path, more: str, until_s: float) -> tuple[Simulation, list[Cycle]]:
    """Return a simulation at a time, and the cycles that its participants got."""
    simulation = Simulation.load(written(folder, more))
    group: Any = simulation.group
    cycles: list[Cycle] = []
    exchange = group.exchange
    group.exchange = lambda cycle: (cycles.append(cycle), exchange(cycle))[1]
    simulation.run(until_s)
    return simulation, cycles


def test_breadcrumb_is_a_body_of_the_world_and_its_radio_follows_it(tmp_path: Path) -> None:
    """A cylinder of 0.1 kg at the place of the drop; the radio is where it is at the start of the cycle."""
    name = 'comms/amber_breadcrumb_0'
    simulation, cycles = cycles_of(tmp_path, BODIES, 0.5)
    births = [cycle for cycle in cycles if name in cycle.spawned]
    assert {cycle.key.cycle for cycle in births} == {births[0].key.cycle}
    before = [cycle for cycle in cycles if cycle.key.cycle == births[0].key.cycle - 1][-1]
    vehicle = next(body for body in before.bodies if body.name == 'amber')
    born = next(body for body in births[0].bodies if body.name == name)
    assert born.mass == 0.1 and np.linalg.norm(born.position - vehicle.position - (-1.5, 0.0, 0.0)) < 2e-3
    visual = next(visual for visual in births[0].visuals if visual.name == name)
    assert visual.anchor == Anchor.BODY and visual.shapes[0].size.tolist() == [0.05, 0.02, 0.0]
    comms: Any = simulation.others['comms']
    ((crumb, place, _),) = comms.broker.model.breadcrumbs
    evolved = [cycle for cycle in cycles if cycle.command == Command.EVOLVE]
    last = next(body for body in evolved[-1].bodies if body.name == name)
    assert crumb == 'amber_breadcrumb_0' and place.tolist() == last.position.tolist()
    simulation.world.remove(name)
    simulation.run(0.55)
    assert comms.broker.model.breadcrumbs == (), 'the radio is removed with its body'


def test_drop_keeps_mass_of_its_vehicle_and_adds_that_of_the_breadcrumb(tmp_path: Path) -> None:
    """As documented: unlike the object of a dispenser, a breadcrumb takes no mass from its vehicle."""
    _, cycles = cycles_of(tmp_path, BODIES, 0.3)
    masses = [{body.name: body.mass for body in cycle.bodies} for cycle in cycles]
    assert masses[-1].pop('comms/amber_breadcrumb_0') == 0.1 and masses[-1] == masses[0]


def test_breadcrumb_and_station_are_visuals_without_the_section_bodies(tmp_path: Path) -> None:
    """The breadcrumb lies on the ground, the mast of the station stands at its position up to its antenna."""
    _, cycles = cycles_of(tmp_path, '', 0.3)
    shown = {visual.name: visual for cycle in cycles for visual in cycle.visuals}
    crumb, mast = shown['comms/amber_breadcrumb_0'], shown['comms/lander']
    assert crumb.anchor == Anchor.GROUND and crumb.position.tolist() == pytest.approx([-1.5, 0.0, 0.02], abs=1e-2)
    assert mast.anchor == Anchor.WORLD and mast.position[:2].tolist() == [10.0, 4.0]
    assert max(shape.position[2] for shape in mast.shapes) == 1.0, 'the antenna'
    assert not any('comms' in body.name for cycle in cycles for body in cycle.bodies)
    assert [visual.name for visual in cycles[0].visuals] == ['comms/lander']


def test_breadcrumb_body_inside_its_vehicle_is_refused_with_the_distance(tmp_path: Path) -> None:
    """Only with the section bodies, and not for vehicles without breadcrumbs."""
    with pytest.raises(
        InputError, match=r'yard.yaml:\d+: comms.drop_offset_m = 0.45: .*inside .amber., 0.45 m.*allowed: 0.95'
    ):
        load_scenario(written(tmp_path, BODIES, 0.45))
    load_scenario(written(tmp_path, '', 0.45))


def test_breadcrumb_bodies_continue_from_a_checkpoint(tmp_path: Path) -> None:
    simulation, _ = cycles_of(tmp_path, BODIES, 0.25)
    saved = simulation.checkpoint()
    wanted = simulation.run(0.5)
    simulation.go_to(saved)
    assert simulation.run(0.5) == wanted
    comms: Any = simulation.others['comms']
    assert [name for name, _, _ in comms.broker.model.breadcrumbs] == ['amber_breadcrumb_0']
