# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Install regolith_bringup as an ament package."""

from glob import glob

from setuptools import find_packages, setup

NAME = 'regolith_bringup'

setup(
    name=NAME,
    version='0.1.0',
    packages=find_packages(exclude=['test']),
    package_data={
        NAME: [
            'py.typed',
            'templates/*.html',
            'templates/*.css',
            'templates/new/*',
            'schemas/*.json',
            'gym/scenarios/*',
        ]
    },
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
        (f'share/{NAME}', ['package.xml']),
        (f'share/{NAME}/launch', glob('launch/*.launch.py')),
        (f'share/{NAME}/config', glob('config/*.xml')),
        (f'share/{NAME}/config/foxglove', glob('config/foxglove/*.json')),
        (f'share/{NAME}/config/rviz', glob('config/rviz/*.rviz')),
        (
            f'share/{NAME}/config/scenarios',
            [f for kind in ('yaml', 'tif', 'csv', 'glb') for f in glob(f'config/scenarios/*.{kind}')],
        ),
    ],
    install_requires=['setuptools'],
    zip_safe=True,
    maintainer='Regolith maintainers',
    description='Scenarios, command line, launch files, recording, reports',
    license='Apache-2.0',
    entry_points={
        'regolith.file_kinds': [
            'campaign = regolith_bringup.campaign.config:FILE_KIND',
            'experiment = regolith_bringup.commands.file_schemas:EXPERIMENT',
            'scenario = regolith_bringup.commands.file_schemas:SCENARIO',
        ],
        'console_scripts': [
            'markers_node = regolith_world.node_main:run_node',
            'recorder_node = regolith_world.node_main:run_node',
            'single_process_node = regolith_world.node_main:run_node',
            'regolith = regolith_bringup.__main__:main',
        ],
        'regolith.commands': [
            'campaign = regolith_bringup.commands.campaign:campaign',
            'challenge = regolith_bringup.commands.challenge:challenge',
            'compare = regolith_bringup.commands.compare:compare',
            'doctor = regolith_bringup.commands.doctor:doctor',
            'evaluate = regolith_bringup.commands.evaluate:evaluate',
            'join = regolith_bringup.commands.join:join',
            'new = regolith_bringup.commands.new:new',
            'pause = regolith_bringup.commands.control:pause',
            'replay = regolith_bringup.commands.replay:replay',
            'reset = regolith_bringup.commands.snapshots:reset',
            'resume = regolith_bringup.commands.control:resume',
            'rewind = regolith_bringup.commands.snapshots:rewind',
            'rtf = regolith_bringup.commands.control:rtf',
            'schema = regolith_bringup.commands.schema:schema',
            'snapshot = regolith_bringup.commands.snapshots:snapshot',
            'step = regolith_bringup.commands.control:step',
            'teleop = regolith_bringup.commands.teleop:teleop',
            'view = regolith_bringup.commands.view:view',
        ],
        'regolith.benchmarks': [
            'cycle-rate = regolith_bringup.bench.cycle_rate:cycle_rate',
            'gym = regolith_bringup.bench.environments:environments',
            'scm = regolith_bringup.bench.driving:scm',
            'vehicles = regolith_bringup.bench.vehicle_cost:vehicles',
            'two_rovers = regolith_bringup.bench.driving:two_rovers',
        ],
    },
)
