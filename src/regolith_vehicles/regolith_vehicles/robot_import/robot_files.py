# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Files of a robot: xacro expansion, and paths of packages and models."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote

from regolith_files import InputError, Problem, usable_file
from regolith_vehicles.robot_import.xml_elements import Element, parse_xml

FORMATS = ('.urdf', '.xacro', '.sdf')
"""Name extensions of robot files."""
LARGEST_BYTES = 50_000_000
"""Maximum size of a robot file."""
_XACRO = re.compile(rb'<xacro:\w|\$[{(]')
"""Text that only xacro files contain; many have the extension .urdf."""


@dataclass(frozen=True)
class FileFinder:
    """Paths in a robot file: relative ones, ``package://NAME/...``, ``model://NAME/...`` and ``file://...``."""

    folder: Path
    """Folder of the robot file."""
    packages: Mapping[str, Path]
    """Folders of packages by name, as given by the user."""
    skip_missing: bool = False
    """Whether visual meshes whose files do not exist are left out."""

    def package(self, name: str) -> Path | None:
        """Return the folder of a package; None if it is not found.

        Searched in this order: given packages, installed packages (``AMENT_PREFIX_PATH``), ``ROS_PACKAGE_PATH`` and
        ``GZ_SIM_RESOURCE_PATH``, folders of this name that contain the robot file or lie beside a folder that does.
        """
        if name in self.packages:
            return self.packages[name]
        prefixes = os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)
        candidates = [Path(prefix) / 'share' / name for prefix in prefixes if prefix]
        for variable in ('ROS_PACKAGE_PATH', 'GZ_SIM_RESOURCE_PATH'):
            candidates += [Path(root) / name for root in os.environ.get(variable, '').split(os.pathsep) if root]
        for parent in (self.folder, *self.folder.parents):
            candidates += [parent] if parent.name == name else []
            candidates.append(parent / name)
        return next((path for path in candidates if path.is_dir()), None)

    def find_visual(self, element: Element, key: str, uri: str, allowed: str) -> Path | None:
        """Return the path of a visual mesh as :meth:`find`; None if it is missing and left out.

        Raises:
            InputError: If it does not exist and :attr:`skip_missing` is false; names the option.
        """
        try:
            return self.find(element, key, uri, allowed)
        except InputError as error:
            if not self.skip_missing:
                (problem,) = error.problems
                if 'fix: ' in problem.allowed:
                    raise
                fix = f'{problem.allowed}; fix: --skip-missing-meshes leaves out visual meshes'
                raise InputError(replace(problem, allowed=fix)) from None
            return None

    def find(self, element: Element, key: str, uri: str, allowed: str) -> Path:
        """Return the path of a file that an element names.

        Args:
            element: Element of the robot file.
            key: Attribute or element that has the value; '' for the element's text.
            uri: Value as written.
            allowed: Allowed values, for the error.

        Raises:
            InputError: If the package or the file does not exist.
        """
        scheme, _, rest = uri.partition('://')
        rest = unquote(rest)
        given = uri
        if scheme in ('package', 'model'):
            name, _, inner = rest.partition('/')
            folder = self.package(name)
            if folder is None:
                allowed = 'a package that is installed or lies beside this file'
                problem = f'names the {scheme} {name}, which is not found'
                raise element.error(key, problem, f'{allowed}; fix: --package {name}=FOLDER', uri)
            given = str(folder / inner)
        elif scheme == 'file' and rest:
            given = rest
        try:
            return usable_file(given, allowed, self.folder)
        except InputError as error:
            (found,) = error.problems
            raise element.error(key, found.problem, found.allowed, uri) from None


def read_robot_file(path: Path, packages: Mapping[str, Path], arguments: Mapping[str, str]) -> Element:
    """Return the root element of a URDF, xacro or SDF file; xacro files are expanded.

    Lines of a xacro file are those of its expanded text.

    Args:
        path: Path of the file.
        packages: Folders of packages by name.
        arguments: Arguments of a xacro file by name.

    Raises:
        InputError: If the file cannot be read or expanded.
    """
    if path.stat().st_size > LARGEST_BYTES:
        raise InputError(Problem(str(path), '', f'is larger than {LARGEST_BYTES} bytes', 'a robot file'))
    text = path.read_bytes()
    if path.suffix.lower() == '.xacro' or _XACRO.search(text):
        return parse_xml(_expanded(path, packages, arguments), f'{path} (expanded)')
    if arguments:
        named = ', '.join(arguments)
        raise InputError(Problem(str(path), '', f'has no arguments {named}', 'arguments of xacro files only'))
    return parse_xml(text, str(path))


def _expanded(path: Path, packages: Mapping[str, Path], arguments: Mapping[str, str]) -> str:
    """Return the expanded text of a xacro file; ``$(find NAME)`` uses the same packages as ``package://``."""
    try:
        import xacro
        import xacro.substitution_args as substitution
    except ImportError:
        allowed = 'URDF, or xacro with the package xacro; fix: pip install xacro'
        raise InputError(Problem(str(path), '', 'needs the package xacro, which is not installed', allowed)) from None
    finder = FileFinder(path.parent, packages)

    def folder_of(name: str) -> str:
        folder = finder.package(name)
        if folder is None:
            raise xacro.XacroException(f'package {name} not found; fix: --package {name}=FOLDER')
        return str(folder)

    original = substitution._eval_find
    substitution._eval_find = folder_of
    try:
        text: str = xacro.process_file(str(path), mappings=dict(arguments)).toprettyxml(indent='  ')
    except Exception as error:  # xacro evaluates Python expressions of the file, which raise any exception
        message = getattr(error, 'message', '') or str(error) or type(error).__name__
        message = ' '.join(re.sub(r"<class '[^']*'>:?", '', message).split())
        message = re.sub(r'^(.+) \1$', r'\1', message)  # of an error within an error, xacro gives the text twice
        allowed = 'a file that xacro expands; its arguments: --arg NAME=VALUE'
        raise InputError(Problem(str(path), '', f'cannot be expanded: {message}', allowed)) from None
    finally:
        substitution._eval_find = original
    return text
