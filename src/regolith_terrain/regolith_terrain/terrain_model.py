# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A soil law: the fields of a node, its contact with bodies, and the merge of what two vehicles did to it.

Storage, merge, messages and handshake know a law by this record alone. It is looked up whenever a scenario is checked,
so compiled kernels are named here as ``module:name`` and imported only where a cycle needs them.

Every law has three fields in common, which terrain itself deals with: ``level_initial`` first, ``level`` second and
``mass_kgpm2`` last. Between them stand the law's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint
from typing import Any, Literal

from regolith_files.plugins import entry_points, load_plugin
from regolith_terrain.crm.soil import ParticleSoil
from regolith_terrain.terrain_parameters import RigidTerrainConfig, ScmSoilConfig, SoilParameters

GROUP = 'regolith.soil_laws'
"""Entry points of other packages: name of a law -> a SoilLaw."""


@dataclass(frozen=True, slots=True)
class NodeField:
    """One number that every node of the soil grid carries."""

    name: str
    unit: str
    meaning: str
    start: Literal['base', 'zero'] = 'zero'
    """Value on undisturbed ground: the height of the height field, or zero."""
    dtype: Literal['float64'] = 'float64'
    """All fields of a node are of one type, so that its record is one array in memory, messages and files."""


LEVEL_INITIAL = NodeField('level_initial', 'm', 'height the present sinkage counts from', 'base')
LEVEL = NodeField('level', 'm', 'height now', 'base')
MASS = NodeField('mass_kgpm2', 'kg/m^2', 'change of the column against virgin ground, by transport alone')


@dataclass(frozen=True)
class TerrainModel:
    """The law of a ground; see the module."""

    config: type[SoilParameters]
    """Parameters of a soil, with units and limits."""
    contact: str
    """``module:class`` of its :class:`~regolith_terrain.contact.ground_contact.GroundContact`."""
    own: tuple[NodeField, ...] = ()
    """Fields besides those all laws have."""
    outdoes: str = 'regolith_terrain.grid.merge:is_deeper'
    """``module:name`` of the merge rule: a compiled function (values, a, b) -> bool over one node's records, columns of
    ``values`` (one row per field): whether column ``a`` is preferred to column ``b``."""
    default_soil: str | Mapping[str, Any] | None = field(default=None, hash=False)
    """Soil of a scenario that names none: a name or values; none: the schema's defaults."""
    shares: bool = False
    """Whether it may lie beside other laws: its kernel passes over nodes whose row of parameters is NaN."""
    firm: bool = False
    """Whether it does not yield and has the parameters of ``rigid``: tyres press on it by a law of their own."""
    bounded: bool = False
    """Whether it holds in regions that a vehicle owns only: particles (:mod:`regolith_terrain.crm.region`)."""

    def __post_init__(self) -> None:
        names = [field.name for field in self.fields]
        if len(set(names)) < len(names):
            raise ValueError(f'node fields {", ".join(names)}; allowed: names that differ')

    @cached_property
    def fields(self) -> tuple[NodeField, ...]:
        """All fields of a node in the order of every array, message and file."""
        return (LEVEL_INITIAL, LEVEL, *self.own, MASS)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the fields."""
        return tuple(field.name for field in self.fields)

    def contact_class(self) -> type[Any]:
        """Return the class of its ground contact, a :class:`~regolith_terrain.contact.ground_contact.GroundContact`."""
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
        NodeField('sinkage_plastic', 'm', "plastic set along the node's normal, positive down"),
        NodeField('sigma_yield', 'Pa', 'largest pressure borne so far'),
    ),
    outdoes='regolith_terrain.scm.merge_rule:dominates',
    default_soil='lunar_nominal',
    shares=True,
)
RIGID = TerrainModel(
    config=RigidTerrainConfig, contact='regolith_terrain.contact.rigid_contact:RigidContact', shares=True, firm=True
)
CRM = TerrainModel(
    config=ParticleSoil,
    contact='regolith_terrain.crm.contact:ParticleContact',
    default_soil='lunar_regolith',
    shares=True,
    bounded=True,
)

DEFAULT = 'scm'
_SHIPPED = {'scm': SCM, 'rigid': RIGID, 'crm': CRM}


def terrain_models() -> dict[str, TerrainModel | EntryPoint]:
    """Return the laws that ship and those of other packages, by name in name order."""
    known: dict[str, TerrainModel | EntryPoint] = {point.name: point for point in entry_points(GROUP)}
    known.update(_SHIPPED)
    return dict(sorted(known.items()))


def terrain_model(name: str) -> TerrainModel:
    """Return a law by its name.

    Raises:
        ValueError: If there is none of that name (lists those there are), or it cannot be loaded.
    """
    if name in _SHIPPED:  # without a look at what is installed, which takes a tenth of a second
        return _SHIPPED[name]
    known = terrain_models()
    if name not in known:
        raise ValueError(f'no such soil law: {name!r}; allowed: {", ".join(known)}')
    source = known[name]
    law = source if isinstance(source, TerrainModel) else load_plugin(source)
    if not isinstance(law, TerrainModel):
        raise ValueError(f'soil law {name!r} leads to a {type(law).__name__}; allowed: a SoilLaw')
    try:
        law.contact_class(), law.merge_rule()
    except Exception as error:  # it is not our code that runs here
        problem = f'soil law {name!r} cannot be used: {type(error).__name__}: {error}'
        raise ValueError(f'{problem}; allowed: one whose contact and merge rule can be imported') from error
    return law
