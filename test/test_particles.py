# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A rover drives from soil of the grid into particles: mass balance, state, other vehicles at the edge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from harness import run_scenario

from regolith_bringup.bag.reading import Bag
from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_bringup.scenario.schema import Scenario
from regolith_sensors.report.image_reader import stamp_ns
from regolith_terrain.grid.owned_region import ForeignSoilError
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.contact.foreign_regions import ForeignRegions
from regolith_world.cycle.participant import ParticipantFailed

STRIP = {'low': [1.2, -1.0], 'high': [2.0, -0.2]}
"""Under the wheels on the right."""


def write(folder: Path, other_vehicles: str = 'stop', spacing_m: float = 0.1, **changes: Any) -> Path:
    """Return the path of a scenario in which a rover is about to drive into a strip of coarse particles."""
    region = {
        'model': 'crm',
        'name': 'strip',
        'vehicle': 'amber',
        'rectangle': STRIP,
        'spacing_m': spacing_m,
        'depth_m': 0.2,
        'other_vehicles': other_vehicles,
    }
    vehicles: dict[str, Any] = {
        'amber': {'model': 'viper', 'position': [0.0, 0.0], 'driver': {'type': 'constant', 'speed_mps': 0.6}}
    }
    content = {
        'name': 'particles',
        'duration_s': 2.0,
        'terrain': {'source': 'flat', 'spacing_m': 0.04, 'regions': [region], **changes.pop('terrain', {})},
        'vehicles': {**vehicles, **changes.pop('vehicles', {})},
        **changes,
    }
    file = folder / 'particles.yaml'
    file.write_text(yaml.safe_dump(content))
    return file


def scenario(folder: Path, **changes: Any) -> Scenario:
    return load_scenario(write(folder, **changes)).scenario


@pytest.mark.seconds
def test_a_rover_drives_into_particles_and_no_soil_is_lost(tmp_path: Path) -> None:
    """Its weight rests on both grounds, a tenth of it being what it heaves with as it climbs in; mass is moved, and the
    sum is exactly zero; a checkpoint continues to the same hash, and a cycle that is discarded comes again."""
    simulation = Simulation(scenario(tmp_path))
    simulation.run(1.6)
    saved = simulation.checkpoint()
    amber = simulation.agents['amber']
    gear, before = amber.vehicle.gear, amber.vehicle.committed
    tried = amber.vehicle.evolve(20_000_000, *gear.targets(DriveCommand(0.6, 0.0)))
    amber.vehicle.discard()
    assert amber.vehicle.state() == before
    assert amber.vehicle.evolve(20_000_000, *gear.targets(DriveCommand(0.6, 0.0))).equals(tried)
    amber.vehicle.discard()
    loads = []
    for k in range(10):
        end = simulation.run(1.62 + 0.02 * k)
        loads.append([wheel.normal_load for wheel in amber.vehicle.wheel_states()])
    mean = np.mean(loads, axis=0)
    # Front right is in particles, which hold it higher than soil holds the two on the left.
    assert mean.sum() == pytest.approx(434.92 * 1.62, rel=0.1) and min(mean[1], mean[0] + mean[2]) > 100.0
    report, figures = simulation.terrain.summary(), amber.summary()['particles']['strip']  # type: ignore[index]
    assert report['mass_balance']['error_kg'] == 0.0 and report['mass_balance']['ground_kg'] == 0.0
    records = simulation.terrain.grid.all_records()
    assert np.abs(records.mass_kgpm2).sum() > 1.0
    assert 0 < figures['moving'] < figures['particles'] == 128 and abs(figures['surface_error']) < 0.01

    other = Simulation(scenario(tmp_path))
    other.go_to(saved)
    assert other.run(1.8) == end
    assert other.terrain.grid.soil_hash() == simulation.terrain.grid.soil_hash()


def stranger(simulation: Simulation, speed: float = 0.4) -> None:
    """Let the other vehicle do what its scenario's path did not say: drive ahead."""
    driver = simulation.agents['basalt'].driver
    driver.command = lambda t_ns, base: DriveCommand(speed)  # type: ignore[method-assign,assignment]


