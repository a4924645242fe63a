# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The run of a world in nodes: pace, /clock, status, pause and step, checkpoints, rewind, failures, end."""

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
from regolith_world.checkpoint.timeline import ParticipantStates, Snapshot, Timeline
from regolith_world.checkpoint.world_edits import Act, DeleteEdit
from regolith_world.cycle.participant import ParticipantFailed
from regolith_world.cycle.run_result import run_result
from regolith_world.cycle.stall import Stalled
from regolith_world.cycle.transport import ParticipantTimeout
from regolith_world.liveness import PERIOD_S, Alive
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
from regolith_world.world import Choice, ProtocolError, World

CLOCK_PERIOD_S = 0.01
"""Shortest period of /clock [wall s]: a Python subscriber uses a third of a core at 1 kHz."""
LAST_ANSWERS_S = 0.1
"""For which a world at its end goes on to answer [wall s]."""
LAG_PERIOD_S = 10.0
"""Period of warnings that the requested real-time factor is not reached [wall s]."""

Outcome = TypeVar('Outcome')


class Runner:
    """The main loop around :meth:`World.step`.

    Args:
        node: named ``world``; its services and topics are made here, and it is spun here
        populace: the participants' states
        run_dir: of the run; None: nothing on disk
        alive: rewrites the file by which a supervisor sees that this process runs; None: there is none
        duration_s: simulated time of the run's end [s]; 0: endless
        inbox: of the protocol's node, delivered here regularly
        at_standstill: called after every HOLD and STOP and while others are waited for, for deferred publications
        recorded: whether there is a recorder, which must not be outrun
        max_sensor_lag_s: the world's largest lead over its sensors in simulated time [s]; below 0: no sensors
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
        on_checkpoint: Callable[[files.Checkpoint], None] = lambda c: None,
        at_standstill: Callable[[], None] = lambda: None,
    ) -> None:
        self._node, self._executor, self._world = node, executor, world
        self.run_dir, self._scenario, self._processes = run_dir, scenario, processes
        self._alive = alive
        # What rounds to nothing still is an end.
        self._end_ns = max(1, round(duration_s * 1e9)) if duration_s > 0.0 else 0
        self.timeline = Timeline(
            world, populace, self._end_ns, run_dir / 'checkpoints' if run_dir is not None else None, on_checkpoint
        )
        self._on_checkpoint, self._at_standstill = on_checkpoint, at_standstill
        self._display = StatusPublisher(node, world, self._end_ns)
        self._inbox = inbox
        self.leaving = ShutdownRequest()
        self.silences = TimeoutPolicy(world, self._display, node.get_logger(), run_dir, self.leaving)
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
        together = ReentrantCallbackGroup()  # who waits keeps nobody else waiting
        create_service(node, SetBool, '~/pause', self._on_pause, together)
        create_service(node, Step, '~/step', self._on_step, together)
        self.paused = False
        self._requests: list[Callable[[], None]] = []
        self._steps: StepRequest | None = None
        self.stopped = False
        """Whether the world stands at its beginning, and has not been asked to play since."""
        self._serving = self._between = False
        self._next_checkpoint_ns = round(world.config.checkpoint_period_s * 1e9)
        self._served = ThrottledExecutor(executor)
        speed = declare_real_time_factor(node, self._change_speed)
        self.on_release: Callable[[str], None] = lambda name: None
        """Called with the name of a removed vehicle whose node is not needed any longer."""
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
            with suppress(OSError):  # a full disk
                (self.run_dir / 'started').touch()
            self._node.create_timer(PERIOD_S, self._turn, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._turn()
        if restore_from is not None:
            self.go_to(files.read(restore_from))
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
            if not isinstance(error, ParticipantTimeout):  # of which people were told already
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
        if self.leaving.asked or self._failure:
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
        report = world.step(self._end_ns or None)
        self._display.diagnostics.recovered(self.silences.without)
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
        try:
            self.timeline.save()
        except OSError as error:
            where = error.filename or (self.run_dir / 'checkpoints' if self.run_dir is not None else '')
            self._failure = f'no checkpoint at {world.t_ns * 1e-9:.3f} s: {where}: {error.strerror or error}'
            self._node.get_logger().error(f'{self._failure}; the run ends{self.silences.resume_hint()}')
        except ParticipantTimeout:
            if world.config.on_failure == 'stop':
                raise
            return  # the next cycle waits for it, or goes on without it; then it is time again
        self._next_checkpoint_ns += round(world.config.checkpoint_period_s * 1e9)

    def _at_end(self) -> bool:
        return bool(self._end_ns) and self._world.t_ns >= self._end_ns

    def serve(self) -> None:
        """Answer services and take messages, rate-limited; for use inside a cycle."""
        if self._serving:
            return
        self._serving = True
        try:
            self._served(at_once=self.paused)
        finally:
            self._serving = False

    def _serve_waiting(self) -> None:
        """Serve as :meth:`serve` does while waiting for others: they may need what was not published yet."""
        self._at_standstill()
        self.serve()

    def _serve_between(self) -> None:
        """Serve as :meth:`serve` does; requests that need a standing world are fulfilled at once."""
        self._between = True
        self._inbox.deliver()
        self.serve()
        # What they do may take long and serve others meanwhile, who have to wait for their turn.
        self._between = False
        while self._requests:
            self._requests.pop(0)()

    def _answer_last(self) -> None:
        """Answer those who wait for the end, or for a world that stands."""
        until = time.monotonic() + LAST_ANSWERS_S
        while time.monotonic() < until:
            self._serve_between()
            time.sleep(0.005)

    def _await_last_frames(self) -> None:
        """Hold at the end, which publishes the last commit, until every earlier frame is done."""
        if self.followers.sensing and not (self.leaving.asked or self._failure):
            self._world.hold()
            self._at_standstill()
            self.followers.wait_for_sensors(lag_ns=0)

    # -- what others see ----------------------------------------------------------------------------------------

    def _change_speed(self, speed: float) -> None:
        self._pace.change_speed(speed, self._world.t_ns)

    def on_timeout(self, silence: ParticipantTimeout) -> Choice:
        """Return the choice of the scenario's policy; for the world."""
        return self.silences.of_participants(silence)

    def _on_late_follower(self, name: str, owed: str) -> bool:
        """Return whether to wait any longer for a recorder or sensors that fail; the run may be over with them."""
        choice = self.silences.follow([name], owed, self._world.config.on_failure)
        if choice == 'stop':
            # Participants are well: they commit what they have, and tell their figures.
            self._failure = f'no response from {name} at {self._world.t_ns * 1e-9:.3f} s'
        return choice == 'wait'

    # -- what others ask ----------------------------------------------------------------------------------------

    async def _on_pause(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        await self.standing(self.pause if request.data else self.play)
        response.success = True
        return response

    async def standing(self, action: Callable[[], Outcome]) -> Outcome:
        """Return the outcome of an action that needs a world between two cycles: now, or as soon as it is there.

        Raises:
            Exception: what the action raises
        """
        done = Future()

        def act() -> None:
            try:
                done.set_result(action())
            except Exception as error:  # is raised anew where it is awaited
                done.set_exception(error)

        if self._between:
            act()
        else:
            self._requests.append(act)
        outcome: Outcome = await done
        return outcome

    def pause(self) -> None:
        """Pause the world; it stands, and takes no more of the steps it was told to."""
        self._call_off_steps()
        if not self.paused:
            self.paused = True
            self._rest()

    def play(self) -> None:
        """Let the world go on."""
        self._call_off_steps()
        self.paused = self.stopped = False
        self._pace.restart(self._world.t_ns)

    def reset(self, time: bool = True, state: bool = True, spawned: bool = True) -> str:
        """Return the world, which stands, to its beginning, or what is asked for of it; return why it cannot be, or ''.

        Args:
            time: whether ``/clock`` shows 0 then; else it goes on
            state: whether everything is as it was
            spawned: whether what was spawned is gone
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
        """Free the names of spawned vehicles that were removed and that nothing can bring back any longer."""
        for name in self.timeline.unneeded():
            self._world.forget(name)
            self.on_release(name)

    def apply_edit(self, act: Act) -> None:
        """Act upon the world, which stands.

        Raises:
            ValueError: if that is impossible, with the reason
        """
        self.timeline.apply_edit(act)
        self._rest()

    def go_to(self, saved: files.Checkpoint, keep_clock: bool | None = None, live: bool = False) -> None:
        """Continue from a checkpoint; the world stands.

        Args:
            keep_clock: whether ``/clock`` stays monotonic; None: as the scenario says
            live: whether the past after it is forgotten

        Raises:
            ProtocolError: if it is of participants that are not here
        """
        self._call_off_steps()
        before_ns = self._world.t_ns
        with self._whole():
            self._leave(saved.t_ns, keep_clock)
            self.timeline.restore(saved, 0 if live else None)
        self._undone_ns += before_ns - self._world.t_ns
        self._arrive()

    def rewind(self, to: int | Snapshot, live: bool) -> None:
        """Return the world, which stands, to its last commit at or before a time [ns], or to a snapshot.

        Args:
            live: see :meth:`regolith_world.checkpoint.timeline.Timeline.rewind`, and for errors
        """
        self._call_off_steps()
        before_ns = self._world.t_ns
        with self._whole():
            self._leave(to.t_ns if isinstance(to, Snapshot) else self.timeline.target_ns(to))
            self.timeline.rewind(to, live, self._go_on_in_silence)
        self._undone_ns += before_ns - self._world.t_ns
        self._arrive()
        self._release()

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """End the run if going back fails halfway; leave the clock as it was if it is refused."""
        epoch, offset = self._world.epoch, self._world.clock_offset_ns
        try:
            yield
        except (ProtocolError, ValueError) as error:
            if self._world.epoch != epoch:
                self._failure = str(error)
            else:
                self.set_clock(offset)
            raise

    def _go_on_in_silence(self) -> bool:
        self._display.status(self._display.state, 'rewinding')
        self.serve()
        return not self.leaving.asked

    def _leave(self, t_ns: int, keep_clock: bool | None = None) -> None:
        """Show the last of what was; then let ``/clock`` go on from there at another time [ns], or follow that."""
        world = self._world
        if world.cycle:
            world.hold()
            self._at_standstill()
        shown, offset = self.clock_ns, world.clock_offset_ns
        if not (world.config.monotonic_clock if keep_clock is None else keep_clock):
            offset = 0
        elif world.cycle and t_ns + offset <= shown:
            offset = shown - t_ns + world.control.heartbeat_ns  # no two states have one stamp
        self.set_clock(offset)

    def set_clock(self, offset_ns: int) -> None:
        """Let ``/clock`` and all stamps show so much [ns] beyond the world's time, from the next record on."""
        self._world.clock_offset_ns = offset_ns
        clock_offset.set_offset(offset_ns)

    def _arrive(self) -> None:
        """Show the state that was restored."""
        world = self._world
        period = round(world.config.checkpoint_period_s * 1e9)
        self._next_checkpoint_ns = (world.t_ns // period + 1) * period
        self._pace.restart(world.t_ns)
        self._rest()
        self._node.get_logger().info(f'restored the state at {world.t_ns * 1e-9:.3f} s (epoch {world.epoch})')

    @property
    def clock_ns(self) -> int:
        """Return the time that ``/clock`` shows [ns]."""
        return self._display.shown_ns

    def request_steps(self, steps: StepRequest) -> bool:
        """Take an order of steps; return whether the world is paused and has none."""
        if not self.paused or self._steps is not None:
            return False
        self._steps, self.stopped = steps, False
        return True

    @property
    def stepping(self) -> bool:
        """Whether there are steps that the world is still to take."""
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
        if self._at_end() or not steps.told(steps.gone) or steps.gone >= steps.count or self.leaving.asked:
            self._call_off_steps()

    def _rest(self) -> None:
        """Commit the last cycle, or what an act upon the standing world has made of it, and show it."""
        self._world.hold()
        self._at_standstill()
        self._display.clock()
        self._display.status(WorldStatus.PAUSED if self.paused else WorldStatus.PLAYING, force=True)

    async def _on_step(self, request: Step.Request, response: Step.Response) -> Step.Response:
        done, wanted = Future(), max(1, request.steps)
        order = StepRequest(wanted, lambda gone: True, lambda: done.set_result(None), each_shown=False)
        if not self.request_steps(order):
            paused = 'it is being stepped; call ~/pause to call that off'
            response.message = paused if self.paused else 'only a paused world can be stepped; call ~/pause first'
            return response
        await done
        response.success = order.gone == wanted or self._at_end()
        response.message = '' if response.success else f'called off after {order.gone} of {wanted} steps'
        response.t_ns, response.state_hash = int(self._world.t_ns), self._world.state_hash
        return response

    def wait_paused(self) -> bool:
        """Commit the last cycle, if no cycle is under way; return whether the world stands."""
        if self._between:
            self._world.hold()
            self._at_standstill()
        return self._between

    def on_joined(self, name: str, then: Callable[[], None]) -> None:
        """Collect the state of a newly admitted vehicle once it knows of its admission; call a function then."""
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
            **run_result(self._world, wall, reports, start_ns, self._undone_ns),
            'processes': self._processes,
            'input_timeouts': self.followers.input_timeouts,
            'real_time': self._pace.deadline_statistics(),
            'failure': self._failure,
            'dropped_participants': self.silences.without,
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
