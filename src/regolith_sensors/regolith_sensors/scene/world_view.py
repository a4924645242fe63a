# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The world at a time in the recent past: poses between committed states, and the soil at that time.

All results are functions of the committed states, not of their arrival: a frame is the same in every run, at any speed.
"""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_sensors.brdf import HapkeParameters
from regolith_sensors.dust.density import density_grid
from regolith_sensors.dust.dust_cloud import DustCloud
from regolith_sensors.dust.emission import EmittingSurface
from regolith_sensors.dust.optics import DustOptics, dust_optics
from regolith_sensors.rays.backend import RayBackend
from regolith_sensors.scene.object_history import COLUMNS, ObjectHistory, VisibleEntity
from regolith_sensors.scene.object_layer import object_mesh
from regolith_sensors.scene.pose_track import PoseTrack
from regolith_sensors.scene.rock_layer import RockLayer
from regolith_sensors.scene.scene import Scene, SceneObject
from regolith_sensors.surfaces.terrain_tiles import SoilHeightSource
from regolith_terrain.contact import Surfels, joined_surfels
from regolith_terrain.grid import NodeRecords, SoilGrid
from regolith_terrain.updates import CommittedSoil
from regolith_world.cycle import Anchor, ObjectVisual

Floats = NDArray[np.float64]

_STANDS_OUT = 0.35
"""Height of a disc above the height field, relative to its radius, above which the field does not show its soil."""


POSE_COLUMNS = 7
"""Columns of a pose; the state of a vehicle with thermal nodes has the temperature of each part after them."""
_OUT_OF_SIGHT = np.array([0.0, 0.0, -1e6, 0.0, 0.0, 0.0, 1.0])
"""Pose of an absent object."""


class SurfelHistory:
    """Moving soil in the regions of one vehicle after each commit."""

    def __init__(self) -> None:
        self._states: deque[tuple[int, Surfels]] = deque()

    @property
    def last_ns(self) -> int:
        """Return the time of the newest state [ns]; -1 without states."""
        return self._states[-1][0] if self._states else -1

    def add(self, t_ns: int, discs: Surfels) -> None:
        """Append a state; after a rewind, states of the abandoned future are discarded."""
        while self._states and self._states[-1][0] >= t_ns:
            self._states.pop()
        self._states.append((t_ns, discs))

    def discard_after(self, t_ns: int) -> None:
        """Discard the states after a time [ns], which belong to an abandoned future."""
        while self._states and self._states[-1][0] > t_ns:
            self._states.pop()

    def advance(self, t_ns: int) -> Surfels:
        """Return the state committed at a time [ns], none before the first, and discard the earlier ones."""
        while len(self._states) > 1 and self._states[1][0] <= t_ns:
            self._states.popleft()
        return self._states[0][1] if self._states and self._states[0][0] <= t_ns else Surfels.none()


def protruding_surfels(discs: Surfels, grid: SoilGrid) -> Surfels:
    """Return the discs that the height field does not show, because they stand out of it along their normals.

    Both represent one surface where it is a height above the plane. The height field is smoother there. On a sharp
    crest the rims of flat discs would cast shadows like scales.
    """
    if not len(discs.place):
        return discs
    d = grid.spacing
    (i, j), level = np.floor(discs.place[:, :2].T / d), np.zeros(len(discs.place))
    u, v = discs.place[:, :2].T / d - (i, j)
    for a in (0, 1):
        for b in (0, 1):
            weight = (u if a else 1.0 - u) * (v if b else 1.0 - v)
            level += weight * grid.levels((i + a) * d, (j + b) * d)
    off = (discs.place[:, 2] - level) * np.maximum(discs.normal[:, 2], 0.0)
    out = off > _STANDS_OUT * discs.radius
    return Surfels(*(part[out] for part in discs))


class TerrainHistory:
    """The committed soil at the time of a frame; later changes wait until :meth:`advance`."""

    def __init__(self, grid: SoilGrid) -> None:
        """Start with undisturbed ground."""
        self.grid = grid
        self.soil = CommittedSoil()
        """Committed changes."""
        self.epoch = -1
        self.committed_ns = -1
        """Newest committed time of the world [ns]."""
        self.changed: list[NodeRecords] = []
        """Records applied since the reader last emptied this list."""
        self._began_ns = 0

    @property
    def lost(self) -> bool:
        """Return whether a complete state of the soil is needed."""
        return self.soil.lost

    @property
    def valid_from_ns(self) -> int:
        """Return the earliest time of frames [ns]: the ground before is unknown."""
        return max(self._began_ns, self.soil.from_ns)

    def on_cycle(self, epoch: int, t_ns: int) -> None:
        """Process a cycle of the world: its epoch and the committed time [ns]."""
        if epoch != self.epoch:
            self.epoch, self._began_ns = epoch, t_ns
            self.soil.begin(epoch)
        self.committed_ns = t_ns

    def knows(self, t_ns: int) -> bool:
        """Return whether all commits up to a time [ns] have arrived."""
        return not self.lost and self.soil.epoch == self.epoch and t_ns <= self.soil.until_ns

    def advance(self, t_ns: int) -> None:
        """Update :attr:`grid` to the ground committed at a time [ns] for which :meth:`knows` is true."""
        complete, records = self.soil.changes(t_ns)
        if complete:
            self.load(*records)
        else:
            self._apply(records)

    def load(self, *records: NodeRecords) -> None:
        """Replace the ground by undisturbed ground with these records."""
        self.changed.append(self.grid.all_records())
        self.grid = SoilGrid(self.grid.height_field, self.grid.spacing, self.grid.law)
        self._apply(records)

    def _apply(self, records: Sequence[NodeRecords]) -> None:
        for each in records:
            self.grid.apply(each)
        self.changed += records


class PresentBodies:
    """Bodies that are present at a commit, for the dust. An update costs Python time for the moved bodies only."""

    def __init__(self) -> None:
        """Start without bodies."""
        self.poses: dict[str, Floats] = {}
        """Pose of each body by name, shape (1, 7). A body that rests keeps its array."""
        self.surfaces: dict[str, EmittingSurface] = {}
        """Surface of each body by name."""
        self._visuals: list[ObjectVisual] = []
        self._last = np.zeros((0, POSE_COLUMNS))

    def update(self, entities: Sequence[VisibleEntity], poses: Floats) -> None:
        """Set the bodies of a commit.

        Args:
            entities: What was ever visible, by row.
            poses: Pose of each row, NaN if it is absent, shape (rows, 7).

        Tests: test_objects_seen.py::test_bodies_that_rest_keep_their_poses.
        """
        visuals = [entity.visual for entity in entities]
        if len(visuals) != len(self._visuals) or not all(map(operator.is_, visuals, self._visuals)):
            self._replace(visuals)
        absent = np.isnan(poses[:, 0])
        moved = (poses != self._last).any(axis=1)
        for row in np.flatnonzero(absent & ~np.isnan(self._last[:, 0])).tolist():
            self.poses.pop(visuals[row].name, None)
            self.surfaces.pop(visuals[row].name, None)
        for row in np.flatnonzero(moved & ~absent).tolist():
            visual = visuals[row]
            if visual.anchor != Anchor.BODY:
                continue
            if visual.name not in self.surfaces:
                self.surfaces[visual.name] = EmittingSurface.of_body(object_mesh(visual))
            self.poses[visual.name] = poses[row : row + 1]
        self._last = poses

    def _replace(self, visuals: list[ObjectVisual]) -> None:
        """Take over the visuals of all rows; discard the bodies whose row has another one."""
        last = np.full((len(visuals), POSE_COLUMNS), np.nan)
        for row, visual in enumerate(self._visuals):
            if row < len(visuals) and visuals[row] is visual:
                last[row] = self._last[row]
            elif not np.isnan(self._last[row, 0]):
                self.poses.pop(visual.name, None)
                self.surfaces.pop(visual.name, None)
        self._visuals, self._last = visuals, last


class WorldStates:
    """Tracks of all vehicles and the ground, shared by the sensors of a process."""

    def __init__(
        self,
        parts: Mapping[str, Sequence[str]],
        grid: SoilGrid,
        kept_ns: int = 2_000_000_000,
        particles: Iterable[str] = (),
        objects: Mapping[str, ObjectVisual] | None = None,
        dust: DustCloud | None = None,
    ) -> None:
        """Create tracks without states.

        Args:
            parts: Names of the parts by vehicle, the base first.
            grid: Grid of the ground.
            kept_ns: Age to which states are kept [ns].
            particles: Vehicles with particle regions.
            objects: Visuals of the scenario's objects, by name.
            dust: Dust of the scenario; None: there is none.
        """
        self.dust = dust
        self.particles = {name: SurfelHistory() for name in sorted(set(particles))}
        self.discs = Surfels.none()
        """Moving soil at the time of :meth:`advance`."""
        self.tracks = {name: PoseTrack(names, kept_ns) for name, names in sorted(parts.items())}
        self.objects = ObjectHistory(objects, kept_ns)
        """The world's objects, and entities of participants."""
        self._bodies = PresentBodies()
        self.ground = TerrainHistory(grid)
        self.participants = frozenset(self.tracks)
        """Vehicles that still participate; the others stay at their last poses."""

    def covers(self, t0_ns: int, t1_ns: int) -> bool:
        """Return whether all states from t0 to t1 [ns] are known, including those on both sides."""
        followed: tuple[tuple[str, PoseTrack | SurfelHistory], ...] = (*self.tracks.items(), *self.particles.items())
        present = [states for name, states in followed if name in self.participants]
        told = all(states.last_ns >= t1_ns for states in present)
        return told and self.ground.knows(t1_ns) and self.ground.valid_from_ns <= max(t0_ns, 0)

    def discard_after(self, t_ns: int) -> None:
        """Discard the states of vehicles and of their soil after a time [ns], to which the world has rewound."""
        for track in self.tracks.values():
            track.discard_after(t_ns)
        self.objects.discard_after(t_ns)
        for history in self.particles.values():
            history.discard_after(t_ns)

    def follow_dust(self, t_ns: int) -> None:
        """Advance the dust, and the ground with it, commit by commit up to a time [ns] as far as states are known."""
        if self.dust is None or self.ground.lost:
            return
        tracks = {name: track for name, track in self.tracks.items() if name in self.participants}
        known_ns = min((track.last_ns for track in tracks.values()), default=-1)
        until_ns = min(t_ns, known_ns, self.ground.soil.until_ns)
        commits: dict[int, dict[str, Floats]] = {}
        for name, track in tracks.items():
            for when_ns, poses in track.between(self.dust.t_ns, until_ns):
                commits.setdefault(when_ns, {})[name] = poses
        for when_ns in sorted(commits):
            self.ground.advance(when_ns)
            if self.objects.last_ns >= 0:
                self._bodies.update(self.objects.entities, self.objects.all_at(when_ns)[:, :POSE_COLUMNS])
            bodies = self._bodies
            self.dust.follow(when_ns, bodies.poses | commits[when_ns], self.ground.grid, bodies.surfaces)

    def advance(self, t_ns: int) -> None:
        """Update ground, dust and :attr:`discs` to the commit at a time [ns] that :meth:`covers` reports as known."""
        self.follow_dust(t_ns)
        self.ground.advance(t_ns)
        if self.particles:
            moving = joined_surfels([history.advance(t_ns) for history in self.particles.values()])
            self.discs = protruding_surfels(moving, self.ground.grid)


