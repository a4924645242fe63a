# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""States of the dust in a run folder, from which a run that continues takes the dust in the air; lens service."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from rclpy.node import Node
from std_srvs.srv import Trigger

from regolith_files import rounded_text
from regolith_sensors.config.sensors import ResolvedSensor
from regolith_sensors.dust.dust_cloud import DustCloud, Lens
from regolith_sensors.report.summary import DUST_SUMMARY
from regolith_world.numerics import rotation
from regolith_world.ros import create_service

FOLDER = 'dust'
"""Folder of the states in a run folder."""


def sensor_lenses(sensors: Iterable[ResolvedSensor]) -> dict[str, Lens]:
    """Return the lenses of a scenario's sensors by full name."""
    return {
        sensor.full_name: Lens(
            sensor.vehicle, np.array(sensor.mount.position), rotation.matrix(sensor.mount.orientation)[:, 0].copy()
        )
        for sensor in sensors
        if sensor.kind.sees
    }


class DustStates:
    """Saved states of the dust of a run.

    The world holds at every checkpoint, pause and step. The state of the last hold is kept, and those of checkpoints.
    """

    def __init__(self, cloud: DustCloud, run_dir: str, restore_from: str) -> None:
        """Follow a cloud.

        Args:
            cloud: The dust.
            run_dir: Folder of the run; '': nothing is saved.
            restore_from: Folder of the checkpoint from which the run starts; '': none.
        """
        self.cloud = cloud
        self._run_dir = Path(run_dir) if run_dir else None
        self._folders = [Path(run_dir), *Path(restore_from).parents] if restore_from else [Path(run_dir)]
        self._hold_ns: int | None = None
        self._told = 0
        """Number of parcels left out at the last warning."""

    def left_out_text(self) -> str:
        """Return a warning if dust is left out, and again whenever ten times as much is; '' otherwise."""
        cloud = self.cloud
        if cloud.left_out < max(1, 10 * self._told):
            return ''
        self._told = cloud.left_out
        mass = rounded_text(1e3 * cloud.left_out * cloud.config.parcel_mass_kg, 3)
        return (
            f'dust: {mass} g are left out up to {cloud.t_ns * 1e-9:.3f} s, because dust.max_parcels = '
            f'{cloud.config.max_parcels} are in the air; fix: a larger parcel_mass_kg or max_parcels'
        )

    def hold(self, t_ns: int) -> None:
        """Save the state of a commit [ns] as soon as the dust has followed it."""
        self._hold_ns = t_ns
        self.poll()

    def poll(self) -> None:
        """Save the state of the last hold, if it is due."""
        cloud = self.cloud
        if self._hold_ns is None or cloud.t_ns != self._hold_ns or self._run_dir is None:
            return
        self._hold_ns = None
        folder = self._run_dir / FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f'{cloud.t_ns}.npz'
        partial = file.with_suffix('.partial')
        partial.write_bytes(cloud.save())
        partial.replace(file)
        wanted = {file.name, *(f'{t_ns}.npz' for t_ns in self._checkpoint_times())}
        for old in folder.glob('*.npz'):
            if old.name not in wanted:
                old.unlink()

    def _checkpoint_times(self) -> list[int]:
        assert self._run_dir is not None
        found = []
        for manifest in self._run_dir.rglob('manifest.json'):
            with suppress(OSError, ValueError, KeyError, TypeError):  # it may be deleted at any time
                found.append(int(json.loads(manifest.read_text())['t_ns']))
        return found

    def return_to(self, t_ns: int) -> bool:
        """Return to a commit [ns]: from memory, else from a saved state, else without dust.

        Returns:
            Whether the dust is that of this time.
        """
        self._hold_ns = None
        if self.cloud.return_to(t_ns):
            return True
        for folder in self._folders:
            file = folder / FOLDER / f'{t_ns}.npz'
            if file.is_file():
                self.cloud.restore(file.read_bytes())
                return True
        self.cloud.clear()
        return t_ns <= 0

    def write_summary(self) -> None:
        """Write the mass balance and the dirt of the lenses into the run folder."""
        if self._run_dir is not None and self._run_dir.is_dir():
            cloud = self.cloud
            lenses = {name: cloud.transmission(name) for name in cloud.lenses}
            summary = asdict(cloud.balance()) | {'lens_transmission': lenses, 'state_digest': cloud.digest()}
            (self._run_dir / DUST_SUMMARY).write_text(json.dumps(summary, indent=2) + '\n')


def create_lens_services(node: Node, root: str, cloud: DustCloud) -> None:
    """Create ``/VEHICLE/SENSOR/clean_lens`` (std_srvs/Trigger) for each lens.

    Args:
        node: Node of the services.
        root: Namespace of the run, '' or with a slash in front.
        cloud: Dust of the run.
    """
    for name in cloud.lenses:

        def clean(request: Any, response: Any, name: str = name) -> Any:
            before = cloud.clean(name)
            response.success, response.message = True, f'transmission was {before:.4f}, is 1'
            return response

        create_service(node, Trigger, f'{root}/{name}/clean_lens', clean)
