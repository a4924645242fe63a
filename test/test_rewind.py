# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A user rewinds a run by its services: the state is bit-identical, branches are kept apart, and the clock continues."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness import WORLD, LiveRun, vehicle, write_scenario

from regolith_bringup.bag.reading import Bag

pytestmark = pytest.mark.ros
SECOND = 10**9


EYE: dict[str, Any] = {
    'type': 'camera',
    'width': 64,
    'height': 48,
    'pixel_size_m': 5e-6,
    'focal_length_m': 3e-4,
    'f_number': 4.0,
    'exposure_s': 2e-3,
    'rate_hz': 5.0,
    'noise': {'read': [5.0, 5.0, 5.0]},
}


def scenario(folder: Path, **sections: Any) -> Path:
    """Two rovers, one driven from outside, one with a camera and an IMU, too far apart to shorten each other's cycles."""
    drives = {
        'amber': vehicle(0.0, 0.0, type='external', timeout_s=0.5),
        'basalt': {
            **vehicle(-4.6, 0.1, type='constant', speed_mps=0.4, yaw_rate_radps=0.1),
            'sensors': {
                'eye': {'model': EYE, 'mount': {'xyz': [0.6, 0.1, 1.5], 'rpy_deg': [0.0, 30.0, 0.0]}},
                'imu': {'model': {'type': 'imu', 'rate_hz': 50.0}},
            },
        },
    }
    light = {'sun': {'azimuth_deg': 60.0, 'elevation_deg': 15.0}, 'view_range_m': 200.0}
    terrain = {'source': 'procedural', 'spacing_m': 0.04}
    recording = {'sensors': True}
    return write_scenario(
        folder, drives, duration_s=600.0, terrain=terrain, light=light, recording=recording, **sections
    )


def told(bag: Bag, topic: str, offset_ns: int) -> dict[int, bytes]:
    """Return the messages of a topic by the world's time."""
    found = {}
    for message in bag.messages(topic):
        content = message.content
        t_ns = content.header.stamp.sec * SECOND + content.header.stamp.nanosec - offset_ns
        assert t_ns not in found
        found[t_ns] = repr(
            (content.data,) if hasattr(content, 'data') else (content.linear_acceleration, content.angular_velocity)
        ).encode()
    return found


class Past:
    """A client of the services of the past, and a driver of amber."""

    def __init__(self, live: LiveRun) -> None:
        from geometry_msgs.msg import Twist
        from regolith_msgs.msg import WorldStatus
        from rosgraph_msgs.msg import Clock

        self.live, self._twist = live, Twist
        self.clock = live.subscribe(Clock, '/clock')
        self.status = live.subscribe(WorldStatus, '/regolith/status')
        self.drive = live.node.create_publisher(Twist, '/amber/cmd_vel', 1)

    @property
    def shown_ns(self) -> int:
        """The newest time on /clock."""
        return self.clock[-1].clock.sec * SECOND + self.clock[-1].clock.nanosec

    def go_on(self, seconds: float, speed: float = 0.0) -> None:
        """Play until /clock has advanced so far, with commands to amber; then pause."""
        from std_srvs.srv import SetBool

        self.live.call(SetBool, f'{WORLD}/pause', data=False)
        end = self.shown_ns + seconds * SECOND
        command = self._twist()
        command.linear.x = speed

        def there() -> bool:
            self.drive.publish(command)
            return self.shown_ns >= end

        self.live.wait_for(there, 60.0, 'the world to continue')
        self.live.call(SetBool, f'{WORLD}/pause', data=True)

    def step(self, cycles: int) -> Any:
        """Step the paused world and return the response."""
        from regolith_msgs.srv import Step

        return self.live.call(Step, f'{WORLD}/step', steps=cycles)

    def rewind(self, t_s: float, live: bool = False) -> Any:
        """Rewind and return the response."""
        from regolith_msgs.srv import Rewind

        return self.live.call(Rewind, f'{WORLD}/rewind', t_ns=round(t_s * SECOND), inputs=int(live))


