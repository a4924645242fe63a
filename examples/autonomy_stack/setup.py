# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Install autonomy_stack as an ament package."""

from glob import glob

from setuptools import find_packages, setup

NAME = 'autonomy_stack'

setup(
    name=NAME,
    version='0.1.0',
    packages=find_packages(exclude=['test']),
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
        (f'share/{NAME}', ['package.xml']),
        (f'share/{NAME}/launch', glob('launch/*.launch.py')),
        (f'share/{NAME}/config', glob('config/*.yaml')),
    ],
    install_requires=['setuptools'],
    zip_safe=True,
    maintainer='Regolith maintainers',
    description='An example of an autonomy stack that drives a rover of Regolith by public topics alone.',
    license='Apache-2.0',
    entry_points={'console_scripts': ['stack_node = autonomy_stack.stack_node:main']},
)
