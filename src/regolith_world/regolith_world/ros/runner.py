# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Main loop of a world in a node: pacing, /clock, status, pause and step, checkpoints, rewind, failures, end."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future
from regolith_msgs.msg import WorldStatus
from regolith_msgs.srv import Step
from std_srvs.srv import SetBool

from regolith_world.checkpoint import files
from regolith_world.checkpoint.disk_reserve import release
from regolith_world.checkpoint.world_edits import Act, DeleteEdit
from regolith_world.cycle.participant import ParticipantFailed
from regolith_world.cycle.stall import Stalled
from regolith_world.cycle.transport import ParticipantTimeout
from regolith_world.reporting.run_result import make_run_result
from regolith_world.ros import clock_offset
from regolith_world.ros.backpressure import Backpressure
from regolith_world.ros.gc_settings import freeze_garbage_collector
from regolith_world.ros.inbox import Inbox, ThrottledExecutor
from regolith_world.ros.pacing import HOPELESS_S, Pacer
from regolith_world.ros.parameters import declare_real_time_factor
from regolith_world.ros.service_server import create_service
from regolith_world.ros.shutdown import ShutdownRequest
from regolith_world.ros.status_publisher import StatusPublisher
from regolith_world.ros.step_request import StepRequest
from regolith_world.ros.timeout_policy import TimeoutPolicy
from regolith_world.timeline import ParticipantStates, Snapshot, Timeline
from regolith_world.watchdog import PERIOD_S, Alive
from regolith_world.world import Choice, ProtocolError, World

CLOCK_PERIOD_S = 0.01
"""Minimum period of /clock, wall time [s]. A Python subscriber uses a third of a core at 1 kHz."""
LAST_ANSWERS_S = 0.1
"""Time for which a world that has ended still responds, wall time [s]."""
LAG_PERIOD_S = 10.0
"""Period of warnings that the requested real-time factor is not reached, wall time [s]."""

Outcome = TypeVar('Outcome')


