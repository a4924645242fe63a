# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
from setuptools import find_packages, setup

package_name = 'regolith_testbeds'

setup(
    name=package_name,
    version='0.1.0',
    packages=find_packages(exclude=['test']),
    package_data={
        package_name: [
            'py.typed',
            'data/wheel_rigs/*.yaml',
            'data/reference/*',
            'proving_ground/cases/*.yaml',
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
    description='Testbeds: virtual experiments, proving ground, particle and grain beds, benchmarks',
    license='Apache-2.0',
    entry_points={
        'regolith.file_kinds': ['wheel-rig = regolith_testbeds.slope_climb:FILE_KIND'],
        'regolith.benchmarks': [
            'crm = regolith_testbeds.bench.particles:crm',
            'dem = regolith_testbeds.bench.grains:dem',
        ],
        'regolith.experiments': [
            'angle-of-repose = regolith_testbeds.experiments.angle_of_repose',
            'bevameter = regolith_testbeds.experiments.bevameter',
            'bucket-drum = regolith_testbeds.experiments.bucket_drum',
            'cratering = regolith_testbeds.experiments.cratering',
            'dam-break = regolith_testbeds.experiments.dam_break',
            'multipass = regolith_testbeds.experiments.multipass',
            'plate-sinkage = regolith_testbeds.experiments.plate_sinkage',
            'proving-ground = regolith_testbeds.experiments.proving_ground',
            'soil-fit = regolith_testbeds.experiments.soil_fit',
            'tire-rig = regolith_testbeds.experiments.tire_rig',
            'vehicle-slope = regolith_testbeds.experiments.vehicle_slope',
            'wheel-rig = regolith_testbeds.experiments.wheel_rig',
        ],
    },
)
