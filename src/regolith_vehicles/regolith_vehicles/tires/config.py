# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Configuration of a tire's YAML file. Parameters of published models have their published names."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, field_validator, model_validator

from regolith_files import FileKind, Section, YamlSource, allowed_names, validated
from regolith_vehicles.tires import constants
from regolith_vehicles.tires.constants import DEEPEST
from regolith_vehicles.tires.ring import RING_RECORD
from regolith_vehicles.tires.ring_touch import plane_loads

Positive = Annotated[float, Field(gt=1e-6, le=1e9)]
Length = Annotated[float, Field(ge=1e-3, le=10.0)]
Pair = tuple[Positive, Positive]
"""Values at the nominal load and at twice the nominal load."""


class BristleConfig(Section):
    """Bristle model of a tire's grip near standstill."""

    stiffness_npm: float = Field(default=1e5, gt=0.0, le=1e9, description='Stiffness of the bristle [N/m].')
    damping_nspm: float = Field(default=5e3, ge=0.0, le=1e7, description='Damping of the bristle [N s/m].')
    blend_mps: tuple[Annotated[float, Field(ge=0.0)], Positive] = Field(
        default=(1.0, 3.0),
        description='Speed below which only the bristle acts, and speed above which only slip acts [m/s].',
    )

    @field_validator('blend_mps')
    @classmethod
    def _ascend(cls, blend: tuple[float, float]) -> tuple[float, float]:
        if blend[0] >= blend[1]:
            raise ValueError('does not ascend; allowed: two ascending speeds')
        return blend