STANDING = {
    'model': 'viper',
    'position': [3.2, 0.0],
    'heading_deg': 180.0,
    'driver': {'type': 'constant', 'speed_mps': 0.0},
}


def with_stranger(folder: Path, other_vehicles: str) -> Simulation:
    """Return a run in which a second rover comes towards the strip from the other side while its owner stands."""
    amber = {'model': 'viper', 'position': [-2.0, 0.0], 'driver': {'type': 'constant', 'speed_mps': 0.0}}
    ground = {'slip_sinkage': {'enabled': False}}
    vehicles = {'amber': amber, 'basalt': STANDING}
    simulation = Simulation(scenario(folder, other_vehicles=other_vehicles, terrain=ground, vehicles=vehicles))
    stranger(simulation)
    return simulation


@pytest.mark.seconds
def test_another_rover_stops_at_the_edge(tmp_path: Path) -> None:
    """It comes to rest before its wheels are over particles."""
    simulation = with_stranger(tmp_path, 'stop')
    simulation.run(3.0)
    base = simulation.agents['basalt'].vehicle.body_state()
    assert abs(base.linear_velocity[0]) < 0.02
    assert 2.0 + 0.9 < base.position[0] < 3.19


@pytest.mark.seconds
def test_other_rover_drives_as_on_the_soil_around_and_leaves_no_ruts(tmp_path: Path) -> None:
    simulation = with_stranger(tmp_path, 'scm')
    simulation.run(3.0)
    basalt = simulation.agents['basalt'].vehicle
    assert basalt.body_state().position[0] < 2.5
    assert min(wheel.normal_load for wheel in basalt.wheel_states()) > 100.0
    records = simulation.terrain.grid.all_records()
    (region,) = simulation.scenario.terrain.owned_regions()
    assert len(records) and not region.owned(records.i, records.j, 0.04).any()


