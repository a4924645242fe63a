# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
from setuptools import find_packages, setup

package_name = 'regolith_terrain'

setup(
    name=package_name,
    version='0.1.0',
    packages=find_packages(exclude=['test']),
    package_data={
        package_name: [
            'py.typed',
            'data/soils/*.yaml',
            'data/particle_soils/*.yaml',
            'data/terrain/*.yaml',
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
    description='Deformable terrain: elevation models, terrain models SCM, CRM and rigid, excavation',
    license='Apache-2.0',
    entry_points={
        'regolith.file_kinds': [
            'particle-soil = regolith_terrain.crm.soil:FILE_KIND',
            'soil = regolith_terrain.terrain_model:FILE_KIND',
            'terrain-preset = regolith_terrain.lunar.presets:FILE_KIND',
        ],
        'console_scripts': ['terrain_node = regolith_world.node_main:run_node'],
        'regolith.report_sections': [
            'excavation = regolith_terrain.excavation.report:section',
            'particles = regolith_terrain.particle_report:section',
        ],
        'regolith.citations': [
            'crm = regolith_terrain.crm.citations:citations',
            'rigid = regolith_terrain.rigid.citations:citations',
            'scm = regolith_terrain.scm.citations:citations',
            'terrain = regolith_terrain.citations:citations',
        ],
        'regolith.terrain_models': [
            'crm = regolith_terrain.crm.law:CRM',
            'rigid = regolith_terrain.rigid.law:RIGID_TERRAIN_MODEL',
            'scm = regolith_terrain.scm.law:SCM',
        ],
        'regolith.view_layers': ['regions = regolith_terrain.view_layer:layer'],
    },
)