class ScenePart(NamedTuple):
    """A part of a vehicle, or an object of the world, in a scene."""

    thing: SceneObject
    instance: int
    """Number among the parts of the object."""
    row: int
    """Index among the poses of a state."""


class WorldView:
    """The world around one vehicle, for its sensors."""

    def __init__(
        self,
        states: WorldStates,
        viewer: str,
        scene: Scene,
        vehicles: Mapping[str, Sequence[ScenePart]],
        rocks: RockLayer | None = None,
        objects: Sequence[ScenePart] = (),
        show: Callable[[ObjectVisual, int], SceneObject] | None = None,
        grains: HapkeParameters | None = None,
    ) -> None:
        """Create the view of a vehicle.

        Args:
            states: States shared with other views; each view has a scene of its own, centered on its vehicle.
            viewer: Name of that vehicle.
            scene: Scene whose ground is ``states.ground.grid``.
            vehicles: Parts in the scene by vehicle.
            rocks: Rocks of the site.
            objects: Objects of the scenario in the scene, by row of ``states.objects``.
            show: Function that adds an object to the scene, with its number in instance images; needed for entities
                that are not of the scenario.
            grains: Reflectance of the ground, whose grains are those of the dust.
        """
        self.states = states
        self._grains = grains
        self.viewer = viewer
        self.scene = scene
        self._vehicles = dict(vehicles)
        self._objects = tuple(objects)
        self._rocks = rocks
        self._show = show
        self._fixed = len(scene.objects)
        self._born: dict[int, tuple[ObjectVisual, SceneObject]] = {}
        """Entities in the scene that are not of the scenario, by row."""

    def base_pose(self, vehicle: str, t_ns: ArrayLike) -> tuple[Floats, Floats]:
        """Return positions (n, 3) [m] and quaternions (n, 4) of a vehicle's base at times [ns], world frame."""
        return self.states.tracks[vehicle].at(t_ns)

    def covers(self, t0_ns: int, t1_ns: int) -> bool:
        """Return whether all states from t0 to t1 [ns] are known, including those on both sides."""
        return self.states.covers(t0_ns, t1_ns)

    def update_terrain(self, changed: Sequence[NodeRecords]) -> None:
        """Update the ground of the scene."""
        ground = self.scene.ground
        assert isinstance(ground, SoilHeightSource)
        ground.grid = self.states.ground.grid
        for records in changed:
            if len(records):
                self.scene.update(records.i, records.j)

    def center_on(self, position: ArrayLike) -> None:
        """Select tiles and rocks for a viewer at a position [m], shape (3,)."""
        if self.scene.center(position) and self._rocks is not None:
            self._rocks.show()

    def prepare(self, t_ns: int, vehicles: bool = True) -> RayBackend:
        """Place every vehicle and object at its pose at a time [ns] and return the ray back end.

        Ground and moving soil are those at the end of the frame's span; the process has updated them.

        Args:
            t_ns: Simulated time [ns].
            vehicles: Whether vehicles are in sight.
        """
        position, _ = self.base_pose(self.viewer, t_ns)
        self.center_on(position[0])
        for name, parts in self._vehicles.items():
            track = self.states.tracks[name]
            if track.last_ns < 0:
                continue
            poses = track.all_at(t_ns)[:, :POSE_COLUMNS]
            self._place(parts, poses if vehicles else np.full_like(poses, np.nan))
        if self.states.objects.last_ns >= 0:
            self._place_objects(self.states.objects.all_at(t_ns))
        self.scene.set_surfels(self.states.discs)
        return self.scene.commit()

    def dust(self, t_ns: int) -> DustOptics | None:
        """Return the dust at the time of :meth:`prepare` [ns]; None without dust in the air."""
        cloud = self.states.dust
        if cloud is None or self._grains is None:
            return None
        viewer, _ = self.base_pose(self.viewer, t_ns)
        grid = density_grid(cloud.in_flight(t_ns), cloud.parcel_extinction_m2, self.scene.origin, viewer[0])
        return None if grid.is_empty else dust_optics(grid, self._grains)

    def lens_transmission(self, sensor: str) -> float:
        """Return the transmission of the dust on the lens of a sensor, by its full name."""
        cloud = self.states.dust
        return 1.0 if cloud is None else cloud.transmission(sensor)

    def part_values(
        self, t_ns: int, emissivity: Mapping[str, Sequence[float]], other_k: float, other_emissivity: float
    ) -> tuple[Floats, Floats]:
        """Return temperatures [K] and emissivities of all instances at a time [ns]; NaN: no part of a vehicle.

        Args:
            t_ns: Simulated time [ns].
            emissivity: Emissivities of the parts by vehicle, in the order of its poses.
            other_k: Temperature of vehicles without thermal nodes [K].
            other_emissivity: Their emissivity.
        """
        first = len(self.scene.tiles.tiles)
        temperatures = np.full(first + self.scene.instance_count + 1, np.nan)
        emissivities = np.full(len(temperatures), np.nan)
        for name, parts in self._vehicles.items():
            track = self.states.tracks[name]
            rows = track.all_at(t_ns) if track.last_ns >= 0 else np.zeros((len(track.parts), POSE_COLUMNS))
            known = rows.shape[1] > POSE_COLUMNS
            for part in parts:
                number = first + part.thing.first + part.instance
                temperatures[number] = rows[part.row, POSE_COLUMNS] if known else other_k
                emissivities[number] = emissivity[name][part.row] if name in emissivity else other_emissivity
        return temperatures, emissivities

    def _place_objects(self, poses: Floats) -> None:
        """Place the objects of the scenario, and the entities that are there in addition."""
        things, first, poses = self.states.objects.entities, self.states.objects.count_of_scenario, poses.copy()
        present = {row: things[row].visual for row in range(first, len(poses)) if not np.isnan(poses[row, 0])}
        shown = {row: id(visual) for row, (visual, _) in self._born.items()}
        if shown != {row: id(visual) for row, visual in present.items()}:
            self._rebuild_born(present)
        born = [ScenePart(thing, 0, row) for row, (_, thing) in self._born.items()]
        for part in (*self._objects, *born):
            visual = things[part.row].visual
            if visual.anchor == Anchor.GROUND:
                x, y = poses[part.row, :2]
                poses[part.row, 2] += self.states.ground.grid.levels(x, y)
        self._place((*self._objects, *born), poses)

    def _rebuild_born(self, present: Mapping[int, ObjectVisual]) -> None:
        """Replace the entities in the scene that are not of the scenario, and the rocks, which follow them."""
        assert self._show is not None
        self.scene.keep_objects(self._fixed)
        number = self._fixed + 2 + (len(self._rocks.rocks.x) if self._rocks is not None else 0)
        first = self.states.objects.count_of_scenario
        self._born = {row: (visual, self._show(visual, number + row - first)) for row, visual in present.items()}
        if self._rocks is not None:
            self._rocks.objects_before = len(self.scene.objects)
            self._rocks.show()

    def _place(self, parts: Sequence[ScenePart], poses: Floats) -> None:
        """Place parts at their poses, absent ones out of sight."""
        for part in parts:
            pose = poses[part.row]
            here = pose if not np.isnan(pose[0]) else _OUT_OF_SIGHT
            scale = (1.0, 1.0, here[7]) if len(here) == COLUMNS else 1.0
            self.scene.place(part.thing, part.instance, here[:3], here[3:7], scale)
