# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A Rerun recording to draw on."""

from __future__ import annotations

from typing import Any

import numpy as np
import rerun as rr
from numpy.typing import NDArray

TIMELINE = 'sim_time'
"""Simulated time as messages show it."""
APPLICATION = 'regolith'
_SENT_S = 30.0
"""Within which what was drawn has to be taken by whoever shows it [wall s]."""


class Canvas:
    """A recording whose only timeline is simulated time.

    Args:
        name: of the run
        held: whether what is drawn waits until :meth:`send`, then to go in as few pieces as it can
    """

    def __init__(self, name: str, *, held: bool = False) -> None:
        batching = rr.ChunkBatcherConfig.NEVER() if held else None
        self.recording = rr.RecordingStream(APPLICATION, batcher_config=batching)
        self.recording.set_log_tick_enabled(False)
        self.recording.set_log_time_enabled(False)
        self.recording.send_recording_name(name)
        self.recording.log('world', rr.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)
        self.last_ns = 0
        """Latest time of anything drawn [ns]."""

    def put(self, t_ns: int, path: str, *parts: Any) -> None:
        """Draw something that is so from a time [ns] on."""
        self.last_ns = max(self.last_ns, t_ns)
        self.recording.set_time(TIMELINE, duration=np.timedelta64(t_ns, 'ns'))
        self.recording.log(path, *parts)

    def fix(self, path: str, *parts: Any) -> None:
        """Draw something that is always so."""
        self.recording.log(path, *parts, static=True)

    def send(self) -> None:
        """Send what was drawn since the last time."""
        self.recording.flush(timeout_sec=_SENT_S)


def path_of(*parts: str) -> str:
    """Return the path of an entity, odd characters escaped; a part may be a path itself."""
    return '/'.join(rr.escape_entity_path_part(name) for part in parts for name in part.split('/') if name)


def screen(color: Any) -> NDArray[np.uint8]:
    """Return sRGB bytes of linear colours, as bright as an exposure for lunar ground has them."""
    light = np.clip(2.4 * np.asarray(color, dtype=np.float64), 0.0, 1.0)
    return np.asarray(255.0 * light ** (1.0 / 2.2) + 0.5).astype(np.uint8)


def placed(position: Any, turn: Any, scale: float | None = None) -> rr.Transform3D:
    """Return the place of an entity in what it is part of.

    Args:
        position: [m]
        turn: quaternion (x, y, z, w)
    """
    return rr.Transform3D(translation=position, quaternion=rr.Quaternion(xyzw=turn), scale=scale)
