# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Settings of a proving ground run; a case is a file with some of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from regolith_files import FileLibrary, InputError, Section, YamlSource
from regolith_testbeds.settings import known_name
from regolith_vehicles import load_vehicle_model

CASES = FileLibrary('case', Path(__file__).parent / 'cases', 'regolith.proving_ground_cases')
MANEUVERS: dict[str, dict[str, Any]] = {
    'settle': {'braking': 1.0, 'duration_s': 10.0},
    'straight': {'hold_speed': True, 'speed_mps': 10.0, 'initial_speed_mps': 10.0},
    'step_steer': {
        'hold_speed': True,
        'speed_mps': 20.0,
        'initial_speed_mps': 20.0,
        'steering': 0.1,
        'steer_start_s': 4.0,
        'steer_ramp_s': 0.2,
    },
    'circle': {
        'hold_speed': True,
        'speed_mps': 4.0,
        'initial_speed_mps': 4.0,
        'speed_rate_mps2': 0.4,
        'speed_rate_start_s': 3.0,
        'steering': 0.1,
        'steer_start_s': 0.5,
        'steer_ramp_s': 1.0,
        'duration_s': 40.0,
    },
    'brake': {
        'hold_speed': True,
        'speed_mps': 20.0,
        'initial_speed_mps': 20.0,
        'hold_until_s': 4.0,
        'braking': 0.5,
        'brake_start_s': 4.0,
        'duration_s': 9.0,
    },
    'accelerate': {'throttle': 1.0, 'throttle_start_s': 1.0, 'duration_s': 12.0},
    'box': {'hold_speed': True, 'speed_mps': 2.0, 'box_start_m': 6.0},
}
"""Settings of each maneuver that differ from the defaults."""
TWISTS: dict[str, dict[str, Any]] = {
    'settle': {'duration_s': 10.0},
    'straight': {'speed_mps': 0.3},
    'circle': {'speed_mps': 0.3, 'yaw_rate_radps': 0.1, 'duration_s': 30.0},
    'pivot': {'yaw_rate_radps': 0.2, 'duration_s': 15.0},
    'box': {'speed_mps': 0.3, 'duration_s': 15.0},
}
"""Settings of each maneuver of vehicles commanded by a twist that differ from the defaults."""
TRACKED: dict[str, dict[str, Any]] = {
    'settle': {'braking': 1.0, 'duration_s': 10.0},
    'straight': {'throttle': 0.8, 'throttle_start_s': 1.5, 'throttle_ramp_s': 0.5},
    'turn': {
        'throttle': 0.8,
        'throttle_start_s': 1.5,
        'throttle_ramp_s': 0.5,
        'steering': 0.4,
        'steer_start_s': 4.0,
        'steer_ramp_s': 0.5,
    },
    'pivot': {
        'throttle': 1.0,
        'throttle_start_s': 1.5,
        'throttle_ramp_s': 1.0,
        'steering': 1.0,
        'steer_start_s': 1.5,
        'driveline': 'split',
        'duration_s': 6.0,
    },
    'brake': {
        'throttle': 0.8,
        'throttle_start_s': 1.5,
        'throttle_ramp_s': 0.5,
        'throttle_until_s': 4.5,
        'braking': 0.3,
        'brake_start_s': 5.0,
        'brake_ramp_s': 0.2,
    },
    'box': {'throttle': 0.5, 'box_start_m': 3.0},
}
"""Settings of each maneuver of tracked vehicles that differ from the defaults."""
_FAMILIES = {'car': MANEUVERS, 'tracks': TRACKED}
"""Maneuvers by running gear; the default wheels are commanded by a twist."""
_PEDALS = (
    'hold_speed',
    'hold_until_s',
    'hold_gain',
    'hold_feedforward',
    'speed_rate_mps2',
    'speed_rate_start_s',
    'steering',
    'steer_start_s',
    'steer_ramp_s',
    'throttle',
    'throttle_start_s',
    'throttle_ramp_s',
    'throttle_until_s',
    'braking',
    'brake_start_s',
    'brake_ramp_s',
    'powertrain',
)
_CARS = ('tire', 'tire_mode', 'differentials', 'reaction_on_chassis', 'initial_speed_mps')
_TWIST = ('yaw_rate_radps', 'speed_ramp_s', 'nominal_radius_m')
_UNUSED = {'car': ('driveline', *_TWIST), 'tracks': (*_CARS, *_TWIST), '': (*_PEDALS, *_CARS, 'driveline')}
"""Settings that do not apply, by running gear."""


def _names(value: Any) -> Any:
    """Split 'front,rear' into two names."""
    return tuple(value.split(',')) if isinstance(value, str) else value


