# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Sensor models as YAML files: shipped ones by name, a user's own by path."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from regolith_files.file_library import FileLibrary
from regolith_files.problems import InputError
from regolith_files.section import Section
from regolith_files.yaml_source import KeyPath, YamlSource

ModelT = TypeVar('ModelT', bound=Section)

SensorModelError = InputError
"""Its name when sensors had an error of their own."""

_FOLDER = Path(str(resources.files('regolith_sensors'))) / 'data' / 'sensors'
SENSORS = FileLibrary('sensor', _FOLDER, 'regolith.sensor_models')
"""Models of sensors."""


def sensor_models(kind: str = '') -> tuple[str, ...]:
    """Return the sorted names of the shipped models of one kind (e.g. 'camera'), or of all."""
    sources = {name: YamlSource(path, what='a sensor') for name, path in SENSORS.shipped().items()}
    return tuple(name for name, source in sources.items() if kind in ('', kind_of(source.data, source)))


def load_sensor(given: str | Path | Mapping[str, Any], schema: type[ModelT], base_dir: str | Path = '.') -> ModelT:
    """Return a sensor model by name, from a YAML file or from a mapping of its values.

    Args:
        given: name, path (relative ones start at ``base_dir``) or the values themselves
        schema: of its kind

    Raises:
        InputError: naming file, line, key, value and what is allowed
    """
    return SENSORS.load(given, schema, base_dir)


def kind_of(values: Mapping[str, Any], source: YamlSource, prefix: KeyPath = ()) -> str:
    """Return the type of a sensor model.

    Args:
        values: of the model
        source: of its file
        prefix: its key in that file

    Raises:
        InputError: if the type is missing
    """
    if 'type' not in values:
        raise source.error((*prefix, 'type'), 'is missing', 'the type of the sensor, e.g. camera')
    return str(values['type'])
