#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Turn a virtual environment with ROS 2 wheels into an underlay for colcon.

The wheels contain paths of the machine on which they were built. The tool removes them from the CMake files. It writes
``setup.*`` and ``local_setup.*``, so that a shell and colcon's own ``install/setup.bash`` find the wheels. The parser
of interfaces, which nine generators call one after another, gets a cache, which halves their time.
The written paths are absolute, so an environment cannot be moved.

usage: make_underlay.py VENV
"""

import pathlib
import re
import sys

SETUP = """\
export VIRTUAL_ENV="{venv}"
_ros_pre() {{ eval "_c=\\${{$1-}}"; case ":$_c:" in *":$2:"*) ;; *) export "$1=$2${{_c:+:$_c}}";; esac; }}
_ros_pre PATH "{venv}/bin"
_ros_pre AMENT_PREFIX_PATH "{venv}"
_ros_pre CMAKE_PREFIX_PATH "{venv}"
_ros_pre LD_LIBRARY_PATH "{libraries}"
export _ROS_WHEELS_BOOTSTRAP_COMPLETE=1 ROS_DISTRO=jazzy ROS_VERSION=2 ROS_PYTHON_VERSION=3
unset -f _ros_pre; unset _c
"""

KEEP_PARSED = '''


def get_ast_from_idl_string(idl_string, _parse=get_ast_from_idl_string):
    """Return the tree of an interface: kept, or else parsed and kept (added by Regolith's tools/make_underlay.py)."""
    import hashlib
    import pickle

    kept = os.path.join({folder!r}, hashlib.sha256(idl_string.encode()).hexdigest())
    try:
        with open(kept, 'rb') as h:
            return pickle.load(h)
    except FileNotFoundError:
        tree = _parse(idl_string)
    os.makedirs(os.path.dirname(kept), exist_ok=True)
    new = f'{{kept}}.{{os.getpid()}}'
    with open(new, 'wb') as h:
        pickle.dump(tree, h)
    os.replace(new, kept)
    return tree
'''


def main() -> None:
    """Fix the wheels of the environment named on the command line."""
    venv = pathlib.Path(sys.argv[1]).resolve()
    for file in venv.glob('share/**/*.cmake'):
        text = file.read_text()
        clean = re.sub(r'/opt/python/cp3[^";]*;?', '', text)
        if clean != text:
            file.write_text(clean)
    for file in venv.glob('share/ament_index/resource_index/parent_prefix_path/*'):
        file.write_text('')
    for file in venv.glob('lib/python3*/site-packages/rosidl_parser/parser.py'):
        file.write_text(file.read_text() + KEEP_PARSED.format(folder=str(venv / 'parsed_interfaces')))
    libraries = [venv / 'lib', *sorted(venv.glob('lib/python3*/site-packages/ros_*.libs'))]
    body = SETUP.format(venv=venv, libraries=':'.join(map(str, libraries)))
    for stem in ('setup', 'local_setup'):
        for shell in ('bash', 'sh', 'zsh'):
            (venv / f'{stem}.{shell}').write_text(body)


if __name__ == '__main__':
    main()
