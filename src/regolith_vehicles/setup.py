# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
from setuptools import find_packages, setup

package_name = 'regolith_vehicles'

setup(
    name=package_name,
    version='0.1.0',
    packages=find_packages(exclude=['test']),
    package_data={
        package_name: [
            'py.typed',
            'data/*/*.yaml',
            'data/*/*.xml',
            'data/*/*.obj',
            'tires/data/*.yaml',
            'references.bib',
        ],
    },
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{package_name}']),
        (f'share/{package_name}', ['package.xml']),
    ],
    install_requires=['setuptools'],
    zip_safe=False,
    maintainer='Regolith maintainers',
    description='Vehicle dynamics: multibody models, running gear, tires, drivers, excavation tools',
    license='Apache-2.0',
    entry_points={
        'regolith.file_kinds': [
            'tire = regolith_vehicles.tires.config:FILE_KIND',
            'vehicle = regolith_vehicles.vehicle_files:FILE_KIND',
        ],
        'console_scripts': [
            'bodies_node = regolith_world.node_main:run_node',
            'vehicle_node = regolith_world.node_main:run_node',
        ],
        'regolith.commands': ['vehicle = regolith_vehicles.robot_import.command:vehicle'],
        'regolith.vehicle_formats': [
            'sdf = regolith_vehicles.robot_import.converter:vehicle_file_of',
            'urdf = regolith_vehicles.robot_import.converter:vehicle_file_of',
            'xacro = regolith_vehicles.robot_import.converter:vehicle_file_of',
        ],
        'regolith.running_gears': [
            'car = regolith_vehicles.car:Car',
            'feet = regolith_vehicles.feet:Feet',
            'tracks = regolith_vehicles.tracks:Tracks',
        ],
        'regolith.citations': [
            'vehicles = regolith_vehicles.citations:citations',
            'excavation = regolith_vehicles.citations:excavation_citations',
        ],
        'regolith.participants': ['bodies = regolith_vehicles.bodies_type:BODIES'],
        'regolith.spawnables': ['vehicles = regolith_vehicles.spawning:VEHICLES'],
    },
)