class _Tire(Section):
    """Parameters common to all tire models."""

    description: str = Field('', description='One line about the tire.')
    radius_m: float = Field(gt=0.0, le=5.0, description='Unloaded radius of the tire [m].')
    width_m: float = Field(gt=0.0, le=5.0, description='Width of the tire [m].')
    nominal_friction: float = Field(
        default=0.8,
        gt=0.0,
        le=2.0,
        description='Friction coefficient of the ground on which the curves were measured [-].',
    )
    load_curve: tuple[tuple[float, float], ...] = Field(
        min_length=2,
        max_length=constants.KNOTS,
        description='Pairs of penetration depth [m] and load [N], starting at 0, 0.',
    )
    stiffness_beyond_npm: float = Field(
        ge=0.0, le=1e10, description='Slope of the load curve beyond its last point [N/m].'
    )
    vertical_damping_nspm: float = Field(ge=0.0, le=1e8, description='Vertical damping coefficient [N s/m].')
    bristle: BristleConfig = BristleConfig()

    @field_validator('load_curve')
    @classmethod
    def _rises(cls, curve: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
        if curve[0] != (0.0, 0.0):
            raise ValueError('does not start at 0, 0; allowed: [[0, 0], [depth, load], …]')
        if any(b[0] <= a[0] or b[1] <= a[1] for a, b in pairwise(curve)):
            raise ValueError('does not ascend; allowed: ascending depths and loads')
        return curve

    def _common(self, model: int) -> Any:
        """Return a record with the parameters common to all models."""
        record = np.zeros((), constants.TIRE_RECORD)
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


class _Lagging(_Tire):
    """Tire model with relaxation lengths from its file."""

    relaxation_length_m: tuple[Length, Length] = Field(
        description='Longitudinal and lateral distance in which 63 % of a change of slip take effect [m].'
    )


class TMeasyConfig(_Lagging):
    """TMeasy tire model (Rill)."""

    type: Literal['tmeasy']
    rolling_resistance: float = Field(ge=0.0, le=1.0, description='Rolling resistance force divided by load [-].')
    nominal_load_n: float = Field(ge=1.0, le=1e8, description='Nominal load pn [N].')
    top_load_n: float = Field(ge=1.0, le=1e8, description='Load above which the forces no longer increase [N].')
    dfx0: Pair = Field(description='Longitudinal slope at zero slip [N].')
    sxm: Pair = Field(description='Longitudinal slip at the peak force [-].')
    fxm: Pair = Field(description='Longitudinal peak force [N].')
    sxs: Pair = Field(description='Longitudinal slip at which sliding starts [-].')
    fxs: Pair = Field(description='Longitudinal sliding force [N].')
    dfy0: Pair = Field(description='Lateral slope at zero slip [N].')
    sym: Pair = Field(description='Lateral slip at the peak force [-].')
    fym: Pair = Field(description='Lateral peak force [N].')
    sys: Pair = Field(description='Lateral slip at which sliding starts [-].')
    fys: Pair = Field(description='Lateral sliding force [N].')
    n2L0: Pair = Field(description='Lever of the aligning moment divided by the contact length [-].')
    syN0: Pair = Field(description='Lateral slip at which the lever first vanishes [-].')
    syE: Pair = Field(description='Lateral slip above which the lever is zero [-].')

    @model_validator(mode='after')
    def _slides_behind_its_peak(self) -> TMeasyConfig:
        for peak, slide in (('sxm', 'sxs'), ('sym', 'sys')):
            if any(a >= b for a, b in zip(getattr(self, peak), getattr(self, slide), strict=True)):
                raise ValueError(f'{slide} = {getattr(self, slide)}: is not above {peak}; allowed: larger slips')
        return self

    def record(self) -> Any:
        """Return the parameters as a record for the kernels."""
        record = self._common(constants.TMEASY)
        record['rolling_resistance'] = self.rolling_resistance
        record['relaxation_length'] = self.relaxation_length_m
        own = record['tmeasy']
        own['nominal_load'], own['saturation_load'] = self.nominal_load_n, self.top_load_n
        own['camber_stiffness'] = self.load_curve[1][1] / self.load_curve[1][0]
        for name in ('dfx0', 'sxm', 'fxm', 'sxs', 'fxs', 'dfy0', 'sym', 'fym', 'sys', 'fys', 'n2L0', 'syN0', 'syE'):
            own[name] = getattr(self, name)
        return record


class FialaConfig(_Lagging):
    """Fiala tire model (brush model)."""

    type: Literal['fiala']
    rolling_resistance_m: float = Field(ge=0.0, le=1.0, description='Rolling resistance moment divided by load [m].')
    CSLIP: float = Field(ge=1.0, le=1e9, description='Longitudinal slope at zero slip [N].')
    CALPHA: float = Field(ge=1.0, le=1e9, description='Lateral slope at zero slip angle [N/rad].')
    UMIN: float = Field(gt=0.0, le=3.0, description='Friction coefficient during sliding [-].')
    UMAX: float = Field(gt=0.0, le=3.0, description='Friction coefficient at zero slip [-].')

    def record(self) -> Any:
        """Return the parameters as a record for the kernels."""
        record = self._common(constants.FIALA)
        record['rolling_resistance'] = self.rolling_resistance_m
        record['relaxation_length'] = self.relaxation_length_m
        own = record['fiala']
        own['cslip'], own['calpha'], own['umin'], own['umax'] = self.CSLIP, self.CALPHA, self.UMIN, self.UMAX
        return record


class Pacejka89Config(_Lagging):
    """Magic Formula of 1989: loads in kN, angles in degrees, slip in percent."""

    type: Literal['pacejka_89']
    rolling_resistance: float = Field(ge=0.0, le=1.0, description='Rolling resistance force divided by load [-].')
    lateral_stiffness_npm: float = Field(
        ge=1.0, le=1e9, description='Lateral stiffness of the tire, by which the contact is displaced sideways [N/m].'
    )
    camber_limit_deg: float = Field(default=3.0, gt=0.0, le=30.0, description='Maximum camber in the formula [deg].')
    a: tuple[float, ...] = Field(
        min_length=14, max_length=14, description='Coefficients a0 to a13 of the lateral force.'
    )
    b: tuple[float, ...] = Field(
        min_length=11, max_length=11, description='Coefficients b0 to b10 of the longitudinal force.'
    )
    c: tuple[float, ...] = Field(
        min_length=18, max_length=18, description='Coefficients c0 to c17 of the aligning moment.'
    )

    def record(self) -> Any:
        """Return the parameters as a record for the kernels."""
        record = self._common(constants.PACEJKA_89)
        record['rolling_resistance'] = self.rolling_resistance
        record['relaxation_length'] = self.relaxation_length_m
        own = record['pacejka_89']
        own['a'], own['b'], own['c'] = self.a, self.b, self.c
        own['lateral_stiffness'] = self.lateral_stiffness_npm
        own['camber_limit'] = np.deg2rad(self.camber_limit_deg)
        return record


class Pacejka02Config(_Tire):
    """Magic Formula 5.2, with coefficients by their names in a property file."""

    type: Literal['pacejka_02']
    side: Literal['left', 'right'] = Field(
        default='left', description='Side of the vehicle on which the tire is mounted.'
    )
    measured_side: Literal['left', 'right'] = Field(default='left', description='Side for which the tire was measured.')
    coefficients: dict[str, float] = Field(description='Coefficients of the Magic Formula by their names, e.g. PCX1.')

    @field_validator('coefficients')
    @classmethod
    def _complete(cls, given: dict[str, float]) -> dict[str, float]:
        lacking = [name for name in constants.PACEJKA_02_NAMES if name not in given]
        if lacking:
            raise ValueError(f'lacks {", ".join(lacking)}; allowed: all coefficients of the formula')
        unknown = [name for name in given if name not in constants.PACEJKA_02_NAMES]
        if unknown:
            raise ValueError(
                f'{unknown[0]}: is not a coefficient of the formula; allowed: {", ".join(constants.PACEJKA_02_NAMES)}'
            )
        return given

    def record(self) -> Any:
        """Return the parameters as a record for the kernels."""
        record = self._common(constants.PACEJKA_02)
        for name, value in self.coefficients.items():
            mirrored = name in constants.MIRRORED and self.side != self.measured_side
            record['pacejka_02'][name] = -value if mirrored else value
        return record


class TreadConfig(Section):
    """Tread of a flexible tire, between belt and ground; stiffnesses are per length of the rim's arc."""

    stiffness_npm2: float = Field(gt=0.0, le=1e10, description='Stiffness toward the axle [N/m^2].')
    longitudinal_npm2: float = Field(gt=0.0, le=1e10, description='Shear stiffness along the rim [N/m^2].')
    lateral_npm2: float = Field(gt=0.0, le=1e10, description='Shear stiffness along the axle [N/m^2].')
    damping_s: float = Field(
        default=0.0, ge=0.0, le=1.0, description='Shear damping coefficient divided by the shear stiffness [s].'
    )


class RingConfig(Section):
    """Flexible tire: a ring of points on an elastic foundation, for rigid terrain and soil of type scm."""

    type: Literal['ring']
    description: str = Field('', description='One line about the tire.')
    radius_m: float = Field(gt=0.0, le=5.0, description='Unloaded radius of the tire [m].')
    width_m: float = Field(gt=0.0, le=5.0, description='Width of the tire [m].')
    rim_depth_m: float = Field(
        gt=0.0, le=5.0, description='Deflection at which the belt touches the rim [m], below half the radius.'
    )
    points: int = Field(default=120, ge=48, le=720, description='Number of points of the ring.')
    stiffness_npm2: float = Field(
        gt=0.0, le=1e10, description='Stiffness of the sidewalls toward the axle, per length of the rim [N/m^2].'
    )
    tangential_npm2: float = Field(
        gt=0.0, le=1e10, description='Stiffness of the sidewalls along the rim, per length of the rim [N/m^2].'
    )
    damping_nspm2: float = Field(
        ge=0.0, le=1e8, description='Damping of the sidewalls toward the axle, per length of the rim [N s/m^2].'
    )
    tension_n: float = Field(
        default=0.0, ge=0.0, le=1e7, description='Tension of the belt [N]: inflation pressure times width times radius.'
    )
    bending_nm2: float = Field(default=0.0, ge=0.0, le=1e6, description='Bending stiffness of the belt [N m^2].')
    tread: TreadConfig

    @model_validator(mode='after')
    def _rim_is_inside(self) -> RingConfig:
        if self.rim_depth_m > DEEPEST * self.radius_m:
            raise ValueError(
                f'rim_depth_m = {self.rim_depth_m!r}: is not below half the radius; '
                f'allowed: up to {DEEPEST * self.radius_m:g}'
            )
        return self

    def ring(self) -> Any:
        """Return the parameters of the ring for the kernels, a record of RING_RECORD."""
        record = np.zeros((), RING_RECORD)
        record['points'], record['radius'], record['width'] = self.points, self.radius_m, self.width_m
        record['stiffness'], record['tangential'] = self.stiffness_npm2, self.tangential_npm2
        record['damping'] = self.damping_nspm2
        record['tension'], record['bending'] = self.tension_n, self.bending_nm2
        record['rim_depth'] = self.rim_depth_m
        tread = self.tread
        record['tread'], record['tread_damping'] = tread.stiffness_npm2, tread.damping_s
        record['longitudinal'], record['lateral'] = tread.longitudinal_npm2, tread.lateral_npm2
        return record

    def record(self) -> Any:
        """Return a record for the kernels with the load curve of the ring at rest on level ground, up to the rim."""
        record = np.zeros((), constants.TIRE_RECORD)
        record['model'] = constants.RING
        record['radius'], record['width'] = self.radius_m, self.width_m
        record['nominal_friction'], record['knots'] = 1.0, constants.KNOTS
        depths, loads = np.linspace(0.0, self.rim_depth_m, constants.KNOTS), np.zeros(constants.KNOTS)
        plane_loads(np.array([self.ring()]), depths, loads)
        record['depth'], record['load'] = depths, loads
        record['slope_beyond'] = self.tread.stiffness_npm2 * self.radius_m
        return record


TireConfig = TMeasyConfig | FialaConfig | Pacejka89Config | Pacejka02Config | RingConfig
MODELS: dict[str, type[TireConfig]] = {
    'tmeasy': TMeasyConfig,
    'fiala': FialaConfig,
    'pacejka_89': Pacejka89Config,
    'pacejka_02': Pacejka02Config,
    'ring': RingConfig,
}
"""Configuration classes by the key ``type`` of a file."""


def read_tire(source: YamlSource) -> TireConfig:
    """Return the configuration from a tire's file.

    Raises:
        InputError: If the file is invalid; names file, key, value and allowed values.
    """
    kind = source.data.get('type')
    if not isinstance(kind, str) or kind not in MODELS:
        raise source.error(('type',), 'is missing' if kind is None else 'is unknown', allowed_names(MODELS, kind), kind)
    return validated(MODELS[kind], source.data, source)


FILE_KIND = FileKind(
    'Tire',
    'A tire file has the parameters of a tire model: of handling tires, or of a flexible tire (ring).',
    lambda: {f'type {name}': model for name, model in MODELS.items()},
)
"""Tire files."""
