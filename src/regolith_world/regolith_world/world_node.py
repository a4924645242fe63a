# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The node ``world``: it owns simulated time, evolves all participants, and commits or discards steps."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.serialization import deserialize_message
from rclpy.task import Future
from regolith_msgs.msg import TerrainUpdate
from regolith_msgs.srv import Join, RestoreState, SaveState, SetBodyState

from regolith_world.checkpoint import files
from regolith_world.config import ScenarioHead, WorldConfig, load_section
from regolith_world.cycle.participant_type import TERRAIN_NAME, expected_participants
from regolith_world.cycle.records import BodyState, JoinRequest, SpawnedObject
from regolith_world.cycle.transport import ParticipantTimeout
from regolith_world.objects.named_poses import named_poses
from regolith_world.objects.object_types import make_objects
from regolith_world.ros import protocol_codec
from regolith_world.ros.announcement import Announcement
from regolith_world.ros.checkpoint_services import CheckpointServices
from regolith_world.ros.entity_services import EntityServices
from regolith_world.ros.message_conversion import byte_array
from regolith_world.ros.named_pose_services import PoseServices
from regolith_world.ros.naming import helper_node, root_namespace
from regolith_world.ros.parameters import declare_parameter, declare_run_id, declare_scenario
from regolith_world.ros.participant_host import WAIT_REPORT_S
from regolith_world.ros.remote_nodes import RemoteNodes
from regolith_world.ros.runner import Runner
from regolith_world.ros.service_client import call_service
from regolith_world.ros.service_server import create_service
from regolith_world.ros.shutdown import run_process
from regolith_world.ros.simulation_services import SimulationServices
from regolith_world.ros.startup_timeout import StartupTimeout
from regolith_world.ros.topic_transport import TopicTransport
from regolith_world.ros.vehicle_process import VehicleProcess
from regolith_world.watchdog import FILE, Alive
from regolith_world.world import AdmissionError, ProtocolError, World

REMOTE_NODES_DESCRIPTION = (
    "Participants, and 'sensors', whose nodes are started on other machines with `regolith join`."
)
"""Description of parameter ``remote_nodes``."""
MAX_SENSOR_LAG_DESCRIPTION = (
    'Maximum simulated time by which the world runs ahead of its sensors [s]; below 0: no sensors.'
)
"""Description of parameter ``max_sensor_lag_s``."""
WAIT_FOR_RECORDER_DESCRIPTION = 'Whether the world waits for the acknowledgments of a recorder.'
"""Description of parameter ``wait_for_recorder``."""
_SETTLES_S = 1.0
"""Wall time within which a participant receives its admission [s]."""


