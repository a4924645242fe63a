# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Files of vehicle models: library, loading by name or path, errors."""

from __future__ import annotations

from importlib import metadata, resources
from pathlib import Path

from regolith_files import (
    FileLibrary,
    InputError,
    PluginError,
    Problem,
    as_yaml_text,
    entry_points,
    load_plugin,
    validated,
)
from regolith_vehicles.description.model_config import VehicleModelConfig


class VehicleModelError(InputError):
    """Error in a vehicle's files, with file, key, value and allowed values."""

    def __init__(self, file: str | Path, key: str, value: object, allowed: str, problem: str) -> None:
        super().__init__(Problem(str(file), key, problem, allowed, '' if value is None else as_yaml_text(value)))


VEHICLE_LIBRARY = FileLibrary(
    'vehicle', Path(str(resources.files('regolith_vehicles'))) / 'data', 'regolith.vehicles', '*/*.yaml'
)
"""Library of vehicle models."""


def known_vehicles() -> dict[str, Path | metadata.EntryPoint]:
    """Return the vehicle models that ``model:`` accepts, by name.

    These are the models of this package and those of entry-point group ``regolith.vehicles``. An entry point leads to
    the path of a vehicle YAML file, or to a callable that returns one.
    """
    return VEHICLE_LIBRARY.known()


VEHICLE_FORMATS = 'regolith.vehicle_formats'
"""Entry point group of other formats than YAML: name extension -> function from the path of a file to that of the
vehicle YAML file made of it."""


def vehicle_yaml(name_or_path: str | Path, base_dir: str | Path = '.') -> Path:
    """Return the path of a vehicle's YAML file, converted from URDF, xacro or SDF if needed.

    Args:
        name_or_path: Name from :func:`known_vehicles`, or path of a YAML file or of a robot file.
        base_dir: Folder to which a relative path refers.

    Raises:
        InputError: If there is no such file, or a robot file cannot be converted.
    """
    path = VEHICLE_LIBRARY.find(name_or_path, base_dir)
    for point in entry_points(VEHICLE_FORMATS):
        if path.suffix.lower() == f'.{point.name}':
            try:
                made: Path = load_plugin(point)(path)
            except PluginError as error:
                allowed = 'a YAML file, or a format whose plug-in can be loaded'
                raise VehicleModelError(path, '', None, allowed, str(error)) from None
            return made
    return path


def load_vehicle_model(name_or_path: str | Path, base_dir: str | Path = '.') -> tuple[VehicleModelConfig, Path]:
    """Return a vehicle's configuration and the absolute path of its MJCF file.

    Args:
        name_or_path: Name from :func:`known_vehicles`, or path of a YAML file or of a robot file.
        base_dir: Folder to which a relative path refers (the scenario's folder).

    Raises:
        InputError: If a file is invalid; names file, line, key, value and allowed values.
    """
    source = VEHICLE_LIBRARY.read(vehicle_yaml(name_or_path, base_dir))
    config = validated(VehicleModelConfig, source.data, source)
    mjcf = source.find_file(('mjcf',), config.mjcf, 'the path of an MJCF file, relative to this file')
    config._source = source
    return config, mjcf
