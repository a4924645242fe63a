# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rerun recording as a canvas for drawers."""

from __future__ import annotations

from typing import Any

import numpy as np
import rerun as rr
from numpy.typing import NDArray

TIMELINE = 'sim_time'
"""Name of the timeline with simulated time."""
APPLICATION = 'regolith'
_SENT_S = 30.0
"""Timeout for the viewer to receive the drawn data [wall s]."""


class Canvas:
    """Rerun recording whose only timeline is simulated time.

    Args:
        name: Name of the run.
        held: Whether to hold drawn data until :meth:`send`, which then sends as few chunks as possible.
    """

    def __init__(self, name: str, *, held: bool = False) -> None:
        batching = rr.ChunkBatcherConfig.NEVER() if held else None
        self.recording = rr.RecordingStream(APPLICATION, batcher_config=batching)
        self.recording.set_log_tick_enabled(False)
        self.recording.set_log_time_enabled(False)
        self.recording.send_recording_name(name)
        self.recording.log('world', rr.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)
        self.last_ns = 0
        """Latest time of any drawn data [ns]."""

    def put(self, t_ns: int, path: str, *parts: Any) -> None:
        """Draw data that is valid from a time [ns] on."""
        self.last_ns = max(self.last_ns, t_ns)
        self.recording.set_time(TIMELINE, duration=np.timedelta64(t_ns, 'ns'))
        self.recording.log(path, *parts)

    def fix(self, path: str, *parts: Any) -> None:
        """Draw data that is valid at all times."""
        self.recording.log(path, *parts, static=True)

    def send(self) -> None:
        """Send the data drawn since the last call."""
        self.recording.flush(timeout_sec=_SENT_S)


def path_of(*parts: str) -> str:
    """Return the path of an entity with escaped special characters. A part may itself be a path."""
    return '/'.join(rr.escape_entity_path_part(name) for part in parts for name in part.split('/') if name)


def screen(color: Any) -> NDArray[np.uint8]:
    """Return sRGB bytes of linear colors, with the brightness of an exposure for lunar terrain."""
    light = np.clip(2.4 * np.asarray(color, dtype=np.float64), 0.0, 1.0)
    return np.asarray(255.0 * light ** (1.0 / 2.2) + 0.5).astype(np.uint8)


def placed(position: Any, turn: Any, scale: Any = None) -> rr.Transform3D:
    """Return the transform of an entity in its parent.

    Args:
        position: Position [m].
        turn: Quaternion (x, y, z, w).
        scale: Scale factor, or one per axis; None for 1.
    """
    return rr.Transform3D(translation=position, quaternion=rr.Quaternion(xyzw=turn), scale=scale)