class Runner:
    """Main loop around :meth:`World.step`.

    Args:
        node: Node ``world``. Its services and topics are created here, and it is spun here.
        executor: Executor of the node.
        world: The world.
        populace: Access to the states of participants.
        run_dir: Folder of the run; None: no files.
        alive: Writer of the watchdog file for a supervisor; None: none.
        scenario: Name of the scenario.
        processes: Number of processes as text, for the summary.
        duration_s: Simulated time at which the run ends [s]; 0: no end.
        inbox: Inbox of the protocol's node, delivered here regularly.
        recorded: Whether there is a recorder, whose lag is limited.
        max_sensor_lag_s: Maximum lead of the world over its sensors in simulated time [s]; below 0: no sensors.
        observers: Returns the number of subscriptions to ``cycle``. New ones are sent all visuals.
        on_checkpoint: Called with every checkpoint that is saved or restored.
        at_standstill: Called after every HOLD and STOP and while waiting for other nodes, for deferred publications.
    """

    def __init__(
        self,
        node: Node,
        executor: SingleThreadedExecutor,
        world: World,
        populace: ParticipantStates,
        *,
        run_dir: Path | None,
        alive: Alive | None = None,
        scenario: str,
        processes: str,
        duration_s: float,
        inbox: Inbox,
        recorded: bool,
        max_sensor_lag_s: float = -1.0,
        observers: Callable[[], int] = lambda: 0,
        on_checkpoint: Callable[[files.Checkpoint], None] = lambda c: None,
        at_standstill: Callable[[], None] = lambda: None,
    ) -> None:
        self._node, self._executor, self._world = node, executor, world
        self.run_dir, self._scenario, self._processes = run_dir, scenario, processes
        self._alive = alive
        # A duration that rounds to zero still ends the run.
        self._end_ns = max(1, round(duration_s * 1e9)) if duration_s > 0.0 else 0
        self.timeline = Timeline(
            world, populace, self._end_ns, run_dir / 'checkpoints' if run_dir is not None else None, on_checkpoint
        )
        self._on_checkpoint, self._at_standstill = on_checkpoint, at_standstill
        self._observers, self._observed = observers, 0
        self._display = StatusPublisher(node, world, self._end_ns)
        self._inbox = inbox
        self.leaving = ShutdownRequest()
        self.timeout_policy = TimeoutPolicy(world, self._display, node.get_logger(), run_dir, self.leaving)
        self.followers = Backpressure(
            node,
            inbox,
            world,
            self.leaving,
            self._serve_waiting,
            self._on_late_follower,
            node.get_logger().warning,
            recorded,
            max_sensor_lag_s,
        )
        self._display.followers = self.followers
        together = ReentrantCallbackGroup()  # a waiting service does not block others
        create_service(node, SetBool, '~/pause', self._on_pause, together)
        create_service(node, Step, '~/step', self._on_step, together)
        self.paused = False
        self._requests: list[Callable[[], None]] = []
        self._steps: StepRequest | None = None
        self.stopped = False
        """Whether the world is at its beginning and was not played since."""
        self._serving = self._between = False
        self._next_checkpoint_ns = round(world.config.checkpoint_period_s * 1e9)
        self._served = ThrottledExecutor(executor)
        speed = declare_real_time_factor(node, self._change_speed)
        self.on_release: Callable[[str], None] = lambda name: None
        """Called with the name of a removed vehicle whose node is no longer needed."""
        self._failure = ''
        self._undone_ns = 0
        self._next_warning = 0.0
        self._pace = Pacer(speed, world.config.real_time == 'strict', world.config.deadline_tolerance_s)
        self._display.punctuality = self._pace.deadline_statistics

    # -- the loop -----------------------------------------------------------------------------------------------

    def run(self, restore_from: Path | None = None) -> int:
        """Run to the end of the scenario; return the exit code: 0 done, 3 a node failed."""
        world = self._world
        self._display.clock()
        if self.run_dir is not None:
            with suppress(OSError):  # the disk is full
                (self.run_dir / 'started').touch()
            self._node.create_timer(PERIOD_S, self._turn, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._turn()
        if restore_from is not None:
            self.go_to(files.read_checkpoint(restore_from))
        freeze_garbage_collector()
        started = time.monotonic()
        start_ns, self._undone_ns = world.t_ns, 0
        self._pace.restart(world.t_ns)
        try:
            world.hold()
            beginning = self.timeline.begin()
            if restore_from is None and world.config.on_failure == 'wait':
                self._on_checkpoint(beginning)
            if self.paused:
                self._at_standstill()
            while not self._finished():
                self._serve_between()
                if self.paused and self._steps is not None:
                    self._go_a_step(self._steps)
                    continue
                if self.paused:
                    self._display.clock(period=0.5)
                    self._pace.restart(world.t_ns)
                    time.sleep(0.005)
                    continue
                self.followers.wait_for_recorder()
                self.followers.wait_for_sensors()
                if self._finished():
                    break
                if self._pace.wait(world.t_ns, lambda spare_s: self._executor.spin_once(timeout_sec=spare_s)):
                    self._warn_of_lag()
                self.followers.wait_for_input()
                self._step()
            self._call_off_steps()
            self._answer_last()
            self._await_last_frames()
            reports = {n: a.summary_json for n, a in world.stop().items()}
            self._at_standstill()
        except (ParticipantTimeout, ProtocolError, ParticipantFailed, Stalled) as error:
            self._failure = (
                f'{error} at {world.t_ns * 1e-9:.3f} s' if isinstance(error, ParticipantTimeout) else str(error)
            )
            reports = {}
            if not isinstance(error, ParticipantTimeout):  # a timeout was logged already
                self._node.get_logger().error(f'the run ends: {self._failure}')
        wall = time.monotonic() - started
        self._display.clock()
        self._display.status(WorldStatus.STOPPED, self._failure, force=True)
        self._write_outcome(wall, start_ns, reports)
        return 3 if self._failure else 0

    def _turn(self) -> None:
        if self._alive is not None:
            self._alive.turns += 1

    def _finished(self) -> bool:
        if self.leaving.requested or self._failure:
            return True
        return bool(self._end_ns) and self._world.t_ns >= self._end_ns

    def _warn_of_lag(self) -> None:
        """Warn regularly that the requested real-time factor is not reached."""
        now = time.monotonic()
        if now < self._next_warning:
            return
        self._next_warning = now + LAG_PERIOD_S
        t_s, asked, now_s = self._world.t_ns * 1e-9, self._pace.speed, self._display.real_time_factor
        text = f'real-time factor {asked:g} not reached: {HOPELESS_S:g} s more behind at {t_s:.2f} s, now {now_s:.2f}'
        self._node.get_logger().warning(text)

    def _step(self) -> None:
        world = self._world
        self.timeline.replay_edits()
        observers = self._observers()
        if observers > self._observed:
            world.visuals.repeat()
        self._observed = observers
        report = world.step(self._end_ns or None)
        self._display.diagnostics.recovered(self.timeout_policy.without)
        if world.discards.warning:
            self._node.get_logger().warning(world.discards.warning)
            world.discards.warning = ''
        if report.forced:
            self._node.get_logger().warning(f'cycle {world.cycle - 1} at {world.t_ns * 1e-9:.4f} s was forced')
        self._display.clock(period=CLOCK_PERIOD_S)
        self._display.status(WorldStatus.PLAYING)
        if world.t_ns >= self._next_checkpoint_ns and not self._at_end():
            self._save_checkpoint()

    def _save_checkpoint(self) -> None:
        world = self._world
        if not self.paused:
            # A checkpoint publishes the state. The command for the state before it comes first, so the order is fixed.
            self.followers.wait_for_input()
        try:
            self.timeline.save()
        except OSError as error:
            where = error.filename or (self.run_dir / 'checkpoints' if self.run_dir is not None else '')
            self._failure = f'no checkpoint at {world.t_ns * 1e-9:.3f} s: {where}: {error.strerror or error}'
            self._node.get_logger().error(f'{self._failure}; the run ends{self.timeout_policy.resume_hint()}')
        except ParticipantTimeout:
            if world.config.on_failure == 'stop':
                raise
            return  # the next cycle waits for it, or continues without it; then the checkpoint is due again
        self._next_checkpoint_ns += round(world.config.checkpoint_period_s * 1e9)

    def _at_end(self) -> bool:
        return bool(self._end_ns) and self._world.t_ns >= self._end_ns

    def serve(self) -> None:
        """Serve services and deliver messages, at a limited rate; for use within a cycle."""
        if self._serving:
            return
        self._serving = True
        try:
            self._served(at_once=self.paused)
        finally:
            self._serving = False

    def _serve_waiting(self) -> None:
        """Serve as :meth:`serve` does while waiting for other nodes, which may need deferred publications."""
        self._at_standstill()
        self.serve()

    def _serve_between(self) -> None:
        """Serve as :meth:`serve` does. Requests that need a world between two cycles are fulfilled at once."""
        self._between = True
        self._inbox.deliver()
        self.serve()
        # These actions may take long and serve other requests, which must wait for their completion.
        self._between = False
        while self._requests:
            self._requests.pop(0)()

    def _answer_last(self) -> None:
        """Respond to clients that wait for the end, or for a world between two cycles."""
        until = time.monotonic() + LAST_ANSWERS_S
        while time.monotonic() < until:
            self._serve_between()
            time.sleep(0.005)

    def _await_last_frames(self) -> None:
        """Hold at the end, which publishes the last commit, until every earlier frame is done."""
        if self.followers.sensing and not (self.leaving.requested or self._failure):
            self._world.hold()
            self._at_standstill()
            self.followers.wait_for_sensors(lag_ns=0)

    # -- outputs ------------------------------------------------------------------------------------------------

    def _change_speed(self, speed: float) -> None:
        self._pace.change_speed(speed, self._world.t_ns)

    def on_timeout(self, timeout: ParticipantTimeout) -> Choice:
        """Return the reaction of the scenario's policy to unresponsive participants; for the world."""
        return self.timeout_policy.of_participants(timeout)

    def _on_late_follower(self, name: str, owed: str) -> bool:
        """Return whether to continue to wait for an unresponsive recorder or sensors. It may end the run."""
        choice = self.timeout_policy.follow([name], owed, self._world.config.on_failure)
        if choice == 'stop':
            # The participants respond: they commit their state and send their results.
            self._failure = f'no response from {name} at {self._world.t_ns * 1e-9:.3f} s'
        return choice == 'wait'

    # -- requests -----------------------------------------------------------------------------------------------

    async def _on_pause(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        await self.standing(self.pause if request.data else self.play)
        response.success = True
        return response

    async def standing(self, action: Callable[[], Outcome]) -> Outcome:
        """Return the result of an action that needs a world between two cycles, now or as soon as possible.

        Args:
            action: The action.

        Raises:
            Exception: Of the action.
        """
        done = Future()

        def act() -> None:
            try:
                done.set_result(action())
            except Exception as error:  # raised again where the result is awaited
                done.set_exception(error)

        if self._between:
            act()
        else:
            self._requests.append(act)
        outcome: Outcome = await done
        return outcome

    def pause(self) -> None:
        """Pause the world, and cancel requested steps."""
        self._call_off_steps()
        if not self.paused:
            self.paused = True
            self._rest()

    def play(self) -> None:
        """Resume the world."""
        self._call_off_steps()
        self.paused = self.stopped = False
        self._pace.restart(self._world.t_ns)

    def reset(self, time: bool = True, state: bool = True, spawned: bool = True) -> str:
        """Reset the world, between two cycles, to its beginning or parts of it; return why it cannot be reset, or ''.

        Args:
            time: Whether ``/clock`` is reset to 0; otherwise it continues.
            state: Whether the state is reset.
            spawned: Whether spawned entities are removed.
        """
        self._call_off_steps()
        timeline = self.timeline
        come = timeline.spawned
        try:
            if state:
                self.go_to(timeline.beginning, keep_clock=not time, live=True)
                for act in come.values() if not spawned else ():
                    timeline.apply_edit(act)
            elif spawned:
                for name in come:
                    timeline.apply_edit(DeleteEdit(name))
            if time:
                self.set_clock(-self._world.t_ns)
            self._rest()
        except (ValueError, ProtocolError) as error:
            return f'the world cannot be reset: {error}'
        self._release()
        return ''

    def _release(self) -> None:
        """Free the names of removed spawned vehicles that nothing can restore any longer."""
        for name in self.timeline.unneeded():
            self._world.release_name(name)
            self.on_release(name)

    def apply_edit(self, act: Act) -> None:
        """Apply a world edit between two cycles.

        Args:
            act: The edit.

        Raises:
            ValueError: If the edit is not possible; with the reason.
        """
        self.timeline.apply_edit(act)
        self._rest()

    def go_to(self, saved: files.Checkpoint, keep_clock: bool | None = None, live: bool = False) -> None:
        """Continue from a checkpoint, between two cycles.

        Args:
            saved: The checkpoint.
            keep_clock: Whether ``/clock`` remains monotonic; None: as set in the scenario.
            live: Whether the logged future after it is deleted.

        Raises:
            ProtocolError: If it contains participants that are not here.
        """
        self._call_off_steps()
        before_ns = self._world.t_ns
        with self._whole():
            self._leave(saved.t_ns, keep_clock)
            self.timeline.restore(saved, 0 if live else None)
        self._undone_ns += before_ns - self._world.t_ns
        self._arrive()

    def rewind(self, to: int | Snapshot, live: bool) -> None:
        """Return the world, between two cycles, to its last commit at or before a time [ns], or to a snapshot.

        Args:
            to: Time [ns] or snapshot.
            live: See :meth:`regolith_world.timeline.Timeline.rewind`, also for errors.
        """
        self._call_off_steps()
        before_ns = self._world.t_ns
        with self._whole():
            self._leave(to.t_ns if isinstance(to, Snapshot) else self.timeline.target_ns(to))
            self.timeline.rewind(to, live, self._continue_rewind)
        self._undone_ns += before_ns - self._world.t_ns
        self._arrive()
        self._release()

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """End the run if a rewind fails halfway. Keep the clock unchanged if it is refused."""
        epoch, offset = self._world.epoch, self._world.clock_offset_ns
        try:
            yield
        except (ProtocolError, ValueError) as error:
            if self._world.epoch != epoch:
                self._failure = str(error)
            else:
                self.set_clock(offset)
            raise

    def _continue_rewind(self) -> bool:
        self._display.status(self._display.state, 'rewinding')
        self.serve()
        return not self.leaving.requested

    def _leave(self, t_ns: int, keep_clock: bool | None = None) -> None:
        """Publish the last state; then let ``/clock`` continue from there at another time [ns], or follow that time."""
        world = self._world
        if world.cycle:
            world.hold()
            self._at_standstill()
        shown, offset = self.clock_ns, world.clock_offset_ns
        if not (world.config.monotonic_clock if keep_clock is None else keep_clock):
            offset = 0
        elif world.cycle and t_ns + offset <= shown:
            offset = shown - t_ns + world.control.max_step_ns  # so that no two states have equal stamps
        self.set_clock(offset)

    def set_clock(self, offset_ns: int) -> None:
        """Set the offset [ns] of ``/clock`` and all stamps from the world's time, from the next record on."""
        self._world.clock_offset_ns = offset_ns
        clock_offset.set_offset(offset_ns)

    def _arrive(self) -> None:
        """Publish the restored state."""
        world = self._world
        period = round(world.config.checkpoint_period_s * 1e9)
        self._next_checkpoint_ns = (world.t_ns // period + 1) * period
        self._pace.restart(world.t_ns)
        self._rest()
        self._node.get_logger().info(f'restored the state at {world.t_ns * 1e-9:.3f} s (epoch {world.epoch})')

    @property
    def clock_ns(self) -> int:
        """Time of ``/clock`` [ns]."""
        return self._display.shown_ns

    def request_steps(self, steps: StepRequest) -> bool:
        """Accept a request of steps; return whether the world is paused and has no other one."""
        if not self.paused or self._steps is not None:
            return False
        self._steps, self.stopped = steps, False
        return True

    @property
    def stepping(self) -> bool:
        """Whether requested steps remain."""
        return self._steps is not None

    def _call_off_steps(self) -> None:
        if self._steps is not None:
            steps, self._steps = self._steps, None
            if not steps.each_shown:
                self._rest()
            steps.done()

    def _go_a_step(self, steps: StepRequest) -> None:
        self.followers.wait_for_recorder()
        self.followers.wait_for_sensors()
        if not self._at_end():
            self._step()
            steps.gone += 1
            if steps.each_shown:
                self._rest()
        if self._at_end() or not steps.told(steps.gone) or steps.gone >= steps.count or self.leaving.requested:
            self._call_off_steps()

    def _rest(self) -> None:
        """Commit the last cycle or a world edit, and publish the state."""
        self._world.hold()
        self._at_standstill()
        self._display.clock()
        self._display.status(WorldStatus.PAUSED if self.paused else WorldStatus.PLAYING, force=True)

    async def _on_step(self, request: Step.Request, response: Step.Response) -> Step.Response:
        done, wanted = Future(), max(1, request.steps)
        order = StepRequest(wanted, lambda gone: True, lambda: done.set_result(None), each_shown=False)
        if not self.request_steps(order):
            paused = 'it is being stepped; fix: call ~/pause to cancel the steps'
            response.message = paused if self.paused else 'only a paused world can be stepped; fix: call ~/pause first'
            return response
        await done
        response.success = order.gone == wanted or self._at_end()
        response.message = '' if response.success else f'canceled after {order.gone} of {wanted} steps'
        response.t_ns, response.state_hash = int(self._world.t_ns), self._world.state_hash
        return response

    def wait_paused(self) -> bool:
        """Commit the last cycle if no cycle is in progress; return whether the world is between two cycles."""
        if self._between:
            self._world.hold()
            self._at_standstill()
        return self._between

    def on_joined(self, name: str, then: Callable[[], None]) -> None:
        """Collect the state of a new vehicle once it has received its admission; then call a function."""
        self._requests.append(lambda: self._remember_all(name, then))

    def _remember_all(self, name: str, then: Callable[[], None]) -> None:
        self.timeline.record_spawn(name)
        self._rest()
        then()
        if self._world.config.on_failure == 'wait':
            self._on_checkpoint(self.timeline.collect())

    # -- the end ------------------------------------------------------------------------------------------------

    def _write_outcome(self, wall: float, start_ns: int, reports: dict[str, str]) -> None:
        if self.run_dir is None:
            return
        outcome = {
            'scenario': self._scenario,
            **make_run_result(self._world, wall, reports, start_ns, self._undone_ns),
            'processes': self._processes,
            'input_timeouts': self.followers.input_timeouts,
            'real_time': self._pace.deadline_statistics(),
            'failure': self._failure,
            'dropped_participants': self.timeout_policy.without,
        }
        if self._alive is not None:
            self._alive.stop()
        (self.run_dir / 'started').unlink(missing_ok=True)
        partial, text = self.run_dir / 'world_summary.json.partial', json.dumps(outcome, indent=2) + '\n'
        try:
            partial.write_text(text)
        except OSError:
            release(self.run_dir)
            partial.write_text(text)
        partial.replace(self.run_dir / 'world_summary.json')
