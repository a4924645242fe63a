# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The settings of a drive on the proving ground; a case is a file with some of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from regolith_files.library import Library
from regolith_files.problems import InputError
from regolith_files.section import Section
from regolith_files.yaml_source import YamlSource
from regolith_terrain.experiments.settings import known
from regolith_vehicles.config import load_vehicle_model

CASES = Library('case', Path(__file__).parent / 'cases', 'regolith.proving_ground_cases')
MANOEUVRES: dict[str, dict[str, Any]] = {
    'settle': {'braking': 1.0, 'duration_s': 10.0},
    'straight': {'hold': True, 'speed_mps': 10.0, 'initial_speed_mps': 10.0},
    'step_steer': {'hold': True, 'speed_mps': 20.0, 'initial_speed_mps': 20.0, 'steering': 0.1, 'steer_start_s': 4.0,
                   'steer_ramp_s': 0.2},
    'circle': {'hold': True, 'speed_mps': 4.0, 'initial_speed_mps': 4.0, 'speed_rate_mps2': 0.4,
               'speed_rate_start_s': 3.0, 'steering': 0.1, 'steer_start_s': 0.5, 'steer_ramp_s': 1.0,
               'duration_s': 40.0},
    'brake': {'hold': True, 'speed_mps': 20.0, 'initial_speed_mps': 20.0, 'hold_until_s': 4.0, 'braking': 0.5,
              'brake_start_s': 4.0, 'duration_s': 9.0},
    'accelerate': {'throttle': 1.0, 'throttle_start_s': 1.0, 'duration_s': 12.0},
}  # fmt: skip
"""Settings of each manoeuvre that differ from the defaults."""


def _names(value: Any) -> Any:
    """Turn 'front,rear' into two names."""
    return tuple(value.split(',')) if isinstance(value, str) else value


class Settings(Section):
    """A drive on the proving ground; what is not said is the manoeuvre's, or the case's."""

    vehicle: Annotated[str, known(load_vehicle_model)] = Field(
        default='hmmwv', min_length=1, description='name or file of a vehicle'
    )
    manoeuvre: Literal['settle', 'straight', 'step_steer', 'circle', 'brake', 'accelerate'] = 'step_steer'
    case: str | None = Field(default=None, min_length=1, description='name or file of settings to start from')
    duration_s: float = Field(default=8.0, gt=0.0, le=1000.0, description='[s]')
    step_s: float | None = Field(default=None, ge=1e-5, le=0.02, description="substep [s]; absent: the vehicle's")
    cycle_s: float = Field(default=0.005, ge=1e-4, le=0.1, description='time between two decisions of the driver [s]')
    sample_s: float = Field(default=0.02, ge=1e-4, le=10.0, description='time between two rows [s]')
    ground: str = Field(default='rigid', min_length=1, description='rigid, or the name of a soil')
    friction: float = Field(default=0.8, gt=0.0, le=2.0, description='of rigid ground')
    gravity_mps2: float = Field(default=9.81, gt=0.0, le=30.0, description='[m/s^2]')
    grid_m: float = Field(default=0.05, ge=0.005, le=1.0, description='spacing of the nodes of soil [m]')
    initial_speed_mps: float = Field(default=0.0, ge=-100.0, le=100.0, description='of all parts [m/s]')
    hold: bool = Field(default=False, description='whether the throttle keeps a speed')
    hold_until_s: float = Field(default=1000.0, ge=0.0, le=1000.0, description='[s]')
    hold_gain: float = Field(default=0.5, ge=0.0, le=100.0, description='throttle for each m/s that is lacking [s/m]')
    hold_feed: float = Field(default=0.005, ge=0.0, le=1.0, description='throttle for each m/s of the speed [s/m]')
    speed_mps: float = Field(default=0.0, ge=-100.0, le=100.0, description='speed that is kept [m/s]')
    speed_rate_mps2: float = Field(default=0.0, ge=-20.0, le=20.0, description='by which it grows [m/s^2]')
    speed_rate_start_s: float = Field(default=0.0, ge=0.0, le=1000.0, description='from when on it does [s]')
    steering: float = Field(default=0.0, ge=-1.0, le=1.0, description='left positive')
    steer_start_s: float = Field(default=0.0, ge=0.0, le=1000.0, description='[s]')
    steer_ramp_s: float = Field(default=0.0, ge=0.0, le=1000.0, description='[s]')
    throttle: float = Field(default=0.0, ge=0.0, le=1.0)
    throttle_start_s: float = Field(default=0.0, ge=0.0, le=1000.0, description='[s]')
    throttle_ramp_s: float = Field(default=0.0, ge=0.0, le=1000.0, description='[s]')
    braking: float = Field(default=0.0, ge=0.0, le=1.0)
    brake_start_s: float = Field(default=0.0, ge=0.0, le=1000.0, description='[s]')
    brake_ramp_s: float = Field(default=0.0, ge=0.0, le=1000.0, description='[s]')
    tyre: Annotated[tuple[str, ...] | None, BeforeValidator(_names)] = Field(
        default=None, min_length=1, max_length=10, description="of all wheels, or of each axle; absent: the vehicle's"
    )
    tyre_behaviour: Literal['regolith', 'reference'] = Field(
        default='regolith', description="reference: as Chrono's are"
    )
    differentials: Literal['open', 'locked'] | None = Field(default=None, description="absent: the vehicle's")
    engine_mounted: bool = Field(default=True, description="false: its reaction on the chassis is lost, as in Chrono's")

    @model_validator(mode='before')
    @classmethod
    def _started_from(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        case = values.get('case')
        given = {**(_case(case) if isinstance(case, str) else {}), **values}
        return {**MANOEUVRES.get(str(given.get('manoeuvre', 'step_steer')), {}), **given}

    @field_validator('vehicle')
    @classmethod
    def _is_a_car(cls, value: str) -> str:
        config, _ = load_vehicle_model(value)
        if config.running_gear is None or config.running_gear.name != 'car':
            raise ValueError('is no car; allowed: a vehicle whose running gear is a car')
        return value


def _case(name: str) -> dict[str, Any]:
    """Return the settings of a case.

    :raises ValueError: if there is none of this name, or its file cannot be read
    """
    try:
        return dict(YamlSource(CASES.find(name), what='a case').data)
    except InputError as error:
        first = error.problems[0]
        raise ValueError(f'case {name!r}: {first.problem}; allowed: {first.allowed}') from None
