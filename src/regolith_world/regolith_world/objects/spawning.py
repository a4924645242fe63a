# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Spawning: what can be added to a running world, and how a spawn request becomes an object or a scenario entry.

A resource is YAML. It is an object as in a scenario's ``objects`` (with ``type``), or the input of an entry point of
group ``regolith.spawnables``, such as a vehicle. The request sets the pose, not the resource.
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

from regolith_files import (
    InputError,
    YamlSource,
    as_yaml_text,
    closest_name,
    instance_of,
    load_plugins,
    load_yaml,
    usable_file,
    validated,
)
from regolith_world.cycle.records import BodyState, Vector
from regolith_world.names import valid_ros_name
from regolith_world.numerics.rotation import matrix
from regolith_world.objects.object import Object
from regolith_world.objects.object_types import all_object_types, object_of

GROUP = 'regolith.spawnables'
URI_SCHEME = 'regolith://'
"""Scheme of the URIs of resources that can be spawned."""
LARGEST_BYTES = 1 << 20
"""Maximum size of a resource file [bytes]. The world waits while it is read."""


class SpawnResultCode(IntEnum):
    """Reason of a failed spawn request, with the values of ``simulation_interfaces/SpawnResult``."""

    NAME_NOT_UNIQUE = 101
    NAME_INVALID = 102
    UNSUPPORTED_FORMAT = 103
    NO_RESOURCE = 104
    NAMESPACE_INVALID = 105
    RESOURCE_PARSE_ERROR = 106
    MISSING_ASSETS = 107
    INVALID_POSE = 109


class SpawnError(ValueError):
    """A spawn request that cannot be fulfilled. The message states the reason."""

    def __init__(self, reason: SpawnResultCode, text: str) -> None:
        super().__init__(text)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Spawnable:
    """A resource that can be requested by its URI."""

    uri: str
    description: str


@dataclass(frozen=True, slots=True)
class SpawnPose:
    """Pose of a new entity."""

    position: Vector
    """Position in the world frame [m], shape (3,)."""
    orientation: Vector
    """Orientation in the world frame, unit quaternion (x, y, z, w)."""

    @property
    def heading_deg(self) -> float:
        """Heading of its x axis seen from above, from the world's +x [deg]."""
        ahead = matrix(self.orientation)[:, 0]
        return math.degrees(math.atan2(ahead[1], ahead[0]))


class SpawnSource(ABC):
    """A type of participant that can be spawned."""

    key: str
    """Key of a resource that identifies this type."""

    @abstractmethod
    def spawnables(self) -> tuple[Spawnable, ...]:
        """Return the resources with a URI, in the order of the source."""

    @abstractmethod
    def resource(self, path: str) -> Mapping[str, Any] | None:
        """Return the resource at the path of a URI, such as ``vehicles/viper``; None if there is none."""

    @abstractmethod
    def entry(self, resource: Mapping[str, Any], pose: SpawnPose) -> dict[str, Any]:
        """Return the validated and resolved entry of the scenario's section.

        Args:
            resource: The resource.
            pose: Requested pose.

        Raises:
            ValueError: With key, value and what is allowed.
        """


def spawn_sources() -> Mapping[str, SpawnSource]:
    """Return all installed spawn sources by name, in name order."""
    return load_plugins(GROUP, instance_of(SpawnSource))


def spawnables() -> list[Spawnable]:
    """Return all resources with a URI."""
    return [each for source in spawn_sources().values() for each in source.spawnables()]


def read_resource(uri: str, text: str) -> Mapping[str, Any]:
    """Return the resource at a URI, in a file or in a text.

    Args:
        uri: URI or file name; '': the text is used.
        text: YAML text; used only without a URI.

    Raises:
        SpawnError: If there is no such resource.
    """
    if uri.startswith(URI_SCHEME):
        found = (source.resource(uri.removeprefix(URI_SCHEME)) for source in spawn_sources().values())
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
    if _is_cyclic(resource):
        problem = 'a value contains itself; allowed: aliases (*name) without cycles'
        raise SpawnError(SpawnResultCode.RESOURCE_PARSE_ERROR, problem)
    if not isinstance(resource, dict) or not all(isinstance(key, str) for key in resource):
        raise SpawnError(
            SpawnResultCode.RESOURCE_PARSE_ERROR, f'{as_yaml_text(resource)}; allowed: keys, which are text, and values'
        )
    return resource


def _is_cyclic(value: Any, parents: tuple[int, ...] = ()) -> bool:
    """Return whether a value from YAML contains itself."""
    if not isinstance(value, (dict, list)):
        return False
    if id(value) in parents:
        return True
    inner = value.values() if isinstance(value, dict) else value
    return any(_is_cyclic(each, (*parents, id(value))) for each in inner)


def _of_file(uri: str) -> Mapping[str, Any]:
    """Return the resource in a file.

    The sender of a request may lack permission to read the files of this process. So the content is named only for a
    file that is a resource.

    Raises:
        SpawnError: If the file is not a resource.
    """
    allowed = f'the path of a YAML file of up to {LARGEST_BYTES} bytes, or a URI from get_spawnables'
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
    keys = {'type': all_object_types(), **{source.key: None for source in spawn_sources().values()}}
    fits = isinstance(resource, dict) and all(isinstance(key, str) for key in resource)
    if not fits or not any(k in resource and (of is None or str(resource[k]) in of) for k, of in keys.items()):
        problem = 'does not describe an entity that can be spawned'
        allowed = f'a YAML mapping with one of the keys {", ".join(keys)}'
        raise SpawnError(
            SpawnResultCode.RESOURCE_PARSE_ERROR, f'uri {as_yaml_text(uri)}: {problem}; allowed: {allowed}'
        )
    return dict(resource)