class ServiceParticipantStates:
    """States of the participants, through their services.

    See :class:`regolith_world.timeline.ParticipantStates`.
    """

    def __init__(self, node: Node, services: Mapping[str, str], timeout_s: float, run: int) -> None:
        self._node, self._run = node, run
        self._executor = SingleThreadedExecutor(context=node.context)
        self._executor.add_node(node)
        self._ask = partial(call_service, self._executor, timeout_s=timeout_s)
        self._save: dict[str, Any] = {}
        self._restore: dict[str, Any] = {}
        self._place: dict[str, Any] = {}
        for name, service in services.items():
            self.add(name, service)

    def add(self, name: str, service: str) -> None:
        """Add a participant whose services are below ``service``."""
        self._save[name] = self._node.create_client(SaveState, f'{service}/save_state')
        self._restore[name] = self._node.create_client(RestoreState, f'{service}/restore_state')
        self._place[name] = self._node.create_client(SetBodyState, f'{service}/set_body_state')

    def save(self, names: tuple[str, ...]) -> dict[str, bytes]:
        """Return the saved state of each participant.

        Args:
            names: Names of the participants.

        Raises:
            ParticipantTimeout: If a participant does not respond, or has not joined again.
        """
        return {name: self._saved(name) for name in names}

    def _saved(self, name: str) -> bytes:
        until = time.monotonic() + _SETTLES_S
        while True:
            try:
                response = self._ask(self._save[name], SaveState.Request(run_id=self._run))
            except TimeoutError:
                raise ParticipantTimeout([name]) from None
            if response.success:
                return bytes(response.state)
            if time.monotonic() > until:
                raise ParticipantTimeout([name])
            self._executor.spin_once(timeout_sec=0.05)

    def remove(self, name: str) -> None:
        """Remove the clients of a participant."""
        for clients in (self._save, self._restore, self._place):
            self._node.destroy_client(clients.pop(name))

    def restore(self, blobs: Mapping[str, bytes], epoch: int, inputs: Mapping[str, bytes]) -> None:
        """Set the state of each participant.

        Args:
            blobs: Saved states by participant.
            epoch: The new epoch.
            inputs: Encoded input histories by participant.

        Raises:
            ProtocolError: With the reason of a participant.
            ParticipantTimeout: If a participant does not respond.
        """
        for name in sorted(blobs):
            self.revive(name, blobs[name], blobs[TERRAIN_NAME], epoch, inputs.get(name, b''))

    def revive(self, name: str, blob: bytes, ground: bytes, epoch: int, inputs: bytes) -> None:
        """Set the state of one participant, see :meth:`restore`."""
        request = RestoreState.Request(run_id=self._run, epoch=int(epoch))
        request.state, request.soil, request.live_inputs = map(byte_array, (blob, ground, inputs))
        try:
            response = self._ask(self._restore[name], request)
        except TimeoutError:
            raise ParticipantTimeout([name]) from None
        if not response.success:
            raise ProtocolError(f'{name} cannot be restored: {response.message}')

    def place(self, name: str, body: BodyState) -> None:
        """Set pose and velocity of a vehicle.

        Args:
            name: Name of the vehicle.
            body: Its new state.

        Raises:
            ValueError: If the vehicle cannot have this state.
            ParticipantTimeout: If the vehicle does not respond.
        """
        self._set_body(name, SetBodyState.Request(run_id=self._run, body=protocol_codec.BODY.to_message(body)))

    def check_place(self, name: str, body: SpawnedObject) -> None:
        """Check that a participant of rigid bodies can compute a body at a state.

        Args:
            name: Name of the participant.
            body: The body at this state.

        Raises:
            ValueError: If it cannot.
            ParticipantTimeout: If the participant does not respond.
        """
        self._set_body(
            name,
            SetBodyState.Request(
                run_id=self._run,
                body=protocol_codec.BODY.to_message(body.state),
                spawned=[protocol_codec.SPAWNED.to_message(body)],
            ),
        )

    def _set_body(self, name: str, request: SetBodyState.Request) -> None:
        try:
            response = self._ask(self._place[name], request)
        except TimeoutError:
            raise ParticipantTimeout([name]) from None
        if not response.success:
            raise ValueError(response.message)


