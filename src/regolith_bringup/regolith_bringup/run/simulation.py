# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A whole scenario in one process, without ROS: world and participants wired by function calls.

The participants are the same objects as in the nodes, so a run here has the same state hash as the same scenario in
many processes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from regolith_bringup.scenario.participants import sections, site_of
from regolith_bringup.scenario.schema import Scenario
from regolith_terrain.authority import TerrainAuthority
from regolith_terrain.height_field import build_height_field
from regolith_terrain.merge import SoilDelta, SoilUpdate
from regolith_terrain.soil_copy import SoilCopy
from regolith_terrain.soil_grid import SoilGrid
from regolith_vehicles.agent import VehicleAgent
from regolith_vehicles.config import load_vehicle_model
from regolith_vehicles.snapshot import Snapshot
from regolith_vehicles.surroundings import build_solids
from regolith_world.checkpoint import WORLD, Checkpoint
from regolith_world.object_types import make_objects
from regolith_world.participant import Participant
from regolith_world.remote import LocalBus
from regolith_world.world import World


class Simulation:
    """A scenario with all its participants; :attr:`world` steps it.

    :param scenario: checked and resolved
    :param threads: number of threads that evolve vehicles; the result does not depend on it
    :param publish: called with every committed state of every vehicle, ``publish(name, snapshot)``
    """

    def __init__(
        self,
        scenario: Scenario,
        *,
        threads: int = 1,
        publish: Callable[[str, Snapshot], None] | None = None,
    ) -> None:
        self.scenario = scenario
        config = scenario.terrain
        field = build_height_field(config, scenario.seed)
        self.bus = LocalBus(threads)
        self.world = World(scenario.world, make_objects(scenario.objects, scenario.world.gravity_mps2), self.bus)
        self.terrain = TerrainAuthority(
            config, field, self.bus.answer, self._on_update, gravity_mps2=scenario.world.gravity_mps2
        )
        self.agents: dict[str, VehicleAgent] = {}
        self.on_delta: Callable[[SoilDelta], None] = lambda delta: None
        """Called with every delta, in name order."""
        self.on_update: Callable[[SoilUpdate], None] = lambda update: None
        """Called with every update."""
        self._deltas: dict[str, SoilDelta] = {}
        self._take_in(self.terrain)
        self.others: dict[str, Participant] = {}
        """Registered participants, in name order."""
        site = replace(site_of(scenario), ground=lambda: field)
        for name, (kind, section) in sections(scenario).items():
            self.others[name] = kind.participant(name, section, site, self.bus.answer)
            self._take_in(self.others[name])
        solids = build_solids(config, scenario.seed, field) if scenario.vehicles else None
        for name, entry in sorted(scenario.vehicles.items()):
            model, mjcf_path = load_vehicle_model(entry.model)
            # Without compaction transfer every vehicle sees another ground, so it must have its own.
            own = not config.compaction_transfer
            agent = VehicleAgent(
                name,
                entry,
                model,
                mjcf_path,
                config,
                field,
                scenario.world.gravity_mps2,
                self.bus.answer,
                self._take_delta,
                soil=SoilCopy(SoilGrid(field, config.spacing_m, config.law), name, False) if own else None,
                grid=None if own else self.terrain.grid,
                publish=None if publish is None else partial(publish, name),
                solids=solids,
            )
            self.agents[name] = agent
            self._take_in(agent)
        self.bus.between(self._hand_over)

    def _take_in(self, participant: Participant) -> None:
        request = participant.join_request()
        self.bus.connect(participant, request.roles)
        self.world.admit(request)

    @property
    def participants(self) -> dict[str, Participant]:
        """All participants of a cycle, by name."""
        return {self.terrain.name: self.terrain, **self.others, **self.agents}

    def _take_delta(self, delta: SoilDelta) -> None:
        self._deltas[delta.agent] = delta

    def _hand_over(self) -> None:
        deltas, self._deltas = self._deltas, {}
        for name in sorted(deltas):
            self.on_delta(deltas[name])
            self.terrain.on_delta(deltas[name])

    def _on_update(self, update: SoilUpdate) -> None:
        self.on_update(update)
        for name in sorted(self.agents):
            self.agents[name].on_update(update)

    def run(self, until_s: float) -> str:
        """Step to a simulated time [s], hold there, and return the state hash."""
        end_ns = round(until_s * 1e9)
        while self.world.t_ns < end_ns:
            self.world.step(end_ns)
        self.world.hold()
        return self.world.state_hash

    # -- checkpoints (the States of regolith_world.ros.runner) --------------------------------------------------

    def save(self, names: tuple[str, ...]) -> dict[str, bytes]:
        """Return each participant's blob."""
        participants = self.participants
        return {name: participants[name].save() for name in names}

    def restore(self, blobs: Mapping[str, bytes], epoch: int) -> None:
        """Set each participant's state, the ground's first."""
        self.terrain.restore(blobs['terrain'], epoch)
        for name, other in self.others.items():
            other.restore(blobs[name], epoch)
        soil_seq, ground = TerrainAuthority.unpack(blobs['terrain'])
        for name in sorted(self.agents):
            agent = self.agents[name]
            if agent.soil is not None:
                agent.soil.load(ground, soil_seq)
            agent.restore(blobs[name], epoch)

    def checkpoint(self) -> Checkpoint:
        """Return the committed state of everything; call it after :meth:`run`."""
        blobs = self.save(tuple(sorted(self.world.participants)))
        return Checkpoint(self.world.t_ns, self.world.state_hash, {WORLD: self.world.save(), **blobs})

    def go_to(self, saved: Checkpoint) -> None:
        """Continue from a checkpoint, taken here or in a run of many processes."""
        self.world.load(saved.blobs[WORLD])
        self.restore({n: b for n, b in saved.blobs.items() if n != WORLD}, self.world.epoch)
