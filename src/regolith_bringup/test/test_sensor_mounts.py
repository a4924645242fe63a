# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of where check lets sensors be mounted."""

from __future__ import annotations

import pytest

from regolith_bringup.scenario.loading import load_scenario
from regolith_files.problems import InputError


def load(model: str, sensor: str, xyz: list[float], vehicle: str = 'viper') -> None:
    entry = f'{{model: {model}, mount: {{xyz: {xyz}}}}}'
    load_scenario(
        'two_rovers',
        [
            'terrain.source=flat',
            f'vehicles.amber={{model: {vehicle}, position: [0.0, 0.0], sensors: {{{sensor}: {entry}}}}}',
        ],
    )


@pytest.mark.parametrize(
    ('model', 'xyz', 'words'),
    [
        ('vlp16', [0.52, 0.0, 1.75], r"is on the surface of 'mast_head'"),
        ('navcam', [0.5305, 0.0, 1.85], r"is on the surface of 'mast_head'"),
        ('navcam', [0.45, 0.0, 1.85], r"is 0\.08 m inside 'mast_head'"),
        ('flash_lidar', [0.0, 0.0, 0.4], r'm inside '),
    ],
)
def test_cameras_and_lidars_in_or_on_their_own_vehicle_are_refused(model: str, xyz: list[float], words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        load(model, 'eye', xyz)
    text = str(caught.value)
    assert 'vehicles.amber.sensors.eye.mount.xyz' in text and 'allowed: a place at least 0.001 m outside' in text


@pytest.mark.parametrize('model', ['navcam', 'imu_mems'])
@pytest.mark.parametrize('axis', range(3))
def test_sensors_far_from_their_vehicle_are_refused(model: str, axis: int) -> None:
    """A place in millimeters, or on the map; the mast's head is at 1.85 m and its boom may be longer."""
    place = [0.0, 0.0, 3.0]
    load(model, 'it', place)
    place[axis] = 500.0
    with pytest.raises(
        InputError, match=r'sensors\.it\.mount\.xyz.* m from all parts of its own vehicle; allowed: .* 10 m'
    ):
        load(model, 'it', place)


def test_what_does_not_see_may_be_inside() -> None:
    load('imu_mems', 'imu', [0.0, 0.0, 0.0])
    load('vlp16', 'lidar', [0.45, 0.0, 2.05])
    load('navcam', 'eye', [0.534, 0.0, 1.85])


@pytest.mark.parametrize(
    ('xyz', 'inside'),
    [([0.0, 0.0, 0.4], True), ([0.45, 0.0, 1.85], True), ([0.524, 0.0, 1.85], False), ([0.6, 0.0, 1.85], False)],
)
def test_lamps_in_their_own_vehicle_are_refused(xyz: list[float], inside: bool) -> None:
    """Deeper than the centimeter of their housing, from where no light comes out; the head's front is at 0.53 m."""
    vehicle = f'{{model: viper, position: [0.0, 0.0], spotlights: {{head: {{mount: {{xyz: {xyz}}}}}}}}}'
    settings = ['terrain.source=flat', f'vehicles.amber={vehicle}']
    if not inside:
        load_scenario('two_rovers', settings)
        return
    with pytest.raises(
        InputError, match=r'vehicles\.amber\.spotlights\.head\.mount\.xyz .*m inside .*or up to 0\.01 m inside'
    ):
        load_scenario('two_rovers', settings)
