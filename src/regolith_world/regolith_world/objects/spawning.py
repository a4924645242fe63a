# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What can be put into a running world, and the entry that a request for it comes to.

A resource is YAML: an object as in a scenario's ``objects`` (it has a ``type``), or what an entry point of group
``regolith.spawnables`` takes, as vehicles do. The pose comes with the request, not from the resource.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from regolith_files.bounded_yaml import load_yaml
from regolith_files.paths import usable_file
from regolith_files.plugins import instance_of, load_plugins
from regolith_files.problems import InputError, as_yaml_text, closest
from regolith_files.validation import validated
from regolith_files.yaml_source import YamlSource
from regolith_world.cycle.records import BodyState, Vector
from regolith_world.names import ros_name
from regolith_world.numerics.rotation import matrix
from regolith_world.objects.object import Object
from regolith_world.objects.object_types import object_types

GROUP = 'regolith.spawnables'
SCHEME = 'regolith://'
LARGEST_BYTES = 1 << 20
"""Of a file with a resource: the world waits while it is read."""


class SpawnResultCode(IntEnum):
    """Why something is not spawned, with the numbers that ``simulation_interfaces/SpawnResult`` has."""

    NAME_NOT_UNIQUE = 101
    NAME_INVALID = 102
    UNSUPPORTED_FORMAT = 103
    NO_RESOURCE = 104
    NAMESPACE_INVALID = 105
    RESOURCE_PARSE_ERROR = 106
    INVALID_POSE = 109


class SpawnError(ValueError):
    """A request that cannot be met; the message gives the reason."""

    def __init__(self, reason: SpawnResultCode, text: str) -> None:
        super().__init__(text)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Spawnable:
    """Something that can be asked for by its address."""

    uri: str
    description: str


@dataclass(frozen=True, slots=True)
class SpawnPose:
    """Where something is to appear."""

    position: Vector
    """In the world [m], shape (3,)."""
    orientation: Vector
    """Quaternion (x, y, z, w), of length 1."""

    @property
    def heading_deg(self) -> float:
        """Return the direction of its x axis seen from above, from the world's +x [deg]."""
        ahead = matrix(self.orientation)[:, 0]
        return math.degrees(math.atan2(ahead[1], ahead[0]))


class SpawnSource(ABC):
    """A kind of participant that can be spawned."""

    key: str
    """Key of a resource that tells that it is of this kind."""

    @abstractmethod
    def spawnables(self) -> tuple[Spawnable, ...]:
        """Return what has an address, in its order."""

    @abstractmethod
    def resource(self, path: str) -> Mapping[str, Any] | None:
        """Return what the path of an address, ``vehicles/viper``, stands for; None: it is none of these."""

    @abstractmethod
    def entry(self, resource: Mapping[str, Any], pose: SpawnPose) -> dict[str, Any]:
        """Return the checked and resolved entry of the scenario's section.

        Raises:
            ValueError: naming key, value and what is allowed
        """


def spawn_sources() -> Mapping[str, SpawnSource]:
    """Return all installed sources, by name, in name order."""
    return load_plugins(GROUP, instance_of(SpawnSource))


def spawnables() -> list[Spawnable]:
    """Return all that has an address."""
    return [each for source in spawn_sources().values() for each in source.spawnables()]


def read_resource(uri: str, text: str) -> Mapping[str, Any]:
    """Return the resource at an address, in a file, or in a text, which counts only without an address.

    Raises:
        SpawnError: if there is none
    """
    if uri.startswith(SCHEME):
        found = (source.resource(uri.removeprefix(SCHEME)) for source in spawn_sources().values())
        known = ', '.join(each.uri for each in spawnables())
        resource = next((each for each in found if each is not None), None)
        if resource is None:
            raise SpawnError(SpawnResultCode.NO_RESOURCE, f'uri {uri!r}; allowed: {known}{_meant(uri)}')
        return resource
    if uri:
        return _of_file(uri)
    if not text.strip():
        raise SpawnError(SpawnResultCode.NO_RESOURCE, 'neither uri nor resource_string; allowed: one of them')
    if text.lstrip('\ufeff \t\r\n').startswith('<'):
        raise SpawnError(SpawnResultCode.UNSUPPORTED_FORMAT, 'the resource is XML; allowed: YAML')
    try:
        resource = load_yaml(text)
    except yaml.YAMLError as error:
        raise SpawnError(SpawnResultCode.RESOURCE_PARSE_ERROR, ' '.join(str(error).split())) from None
    if not isinstance(resource, dict) or not all(isinstance(key, str) for key in resource):
        raise SpawnError(
            SpawnResultCode.RESOURCE_PARSE_ERROR, f'{as_yaml_text(resource)}; allowed: keys, which are text, and values'
        )
    return resource


