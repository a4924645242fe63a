# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Sensor models as YAML files: shipped models by name, user models by path."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from regolith_files import FileLibrary, InputError, KeyPath, Section, YamlSource

ModelT = TypeVar('ModelT', bound=Section)

SensorModelError = InputError
"""Former name of the error of sensor models."""

_FOLDER = Path(str(resources.files('regolith_sensors'))) / 'data' / 'sensors'
SENSORS = FileLibrary('sensor', _FOLDER, 'regolith.sensor_models')
"""Library of sensor models."""


def sensor_models(kind: str = '') -> tuple[str, ...]:
    """Return the sorted names of the shipped models of one kind (such as 'camera'), or of all kinds."""
    sources = {name: YamlSource(path, what='a sensor') for name, path in SENSORS.shipped().items()}
    return tuple(name for name, source in sources.items() if kind in ('', kind_of(source.data, source)))


def load_sensor(given: str | Path | Mapping[str, Any], schema: type[ModelT], base_dir: str | Path = '.') -> ModelT:
    """Return a sensor model by name, from a YAML file or from a mapping of its values.

    Args:
        given: Name, path or values.
        schema: Schema of the sensor type.
        base_dir: Folder of relative paths.

    Raises:
        InputError: With file, line, key, value and what is allowed.
    """
    return SENSORS.load(given, schema, base_dir)


def kind_of(values: Mapping[str, Any], source: YamlSource, prefix: KeyPath = ()) -> str:
    """Return the type of a sensor model.

    Args:
        values: Values of the model.
        source: File of the model.
        prefix: Key of the model in that file.

    Raises:
        InputError: If the type is missing.
    """
    if 'type' not in values:
        raise source.error((*prefix, 'type'), 'is missing', 'the type of the sensor, such as camera')
    return str(values['type'])