class WorldNode:
    """Parameters, services and the join handshake around :class:`~regolith_world.world.World`."""

    def __init__(self) -> None:
        self.node = Node('world')
        node = self.node
        scenario_file = declare_scenario(node)
        self._run_id, self._scenario_file = declare_run_id(node), scenario_file
        self._spawned: dict[str, VehicleProcess] = {}
        self._looking: Any = None
        run_dir = declare_parameter(node, 'run_dir', '', 'Folder of the run; empty: no files.')
        self._folder = Path(run_dir) if run_dir else None
        self._alive = Alive(self._folder / FILE) if self._folder is not None else None
        self._restore_from = declare_parameter(
            node, 'restore_from', '', 'Folder of the checkpoint to start from; empty: t = 0.'
        )
        self._recorded = declare_parameter(node, 'wait_for_recorder', False, WAIT_FOR_RECORDER_DESCRIPTION)
        head = load_section(scenario_file, '', ScenarioHead)
        self.config = load_section(scenario_file, 'world', WorldConfig)
        self._expected = expected_participants(head)
        self._root = root_namespace(node)
        services = {name: f'{self._root}/{name}/agent' for name in head.vehicles}
        others = sorted(self._expected - set(head.vehicles))
        services |= {name: f'{node.get_namespace().rstrip("/")}/{name}' for name in others}
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(node)
        link, states_node = helper_node(node, 'link'), helper_node(node, 'states')
        self.nodes = [node, link, states_node]
        remote_nodes = declare_parameter(node, 'remote_nodes', [''], REMOTE_NODES_DESCRIPTION)
        self._remote = RemoteNodes(link, remote_nodes, scenario_file, run_dir)
        self._announcement = Announcement(node, link, self._run_id, head.name, self._remote)
        self.bus = TopicTransport(link, self.config, self._serve, self._run_id)
        self._populace = ServiceParticipantStates(
            states_node, services, self.config.participant_timeout_s, self._run_id
        )
        things = make_objects(head.objects, self.config.gravity_mps2)
        self.world = World(self.config, things, self.bus, on_timeout=lambda timeout: self.runner.on_timeout(timeout))
        self._last_checkpoint: files.Checkpoint | None = None
        self.runner = Runner(
            node,
            self._executor,
            self.world,
            self._populace,
            run_dir=self._folder,
            alive=self._alive,
            scenario=head.name,
            processes=declare_parameter(node, 'processes', 'many', 'Number of processes of vehicles, for the summary.'),
            duration_s=declare_parameter(
                node, 'duration_s', 0.0, 'Simulated time at which the run ends [s]; 0: never.'
            ),
            inbox=self.bus.inbox,
            recorded=self._recorded,
            max_sensor_lag_s=declare_parameter(node, 'max_sensor_lag_s', -1.0, MAX_SENSOR_LAG_DESCRIPTION),
            observers=self.bus.listeners,
            on_checkpoint=self._keep,
        )
        self.runner.paused = declare_parameter(node, 'start_paused', False, 'Whether the world starts paused.')
        self.runner.on_release = self._release
        self.services = SimulationServices(node, self.runner, self.world, head.name)
        self.entities = EntityServices(node, self.runner, self.world, self._start_vehicle)
        self.past = CheckpointServices(node, self.runner, self.world)
        self.poses = PoseServices(node, named_poses(head.named_poses))
        create_service(node, Join, 'join', self._on_join)
        self._started = False
        self._accepted: dict[str, tuple[int, Join.Response]] = {}
        """Process token and response of each participant that joined, by name."""

    def _serve(self) -> None:
        self.runner.serve()

    def _keep(self, saved: files.Checkpoint) -> None:
        self._last_checkpoint = saved
        self.bus.discard_history()

    def run(self) -> int:
        """Wait for all participants, run, and return the exit code."""
        patience = StartupTimeout(self.node, 'starting', self.config.start_timeout_s)
        next_word = time.monotonic() + WAIT_REPORT_S
        while (
            not self._announcement.alone()
            or set(self.world.participants) != self._expected
            or self.bus.listeners() < self._processes + bool(self._recorded)
            or self.runner.followers.missing()
        ):
            self.bus.inbox.deliver()
            if self.runner.leaving.requested:
                return 0
            absent = {*self._expected.difference(self.world.participants), *self.runner.followers.missing()}
            hint = self._remote.wait_for(absent)
            now, out = time.monotonic(), patience.left() < 0.0
            if out or now > next_word:
                missing = sorted(self._expected - set(self.world.participants)) or self.runner.followers.missing()
                missing = missing or ['a subscriber of cycles']
                if out:
                    self.node.get_logger().error(f'{missing} did not join within {self.config.start_timeout_s} s')
                    return 3
                next_word += WAIT_REPORT_S
                why = hint or (' (compiling)' if patience.building else '')
                self.node.get_logger().info(f'waiting for {", ".join(missing)}{why}')
            self._executor.spin_once(timeout_sec=0.05)
        self._started = True
        return self.runner.run(Path(self._restore_from) if self._restore_from else None)

    @property
    def _processes(self) -> int:
        """Number of processes whose participants have joined."""
        return len({instance for instance, _ in self._accepted.values()})

    def _on_join(self, request: Join.Request, response: Join.Response) -> Join.Response:
        response.run_id = self._run_id
        if request.run_id != self._run_id:
            response.result, response.message = Join.Response.WRONG_RUN, f'this is the world of run {self._run_id}'
            return response
        record = protocol_codec.JOIN.from_message(request)
        known = record.name in self.world.participants
        if known and (accepted := self._accepted.get(record.name)) and accepted[0] == request.process_token:
            return accepted[1]  # the first response was lost or late
        response.epoch = int(self.world.epoch)
        terrain_is_here = 'terrain' in self.world.participants
        try:
            newcomer = self._started and record.roles.has_bodies and record.name not in self._expected
            known_here = record.name in self._expected and record.roles.owns_soil == (record.name == 'terrain')
            if not (newcomer or known_here):
                raise AdmissionError(
                    f'the scenario names no participant {record.name!r}; it names {sorted(self._expected)}'
                )
            if known:
                self.world.agree(record)
                if self._started:
                    self._bring_back(record.name, response)
            elif self._started and not newcomer:
                response.result, response.message = Join.Response.REMOVED, f'{record.name!r} was dropped from this run'
                return response
            elif newcomer:
                self.world.agree(record)
                if not self.runner.wait_paused():
                    response.result, response.message = Join.Response.NOT_YET, 'a cycle is in progress'
                    return response
                self._take_in(record, response)
            elif not (record.roles.owns_soil or terrain_is_here):
                # The parameters of the terrain are the reference for all others.
                response.result, response.message = Join.Response.NOT_YET, 'waiting for terrain'
                return response
            else:
                self.world.admit(record)
        except AdmissionError as refusal:
            spawned = self._spawned.get(record.name)
            if spawned is not None and not spawned.come.done():
                spawned.come.set_result(str(refusal))
            self.node.get_logger().error(f'refused {record.name}: {refusal}')
            response.result, response.message = Join.Response.REFUSED, str(refusal)
            return response
        response.result = Join.Response.ACCEPTED
        self._accepted[record.name] = int(request.process_token), response
        return response

    def _take_in(self, record: JoinRequest, response: Join.Response) -> None:
        """Admit a vehicle that the scenario does not contain, at HOLD, with the present terrain."""
        self.world.admit(record)
        self._expected.add(record.name)
        self._populace.add(record.name, f'{self._root}/{record.name}/agent')
        response.soil = byte_array(self._populace.save(('terrain',))['terrain'])
        spawned = self._spawned.get(record.name)
        self.runner.on_joined(record.name, (lambda: None) if spawned is None else lambda: spawned.come.set_result(''))
        self.node.get_logger().info(f'{record.name} joins at {self.world.t_ns * 1e-9:.2f} s')

    def _start_vehicle(self, name: str, entry: Mapping[str, Any]) -> Future:
        """Start a vehicle; see :data:`regolith_world.ros.entity_services.StartVehicle`."""
        folder = self._folder or Path(tempfile.mkdtemp(prefix='regolith-'))
        made = VehicleProcess(
            name,
            entry,
            self._scenario_file,
            folder / 'spawned',
            self._root,
            self._run_id,
            again=lambda: self._is_missed(name),
            give_up=self._give_up,
        )
        self._spawned[name] = made
        if self._looking is None:
            self._looking = self.node.create_timer(0.2, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME))
        return made.come

    def _look(self) -> None:
        for made in [*self._spawned.values()]:
            made.poll()

    def _release(self, name: str) -> None:
        """End the process of a vehicle that nothing can restore, so that its name can be used again."""
        self._populace.remove(name)
        self._expected.discard(name)
        self._accepted.pop(name, None)
        if name in self._spawned:
            self._spawned.pop(name).end()

    def _is_missed(self, name: str) -> bool:
        """Return whether the world waits for a failed participant, or will soon do so."""
        waits = self.config.on_failure == 'wait' and not self.runner.leaving.requested
        return waits and name in self.world.participants

    def _give_up(self, words: str) -> None:
        self.node.get_logger().error(words)
        self.runner.leaving.request()

    def _bring_back(self, name: str, response: Join.Response) -> None:
        """Fill a join response with the state and the history from which a lost node is restored."""
        saved = self._last_checkpoint
        if saved is None:
            raise AdmissionError(f'there is no checkpoint to restore {name!r} from')
        results = self.bus.results_by_name.get(name, [])
        response.state = byte_array(saved.blobs[name])
        response.soil = byte_array(saved.blobs['terrain'])
        response.results = [protocol_codec.RESULT.to_message(result) for result in results]
        last = results[-1].key if results else None
        response.cycles = [
            protocol_codec.CYCLE.to_message(c) for c in self.bus.sent if last is not None and c.key <= last
        ]
        response.updates = [deserialize_message(update, TerrainUpdate) for update in self.bus.updates]
        response.expected_hash = results[-1].state_hash if results else ''
        self.node.get_logger().info(f'{name} is restored from the checkpoint at {saved.t_ns * 1e-9:.2f} s')


def main() -> None:
    """Run the world node."""
    run_process(
        WorldNode, WorldNode.run, lambda made: made.nodes, refusals=(TimeoutError, ParticipantTimeout), failed=3
    )


if __name__ == '__main__':
    main()
