# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Regions of particles in a scenario: what is refused, and what they are said to cost."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import yaml

from regolith_bringup.cli import main
from regolith_bringup.scenario import particle_section
from regolith_bringup.scenario.loading import load_scenario
from regolith_bringup.scenario.schema import Scenario
from regolith_files.problems import InputError, Problem

STRIP: dict[str, Any] = {
    'model': 'crm',
    'name': 'strip',
    'vehicle': 'amber',
    'rectangle': {'low': [1.6, -1.0], 'high': [3.2, 1.0]},
    'spacing_m': 0.05,
    'depth_m': 0.2,
}


def scenario(folder: Path, *more: dict[str, Any], terrain: dict[str, Any] | None = None, **change: Any) -> Scenario:
    """Return a checked scenario: amber before a strip, which it drives into; basalt beside it."""
    vehicles: dict[str, dict[str, Any]] = {
        'amber': {'model': 'viper', 'position': [0.0, 0.0], 'driver': {'type': 'constant', 'speed_mps': 0.1}},
        'basalt': {
            'model': 'viper',
            'position': [0.0, 4.0],
            'driver': {'type': 'path', 'speed_mps': 0.2, 'waypoints': [[0.0, 4.0], [5.0, 4.0]]},
        },
    }
    for name, entry in vehicles.items():
        entry.update(change.pop(name, {}))
    strip = {key: value for key, value in {**STRIP, **change}.items() if value is not None}
    ground = {'source': 'flat', 'regions': [strip, *more], **(terrain or {})}
    file = folder / 'scenario.yaml'
    file.write_text(yaml.safe_dump({'duration_s': 10.0, 'terrain': ground, 'vehicles': vehicles}))
    return load_scenario(file).scenario


