# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
from setuptools import find_packages, setup

package_name = 'regolith_sensors'

setup(
    name=package_name,
    version='0.1.0',
    packages=find_packages(exclude=['test']),
    package_data={package_name: ['py.typed', 'data/sensors/*.yaml', 'data/stars.csv', 'references.bib']},
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{package_name}']),
        (f'share/{package_name}', ['package.xml']),
    ],
    install_requires=['setuptools'],
    zip_safe=False,
    maintainer='Regolith maintainers',
    description='Sensor simulation: ray-traced cameras and lidars, lunar photometry, IMU, GNSS',
    license='Apache-2.0',
    entry_points={
        'regolith.file_kinds': [
            'sensor = regolith_sensors.config.sensor_types:FILE_KIND',
        ],
        'console_scripts': ['sensors_node = regolith_world.node_main:run_node'],
        'regolith.benchmarks': ['camera = regolith_sensors.bench:camera', 'lidar = regolith_sensors.bench:lidar'],
        'regolith.citations': ['sensors = regolith_sensors.citations:citations'],
        'regolith.commands': [
            'dataset = regolith_sensors.commands:dataset',
            'render = regolith_sensors.commands:render',
            'stereo = regolith_sensors.commands:stereo',
        ],
        'regolith.imported_sensors': ['sdf = regolith_sensors.config.imported_sensors:imported_sensor'],
        'regolith.radiative_environments': ['lunar = regolith_sensors.heat.environment:LunarEnvironment'],
        'regolith.ray_backends': ['embree = regolith_sensors.rays.embree.backend:EmbreeRays'],
        'regolith.report_sections': ['sensors = regolith_sensors.report.section:section'],
        'regolith.summary': [
            'dust = regolith_sensors.report.summary:dust_summary',
            'sensors = regolith_sensors.report.summary:sensor_summary',
        ],
        'regolith.view_layers': [
            'fields_of_view = regolith_sensors.report.view_layer:fields_of_view',
            'sun = regolith_sensors.report.view_layer:sun',
        ],
    },
)
