# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A tyre's YAML file. Parameters of the published models have their published names."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, field_validator, model_validator

from regolith_files.problems import allowed_names
from regolith_files.section import Section
from regolith_files.validation import validated
from regolith_files.yaml_source import YamlSource
from regolith_vehicles.tires import constants

Positive = Annotated[float, Field(gt=1e-6, le=1e9)]
Length = Annotated[float, Field(ge=1e-3, le=10.0)]
Pair = tuple[Positive, Positive]
"""Values at the nominal load and at twice it."""


class BristleConfig(Section):
    """The hold of a tyre about standstill."""

    stiffness_npm: float = Field(default=1e5, gt=0.0, le=1e9, description='[N/m]')
    damping_nspm: float = Field(default=5e3, ge=0.0, le=1e7, description='[N s/m]')
    blend_mps: tuple[Annotated[float, Field(ge=0.0)], Positive] = Field(
        default=(1.0, 3.0), description='speeds below which it acts alone, and above which only slip does [m/s]'
    )

    @field_validator('blend_mps')
    @classmethod
    def _ascend(cls, blend: tuple[float, float]) -> tuple[float, float]:
        if blend[0] >= blend[1]:
            raise ValueError('does not ascend; allowed: two speeds, the lower one first')
        return blend


class _Tyre(Section):
    """What all models share."""

    description: str = ''
    radius_m: float = Field(gt=0.0, le=5.0, description='unloaded [m]')
    width_m: float = Field(gt=0.0, le=5.0, description='[m]')
    nominal_friction: float = Field(default=0.8, gt=0.0, le=2.0, description='of the ground the curves were taken on')
    load_curve: tuple[tuple[float, float], ...] = Field(
        min_length=2, max_length=constants.KNOTS, description='depth [m] and load [N], from 0, 0 on'
    )
    stiffness_beyond_npm: float = Field(
        ge=0.0, le=1e10, description='slope beyond the last point of the load curve [N/m]'
    )
    vertical_damping_nspm: float = Field(ge=0.0, le=1e8, description='[N s/m]')
    bristle: BristleConfig = BristleConfig()

    @field_validator('load_curve')
    @classmethod
    def _rises(cls, curve: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
        if curve[0] != (0.0, 0.0):
            raise ValueError('does not start at 0, 0; allowed: [[0, 0], [depth, load], …]')
        if any(b[0] <= a[0] or b[1] <= a[1] for a, b in pairwise(curve)):
            raise ValueError('does not rise; allowed: depths and loads that grow from point to point')
        return curve

    def _common(self, model: int) -> Any:
        """Return a record with what all models share."""
        record = np.zeros((), constants.TYRE_RECORD)
        record['model'] = model
        record['radius'], record['width'] = self.radius_m, self.width_m
        record['nominal_friction'] = self.nominal_friction
        count = len(self.load_curve)
        record['knots'] = count
        record['depth'][:count], record['load'][:count] = np.array(self.load_curve).T
        record['slope_beyond'], record['vertical_damping'] = self.stiffness_beyond_npm, self.vertical_damping_nspm
        record['bristle_stiffness'] = self.bristle.stiffness_npm
        record['bristle_damping'] = self.bristle.damping_nspm
        record['blend'] = self.bristle.blend_mps
        return record


class _Lagging(_Tyre):
    """A tyre with relaxation lengths of its file."""

    relaxation_length_m: tuple[Length, Length] = Field(
        description='way along and across in which 63 % of a change of slip take effect [m]'
    )


class TMeasyConfig(_Lagging):
    """TMeasy (Rill)."""

    type: Literal['tmeasy']
    rolling_resistance: float = Field(ge=0.0, le=1.0, description='force over load')
    nominal_load_n: float = Field(ge=1.0, le=1e8, description='pn [N]')
    top_load_n: float = Field(ge=1.0, le=1e8, description='load beyond which the forces grow no more [N]')
    dfx0: Pair = Field(description='slope at no slip, along [N]')
    sxm: Pair = Field(description='slip of the peak, along')
    fxm: Pair = Field(description='peak, along [N]')
    sxs: Pair = Field(description='slip from which it slides, along')
    fxs: Pair = Field(description='sliding force, along [N]')
    dfy0: Pair = Field(description='slope at no slip, across [N]')
    sym: Pair = Field(description='slip of the peak, across')
    fym: Pair = Field(description='peak, across [N]')
    sys: Pair = Field(description='slip from which it slides, across')
    fys: Pair = Field(description='sliding force, across [N]')
    n2L0: Pair = Field(description='lever of the aligning moment over the length of the contact')
    syN0: Pair = Field(description='slip at which the lever vanishes first')
    syE: Pair = Field(description='slip from which there is none')

    @model_validator(mode='after')
    def _slides_behind_its_peak(self) -> TMeasyConfig:
        for peak, slide in (('sxm', 'sxs'), ('sym', 'sys')):
            if any(a >= b for a, b in zip(getattr(self, peak), getattr(self, slide), strict=True)):
                raise ValueError(f'{slide} = {getattr(self, slide)}: lies before {peak}; allowed: slips beyond it')
        return self

    def record(self) -> Any:
        """Return it as kernels take it."""
        record = self._common(constants.TMEASY)
        record['rolling_resistance'] = self.rolling_resistance
        record['relaxation_length'] = self.relaxation_length_m
        own = record['tmeasy']
        own['nominal_load'], own['top_load'] = self.nominal_load_n, self.top_load_n
        own['camber_stiffness'] = self.load_curve[1][1] / self.load_curve[1][0]
        for name in ('dfx0', 'sxm', 'fxm', 'sxs', 'fxs', 'dfy0', 'sym', 'fym', 'sys', 'fys', 'n2L0', 'syN0', 'syE'):
            own[name] = getattr(self, name)
        return record


class FialaConfig(_Lagging):
    """Fiala's brush."""

    type: Literal['fiala']
    rolling_resistance_m: float = Field(ge=0.0, le=1.0, description='moment over load [m]')
    CSLIP: float = Field(ge=1.0, le=1e9, description='slope at no slip, along [N]')
    CALPHA: float = Field(ge=1.0, le=1e9, description='slope at no slip, across [N/rad]')
    UMIN: float = Field(gt=0.0, le=3.0, description='friction when it slides')
    UMAX: float = Field(gt=0.0, le=3.0, description='friction without slip')

    def record(self) -> Any:
        """Return it as kernels take it."""
        record = self._common(constants.FIALA)
        record['rolling_resistance'] = self.rolling_resistance_m
        record['relaxation_length'] = self.relaxation_length_m
        own = record['fiala']
        own['cslip'], own['calpha'], own['umin'], own['umax'] = self.CSLIP, self.CALPHA, self.UMIN, self.UMAX
        return record


class Pacejka89Config(_Lagging):
    """The Magic Formula of 1989: loads in kN, angles in degrees, slip in per cent."""

    type: Literal['pacejka_89']
    rolling_resistance: float = Field(ge=0.0, le=1.0, description='force over load')
    lateral_stiffness_npm: float = Field(ge=1.0, le=1e9, description='by which the contact moves aside [N/m]')
    camber_limit_deg: float = Field(default=3.0, gt=0.0, le=30.0, description='largest camber of the formula [deg]')
    a: tuple[float, ...] = Field(min_length=14, max_length=14, description='a0 to a13, force across')
    b: tuple[float, ...] = Field(min_length=11, max_length=11, description='b0 to b10, force along')
    c: tuple[float, ...] = Field(min_length=18, max_length=18, description='c0 to c17, aligning moment')

    def record(self) -> Any:
        """Return it as kernels take it."""
        record = self._common(constants.PACEJKA_89)
        record['rolling_resistance'] = self.rolling_resistance
        record['relaxation_length'] = self.relaxation_length_m
        own = record['pacejka_89']
        own['a'], own['b'], own['c'] = self.a, self.b, self.c
        own['lateral_stiffness'] = self.lateral_stiffness_npm
        own['camber_limit'] = np.deg2rad(self.camber_limit_deg)
        return record


class Pacejka02Config(_Tyre):
    """The Magic Formula 5.2, coefficients by their names in a property file."""

    type: Literal['pacejka_02']
    side: Literal['left', 'right'] = Field(default='left', description='of a vehicle it is mounted on')
    measured_side: Literal['left', 'right'] = Field(default='left', description='it was measured on')
    coefficients: dict[str, float]

    @field_validator('coefficients')
    @classmethod
    def _complete(cls, given: dict[str, float]) -> dict[str, float]:
        lacking = [name for name in constants.PACEJKA_02_NAMES if name not in given]
        if lacking:
            raise ValueError(f'lacks {", ".join(lacking)}; allowed: all coefficients of the formula')
        unknown = [name for name in given if name not in constants.PACEJKA_02_NAMES]
        if unknown:
            raise ValueError(
                f'{unknown[0]}: is no coefficient of the formula; allowed: {", ".join(constants.PACEJKA_02_NAMES)}'
            )
        return given

    def record(self) -> Any:
        """Return it as kernels take it."""
        record = self._common(constants.PACEJKA_02)
        for name, value in self.coefficients.items():
            mirrored = name in constants.MIRRORED and self.side != self.measured_side
            record['pacejka_02'][name] = -value if mirrored else value
        return record


TyreConfig = TMeasyConfig | FialaConfig | Pacejka89Config | Pacejka02Config
MODELS: dict[str, type[TyreConfig]] = {
    'tmeasy': TMeasyConfig,
    'fiala': FialaConfig,
    'pacejka_89': Pacejka89Config,
    'pacejka_02': Pacejka02Config,
}
"""Schemas by the key ``type`` of a file."""


def read_tyre(source: YamlSource) -> TyreConfig:
    """Return the contents of a tyre's file.

    Raises:
        InputError: naming file, key, value and what is allowed
    """
    kind = source.data.get('type')
    if not isinstance(kind, str) or kind not in MODELS:
        raise source.error(
            ('type',), 'is missing' if kind is None else 'unknown type', allowed_names(MODELS, kind), kind
        )
    return validated(MODELS[kind], source.data, source)