def _of_file(uri: str) -> Mapping[str, Any]:
    """Return the resource in a file.

    The sender of a request may not be allowed to read the files of this process: only of a file that is a resource is
    the content named.

    Raises:
        SpawnError: if it is none
    """
    allowed = f'the path of a YAML file of up to {LARGEST_BYTES} bytes, or an address from get_spawnables'
    try:
        path = usable_file(uri.removeprefix('file://'), allowed + _meant(uri))
        if path.stat().st_size > LARGEST_BYTES:
            raise SpawnError(
                SpawnResultCode.NO_RESOURCE, f'uri {as_yaml_text(uri)}: is too large a file; allowed: {allowed}'
            )
        resource = load_yaml(path.read_text(encoding='utf-8'))
    except SpawnError:
        raise
    except InputError as error:
        (found,) = error.problems
        text = f'uri {as_yaml_text(uri)}: {found.problem}; allowed: {found.allowed}'
        raise SpawnError(SpawnResultCode.NO_RESOURCE, text) from None
    except (OSError, ValueError) as error:
        problem = getattr(error, 'strerror', '') or 'is not text'
        raise SpawnError(
            SpawnResultCode.NO_RESOURCE, f'uri {as_yaml_text(uri)}: {problem}; allowed: {allowed}'
        ) from None
    except yaml.YAMLError:
        resource = None
    keys = {'type': object_types(), **{source.key: None for source in spawn_sources().values()}}
    fits = isinstance(resource, dict) and all(isinstance(key, str) for key in resource)
    if not fits or not any(k in resource and (of is None or str(resource[k]) in of) for k, of in keys.items()):
        problem = 'does not describe what can be spawned'
        allowed = f'a YAML mapping with one of the keys {", ".join(keys)}'
        raise SpawnError(
            SpawnResultCode.RESOURCE_PARSE_ERROR, f'uri {as_yaml_text(uri)}: {problem}; allowed: {allowed}'
        )
    return dict(resource)


def _meant(uri: str) -> str:
    """Return a guess at the address of which a text is the end or close to it; '' if there is none."""
    ends = {each.uri.rpartition('/')[2]: each.uri for each in spawnables()}
    guess = closest(ends, uri.rpartition('/')[2], likeness=0.75)
    return f' (did you mean {ends[guess]}?)' if guess else ''


def unique_name(
    wanted: str, resource: Mapping[str, Any], renaming: bool, taken: Collection[str], away: Collection[str] = ()
) -> str:
    """Return the name of something that is to appear.

    Args:
        wanted: '': that of the resource, if it may be renamed
        taken: names in use
        away: those of them that belong to deleted vehicles, as a rewind may bring these back

    Raises:
        SpawnError: if there is no such name
    """
    if not wanted and not renaming:
        raise SpawnError(SpawnResultCode.NAME_INVALID, 'no name; allowed: a name, or allow_renaming')
    kind = Path(str(resource.get('type', resource.get('model', '')))).stem
    name = wanted or ''.join(c if c.isalnum() else '_' for c in kind).strip('_') or 'entity'
    try:
        ros_name(name)
    except ValueError as error:
        raise SpawnError(SpawnResultCode.NAME_INVALID, str(error)) from None
    if name not in taken:
        return name
    if not renaming:
        used = f'names in use: {", ".join(sorted(taken))}'
        if name in away:
            fix = 'reset everything, which frees the name, or choose another one'
            used = f'it is that of a deleted vehicle, which a rewind can bring back; fix: {fix}; {used}'
        raise SpawnError(SpawnResultCode.NAME_NOT_UNIQUE, f'name {name!r} is taken; {used}')
    number = 1
    while f'{name}_{number}' in taken:
        number += 1
    return f'{name}_{number}'


def build_object(name: str, resource: Mapping[str, Any], pose: SpawnPose, gravity: Vector) -> Object:
    """Return the object of a resource with a ``type``.

    Args:
        gravity: in the world [m/s^2], shape (3,)

    Raises:
        SpawnError: naming key, value and what is allowed
    """
    kinds = object_types()
    kind = kinds.get(str(resource['type']))
    if kind is None:
        raise SpawnError(
            SpawnResultCode.RESOURCE_PARSE_ERROR, f'type = {resource["type"]!r}; allowed: {", ".join(kinds)}'
        )
    entry = {key: value for key, value in resource.items() if key != 'rpy_deg'}
    if 'position' in kind.section.model_fields:
        entry['position'] = pose.position.tolist()
    try:
        made = kind.make(name, validated(kind.section, entry, YamlSource.of(entry, 'resource')), gravity)
    except ValueError as error:
        raise SpawnError(SpawnResultCode.RESOURCE_PARSE_ERROR, str(error)) from None
    own = made.body
    if not np.array_equal(pose.orientation, own.orientation):
        turned = BodyState(name, pose.position, pose.orientation, own.linear_velocity, own.angular_velocity)
        try:
            made.place(0, turned)
        except ValueError as error:
            raise SpawnError(SpawnResultCode.INVALID_POSE, f'orientation: {error}') from None
    return made


def checked_entry(source: SpawnSource, resource: Mapping[str, Any], pose: SpawnPose) -> dict[str, Any]:
    """Return the entry of a resource of a source.

    Raises:
        SpawnError: naming key, value and what is allowed
    """
    try:
        return source.entry(resource, pose)
    except ValueError as error:
        raise SpawnError(SpawnResultCode.RESOURCE_PARSE_ERROR, str(error)) from None


def source_of(resource: Mapping[str, Any]) -> SpawnSource | None:
    """Return the source that takes a resource; None: it is an object.

    Raises:
        SpawnError: if nothing takes it
    """
    if 'type' in resource:
        return None
    sources = spawn_sources()
    found = next((source for source in sources.values() if source.key in resource), None)
    if found is None:
        keys = ', '.join(['type', *(source.key for source in sources.values())])
        raise SpawnError(
            SpawnResultCode.RESOURCE_PARSE_ERROR, f'keys {sorted(resource)}; allowed: one of {keys} among them'
        )
    return found
