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
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint
from typing import Any, Literal

from regolith_files import entry_points, load_plugin
from regolith_terrain.crm.soil import ParticleSoil
from regolith_terrain.terrain_parameters import RigidTerrainConfig, ScmSoilConfig, SoilParameters

GROUP = 'regolith.terrain_models'
"""Entry points of other packages: name of a terrain model -> TerrainModel."""


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
    own: tuple[NodeField, ...] = ()
    """Node fields in addition to those of all models."""
    outdoes: str = 'regolith_terrain.grid.merge:is_deeper'
    """``module:name`` of the merge rule: a compiled function (values, a, b) -> bool over the records of one node.
    ``values`` has one row per field. The result is whether column ``a`` is preferred to column ``b``."""
    default_soil: str | Mapping[str, Any] | None = field(default=None, hash=False)
    """Soil of a scenario without a named soil: a name or values; none: the defaults of the schema."""
    shares: bool = False
    """Whether the model can be combined with others: its kernel skips nodes whose parameter row is NaN."""
    firm: bool = False
    """Whether the model is rigid and has the parameters of ``rigid``: tires then use a separate contact model."""
    bounded: bool = False
    """Whether the model is valid only in regions owned by a vehicle (:mod:`regolith_terrain.crm.region`)."""

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

    def contact_class(self) -> type[Any]:
        """Return the class of the model's :class:`~regolith_terrain.contact.ground_contact.GroundContact`."""
        made: type[Any] = _imported(self.contact)
        return made

    def merge_rule(self) -> Callable[..., bool]:
        """Return the compiled merge rule."""
        rule: Callable[..., bool] = _imported(self.outdoes)
        return rule


def _imported(target: str) -> Any:
    """Return the object of ``module:name``."""
    module, _, name = target.partition(':')
    return getattr(import_module(module), name)


SCM = TerrainModel(
    config=ScmSoilConfig,
    contact='regolith_terrain.scm.contact:ScmContact',
    own=(
        NodeField('sinkage_plastic', 'm', "plastic sinkage along the node's normal, positive down"),
        NodeField('sigma_yield', 'Pa', 'largest pressure so far'),
    ),
    outdoes='regolith_terrain.scm.merge_rule:dominates',
    default_soil='lunar_nominal',
    shares=True,
)
RIGID_TERRAIN_MODEL = TerrainModel(
    config=RigidTerrainConfig, contact='regolith_terrain.contact.rigid_contact:RigidContact', shares=True, firm=True
)
"""Terrain model of rigid ground, which keeps no ruts."""
CRM = TerrainModel(
    config=ParticleSoil,
    contact='regolith_terrain.crm.contact:ParticleContact',
    default_soil='lunar_regolith',
    shares=True,
    bounded=True,
)

DEFAULT_TERRAIN_MODEL = 'scm'
"""Name of the terrain model that applies if a scenario names none."""
_SHIPPED = {'scm': SCM, 'rigid': RIGID_TERRAIN_MODEL, 'crm': CRM}


def terrain_models() -> dict[str, TerrainModel | EntryPoint]:
    """Return the shipped and installed terrain models by name, sorted."""
    known: dict[str, TerrainModel | EntryPoint] = {point.name: point for point in entry_points(GROUP)}
    known.update(_SHIPPED)
    return dict(sorted(known.items()))


def find_terrain_model(name: str) -> TerrainModel:
    """Return a terrain model by its name.

    Raises:
        ValueError: If no model has the name (the message lists all), or it cannot be loaded.
    """
    if name in _SHIPPED:  # skip the search for installed packages, which takes 0.1 s
        return _SHIPPED[name]
    known = terrain_models()
    if name not in known:
        raise ValueError(f'no such terrain model: {name!r}; allowed: {", ".join(known)}')
    source = known[name]
    law = source if isinstance(source, TerrainModel) else load_plugin(source)
    if not isinstance(law, TerrainModel):
        raise ValueError(f'terrain model {name!r} is a {type(law).__name__}; allowed: a TerrainModel')
    try:
        law.contact_class(), law.merge_rule()
    except Exception as error:  # code of another package may raise any error
        problem = f'terrain model {name!r} cannot be used: {type(error).__name__}: {error}'
        raise ValueError(f'{problem}; allowed: one whose contact and merge rule can be imported') from error
    return law
