# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Faults of one vehicle: when they are present, and how they change its devices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.dynamics.substeps import actuator_limits
from regolith_vehicles.faults.config import FaultConfig, fault_problem
from regolith_vehicles.powertrain.battery import STORED
from regolith_world.cycle import Saved, StateLayout, state_fields

Vector = NDArray[np.float64]

BEGAN, ENDED = 'fault_began', 'fault_ended'
"""Kinds of the events of faults, which are not in the state of the event detector."""


_HARD = (0.002, 1.0), (0.9999, 0.9999, 0.001, 0.5, 2.0)
"""MuJoCo's solref and solimp of the friction of a fault: the hardest that it accepts with substeps of 1 ms."""
_NEVER_S = 1e9
"""Duration of a fault without an end [s]."""


class VehicleFaults(Saved):
    """Faults of a vehicle with wheels, in the order of the scenario.

    They act at the start of a cycle. MuJoCo's model is changed for the time of a fault: a stuck wheel has a friction of
    the force limit of its motor, a free one a force limit of zero.

    Checked by: test_vehicle_faults.py.
    """

    STATE = StateLayout(
        'faults', *state_fields('<i8', 'begun_ns', 'ended_ns'), *state_fields('<f8', 'held', 'uncounted')
    )

    def __init__(self, faults: Sequence[FaultConfig], gear: Any, data: Any, energy: Any, where: str) -> None:
        """Find the devices.

        Args:
            faults: Configuration.
            gear: Running gear (:class:`regolith_vehicles.wheels.Wheels`).
            data: MuJoCo state (mujoco.MjData).
            energy: Energy of the vehicle; None: it has none.
            where: Name of the vehicle for messages.

        Raises:
            ValueError: If a device does not exist.
        """
        self.faults, self._gear, self._data, self._energy = tuple(faults), gear, data, energy
        self._model = model = gear.body.model
        self.begun_ns = np.full(len(faults), -1, np.int64)
        """Time at which each fault began [ns]; -1: it has not."""
        self.ended_ns = np.full(len(faults), -1, np.int64)
        """Time at which each fault ended [ns]; -1: it has not."""
        self.held = np.zeros(len(faults))
        """Position of the actuator of each fault at its beginning, or behind its backlash [rad]."""
        wheels = tuple(wheel.name for wheel in gear.config.wheels)
        self.uncounted = np.zeros(len(wheels))
        """Rotation of each wheel that its encoder has not counted [rad]."""
        if problem := fault_problem(faults, gear.config):
            key, value, known = problem
            names = ', '.join(known) or 'none'
            raise ValueError(f'{where}: {key} = {value!r}: does not exist; allowed: {names}')
        self._driven = hasattr(gear, 'motors')
        steered = tuple(wheels[k] for k in gear.motors.steered) if self._driven else ()
        self._rows = {f'wheel/{name}': k for k, name in enumerate(wheels)}
        self._rows |= {f'steering/{name}': len(wheels) + k for k, name in enumerate(steered)}
        self._rows |= {f'joint/{name}': len(wheels) + len(steered) + k for k, name in enumerate(gear.joints)}
        limits = actuator_limits(model, data)
        self._high = limits.high.copy()
        self._base = (
            model.actuator_forcerange.copy(),
            model.actuator_forcelimited.copy(),
            model.dof_frictionloss.copy(),
            model.dof_solref.copy(),
            model.dof_solimp.copy(),
        )
        for k, fault in enumerate(faults):
            row = self._rows.get(fault.of)
            needs = fault.kind == 'weak' or (fault.kind == 'stuck' and row is not None and not self._is_servo(row))
            if needs and not np.isfinite(self._high[gear.actuators[row]]):
                missing = f'faults.{k}.kind = {fault.kind}: {fault.of} has no force limit'
                raise ValueError(f'{where}: {missing}; allowed: an actuator with forcerange')

    def _is_servo(self, row: int) -> bool:
        """Return whether an actuator controls a position."""
        return bool(self._model.actuator_biasprm[self._gear.actuators[row], 1] != 0.0)

    # -- cycle ----------------------------------------------------------------------------------------------------

    def update(self, t_ns: int, slips: Vector, distance: float, charge: float) -> tuple[tuple[str, str], ...]:
        """Begin and end faults at the start of a cycle, and return the kinds and texts of their events.

        Args:
            t_ns: Simulated time at the start of the cycle [ns].
            slips: Slip ratios of the wheels at that time [-].
            distance: Driven distance [m].
            charge: State of charge [-]; 1 without a battery.
        """
        events = []
        wheels = [wheel.name for wheel in self._gear.config.wheels]
        for k, fault in enumerate(self.faults):
            if self.begun_ns[k] < 0:
                if fault.time_s is not None:
                    begins = t_ns >= round(fault.time_s * 1e9)
                else:
                    when = fault.when
                    assert when is not None
                    slip = next(iter((when.slip_above or {}).items()), None)
                    begins = (
                        (slip is not None and slips[wheels.index(slip[0])] > slip[1])
                        or (when.distance_above_m is not None and distance > when.distance_above_m)
                        or (when.charge_below is not None and charge < when.charge_below)
                    )
                if begins:
                    self.begun_ns[k] = t_ns
                    self._begin(k, fault)
                    events.append((BEGAN, f'{fault.of}: {fault.kind}'))
            elif self.ended_ns[k] < 0 and t_ns >= self.begun_ns[k] + round((fault.for_s or _NEVER_S) * 1e9):
                self.ended_ns[k] = t_ns
                events.append((ENDED, f'{fault.of}: {fault.kind}'))
        self._apply()
        return tuple(events)

    def _begin(self, k: int, fault: FaultConfig) -> None:
        if fault.of in self._rows:
            actuator = self._gear.actuators[self._rows[fault.of]]
            # From qpos: what MuJoCo derives from it is of the last step, not of a restored state.
            self.held[k] = self._data.qpos[self._model.jnt_qposadr[self._model.actuator_trnid[actuator, 0]]]
        elif fault.kind == 'cell_lost':
            self._gear.charge[STORED] *= 1.0 - (fault.value or 0.0)

    def active(self, *devices: str) -> list[tuple[int, FaultConfig]]:
        """Return the numbers and configurations of the present faults of some types of devices."""
        return [
            (k, fault)
            for k, fault in enumerate(self.faults)
            if self.begun_ns[k] >= 0 and self.ended_ns[k] < 0 and fault.device in devices
        ]

    def _apply(self) -> None:
        """Set model, rates and energy as the present faults require."""
        model, gear = self._model, self._gear
        model.actuator_forcerange[:], model.actuator_forcelimited[:], model.dof_frictionloss[:] = self._base[:3]
        model.dof_solref[:], model.dof_solimp[:] = self._base[3:]
        pace = np.ones(len(gear.actuators))
        for _, fault in self.active('wheel', 'joint', 'steering'):
            row = self._rows[fault.of]
            actuator, value = gear.actuators[row], fault.value or 0.0
            if fault.kind in ('free', 'weak'):
                force = 0.0 if fault.kind == 'free' else value * self._high[actuator]
                model.actuator_forcelimited[actuator] = True
                model.actuator_forcerange[actuator] = -force, force
            elif fault.kind == 'slow':
                pace[row] = value
            elif fault.kind == 'friction' or (fault.kind == 'stuck' and not self._is_servo(row)):
                dof = int(model.jnt_dofadr[model.actuator_trnid[actuator, 0]])
                ratio = abs(float(model.actuator_gear[actuator, 0]))
                model.dof_frictionloss[dof] += value if fault.kind == 'friction' else ratio * self._high[actuator]
                # MuJoCo's default constraint would let a stuck wheel creep by some 0.01 rad/s.
                model.dof_solref[dof], model.dof_solimp[dof] = _HARD
        if self._driven:
            split = len(gear.motors.actuators)
            gear.motors.pace, gear.servos.pace = pace[:split], pace[split:]
        if self._energy is not None:
            self._energy.dark = {fault.name: fault.value or 0.0 for _, fault in self.active('panel')}
            self._energy.forced = {fault.name: fault.kind == 'on' for _, fault in self.active('load')}

    def controls(self, first: Vector, last: Vector) -> None:
        """Change the controls at both ends of a cycle, in the order of the running gear's actuators; in place."""
        for k, fault in self.active('wheel', 'joint', 'steering'):
            row = self._rows[fault.of]
            if fault.kind == 'stuck':
                first[row] = last[row] = self.held[k] if self._is_servo(row) else 0.0
            elif fault.kind == 'offset':
                first[row] += fault.value or 0.0
                last[row] += fault.value or 0.0
            elif fault.kind == 'backlash':
                half = 0.5 * (fault.value or 0.0)
                first[row] = min(max(self.held[k], first[row] - half), first[row] + half)
                self.held[k] = last[row] = min(max(first[row], last[row] - half), last[row] + half)

    def counted(self, turned: Vector, duration: float) -> Vector:
        """Return the rotation of the wheels in a cycle that their encoders count [rad], shape (n,).

        Args:
            turned: True rotation [rad].
            duration: Duration of the cycle [s].
        """
        found = turned.copy()
        for _, fault in self.active('encoder'):
            row, value = self._rows[f'wheel/{fault.name}'], fault.value or 0.0
            if fault.kind == 'bias':
                found[row] += value * duration
            else:
                found[row] *= 0.0 if fault.kind == 'frozen' else 1.0 - value
        self.uncounted = self.uncounted + (turned - found)
        return found

    def counted_positions(self, positions: Vector) -> Vector:
        """Return the positions of all joints with those of the wheels as their encoders count them [rad].

        Args:
            positions: True positions, shape (joints,).
        """
        found, body = positions.copy(), self._gear.body
        joints = body.joint_qpos.tolist()
        for qpos, uncounted in zip(body.wheel_qpos.tolist(), self.uncounted.tolist(), strict=True):
            found[joints.index(qpos)] -= uncounted
        return found

    @property
    def short_w(self) -> float:
        """Power of the short circuits of the battery [W]."""
        return sum((fault.value or 0.0 for _, fault in self.active('battery') if fault.kind == 'short'), 0.0)

    def reset(self) -> None:
        """Return to the state before the first cycle."""
        self.begun_ns[:], self.ended_ns[:] = -1, -1
        self.held, self.uncounted = np.zeros(len(self.held)), np.zeros(len(self.uncounted))
        self._apply()

    def summary(self) -> list[dict[str, Any]]:
        """Return the faults that began, for the run's summary: device, kind, begin and end [s]."""
        return [
            {
                'of': fault.of,
                'kind': fault.kind,
                'began_s': int(self.begun_ns[k]) * 1e-9,
                'ended_s': None if self.ended_ns[k] < 0 else int(self.ended_ns[k]) * 1e-9,
            }
            for k, fault in enumerate(self.faults)
            if self.begun_ns[k] >= 0
        ]
