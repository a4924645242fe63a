# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Trajectories of objects in a recorded run: bodies, ropes, platforms and the lines between bodies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_files import Run
from regolith_world.cycle import Roles
from regolith_world.reporting.attempts import ATTEMPT_KEY_FIELDS, attempt_keys
from regolith_world.reporting.view_layer import CYCLE, ends_of, lines_of

Floats = NDArray[np.float64]

SAMPLES = 300
"""Number of commits that are read, evenly spaced over the run."""
_CHAIN = 4
"""Minimum number of bodies of an object that is plotted as a chain."""
_LEAST_M = 1e-3
"""Minimum displacement of a moving body [m]."""


@dataclass
class Trajectories:
    """Positions of objects at n commits."""

    time: list[float] = field(default_factory=list)
    """Times of the commits [s]."""
    bodies: dict[str, list[Floats]] = field(default_factory=dict)
    """Position [m] at each commit by name; NaN where no object has that name."""
    lines: dict[str, list[float]] = field(default_factory=dict)
    """Distance of the ends [m] of a cable, spring or rod, by name; NaN where it is not active."""
    lengths: dict[str, float] = field(default_factory=dict)
    """Length [m] of a cable, spring or rod that has one, by name."""

    def chains(self) -> dict[str, Floats]:
        """Return objects of many bodies by name: positions [m], shape (n, bodies, 3)."""
        roots: dict[tuple[str, int], list[str]] = {}
        for name in sorted(self.bodies):
            # Bodies that an object spawns one after the other are no chain.
            begin = int(np.isfinite(np.array(self.bodies[name])[:, 0]).argmax())
            roots.setdefault((name.partition('/')[0], begin), []).append(name)
        return {
            root: np.stack([self.bodies[name] for name in names], axis=1)
            for (root, _), names in roots.items()
            if len(names) >= _CHAIN
        }

    def moving(self) -> dict[str, Floats]:
        """Return moving bodies that are not part of a chain, by name: positions [m], shape (n, 3)."""
        chains = self.chains()
        single = {n: np.array(p) for n, p in sorted(self.bodies.items()) if n.partition('/')[0] not in chains}
        return {n: p for n, p in single.items() if np.nanmax(np.nanmax(p, axis=0) - np.nanmin(p, axis=0)) > _LEAST_M}


def read_trajectories(run: Run) -> Trajectories:
    """Return the trajectories of a run at up to ``SAMPLES`` attempts, evenly spaced in order.

    An attempt that is announced again counts once.
    """
    first, _ = attempt_keys(run.bag.columns(CYCLE, *ATTEMPT_KEY_FIELDS))
    sampled = np.unique(np.linspace(0, len(first) - 1, min(len(first), SAMPLES)).round()).astype(np.intp)
    chosen = set(first[sampled].tolist())
    lines, vehicles = lines_of(run.scenario), set(run.scenario.vehicles)
    found = Trajectories()
    for item in lines:
        if item.line is not None and item.line.length_m is not None:
            found.lengths[item.name] = item.line.length_m
    nowhere = np.full(3, np.nan)
    for number, message in enumerate(run.bag.some(CYCLE, chosen)):
        cycle = message.content
        found.time.append(cycle.t_ns * 1e-9)
        poses = {body.name: body.pose for body in cycle.bodies}
        roles = zip(cycle.participants, cycle.roles)
        vehicles |= {name for name, code in roles if Roles.of_code(int(code)).has_bodies}  # spawned ones too
        for name, pose in poses.items():
            if name.partition('/')[0] not in vehicles:
                at = pose.position
                found.bodies.setdefault(name, [nowhere] * number).append(np.array([at.x, at.y, at.z]))
        for line in lines:
            ends = ends_of(line, cycle.t_ns, poses)
            distance = float('nan') if ends is None else float(np.linalg.norm(ends[1] - ends[0]))
            found.lines.setdefault(line.name, []).append(distance)
        for positions in found.bodies.values():
            if len(positions) == number:
                positions.append(nowhere)
    return found


def principal_coordinates(positions: Floats) -> tuple[Floats, Floats]:
    """Return coordinates along the horizontal direction of largest spread, and heights [m].

    Args:
        positions: Points [m], shape (..., 3).
    """
    flat: Any = positions[..., :2].reshape(-1, 2)
    flat = flat[np.isfinite(flat).all(axis=1)]
    middle = flat.mean(axis=0)
    axis = np.linalg.svd(flat - middle, full_matrices=False)[2][0]
    axis = axis if axis[np.argmax(np.abs(axis))] > 0.0 else -axis
    return (positions[..., :2] - middle) @ axis, positions[..., 2]