@pytest.mark.parametrize(
    ('change', 'words'),
    [
        (
            {'spacing_m': 0.4, 'depth_m': 0.8, 'rectangle': {'low': [1.6, -1.2], 'high': [3.2, 1.2]}},
            ['terrain.regions.0.spacing_m = 0.4', 'coarser than a wheel', 'allowed: less than 0.3 m'],
        ),
        ({'depth_m': 0.22}, ['terrain.regions.0.depth_m = 0.22: is 0.22 m', 'allowed: a multiple of spacing_m 0.05']),
        (
            {'rectangle': {'low': [3.2, -1.0], 'high': [1.6, 1.0]}},
            ['terrain.regions.0.rectangle.high = [1.6, 1.0]', 'allowed: x and y above [3.2, -1.0]'],
        ),
        (
            {'rectangle': None, 'disc': {'center': [2.4, 0.0], 'radius_m': 1.0}},
            ['terrain.regions.0.model = crm: rectangle is missing', 'allowed: all of rectangle'],
        ),
        (
            {'name': '../../../x'},
            ["terrain.regions.0.name = '../../../x'", 'cannot be the name of a folder; allowed: letters'],
        ),
        (
            {'vehicle': None},
            ['terrain.regions.0.model = crm: vehicle is missing', 'allowed: all of rectangle'],
        ),
        (
            {'vehicle': 'ambr'},
            ['terrain.regions.0.vehicle', "'ambr'", 'allowed: amber, basalt (did you mean amber?)'],
        ),
        ({'soil': 'lunar_nominal'}, ['terrain.regions.0.soil', 'allowed:', 'lunar_regolith']),
        (
            {'soil': {'density_kgpm3': 1700.0, 'youngs_modulus_pa': 1e6, 'poisson_ratio': 0.5}},
            ['terrain.regions.0.soil.poisson_ratio = 0.5', 'less than 0.5'],
        ),
        (
            {'soil': {'density_kgpm3': 1700.0, 'youngs_modulus_pa': 1e6, 'friction': -0.1}},
            ['terrain.regions.0.soil.friction = -0.1', 'allowed:'],
        ),
        (
            {'model': 'rigid', 'spacing_m': None, 'depth_m': None, 'vehicle': None},
            ["terrain.regions.0.name = 'strip': applies only to model crm", 'allowed: no value, or model: crm'],
        ),
        (
            {'terrain': {'bedrock_depth_m': 0.1}},
            ['terrain.regions.0.depth_m = 0.2: is below bedrock', 'allowed: up to bedrock_depth_m 0.1'],
        ),
        (
            {'other_vehicles': 'scm'},
            [
                "terrain.regions.0.other_vehicles = 'scm'",
                'is not supported with slip-sinkage',
                'allowed: stop, or slip_sinkage: {enabled: false}',
            ],
        ),
        ({'terrain': {'spacing_m': 0.6}}, ["region 'strip'", 'is too small', 'allowed: sides of at least 3 spacing_m']),
        ({'terrain': {'map_size_m': 4.0}}, ["region 'strip'", 'is outside the map', 'allowed: within 2 m']),
        (
            {'terrain': {'model': 'crm', 'regions': []}},
            ["terrain.model = 'crm': is valid only in regions", 'allowed: rigid, scm'],
        ),
        (
            {'amber': {'position': [1.5, 0.0]}},
            ['vehicles.amber.position', "is in region 'strip'", 'allowed:', 'from its edge'],
        ),
        (
            {'basalt': {'driver': {'type': 'path', 'speed_mps': 0.2, 'waypoints': [[0.0, 4.0], [2.0, 0.0]]}}},
            ['vehicles.basalt.driver', "through region 'strip' of 'amber'", 'allowed: paths at a distance'],
        ),
        (
            {'amber': {'model': 'm113', 'position': [-9.0, 0.0]}},
            ['terrain.regions.0.vehicle', 'does not run on particles', 'allowed: a wheeled vehicle'],
        ),
        (
            {'amber': {'model': 'rassor'}},
            ['terrain.regions.0.vehicle', "has a tool 'drum_front' without mesh", 'allowed: tools with a mesh'],
        ),
    ],
)
def test_impossible_region_is_refused_by_key_value_and_allowed_values(
    tmp_path: Path, change: dict[str, Any], words: list[str]
) -> None:
    with pytest.raises(InputError) as caught:
        scenario(tmp_path, **change)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_rays_that_show_no_soil_in_motion_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are sensors to see it; ours shows it."""
    looking = {'amber': {'sensors': {'eye': {'model': 'navcam'}}}}
    assert scenario(tmp_path, **looking).light.ray_backend == 'embree'
    monkeypatch.setattr(particle_section, 'supports_surfels', lambda name: False)
    with pytest.raises(
        InputError, match=r"light\.ray_backend = .*does not show moving particles; allowed: 'embree', or another"
    ):
        scenario(tmp_path, **looking)
    scenario(tmp_path)


def test_regions_of_particles_do_not_overlap_and_have_names_of_their_own(tmp_path: Path) -> None:
    beside = {'low': [3.2, -1.0], 'high': [4.0, 1.0]}
    pad = {'model': 'rigid', 'disc': {'center': [1.4, 1.1], 'radius_m': 0.3}}
    for other in ({**STRIP, 'name': 'other'}, pad):
        with pytest.raises(
            InputError,
            match=r"terrain\.regions\.0\.rectangle = .*: region 'strip' overlaps regions\.1; allowed: CRM regions that do not overlap",
        ):
            scenario(tmp_path, other)
    with pytest.raises(
        InputError, match=r"terrain\.regions\.1\.name = 'strip': is the name of two regions; allowed: unique names"
    ):
        scenario(tmp_path, {**STRIP, 'rectangle': beside})
    assert len(scenario(tmp_path, {**STRIP, 'name': 'other', 'rectangle': beside}).terrain.owned_regions()) == 2


def test_a_hundred_million_particles_do_not_fit_on_24_gb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory and hours stand in the refusal: 840 bytes each, and years for a laptop's thread."""
    monkeypatch.setattr(particle_section, 'machine_memory_gb', lambda: 24.0)
    fine = {'spacing_m': 0.004, 'depth_m': 2.0}
    with pytest.raises(InputError) as caught:
        scenario(tmp_path, **fine)
    words = [
        'terrain.regions.0.spacing_m = 0.004',
        '100,000,000 particles',
        ' GB, about ',
        ' h of one core)',
        'allowed: 24 GB in total',
    ]
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_a_check_says_what_particles_cost(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """32 x 40 x 4 particles, and the time that four wheels in them take."""
    checked = scenario(tmp_path)
    (cost,) = particle_section.particle_costs(checked)
    assert cost.region.counts == (32, 40, 4)
    # Floor and walls: 38 x 46 columns of three layers, and ten more in all that are outside 32 x 40.
    assert cost.gigabytes == pytest.approx(840e-9 * (5120 + 38 * 46 * 3 + (38 * 46 - 32 * 40) * 10))
    # All soil moves: wheels of 0.29 m reach 0.2 m further and cover it. 0.3 h / Cs is 0.83 ms, so a substep of 1 ms is cut
    # in two; 0.35e6 particle-steps a second.
    assert cost.hours == pytest.approx(10.0 / 0.5e-3 * 5120 / 4.4e5 / 3600.0, rel=1e-9)
    assert cost.region.step == pytest.approx(0.3 * 0.065 / 23.57, rel=1e-3)
    with pytest.raises(SystemExit, match='0'):
        main(['check', str(tmp_path / 'scenario.yaml')])
    assert 'strip: 5,120 particles, 12.6 MB, about 3.9 min of one core' in capfd.readouterr().out


OPEN = """v 0 0 0
v 0.1 0 0
v 0 0.1 0
v 0 0 0.1
f 1 3 2
f 1 2 4
f 2 3 4
"""
CLOSED = OPEN + 'f 3 1 4\n'


def config(**values: Any) -> Any:
    """Return the keys of a vehicle model that matter to particles: three wheels of 0.3 m, and a hull."""
    plain = [SimpleNamespace(name=f'w{k}', mesh=None, width_m=0.3) for k in range(3)]
    hull = [SimpleNamespace(name='hull', mesh=None, body='arm')]
    return SimpleNamespace(**{'running_gear': None, 'tools': {}, 'wheels': plain, 'ground_shapes': hull, **values})


@pytest.mark.parametrize('where', ['wheels', 'ground_shapes', 'tools'])
def test_open_mesh_of_a_part_is_refused(where: str, tmp_path: Path) -> None:
    """The last of several wheels, a shape of the hull, or a tool: by name and file, with the number of open edges."""
    part: Any = SimpleNamespace(name='part', mesh='x.obj', mesh_scale=1.0, width_m=0.3, body='arm')
    plain = config()
    parts = {'part': part} if where == 'tools' else [*getattr(plain, where), part]
    region: Any = SimpleNamespace(vehicle='amber', spacing=0.05)
    source: Any = SimpleNamespace(
        error=lambda key, problem, allowed, value: InputError(Problem('a', '.'.join(key), problem, allowed, str(value)))
    )
    mjcf = tmp_path / 'vehicle.xml'
    (tmp_path / 'x.obj').write_text(OPEN)
    with pytest.raises(
        InputError,
        match=rf"has {where}\.part with a mesh 'x\.obj' that is open: 3 edges without two faces that meet; allowed: a closed",
    ):
        particle_section._check_vehicle(region, config(**{where: parts}), mjcf, ('r',), source)
    (tmp_path / 'y.obj').write_text(CLOSED)
    part.mesh = 'y.obj'
    particle_section._check_vehicle(region, config(**{where: parts}), mjcf, ('r',), source)
    if where == 'tools':
        with pytest.raises(
            InputError, match="has a tool 'part' without its ground shape; allowed: exactly one ground shape"
        ):
            particle_section._check_vehicle(region, config(tools=parts, ground_shapes=[]), mjcf, ('r',), source)
    for spacing, refused in ((0.3, True), (0.29, False)):
        region.spacing = spacing
        with (
            pytest.raises(InputError, match=r'is coarser than a wheel; allowed: less than 0\.3 m')
            if refused
            else nullcontext()
        ):
            particle_section._check_vehicle(region, plain, mjcf, ('r',), source)


def test_region_over_a_cliff_is_refused(tmp_path: Path) -> None:
    """A step of 1 m in the middle of the region, by its height and position; the same step behind it is allowed."""
    heights = np.zeros((41, 41))
    for first, refused in ((25, True), (30, False)):  # a post every 0.5 m from -10 m: from x = 2.5 m, from 5 m
        heights[:], heights[:, first:] = 0.0, 1.0
        np.save(tmp_path / 'step.npy', heights)
        ground = {'source': str(tmp_path / 'step.npy'), 'post_spacing_m': 0.5}
        if not refused:
            scenario(tmp_path, terrain=ground)
            continue
        with pytest.raises(InputError) as caught:
            scenario(tmp_path, terrain=ground)
        words = [
            'terrain.regions.0.rectangle = ',
            'is over a cliff: the surface rises by 0.191 m in 0.05 m at (2.2',
            'allowed: slopes',
        ]
        assert all(word in str(caught.value) for word in words), str(caught.value)
