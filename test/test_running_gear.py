# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A running gear of another package: a sled on one skid, pushed along, through whole scenarios and a checkpoint."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import yaml

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_files.problems import InputError
from regolith_vehicles.agent.vehicle_state import VehicleState

GEAR = '''
import numpy as np
from regolith_terrain.contact import box
from regolith_vehicles.visuals.visual_description import DrawnPart, PartRole, Visual
from regolith_vehicles.running_gear import RunningGear, ContactPart
from regolith_vehicles.dynamics import Progress
from regolith_world.cycle import StateLayout, state_fields


class Skid(RunningGear):
    """One plank, pushed by a force that follows the commanded speed, or is given by the name of its actuator."""

    STATE = StateLayout('a skid', *state_fields('<f8', 'thrust', 'table'))
    columns = ('normal_load', 'drag')
    joints = ('push',)
    contact_area = 0.4
    top_speed = 1.0
    drawn = tuple(DrawnPart(f'flag_{k}', PartRole.BODY, (Visual('sphere', (0.1,)),)) for k in range(2))

    def __init__(self, config, body, mjcf_path, newton_per_mps):
        super().__init__(config, body, mjcf_path)
        self.gain = newton_per_mps
        self.thrust = np.zeros(1)
        self.actuators = np.array([body.model.actuator('push').id])

    def parts(self, mjcf_path):
        return (ContactPart('skid', self.body.base, box(1.0, 0.4, 0.1)),)

    def drawn_poses(self, data):
        return data.xpos[self.body.base] + [[0.0, 0.0, 1.0], [0.0, 0.0, 2.0]], np.tile([0.0, 0.0, 0.0, 1.0], (2, 1))

    def support_points(self, data):
        return np.array([0.5, 0.5, -0.5, -0.5]), np.array([0.2, -0.2, 0.2, -0.2]), np.full(4, -0.05)

    def targets(self, command):
        return (np.array([command.joints.get('push', self.gain * command.linear)]),)

    def ramp(self, duration, thrust):
        return self.thrust, np.asarray(thrust, dtype=float)

    def finish(self, data, plan, contacts, duration):
        self.thrust = plan.end
        self.table[:, 0], self.table[:, 1] = contacts.force[:, 2], -contacts.force[:, 0]
        return Progress(moving=bool(plan.end.any()))
'''
MODEL = """
<mujoco>
  <option integrator="implicitfast"><flag contact="disable"/></option>
  <worldbody>
    <body name="base_link">
      <freejoint/>
      <geom type="box" size="0.5 0.2 0.05" mass="40"/>
      <site name="middle"/>
    </body>
  </worldbody>
  <actuator><general name="push" site="middle" gear="1 0 0 0 0 0"/></actuator>
</mujoco>
"""
MASS, GRAVITY, FRICTION = 40.0, 1.62, 0.3
RIGID = {'source': 'flat', 'spacing_m': 0.05, 'model': 'rigid', 'soil': {'friction': FRICTION}}