@pytest.mark.seconds
@pytest.mark.slow  # by words of other terminals: test_teleop.py; bit-identical: test_timeline.py
@pytest.mark.parametrize('processes', ['one', 'many'])
def test_a_run_is_rewound_repeated_and_branched(tmp_path: Path, processes: str) -> None:
    """Commands to amber are repeated; a live branch differs; both are in the run folder, each in its bag."""
    from regolith_msgs.srv import ListSnapshots, Rewind, SaveSnapshot

    with LiveRun(
        tmp_path, scenario(tmp_path, world={'checkpoint_period_s': 0.5}), '--rtf', 1.0, processes=processes
    ) as live:
        past = Past(live)
        live.wait_for(lambda: past.clock and past.shown_ns > 0.3 * SECOND, 60.0, 'the first cycles')
        past.go_on(0.7, speed=0.4)
        kept = live.call(SaveSnapshot, f'{WORLD}/save_snapshot', name='here')
        assert kept.success and kept.size_bytes < 50e6 and Path(kept.path, 'manifest.json').is_file()
        assert not live.call(SaveSnapshot, f'{WORLD}/save_snapshot', name='beginning').success
        past.go_on(0.6, speed=0.2)
        end = past.step(1)
        shown = past.shown_ns
        assert shown == end.t_ns

        listed = live.call(ListSnapshots, f'{WORLD}/list_snapshots')
        assert listed.names[0] == 'beginning' and 'here' in listed.names and listed.last_ns == end.t_ns
        assert not past.rewind(99.0).success and 'allowed: 0.0000 to' in past.rewind(99.0).message
        assert 'allowed: 0 (replay), 1 (live)' in live.call(Rewind, f'{WORLD}/rewind', inputs=7).message

        # Back between two checkpoints, the clock continuing; then the same again, whatever the commands to amber.
        back = past.rewind(0.777)
        assert back.success and 0.757 * SECOND < back.t_ns <= 0.777 * SECOND and back.branch == 1
        live.wait_for(lambda: past.shown_ns == shown + 20_000_000, 10.0, 'a clock that continued')
        again = past.step((end.t_ns - back.t_ns) // 20_000_000)
        assert (again.t_ns, again.state_hash) == (end.t_ns, end.state_hash)
        offsets = [0, shown + 20_000_000 - back.t_ns]

        # A branch.
        live_back = past.rewind(0.777, live=True)
        assert live_back.state_hash == back.state_hash and live_back.branch == 2
        other = past.step((end.t_ns - back.t_ns) // 20_000_000)
        assert other.t_ns == end.t_ns and other.state_hash != end.state_hash
        offsets.append(offsets[1] + end.t_ns + 20_000_000 - back.t_ns)
        live.interrupt()
        result = live.finish()
    bags = [Bag(result.run_dir / name) for name in ('bag', 'bag_1', 'bag_2')]
    for bag in bags:
        keys = [message.content.key for message in bag.messages('/regolith/cycle')]
        assert len({key.epoch for key in keys}) == 1
        # The unpublished part from the checkpoint at 0.5 s is in none of them.
        assert min(key.cycle for key in keys) == (0 if bag is bags[0] else back.cycle)
    assert len({bag.topics['/tf_static'].messages for bag in bags}) == 1
    # What sensors published is repeated where the run repeats itself, and all stamps are those of /clock.
    for topic, least in (('/basalt/eye/image_raw', 2), ('/basalt/imu/data_raw', 20)):
        first, again_, branch = (told(bag, topic, offset) for bag, offset in zip(bags, offsets))
        both = sorted(first.keys() & again_.keys())
        assert len(both) >= least and both[0] >= back.t_ns
        assert [first[t] for t in both] == [again_[t] for t in both], topic
        assert len(branch) >= least and max(branch) <= end.t_ns


@pytest.mark.slow
@pytest.mark.parametrize('processes', ['one', 'many'])
def test_two_rovers_rewind_from_twenty_seconds(tmp_path: Path, processes: str) -> None:
    """To 7.3 s and on to 20 s over a spawn at 5 s and a deletion at 12 s: the same hashes, and a snapshot is small."""
    import time

    from geometry_msgs.msg import PoseStamped
    from regolith_msgs.srv import Rewind, SaveSnapshot
    from simulation_interfaces.srv import DeleteEntity, SpawnEntity
    from std_srvs.srv import SetBool

    with LiveRun(tmp_path, 'two_rovers', '--rtf', 'max', '--duration', 600, processes=processes) as live:
        past = Past(live)
        live.wait_for(lambda: past.clock, 60.0, 'a clock')
        live.call(SetBool, f'{WORLD}/pause', data=True)

        def step_to(t_s: float) -> Any:
            done = past.step(1)
            while done.t_ns < t_s * SECOND:
                done = past.step(max(1, round((t_s * SECOND - done.t_ns) / 20_000_000)))
            return done

        assert step_to(5.0).success
        there = PoseStamped()
        there.pose.position.x = there.pose.position.y = -12.0
        result = live.call(
            SpawnEntity,
            f'{WORLD}/spawn_entity',
            timeout=120.0,
            name='cobalt',
            initial_pose=there,
            resource_string='{model: viper, driver: {type: constant, speed_mps: 0.2}}',
        )
        assert result.result.result == 1, result
        step_to(12.0)
        assert live.call(DeleteEntity, f'{WORLD}/delete_entity', entity='cobalt').result.result == 1
        end = step_to(20.0)
        before = time.monotonic()
        kept = live.call(SaveSnapshot, f'{WORLD}/save_snapshot')
        print(
            f'snapshot: {kept.size_bytes} bytes in {time.monotonic() - before:.2f} s, discovery of the service included'
        )
        assert kept.success and kept.size_bytes < 50e6
        for t_s in (7.3, 3.1, 15.0):
            back = live.call(Rewind, f'{WORLD}/rewind', timeout=120.0, t_ns=round(t_s * SECOND))
            assert back.success and t_s * SECOND - 20_000_000 < back.t_ns <= t_s * SECOND, back
            again = step_to(20.0)
            assert (again.t_ns, again.state_hash) == (end.t_ns, end.state_hash)
        live.interrupt()
        live.finish()