@pytest.mark.seconds
def test_terrain_refuses_what_others_do_to_particles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a named error with both vehicles, the region and a node; the run ends with it."""
    monkeypatch.setattr(ForeignRegions, 'without', lambda self, records: records)
    simulation = with_stranger(tmp_path, 'scm')
    words = r"basalt: changes node \(\d+, -?\d+\) of CRM region 'strip' of amber; allowed: changes by amber only"
    with pytest.raises(ParticipantFailed, match=words) as caught:
        simulation.run(3.0)
    assert any(isinstance(error, ForeignSoilError) for error in (caught.value, caught.value.__cause__))


@pytest.mark.slow
@pytest.mark.ros
def test_one_process_and_many_move_the_same_particles(tmp_path: Path) -> None:
    """The same hash; from a checkpoint of one process in many, too. The summary has the statistics of the region."""
    file = write(tmp_path, world={'checkpoint_period_s': 1.6})
    whole = run_scenario(tmp_path, file, '--no-record', name='whole', processes='one')
    many = run_scenario(tmp_path, file, '--no-record', name='many')
    saved = whole.run_dir / 'checkpoints' / 't000001.600'
    rest = run_scenario(tmp_path, file, '--checkpoint', saved, '--no-record', name='rest')
    for result in (many, rest):
        assert result.summary['state_hash'] == whole.summary['state_hash']
        assert result.summary['terrain'] == whole.summary['terrain']
    assert whole.summary['terrain']['mass_balance']['error_kg'] == 0.0
    assert whole.summary['vehicles']['amber']['particles']['strip']['moving'] > 0


@pytest.mark.slow
def test_wheels_on_strips_of_particles() -> None:
    """``wheel_crm`` until the front wheels are on their strips: both alike, slip as on soil of the grid, a rut in each, no soil
    lost. The loads balance weight and vertical momentum: the front bounces as it climbs onto the particles, which stand higher
    than wheels sink in soil of the grid, so the mean load of half a second is not the weight.

    Tolerance: five standard deviations. Loads are read at the ends of cycles only: over all windows of this length between 1.2
    and 4 s the balance is off by 0.4 % (standard deviation), the weight alone by up to 6 %.
    """
    simulation = Simulation(load_scenario('wheel_crm').scenario)
    amber = simulation.agents['amber'].vehicle
    loads, slips, climbs, period = [], [], [], 0.02
    for k in range(30):
        simulation.run(1.8 + period * k)
        states = amber.wheel_states()
        loads.append([wheel.normal_load for wheel in states])
        slips.append([wheel.slip_ratio for wheel in states])
        climbs.append(amber.body_state().linear_velocity[2])
    load, slip = np.mean(loads, axis=0), np.mean(slips, axis=0)
    climbing = (climbs[-1] - climbs[0]) / (period * (len(climbs) - 1))
    assert load.sum() == pytest.approx(434.92 * (1.62 + climbing), rel=0.02)
    assert load[0] == pytest.approx(load[1], rel=0.02) and 0.0 < slip[:2].max() < 0.3
    figures = simulation.agents['amber'].summary()['particles']
    for strip in ('left', 'right'):
        assert abs(figures[strip]['surface_error']) < 0.01 and figures[strip]['deepest_m'] > 0.01  # type: ignore[index]
    assert simulation.terrain.summary()['mass_balance']['error_kg'] == 0.0


EYE: dict[str, Any] = {
    'type': 'camera',
    'width': 96,
    'height': 64,
    'pixel_size_m': 5e-6,
    'focal_length_m': 5e-4,
    'f_number': 4.0,
    'exposure_s': 1e-3,
    'rate_hz': 5.0,
}


@pytest.mark.slow
@pytest.mark.ros
def test_cameras_see_the_same_soil_in_motion_in_one_process_and_many(tmp_path: Path) -> None:
    """Every commit is published, soil under the wheels in the later ones; images are bit-identical, and a node that looks
    changes no hash."""
    sees = {
        'eye': {'model': EYE, 'mount': {'xyz': [1.5, -1.3, 0.4], 'rpy_deg': [0.0, 20.0, 140.0]}, 'outputs': ['image']}
    }
    amber = {
        'model': 'viper',
        'position': [0.0, 0.0],
        'driver': {'type': 'constant', 'speed_mps': 0.6},
        'sensors': sees,
    }
    recording = {'sensors': True, 'topics': ['/amber/soil_surfels|sensor_msgs/msg/PointCloud2']}
    blind = run_scenario(tmp_path, write(tmp_path), '--no-record', name='blind', processes='one')
    file = write(tmp_path, vehicles={'amber': amber}, recording=recording)
    told: dict[str, list[tuple[int, bytes]]] = {}
    for processes in ('one', 'many'):
        result = run_scenario(tmp_path, file, name=processes, processes=processes)
        assert result.summary['state_hash'] == blind.summary['state_hash']
        bag = Bag(result.run_dir)
        for topic in ('/amber/soil_surfels', '/amber/eye/image_raw'):
            found = sorted((stamp_ns(m.content), bytes(m.content.data)) for m in bag.messages(topic))
            assert told.setdefault(topic, found) == found
    clouds, pictures = told.values()
    assert [t for t, _ in clouds] == list(range(0, 2_000_000_001, 20_000_000)) and len(pictures) == 10
    assert not clouds[20][1] and len(clouds[-1][1]) > 5 * 52


@pytest.mark.slow
def test_rock_in_particles_is_pushed_and_pushes_soil() -> None:
    """``viper_crm_rocks``: a wheel pushes the block by 0.2 m; the soil is dented ahead of the wheel, none is lost, and a
    checkpoint amid the push continues to the same hash, with one thread instead of two."""
    simulation = Simulation(load_scenario('viper_crm_rocks').scenario)
    simulation.run(3.2)
    saved = simulation.checkpoint()
    end = simulation.run(3.8)
    rover = simulation.agents['rover'].vehicle
    assert rover.assigned is not None and rover.assigned.bodies is not None
    block = rover.assigned.bodies.index['block']
    x, y, z = rover.assigned.bodies.position[block].tolist()
    # It stood with its lower face, 0.12 m below its center, on the surface at x = 1.9.
    assert x > 2.1 and abs(y + 0.66) < 0.1 and z < 0.11
    levels = simulation.terrain.grid.levels(np.array([x, 3.0]), np.array([y, y]))
    assert levels[0] < -0.01 and abs(levels[1]) < 1e-3
    assert simulation.terrain.summary()['mass_balance']['error_kg'] == 0.0

    other = Simulation(load_scenario('viper_crm_rocks', ['terrain.regions.0.threads=1']).scenario)
    other.go_to(saved)
    assert other.run(3.8) == end


DIGGER: dict[str, Any] = {
    'model': 'rassor_scoops',
    'position': [0.0, 0.0],
    'driver': {
        'type': 'tasks',
        'tasks': [
            {'type': 'haul', 'goal': [0.3, 0.0], 'speed_mps': 0.25, 'joints': {'arm_front': -0.3, 'arm_rear': 0.3}},
            {
                'type': 'dig',
                'tools': ['drum_front'],
                'target_fill': 0.9,
                'speed_mps': 0.06,
                'timeout_s': 8.0,
                'joints': {'arm_front': -0.95, 'drum_front': 2.0},
            },
        ],
    },
}


@pytest.mark.slow
def test_drum_digs_in_particles(tmp_path: Path) -> None:
    """One drum of a digger whose wheels stand beside the region: soil in the drum is missing from the ground to 1e-9 of what
    moved. It is a load for tasks and telemetry, and a force on the drum.

    The drum has turned by nearly one revolution in the soil, so both lips have cut. It
    gathers at least 1 kg, an eighth of the soil in a cut of 0.05 m at 0.7 m over the 0.14 m of its way, and at most its half volume.
    """
    pit = {
        'rectangle': {'low': [0.84, -0.44], 'high': [1.44, 0.44]},
        'soil': {'density_kgpm3': 1660.0, 'youngs_modulus_pa': 1e5, 'friction': 0.7, 'cohesion_pa': 170.0},
        'vehicle': 'digger',
        'depth_m': 0.14,
        'threads': 2,
    }
    region = {'model': 'crm', 'name': 'pit', 'spacing_m': 0.02, **pit}
    file = tmp_path / 'digger.yaml'
    file.write_text(
        yaml.safe_dump(
            {
                'duration_s': 6.0,
                'terrain': {'source': 'flat', 'spacing_m': 0.02, 'regions': [region]},
                'vehicles': {'digger': DIGGER},
            }
        )
    )
    simulation = Simulation(load_scenario(file).scenario)
    simulation.run(6.0)
    digger = simulation.agents['digger'].vehicle
    balance = digger.tools.mass_balance()
    carried, transit = balance['carried_kg'], balance['in_transit_kg']
    assert 0.125 * 1660.0 * 0.7 * 0.05 * 0.14 < carried < 1660.0 * 0.5 * np.pi * 0.17**2 * 0.7
    assert digger.tools.levels()['drum_front'] == pytest.approx((carried + transit) / 40.0, rel=1e-12)
    ground = simulation.terrain.summary()['mass_balance']['ground_kg']
    records = simulation.terrain.grid.all_records()
    moved = np.abs(records.mass_kgpm2).sum() * 0.02**2
    assert abs(ground + carried + transit + balance['in_flight_kg']) < 1e-9 * moved and moved > carried
    load, _, force = digger.tools.telemetry().reshape(3, 2)[:, 0]
    assert load == carried and force > 1.0
    # Somewhere along the middle of the pit the ground is lower than before; ahead of the drum it is heaped up.
    along = simulation.terrain.grid.levels(np.arange(0.86, 1.42, 0.02), np.zeros(28))
    assert along.min() < -0.01 and along.max() > 0.0