@pytest.fixture
def sled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder with a scenario, ``sled.yaml``, whose vehicle moves by a gear of an installed package."""
    site = tmp_path / 'site'
    info = site / 'sledge-0.1.dist-info'
    info.mkdir(parents=True)
    (info / 'METADATA').write_text('Metadata-Version: 2.1\nName: sledge\nVersion: 0.1\n')
    (info / 'entry_points.txt').write_text('[regolith.running_gears]\nskid = sledge:Skid\nstone = sledge:np\n')
    (site / 'sledge.py').write_text(GEAR)
    monkeypatch.syspath_prepend(str(site))
    (tmp_path / 'sled.xml').write_text(MODEL)
    gear = {'name': 'skid', 'parameters': {'newton_per_mps': 30.0}}
    (tmp_path / 'vehicle.yaml').write_text(yaml.safe_dump({'mjcf': 'sled.xml', 'running_gear': gear}))
    driver = {'type': 'constant', 'speed_mps': 1.0}
    vehicle = {'model': 'vehicle.yaml', 'position': [0.0, 0.0], 'driver': driver}
    scenario = {'name': 'sled', 'duration_s': 3.0, 'terrain': RIGID, 'vehicles': {'sled': vehicle}}
    (tmp_path / 'sled.yaml').write_text(yaml.safe_dump(scenario))
    yield tmp_path
    sys.modules.pop('sledge', None)


def test_it_slides_as_force_and_friction_say(sled: Path) -> None:
    """F - mu m g pushes it: 30 N against 19.4; 15 N does not move it. Its own table says what it is dragged by."""
    seen: list[VehicleState] = []
    scenario = load_scenario(sled / 'sled.yaml').scenario
    simulation = Simulation(scenario, publish=lambda name, snapshot: seen.append(snapshot))
    simulation.run(2.0)
    state = simulation.agents['sled'].vehicle.body_state()
    acceleration = (30.0 - FRICTION * MASS * GRAVITY) / MASS
    # The thrust rises over a cycle of 20 ms, friction over a millimeter of sliding.
    assert float(state.linear_velocity[0]) == pytest.approx(2.0 * acceleration, rel=0.1)
    parts = seen[-1].parts
    assert (parts.names, parts.columns) == (('skid',), ('normal_load', 'drag'))
    assert parts.table[0] == pytest.approx([MASS * GRAVITY, FRICTION * MASS * GRAVITY], rel=0.01)
    assert np.array_equal(parts.positions[0], seen[-1].base.position)
    # What it draws beside its one body comes behind that, at every commit.
    looks = simulation.agents['sled'].looks
    assert [part.name for part in looks.parts] == ['base_link', 'flag_0', 'flag_1']
    place = np.concatenate((seen[-1].base.position, seen[-1].base.orientation))
    level = [0.0, 0.0, 0.0, 1.0]
    above = [[*place[:3] + (0.0, 0.0, height), *level] for height in (1.0, 2.0)]
    assert np.array_equal(seen[-1].poses, [place, *above])
    gentle = Simulation(load_scenario(sled / 'sled.yaml', ['vehicles.sled.driver.speed_mps=0.5']).scenario)
    gentle.run(2.5)
    way = float(gentle.agents['sled'].vehicle.body_state().position[0])
    gentle.run(4.0)
    # Friction builds up over a millimeter, past which the thrust carries it by a few; there it stays.
    assert abs(way) < 1e-2 and abs(float(gentle.agents['sled'].vehicle.body_state().position[0]) - way) < 1e-4


def test_checkpoint_on_soil_continues_bit_identical(sled: Path) -> None:
    """It leaves a rut, and a run from a saved state gives the same."""
    soft = ['terrain.model=scm', 'terrain.soil=lunar_nominal', 'vehicles.sled.driver.speed_mps=2.0']
    scenario = load_scenario(sled / 'sled.yaml', soft).scenario
    simulation = Simulation(scenario)
    simulation.run(0.6)
    saved = simulation.checkpoint()
    state_hash, soil = simulation.run(1.0), simulation.terrain.grid.save()
    assert simulation.terrain.grid.modified_count > 100 and simulation.terrain.grid.max_rut_depth() > 1e-4
    again = Simulation(scenario)
    again.go_to(saved)
    assert again.run(1.0) == state_hash and again.terrain.grid.save() == soil


def test_targets_of_joints_come_from_outside_beside_the_twist(sled: Path) -> None:
    """A target pushes as long as it is fresh, whatever cmd_vel does; unknown joints and infinite targets are refused."""
    outside = ['vehicles.sled.driver={type: external, timeout_s: 0.3}']
    simulation = Simulation(load_scenario(sled / 'sled.yaml', outside).scenario)
    agent = simulation.agents['sled']
    assert agent.on_joint_targets({'push': 40.0}) and agent.on_command(0.1, 0.0)
    assert not agent.on_joint_targets({'pull': 40.0}) and not agent.on_joint_targets({'push': float('inf')})
    simulation.run(0.2)
    assert agent.vehicle.gear.thrust == pytest.approx([40.0])  # type: ignore[attr-defined]
    assert agent.on_command(0.1, 0.0)  # alone it does not keep the target alive
    simulation.run(0.4)
    assert agent.vehicle.gear.thrust == pytest.approx([3.0])  # type: ignore[attr-defined]
    assert agent.on_joint_targets({'push': 20.0})  # nor does a target the twist
    simulation.run(0.6)
    assert agent.vehicle.gear.thrust == pytest.approx([20.0])  # type: ignore[attr-defined]
    assert tuple(agent.driver.command(600_000_000, agent.vehicle.body_state())) == (0.0, 0.0)
    copy = Simulation(load_scenario(sled / 'sled.yaml', outside).scenario)
    copy.go_to(simulation.checkpoint())
    assert copy.run(1.0) == simulation.run(1.0)


def test_input_errors_name_the_parameter(sled: Path) -> None:
    """A gear that is not there, one that is none, parameters it does not take, and wheels beside it."""
    vehicle = yaml.safe_load((sled / 'vehicle.yaml').read_text())
    wheel = {'name': 'a', 'body': 'base_link', 'joint': 'a', 'actuator': 'push', 'radius_m': 0.1, 'width_m': 0.1}
    for change, words in (
        ({'running_gear': {'name': 'skit'}}, r'running_gear.*skit.*not installed; allowed: car, feet, skid'),
        ({'running_gear': {'name': 'stone'}}, r'running_gear.*stone.*allowed: a subclass of RunningGear'),
        ({'running_gear': {'name': 'skid'}}, r'running_gear.*newton_per_mps'),
        ({'wheels': [wheel]}, r"wheels = .*: exclude running_gear 'skid'; allowed: only one of them"),
        ({'running_gear': None}, r'wheels.*: is missing; allowed: wheels and drive, or running_gear'),
    ):
        (sled / 'vehicle.yaml').write_text(yaml.safe_dump({**vehicle, **change}))
        with pytest.raises(InputError, match=words):
            load_scenario(sled / 'sled.yaml')
