# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Fixed transforms between frames, as published on ``/tf_static``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_world.numerics import rotation

Floats = NDArray[np.float64]


class FixedFrames:
    """Collection of fixed transforms."""

    def __init__(self) -> None:
        self._parents: dict[str, tuple[str, Floats, Floats]] = {}

    def take(self, message: Any) -> None:
        """Store the transforms of a TFMessage."""
        for each in message.transforms:
            shift, turn = each.transform.translation, each.transform.rotation
            self._parents[each.child_frame_id] = (
                each.header.frame_id,
                np.array([shift.x, shift.y, shift.z]),
                np.array([turn.x, turn.y, turn.z, turn.w]),
            )

    def place(self, frame: str, known: Callable[[str], str | None]) -> tuple[str, Floats, Floats] | None:
        """Return the known parent of a frame, with position [m] and orientation of the frame in it, or None.

        Args:
            frame: Frame id.
            known: Function that returns the name of a known frame, None for others.
        """
        position, turn = np.zeros(3), np.eye(3)
        for _ in range(len(self._parents) + 1):
            name = known(frame)
            if name is not None:
                return name, position, rotation.from_matrix(turn)
            if frame not in self._parents:
                return None
            frame, shift, about = self._parents[frame]
            own = rotation.matrix(about)
            position, turn = own @ position + shift, own @ turn
        return None