class Settings(Section):
    """Settings of a proving ground run. Defaults come from the maneuver or the case."""

    vehicle: Annotated[str, known_name(load_vehicle_model)] = Field(
        default='hmmwv', min_length=1, description='Name or file of a vehicle.'
    )
    maneuver: Literal['settle', 'straight', 'step_steer', 'circle', 'brake', 'accelerate', 'turn', 'pivot', 'box'] = (
        Field(default='step_steer', description='Maneuver that the vehicle drives.')
    )
    case: str | None = Field(
        default=None, min_length=1, description='Name or file of a case, the settings to start from.'
    )
    duration_s: float = Field(default=8.0, gt=0.0, le=1000.0, description='Duration of the run [s].')
    step_s: float | None = Field(
        default=None, ge=1e-5, le=0.02, description="Substep [s]. Absent: the vehicle's substep."
    )
    cycle_s: float = Field(
        default=0.005, ge=1e-4, le=0.1, description='Time between two updates of the driver inputs [s].'
    )
    sample_s: float = Field(default=0.02, ge=1e-4, le=10.0, description='Time between two rows of the result [s].')
    terrain_model: str = Field(default='rigid', min_length=1, description='Terrain: rigid, or the name of a soil.')
    friction: float = Field(default=0.8, gt=0.0, le=2.0, description='Friction coefficient of rigid ground [-].')
    viscous_friction_nspm: float = Field(
        default=0.0,
        ge=0.0,
        le=1e7,
        description='Friction force per sliding speed on rigid ground [N s/m]. 0: Coulomb friction with sticking.',
    )
    start_height_m: float | None = Field(
        default=None,
        ge=-100.0,
        le=100.0,
        description='Initial height of the level base, from which the vehicle falls [m]. Absent: it is placed on'
        ' the ground.',
    )
    gravity_mps2: float = Field(default=9.81, gt=0.0, le=30.0, description='Gravitational acceleration [m/s^2].')
    grid_spacing_m: float = Field(default=0.05, ge=0.005, le=1.0, description='Grid spacing of the soil [m].')
    initial_speed_mps: float = Field(default=0.0, ge=-100.0, le=100.0, description='Initial speed of all parts [m/s].')
    hold_speed: bool = Field(default=False, description='Whether the throttle is controlled to keep a speed.')
    hold_until_s: float = Field(
        default=1000.0, ge=0.0, le=1000.0, description='Time until which hold_speed applies [s].'
    )
    hold_gain: float = Field(default=0.5, ge=0.0, le=100.0, description='Throttle per speed deficit [s/m].')
    hold_feedforward: float = Field(default=0.005, ge=0.0, le=1.0, description='Throttle per speed [s/m].')
    speed_mps: float = Field(default=0.0, ge=-100.0, le=100.0, description='Speed to keep [m/s].')
    speed_rate_mps2: float = Field(
        default=0.0, ge=-20.0, le=20.0, description='Rate of change of the speed to keep [m/s^2].'
    )
    speed_rate_start_s: float = Field(
        default=0.0, ge=0.0, le=1000.0, description='Time at which the speed to keep starts to change [s].'
    )
    steering: float = Field(
        default=0.0, ge=-1.0, le=1.0, description='Steering input, -1 to 1, positive to the left [-].'
    )
    steer_start_s: float = Field(default=0.0, ge=0.0, le=1000.0, description='Time at which steering starts [s].')
    steer_ramp_s: float = Field(default=0.0, ge=0.0, le=1000.0, description='Duration of the steering ramp [s].')
    throttle: float = Field(default=0.0, ge=0.0, le=1.0, description='Throttle input [-].')
    throttle_start_s: float = Field(default=0.0, ge=0.0, le=1000.0, description='Time at which throttle starts [s].')
    throttle_ramp_s: float = Field(default=0.0, ge=0.0, le=1000.0, description='Duration of the throttle ramp [s].')
    throttle_until_s: float = Field(default=1000.0, ge=0.0, le=1000.0, description='Time at which throttle ends [s].')
    braking: float = Field(default=0.0, ge=0.0, le=1.0, description='Braking input [-].')
    brake_start_s: float = Field(default=0.0, ge=0.0, le=1000.0, description='Time at which braking starts [s].')
    brake_ramp_s: float = Field(default=0.0, ge=0.0, le=1000.0, description='Duration of the braking ramp [s].')
    tire: Annotated[tuple[str, ...] | None, BeforeValidator(_names)] = Field(
        default=None,
        min_length=1,
        max_length=10,
        description="Tire of all wheels, or of each axle. Absent: the vehicle's tires.",
    )
    tire_mode: Literal['regolith', 'reference'] = Field(
        default='regolith', description="Tire behavior. Reference: as Chrono's tires respond."
    )
    differentials: Literal['open', 'locked'] | None = Field(
        default=None, description='State of the differentials. Absent: as in the vehicle model.'
    )
    driveline: Literal['brakes', 'split'] | None = Field(
        default=None, description='Steering method of tracks. Absent: as in the vehicle model.'
    )
    powertrain: str | None = Field(
        default=None, min_length=1, description="One of the vehicle's powertrains. Absent: as in the vehicle model."
    )
    reaction_on_chassis: bool = Field(
        default=True,
        description="Whether the engine's reaction torque acts on the chassis. False: it is lost, as in Chrono.",
    )
    yaw_rate_radps: float = Field(
        default=0.0,
        ge=-10.0,
        le=10.0,
        description='Yaw rate of vehicles that are commanded by a twist, positive to the left [rad/s].',
    )
    speed_ramp_s: float = Field(
        default=1.0, ge=0.0, le=1000.0, description='Time in which speed and yaw rate reach their values [s].'
    )
    nominal_radius_m: float | None = Field(
        default=None,
        gt=0.0,
        le=5.0,
        description="Wheel radius that converts speeds into commanded wheel speeds [m]. Absent: the wheels' radius.",
    )
    box_start_m: float = Field(
        default=1.7, ge=-1e3, le=1e3, description='Start of the box of maneuver box along x [m].'
    )
    box_length_m: float = Field(default=0.6, ge=0.03, le=1e3, description='Length of the box along x [m].')
    box_right_m: float = Field(default=-2.0, ge=-1e3, le=1e3, description='Right side of the box along y [m].')
    box_left_m: float = Field(default=2.0, ge=-1e3, le=1e3, description='Left side of the box along y [m].')
    box_height_m: float = Field(default=0.1, ge=0.03, le=100.0, description='Height of the box [m].')
    box_friction: float | None = Field(
        default=None,
        ge=0.0,
        le=10.0,
        description='Friction coefficient of the box [-]. Absent: that of the ground, key friction.',
    )

    @model_validator(mode='before')
    @classmethod
    def _started_from(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        case = values.get('case')
        given = {**(_case(case) if isinstance(case, str) else {}), **values}
        family = _family(given.get('vehicle', 'hmmwv'))
        for key in _UNUSED.get(family, ()):
            if given.get(key) is not None:
                raise ValueError(f'{key} = {given[key]!r}: does not apply to this vehicle; fix: remove it')
        usual = _FAMILIES.get(family, TWISTS)
        sample, usual_cycle = given.get('sample_s'), cls.model_fields['cycle_s'].default
        if 'cycle_s' not in given and isinstance(sample, int | float) and 0.0 < sample < usual_cycle:
            given = {**given, 'cycle_s': sample}
        if given.get('maneuver') == 'straight' and 'speed_mps' in given and family == 'car':
            given = {'initial_speed_mps': given['speed_mps'], **given}
        return {**usual.get(str(given.get('maneuver', 'step_steer')), {}), **given}

    @property
    def way(self) -> float:
        """Direction of motion: 1, or -1 if a reverse speed is kept."""
        return -1.0 if self.hold_speed and self.speed_mps < 0.0 else 1.0

    @property
    def by_twist(self) -> bool:
        """Whether the vehicle is commanded by a twist, not by driver inputs."""
        return self.family not in _FAMILIES

    @property
    def family(self) -> str:
        """Running gear of the vehicle; '' for the default wheels."""
        return _family(self.vehicle)

    @model_validator(mode='after')
    def _can_do_it(self) -> Settings:
        if self.family not in (*_FAMILIES, ''):
            what = ', '.join((*_FAMILIES, 'default wheels'))
            raise ValueError(f'vehicle = {self.vehicle!r}: has running gear {self.family!r}; allowed: {what}')
        step = self.step_s or 0.0
        if step > self.cycle_s or self.sample_s < self.cycle_s:
            key, beside, limit = (
                ('step_s', 'cycle_s', 'up to') if step > self.cycle_s else ('sample_s', 'cycle_s', 'at least')
            )
            given = f'{key} = {getattr(self, key)!r}: is inconsistent with {beside}'
            raise ValueError(f'{given}; allowed: {limit} {getattr(self, beside)!r}')
        known = _FAMILIES.get(self.family, TWISTS)
        if self.maneuver not in known:
            raise ValueError(
                f'maneuver = {self.maneuver!r}: does not apply to this vehicle; allowed: {", ".join(known)}'
            )
        if self.box_left_m - self.box_right_m < 0.03:
            raise ValueError(
                f'box_left_m = {self.box_left_m!r}: is not left of box_right_m; allowed: at least 0.03 m above it'
            )
        return self


def _family(vehicle: Any) -> str:
    """Return the running gear of a vehicle, '' for the default wheels.

    An unreadable vehicle counts as a car: validation of its own key reports the error.
    """
    try:
        gear = load_vehicle_model(vehicle)[0].running_gear
    except (InputError, TypeError, ValueError):
        return 'car'
    return '' if gear is None else gear.name


def _case(name: str) -> dict[str, Any]:
    """Return the settings of a case.

    Raises:
        ValueError: If no case has this name, or its file cannot be read.
    """
    try:
        found = dict(YamlSource(CASES.find(name), what='a case').data)
    except InputError as error:
        first = error.problems[0]
        raise ValueError(f'case = {name!r}: {first.problem}; allowed: {first.allowed}') from None
    if 'case' in found:
        raise ValueError(f'case = {name!r}: starts from case {found["case"]!r}; allowed: settings without a case')
    return found