def _meant(uri: str) -> str:
    """Return a suggestion of a URI that ends like a text or is close to it; '' if there is none."""
    ends = {each.uri.rpartition('/')[2]: each.uri for each in spawnables()}
    guess = closest_name(ends, uri.rpartition('/')[2], likeness=0.75)
    return f' (did you mean {ends[guess]}?)' if guess else ''


def unique_name(
    wanted: str, resource: Mapping[str, Any], renaming: bool, taken: Collection[str], away: Collection[str] = ()
) -> str:
    """Return the name of a new entity.

    Args:
        wanted: Requested name; '': derived from the resource, if renaming is allowed.
        resource: The resource.
        renaming: Whether a number may be appended to the name.
        taken: Names in use.
        away: Names in use that belong to deleted vehicles, which a rewind may restore.

    Raises:
        SpawnError: If there is no such name.
    """
    if not wanted and not renaming:
        raise SpawnError(SpawnResultCode.NAME_INVALID, 'name is empty; allowed: a name, or allow_renaming')
    kind = Path(str(resource.get('type', resource.get('model', '')))).stem
    name = wanted or ''.join(c if c.isalnum() else '_' for c in kind).strip('_') or 'entity'
    try:
        valid_ros_name(name)
    except ValueError as error:
        raise SpawnError(SpawnResultCode.NAME_INVALID, str(error)) from None
    if name not in taken:
        return name
    if not renaming:
        used = f'names in use: {", ".join(sorted(taken))}'
        if name in away:
            fix = 'reset the whole simulation, which frees the name, or choose another name'
            used = f'it belongs to a deleted vehicle that a rewind can restore; fix: {fix}; {used}'
        raise SpawnError(SpawnResultCode.NAME_NOT_UNIQUE, f'name {name!r} is taken; {used}')
    number = 1
    while f'{name}_{number}' in taken:
        number += 1
    return f'{name}_{number}'


def build_object(name: str, resource: Mapping[str, Any], pose: SpawnPose, gravity: Vector) -> Object:
    """Return the object of a resource with a ``type``.

    Args:
        name: Name of the object.
        resource: The resource.
        pose: Requested pose.
        gravity: Gravity in the world frame [m/s^2], shape (3,).

    Raises:
        SpawnError: With key, value and what is allowed.
    """
    kinds = all_object_types()
    kind = kinds.get(str(resource['type']))
    if kind is None:
        raise SpawnError(
            SpawnResultCode.RESOURCE_PARSE_ERROR, f'type = {resource["type"]!r}; allowed: {", ".join(kinds)}'
        )
    entry = {key: value for key, value in resource.items() if key != 'rpy_deg'}
    if 'position' in kind.section.model_fields:
        entry['position'] = pose.position.tolist()
    try:
        made = object_of(kind, name, validated(kind.section, entry, YamlSource.of(entry, 'resource')), gravity)
    except ValueError as error:
        raise SpawnError(SpawnResultCode.RESOURCE_PARSE_ERROR, str(error)) from None
    _check_mesh_file(made.appearance.mesh)
    own = made.body
    if not np.array_equal(pose.orientation, own.orientation):
        turned = BodyState(name, pose.position, pose.orientation, own.linear_velocity, own.angular_velocity)
        try:
            made.place(0, turned)
        except ValueError as error:
            raise SpawnError(SpawnResultCode.INVALID_POSE, f'orientation: {error}') from None
    return made


def _check_mesh_file(mesh: str) -> None:
    """Refuse a mesh file that other processes would not find.

    Raises:
        SpawnError: If the path is not absolute, or there is no such file.
    """
    if not mesh:
        return
    allowed = 'the absolute path of a mesh file'
    if not Path(mesh).is_absolute():
        problem = f'visual.mesh = {as_yaml_text(mesh)}: is not an absolute path; allowed: {allowed}'
        raise SpawnError(SpawnResultCode.MISSING_ASSETS, problem)
    try:
        usable_file(mesh, allowed)
    except InputError as error:
        (found,) = error.problems
        problem = f'visual.mesh = {as_yaml_text(mesh)}: {found.problem}; allowed: {found.allowed}'
        raise SpawnError(SpawnResultCode.MISSING_ASSETS, problem) from None


def checked_entry(source: SpawnSource, resource: Mapping[str, Any], pose: SpawnPose) -> dict[str, Any]:
    """Return the validated entry of a resource of a spawn source.

    Args:
        source: Spawn source of the resource.
        resource: The resource.
        pose: Requested pose.

    Raises:
        SpawnError: With key, value and what is allowed.
    """
    try:
        return source.entry(resource, pose)
    except ValueError as error:
        raise SpawnError(SpawnResultCode.RESOURCE_PARSE_ERROR, str(error)) from None


def source_of(resource: Mapping[str, Any]) -> SpawnSource | None:
    """Return the spawn source of a resource; None if the resource is an object.

    Args:
        resource: The resource.

    Raises:
        SpawnError: If no spawn source accepts it.
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
