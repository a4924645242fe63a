# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Terrain models: node fields, ground contact and merge rule of each model.

Storage, merge, messages and handshake use this record only. It is read whenever a scenario is checked, so compiled
kernels are named as ``module:name`` and imported only where a cycle needs them.

All models share three fields, which are handled outside the models: ``level_initial`` first, ``level`` second and
``mass_kgpm2`` last. The fields of the model are between them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import EntryPoint
from typing import Any, Literal

from regolith_files import FileKind, entry_points, load_plugin
from regolith_terrain.terrain_parameters import SOILS, RigidTerrainConfig, SoilParameters

GROUP = 'regolith.terrain_models'
"""Entry points of all packages: name of a terrain model -> TerrainModel."""
DEFAULT_TERRAIN_MODEL = 'scm'
"""Name of the terrain model that applies if a scenario names none."""


@dataclass(frozen=True, slots=True)
class NodeField:
    """One value that every node of the soil grid has."""

    name: str
    unit: str
    meaning: str
    start: Literal['base', 'zero'] = 'zero'
    """Value on the undisturbed surface: the height of the height field, or zero."""
    dtype: Literal['float64'] = 'float64'
    """All fields of a node have one type, so a record is one array in memory, messages and files."""


LEVEL_INITIAL = NodeField('level_initial', 'm', 'Reference height of the present sinkage.', 'base')
LEVEL = NodeField('level', 'm', 'Present height.', 'base')
MASS = NodeField('mass_kgpm2', 'kg/m^2', 'Change of soil mass relative to undisturbed soil, by transport only.')


@dataclass(frozen=True)
class TerrainModel:
    """A terrain model: soil parameters, node fields, contact and merge rule."""

    config: type[SoilParameters]
    """Soil parameters of the model, with units and limits."""
    contact: str
    """``module:class`` of its :class:`~regolith_terrain.contact.ground_contact.GroundContact`."""
    body_contact: str = ''
    """``module:class`` of its contact for one rigid body, whose setting is a
    :class:`~regolith_terrain.bodies.BodySetting`; '': the same as for vehicles."""
    own: tuple[NodeField, ...] = ()
    """Node fields in addition to those of all models."""
    outdoes: str = 'regolith_terrain.updates.merge:is_deeper'
    """``module:name`` of the merge rule: a compiled function (values, a, b) -> bool over the records of one node.
    ``values`` has one row per field. The result is whether column ``a`` is preferred to column ``b``."""
    default_soil: str | Mapping[str, Any] | None = field(default=None, hash=False)
    """Soil of a scenario without a named soil: a name or values; none: the defaults of the schema."""
    lay_region: Callable[[Any], Any] | None = field(default=None, hash=False, compare=False)
    """Function that returns the :class:`~regolith_terrain.grid.owned_region.OwnedRegion` of a section of ``regions``. A
    model with this function is valid only in such regions, each of which belongs to one vehicle."""

    def __post_init__(self) -> None:
        names = [field.name for field in self.fields]
        if len(set(names)) < len(names):
            raise ValueError(f'node fields {", ".join(names)}; allowed: unique names')

    @cached_property
    def fields(self) -> tuple[NodeField, ...]:
        """All fields of a node in the order of arrays, messages and files."""
        return (LEVEL_INITIAL, LEVEL, *self.own, MASS)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the fields."""
        return tuple(field.name for field in self.fields)

    @property
    def is_combinable(self) -> bool:
        """Whether the model can be combined with others: its kernel skips nodes of other models."""
        return self.config.absent() is not None

    @property
    def is_rigid(self) -> bool:
        """Whether the model has the parameters of rigid terrain: tires then use a separate contact model."""
        return issubclass(self.config, RigidTerrainConfig)

    def contact_class(self, of_bodies: bool = False) -> type[Any]:
        """Return the class of the model's :class:`~regolith_terrain.contact.ground_contact.GroundContact`.

        Args:
            of_bodies: Whether it is the one of rigid bodies.
        """
        made: type[Any] = _imported((of_bodies and self.body_contact) or self.contact)
        return made

    def merge_rule(self) -> Callable[..., bool]:
        """Return the compiled merge rule."""
        rule: Callable[..., bool] = _imported(self.outdoes)
        return rule


def _imported(target: str) -> Any:
    """Return the object of ``module:name``."""
    module, _, name = target.partition(':')
    return getattr(import_module(module), name)


def terrain_models() -> dict[str, EntryPoint]:
    """Return the entry points of the installed terrain models by name, sorted."""
    return {point.name: point for point in entry_points(GROUP)}


@cache
def find_terrain_model(name: str) -> TerrainModel:
    """Return a terrain model by its name.

    Raises:
        ValueError: If no model has the name (the message lists all), or it cannot be loaded.
    """
    known = terrain_models()
    if name not in known:
        raise ValueError(f'no such terrain model: {name!r}; allowed: {", ".join(known)}')
    law = load_plugin(known[name])
    if not isinstance(law, TerrainModel):
        raise ValueError(f'terrain model {name!r} is a {type(law).__name__}; allowed: a TerrainModel')
    if _is_ours(known[name]):  # its kernels are slow to import
        return law
    try:
        law.contact_class(), law.merge_rule()
    except Exception as error:  # code of another package may raise any error
        problem = f'terrain model {name!r} cannot be used: {type(error).__name__}: {error}'
        raise ValueError(f'{problem}; allowed: one whose contact and merge rule can be imported') from error
    return law


def _is_ours(point: EntryPoint) -> bool:
    return point.value.partition('.')[0] == __package__


def _soil_schemas() -> dict[str, type[SoilParameters]]:
    """Return the soil parameters of this package that have files, by terrain model, the default one first."""
    ours = [name for name, point in terrain_models().items() if _is_ours(point)]
    names = sorted(ours, key=lambda name: (name != DEFAULT_TERRAIN_MODEL, name))
    found = {name: find_terrain_model(name).config for name in names}
    return {name: config for name, config in found.items() if config.files is SOILS}


FILE_KIND = FileKind('Soil', 'A soil file has the parameters of a terrain model: SCM or rigid.', _soil_schemas)
"""Soil files."""
