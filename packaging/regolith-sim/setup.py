# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Install Regolith's packages without ROS, as one distribution of pip.

Nothing is said here that the packages' own ``setup.py`` files and ``tools/requirements.txt`` say already: version,
modules, data and plug-ins are theirs.
"""

import os
from contextlib import contextmanager
from distutils.core import run_setup
from pathlib import Path
from tempfile import mkdtemp

from setuptools import setup

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NEED_ROS = ('console_scripts', 'regolith.commands')
"""Groups of entry points that are left out: nodes, and the command line, most of which starts or queries nodes."""


@contextmanager
def working_in(folder):
    """Work in a folder within the block."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def described(folder):
    """Return what a package's own setup.py says."""
    with working_in(folder):
        return run_setup('setup.py', stop_after='init')


sources = {path.parent.name: path.parent for path in sorted(ROOT.glob('src/*/setup.py'))}
if not sources:
    raise SystemExit(f'{HERE} is not in a checkout of Regolith; allowed: pip install CHECKOUT/packaging/regolith-sim')
parts = {name: described(folder) for name, folder in sources.items()}
(version,) = {part.get_version() for part in parts.values()}
scenarios = 'regolith_bringup.config.scenarios'

points = {}
for part in parts.values():
    for group, lines in (part.entry_points or {}).items():
        if group not in NEED_ROS:
            points.setdefault(group, []).extend(lines)

folders = {name: os.path.relpath(folder / name, HERE) for name, folder in sources.items()}
folders[scenarios] = os.path.relpath(sources['regolith_bringup'] / 'config' / 'scenarios', HERE)
data = {name: patterns for part in parts.values() for name, patterns in part.package_data.items()}

setup(
    name='regolith-sim',
    version=version,
    description='Lunar and off-road rovers on deformable terrain, deterministic: the simulator without ROS.',
    long_description=(HERE / 'README.md').read_text(encoding='utf-8'),
    long_description_content_type='text/markdown',
    license='Apache-2.0',
    maintainer=parts['regolith_bringup'].get_maintainer(),
    maintainer_email=parts['regolith_bringup'].get_maintainer_email(),
    python_requires='>=3.11,<3.14',
    install_requires=[
        line.strip()
        for line in (ROOT / 'tools' / 'requirements.txt').read_text(encoding='utf-8').splitlines()
        if line.strip() and not line.startswith('#')
    ],
    extras_require={'gym': ['gymnasium>=1.1']},
    packages=[*(name for part in parts.values() for name in part.packages), scenarios],
    package_dir=folders,
    package_data={**data, scenarios: ['*.yaml', '*.tif', '*.csv']},
    include_package_data=False,
    entry_points=points,
    zip_safe=False,
    # What an earlier build left would come into the next one.
    options={'build': {'build_base': mkdtemp(prefix='regolith-sim-')}},
)
