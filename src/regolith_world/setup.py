# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
from setuptools import find_packages, setup

package_name = 'regolith_world'

setup(
    name=package_name,
    version='0.1.0',
    packages=find_packages(exclude=['test']),
    package_data={package_name: ['py.typed', 'references.bib', 'tiles/data/*.csv']},
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{package_name}']),
        (f'share/{package_name}', ['package.xml']),
    ],
    install_requires=['setuptools'],
    zip_safe=True,
    maintainer='Regolith maintainers',
    description=(
        'Simulation coordinator: adaptive steps, objects, collision detection, contacts, constraints, checkpoints'
    ),
    license='Apache-2.0',
    entry_points={
        'regolith.citations': ['world = regolith_world.reporting.citations:citations'],
        'regolith.report_sections': ['objects = regolith_world.reporting.section:section'],
        'regolith.view_layers': ['constraints = regolith_world.reporting.view_layer:layer'],
        'console_scripts': [
            'participant_node = regolith_world.node_main:run_node',
            'world_node = regolith_world.node_main:run_node',
        ],
        'regolith.object_types': [
            'cable = regolith_world.objects.constraint_types:CABLE',
            'cushion = regolith_world.objects.cushion:CUSHION',
            'force_field = regolith_world.objects.force_field:FORCE_FIELD',
            'rigid_body = regolith_world.objects.object_types:RIGID_BODY',
            'static_body = regolith_world.objects.object_types:STATIC_BODY',
            'joint = regolith_world.objects.constraint_types:JOINT',
            'linkage = regolith_world.objects.linkages.linkage_types:LINKAGE',
            'platform = regolith_world.objects.platform:PLATFORM',
            'rope = regolith_world.objects.linkages.linkage_types:ROPE',
            'throwing_robot = regolith_world.examples.ball_throwing_robot:THROWING_ROBOT',
        ],
    },
)
