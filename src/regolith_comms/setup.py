# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
from setuptools import find_packages, setup

package_name = 'regolith_comms'

setup(
    name=package_name,
    version='0.1.0',
    packages=find_packages(exclude=['test']),
    package_data={package_name: ['py.typed', 'data/radios/*.yaml', 'references.bib']},
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{package_name}']),
        (f'share/{package_name}', ['package.xml']),
    ],
    install_requires=['setuptools'],
    zip_safe=True,
    maintainer='Regolith maintainers',
    description='Radio communication: tile graph, propagation, breadcrumbs, datagrams',
    license='Apache-2.0',
    entry_points={
        'regolith.file_kinds': [
            'radio = regolith_comms.radio_config:FILE_KIND',
        ],
        'console_scripts': ['comms_node = regolith_world.node_main:run_node'],
        'regolith.benchmarks': ['comms = regolith_comms.bench.radios:comms'],
        'regolith.citations': ['comms = regolith_comms.report:citations'],
        'regolith.commands': ['comms = regolith_comms.commands:comms'],
        'regolith.participants': ['comms = regolith_comms.registration:COMMS'],
        'regolith.experiments': ['radio-link = regolith_comms.experiments.radio_link'],
        'regolith.report_sections': ['radio = regolith_comms.report:section'],
        'regolith.summary': ['comms = regolith_comms.report:comms_summary'],
        'regolith.view_layers': ['radio = regolith_comms.view_layer:layer'],
    },
)
