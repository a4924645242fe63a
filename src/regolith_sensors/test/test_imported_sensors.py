# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of sensors that are imported with a robot."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import yaml

from regolith_files import InputError
from regolith_sensors.config.sensors import SensorEntry
from regolith_vehicles.robot_import import ImportedVehicle, convert

WHEEL = """<link name="{0}"><inertial><mass value="2"/><inertia ixx="0.01" iyy="0.02" izz="0.01"/></inertial><collision>
<origin rpy="1.5707963267948966 0 0"/><geometry><cylinder radius="0.15" length="0.08"/></geometry></collision></link>
<joint name="{0}_joint" type="continuous"><parent link="base_link"/><child link="{0}"/><origin xyz="0 {1} 0"/>
<axis xyz="0 1 0"/><limit effort="10" velocity="8"/></joint>"""
ROBOT = """<robot name="cart"><link name="base_link"><inertial><mass value="9"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
<visual><geometry><box size="0.3 0.3 0.1"/></geometry></visual></link>
<link name="mast"/><joint name="mast_joint" type="fixed"><parent link="base_link"/><child link="mast"/>
<origin xyz="0.2 0 0.25" rpy="0 0.2 0"/></joint>{}
<gazebo reference="mast"><sensor name="front" type="camera"><pose>0 0.05 0 0 0 0</pose><update_rate>5</update_rate>
<camera><horizontal_fov>1.0</horizontal_fov><image><width>320</width><height>240</height></image><noise><stddev>0.01</stddev>
</noise></camera></sensor></gazebo>
<gazebo reference="base_link"><sensor name="scan" type="gpu_lidar"><pose>0.1 0 0.3 0 0 0</pose><update_rate>10</update_rate>
<lidar><scan><horizontal><samples>360</samples><min_angle>-1.5</min_angle><max_angle>1.5</max_angle></horizontal></scan>
<range><min>0.2</min><max>30</max></range></lidar></sensor><sensor name="imu" type="imu"><update_rate>100</update_rate></sensor>
<sensor name="fix" type="gps"/><sensor name="bumper" type="contact"/></gazebo></robot>"""


@pytest.fixture
def imported(tmp_path: Path) -> Any:
    """Return a function that imports the robot with some text replaced."""

    def make(old: str = '', new: str = '') -> ImportedVehicle:
        text = ROBOT.format(WHEEL.format('left', 0.25) + WHEEL.format('right', -0.25))
        (tmp_path / 'cart.urdf').write_text(text.replace(old, new) if old else text)
        return convert(tmp_path / 'cart.urdf')

    return make


def test_imported_sensors_are_valid_and_keep_pose_rate_and_view(imported: Any) -> None:
    """Noise is left out; a type without an equivalent is noted."""
    made = imported()
    given = yaml.safe_load(made.files['sensors.yaml'])['sensors']
    sensors = {name: SensorEntry.model_validate(entry) for name, entry in given.items()}
    assert list(sensors) == ['front', 'scan', 'imu', 'fix']
    assert sensors['front'].mount.xyz == pytest.approx((0.2, 0.05, 0.25))
    assert sensors['front'].mount.rpy_deg == pytest.approx((0.0, math.degrees(0.2), 0.0))
    camera, scan = given['front']['model'], given['scan']['model']
    across = 2.0 * math.atan(0.5 * camera['width'] * camera['pixel_size_m'] / camera['focal_length_m'])
    assert (across, camera['width'], camera['height'], camera['rate_hz']) == (pytest.approx(1.0), 320, 240, 5.0)
    assert 'noise' not in camera
    assert scan['azimuth_deg'] == pytest.approx([math.degrees(-1.5), math.degrees(1.5)])
    assert (scan['columns'], scan['rings'], scan['range_m']) == (360, 1, [0.2, 30.0])
    assert given['imu'] == {
        'model': {'type': 'imu', 'rate_hz': 100.0},
        'mount': {'xyz': [0.0] * 3, 'rpy_deg': [0.0] * 3},
    }
    assert any("sensor bumper type = 'contact': is unknown and ignored" in note for note in made.notes)


@pytest.mark.parametrize(
    ('old', 'new', 'expected'),
    [
        ('>1.0<', '>3.2<', 'camera horizontal_fov = 3.2: is out of range'),
        (
            '>5</update_rate>',
            '>0</update_rate>',
            'sensor front update_rate = 0.0: is out of range; allowed: 0.001 to 1000',
        ),
        ('>360<', '>many<', "samples = 'many': is not a finite number"),
        ('reference="mast"', 'reference="mats"', "gazebo reference = 'mats': is no link of the robot; allowed: "),
    ],
)
def test_invalid_sensor_of_a_robot_is_named(old: str, new: str, expected: str, imported: Any) -> None:
    with pytest.raises(InputError) as error:
        imported(old, new)
    (line,) = str(error.value).splitlines()
    assert expected in line
    assert 'cart.urdf:' in line
