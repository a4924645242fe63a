# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Radios in whole runs: the ridge, one process against many, invalid requests, restore of a checkpoint."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness import LiveRun, library_run, run_scenario, vehicle, write_scenario

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_bringup.scenario.participant_sections import participant_context, prepared
from regolith_comms.links.tile_graph_builder import build_from_config, write_graph_files

NEAR = {
    'amber': vehicle(0.0, 0.0, 0.0, type='constant', speed_mps=0.3),
    'basalt': vehicle(0.0, 4.0, 0.0, type='constant', speed_mps=0.3),
}
FAR: dict[str, Any] = {
    'stations': {'lander': [-130.0, 0.0]},
    'margin_m': 20.0,
    'radio': 'subt_cloud_tunnel',
    'breadcrumb_delay_s': 0.5,
    'breadcrumb_drops': [{'vehicle': 'amber', 'time_s': 0.4}],
    'beacon_period_s': 0.2,
    'traffic': [
        {'src': 'amber', 'dst': 'lander', 'period_s': 0.05, 'size_bytes': 300},
        {'src': 'lander', 'dst': 'broadcast', 'period_s': 0.1},
    ],
}
"""At 130 m over flat ground about half of amber's packets arrive."""


def scenario(folder: Path, comms: dict[str, Any] | None = None, **sections: Any) -> Path:
    return write_scenario(folder, NEAR, comms={**FAR, **(comms or {})}, **sections)


# -- the ridge ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope='module')
def ridge() -> Simulation:
    """The library's own run of ``comms_ridge``."""
    return library_run('comms_ridge')


def radio_report(run: Simulation) -> dict[str, Any]:
    """Return what a run's summary says of its radios."""
    return {k: v for k, v in run.others['comms'].summary().items() if k != 'history'}


@pytest.mark.slow
def test_a_breadcrumb_brings_a_rover_behind_the_ridge_back_on_the_air() -> None:
    """Amber is out of reach when its breadcrumb starts to transmit at 54 s, and is received from then on.

    On coarser soil in longer cycles, which radios do not see, and until the link has held for ten seconds.
    """
    ridge = library_run('comms_ridge', 'terrain.spacing_m=0.08', 'world.max_step_s=0.1', 'duration_s=66')
    said = radio_report(ridge)
    link = said['links']['amber->lander']
    since, until = link['lost_s'][-1]
    assert since < 48.0 and 54.0 <= until < 56.0
    # Of some 24 packets over the breadcrumb nine in ten arrive; five lost in a row would be one in 2000.
    assert not said['links']['basalt->lander']['lost_s']
    assert said['dropped'].keys() == {'packet_error'}
    assert ridge.agents['amber'].summary()['distance_m'] > 30.0  # type: ignore[operator]


@pytest.mark.ros
@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize('processes', ['one', 'many'])
def test_the_ridge_in_nodes_with_bag_and_report(tmp_path: Path, ridge: Simulation, processes: str) -> None:
    from regolith_bringup.bag.reading import Bag

    run = run_scenario(tmp_path, 'comms_ridge', processes=processes, report=True, timeout=500.0)
    assert run.summary['state_hash'] == ridge.world.state_hash
    assert run.summary['comms'] == radio_report(ridge)
    report = (run.run_dir / 'report.html').read_text()
    assert '<h2>Radio</h2>' in report and 'amber-&gt;lander' in report
    hops, relayed = [], []
    for message in Bag(run.run_dir).messages('/lander/comms/rx', '/regolith/comms/links'):
        if message.topic.endswith('links'):
            relayed += [k.num_hops for k in message.content.links if (k.src, k.dst) == ('amber', 'lander')]
            last = message.content
        else:
            stamp = message.content.header.stamp
            hops += [(stamp.sec, d.num_hops) for d in message.content.datagrams if d.src == 'amber']
    assert {h for t, h in hops if t < 54} == {0} and {h for t, h in hops if t > 54} == {1}
    assert relayed[0] == 0 and relayed[-1] == 1 and last.breadcrumbs == ['amber_breadcrumb_0']
    assert last.breadcrumb_positions[0].x == pytest.approx(1.4, abs=0.6)


# -- underground ----------------------------------------------------------------------------------------------------


def test_a_breadcrumb_restores_contact_in_a_tunnel() -> None:
    """Amber is lost in the corner tile, from y = 10 m on, and received again when basalt's breadcrumb relays at 51 s.

    The costs from the base station are 1 to the straight tile, 4 to the crossing and 10 to the corner. With a range of
    50 m a cost of 10 gives a path loss of 116 dB, and 4 and 6 over the breadcrumb give 103 dB at most.
    """
    run = library_run('tunnel', 'terrain.spacing_m=0.08', 'world.max_step_s=0.1', 'duration_s=62')
    graph = run.others['comms'].broker.model.graph
    assert graph.costs[0].tolist() == [0.0, 1.0, 4.0, 10.0, 13.0, 14.0, 7.0]
    said = radio_report(run)
    for link in ('amber->base', 'base->amber'):
        ((since, until),) = said['links'][link]['lost_s']
        assert 36.0 < since < 41.0 and 51.0 <= until < 53.0, link
    assert not said['links']['basalt->base']['lost_s'] and not said['links']['amber->basalt']['lost_s']
    ((name, place, _),) = run.others['comms'].broker.model.breadcrumbs
    assert name == 'basalt_breadcrumb_0' and place[0] == pytest.approx(37.5, abs=0.3)
    # Both drove on the floor, amber around two bends.
    amber, basalt = (run.agents[name].vehicle.body_state().position for name in ('amber', 'basalt'))
    assert amber[0] > 42.0 and amber[1] == pytest.approx(20.0, abs=0.5)
    assert amber[2] == pytest.approx(basalt[2], abs=0.05) and abs(basalt[1]) < 0.2


@pytest.mark.slow
def test_without_a_breadcrumb_the_rover_in_the_tunnel_stays_lost() -> None:
    settings = ('terrain.spacing_m=0.08', 'world.max_step_s=0.1', 'duration_s=62', 'comms.breadcrumb_drops=[]')
    ((since, until),) = radio_report(library_run('tunnel', *settings))['links']['amber->base']['lost_s']
    assert since < 41.0 and until is None


@pytest.mark.ros
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_tunnel_in_nodes_agrees_with_the_library(tmp_path: Path) -> None:
    settings = ('duration_s=12', 'vehicles.amber.sensors={}', 'comms.breadcrumb_drops=[{vehicle: amber, time_s: 4.0}]')
    options = [part for setting in settings for part in ('--set', setting)]
    run = run_scenario(tmp_path, 'tunnel', *options, processes='many', timeout=500.0)
    library = library_run('tunnel', *settings)
    assert run.summary['state_hash'] == library.world.state_hash
    assert run.summary['comms'] == radio_report(library)


# -- repeatable -----------------------------------------------------------------------------------------------------


@pytest.mark.ros
def test_processes_and_the_library_agree(tmp_path) -> None:
    """State hash and every value, with random drops in them; another seed gives another sequence."""
    file = scenario(tmp_path)
    many = run_scenario(tmp_path, file, '--no-record').summary
    library = Simulation(load_scenario(file).scenario)
    assert library.run(2.0) == many['state_hash']
    report = radio_report(library)
    assert many['comms'] == report
    assert 5 < report['links']['amber->lander']['delivered'] < report['links']['amber->lander']['sent'] - 3
    assert [name for name, _, _ in library.others['comms'].broker.model.breadcrumbs] == ['amber_breadcrumb_0']
    other = Simulation(load_scenario(file, seed=2).scenario)
    other.run(2.0)
    assert other.others['comms'].broker.state_hash() != library.others['comms'].broker.state_hash()


def test_without_radios_nothing_changes_and_with_them_the_hash_knows(tmp_path) -> None:
    """The cycle's hash holds what was said: one packet more or less is another hash, the vehicles being the same."""
    plain = Simulation(load_scenario(write_scenario(tmp_path, NEAR, name='plain')).scenario)
    talking = Simulation(load_scenario(scenario(tmp_path)).scenario)
    silent = Simulation(load_scenario(scenario(tmp_path, {'traffic': []})).scenario)
    hashes = [run.run(0.3) for run in (plain, talking, silent)]
    assert len(set(hashes)) == 3
    states = [[a.vehicle.state() for a in run.agents.values()] for run in (plain, talking, silent)]
    assert states[0] == states[1] == states[2]


def test_checkpoint_continues_bit_identical(tmp_path) -> None:
    """Taken at 0.6 s, when a breadcrumb lies and does not relay yet."""
    loaded = load_scenario(scenario(tmp_path)).scenario
    whole, first, rest = (Simulation(loaded) for _ in range(3))
    expected = whole.run(1.6)
    first.run(0.6)
    saved = first.checkpoint()
    rest.go_to(saved)
    rest.world.hold()
    assert rest.run(1.6) == expected
    assert rest.others['comms'] is not None
    assert rest.others['comms'].summary() == whole.others['comms'].summary()


@pytest.mark.ros
@pytest.mark.slow
def test_restarted_comms_is_bit_identical(tmp_path) -> None:
    """Killed in mid-run, started again, it restores, replays without publishing, and continues unchanged."""
    world = {'on_failure': 'wait', 'participant_timeout_s': 1.5, 'checkpoint_period_s': 1.0}
    file = scenario(tmp_path, world=world, duration_s=4.0)
    expected = Simulation(load_scenario(file).scenario).run(4.0)
    from regolith_msgs.msg import WorldStatus

    with LiveRun(tmp_path, file, '--rtf', 1.0, to_be_killed=True) as live:
        status = live.subscribe(WorldStatus, '/regolith/status', latched=True)
        live.wait_for(lambda: status and status[-1].t_ns > 1.6e9, 60.0, '1.6 s')
        os.kill(live.pids()['regolith/comms'], signal.SIGKILL)
        result = live.finish(60.0)
    assert 'rejoined after replaying' in result.output
    assert result.summary['state_hash'] == expected


@pytest.mark.slow
def test_graph_files_made_in_advance_are_those_made_for_the_run(tmp_path) -> None:
    """Named files give the hash of the graph made in memory; a stale pair is refused with both hashes."""
    file = scenario(tmp_path)
    loaded = load_scenario(file).scenario
    named = prepared(loaded, tmp_path)
    assert named.comms is not None and Path(named.comms.graph or '').is_file()
    assert Simulation(named).run(0.4) == Simulation(loaded).run(0.4)
    given = [f'comms.graph={named.comms.graph}', f'comms.grid={named.comms.grid}']
    assert load_scenario(file, given).scenario.comms == named.comms
    with pytest.raises(
        ValueError, match=r'comms.graph = .*is stale: built for \w{16}, but the ground.* hash to \w{16}'
    ):
        load_scenario(file, [*given, 'terrain.source=procedural'])


# -- what the node survives -----------------------------------------------------------------------------------------


def robust_scenario(folder: Path) -> Path:
    """Three rovers; the graph knows nothing of the ground that zircon stands on."""
    calm = {'traffic': [], 'breadcrumb_drops': [], 'beacon_period_s': 0.0, 'stations': {'lander': [-10.0, 0.0]}}
    known = load_scenario(scenario(folder, calm)).scenario
    dot, dat = write_graph_files(*build_from_config(known.comms, participant_context(known)), folder, 'known')
    rovers = {**NEAR, 'zircon': vehicle(300.0, 0.0)}
    comms = {**FAR, **calm, 'graph': str(dot), 'grid': str(dat), 'breadcrumb_delay_s': 0.0}
    world = {'on_failure': 'drop', 'participant_timeout_s': 4.0}
    return write_scenario(folder, rovers, name='robust', duration_s=120.0, world=world, comms=comms)


class Radios:
    """One run with a robot's side of it: datagrams received and sent; tests count from what was there before."""

    def __init__(self, live: LiveRun) -> None:
        from rclpy.qos import QoSProfile
        from regolith_msgs.msg import Datagram, DatagramArray, Neighbors, RadioLinks

        self.live = live
        self.refused = {'unknown_address': 0, 'unbound_port': 0}
        """Datagrams that were to come to nothing, by reason."""
        self._heard = {
            name: live.subscribe(DatagramArray, f'/{name}/comms/rx') for name in ('amber', 'basalt', 'lander')
        }
        self.neighbors = live.subscribe(Neighbors, '/lander/comms/neighbors')
        self.links = live.subscribe(RadioLinks, '/regolith/comms/links', latched=True)
        self._type = Datagram
        self._tx = live.node.create_publisher(Datagram, '/amber/comms/tx', QoSProfile(depth=20_000))
        live.wait_for(lambda: self.links and self._tx.get_subscription_count(), 60.0, 'the radios')

    def arrived(self, name: str = 'lander') -> list[Any]:
        return [d for batch in self._heard[name] for d in batch.datagrams]

    def say(self, dst: str, data: bytes, port: int = 0) -> None:
        self._tx.publish(self._type(src='another sender', dst=dst, port=port, data=data))

    def logged(self, words: str) -> None:
        self.live.wait_for(lambda: words in self.live.output, 15.0, words)

    def call(self, service_type: Any, service: str, **fields: Any) -> Any:
        return self.live.call(service_type, f'/regolith/comms/{service}', **fields)


LIVE = ('--rtf', 1.0, '--no-record')


@pytest.fixture(scope='module', params=['one', pytest.param('many', marks=pytest.mark.slow)])
def radios(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Radios]:
    """A run that lasts as long as the tests that share it; the last of them ends it."""
    folder = tmp_path_factory.mktemp('radios')
    with LiveRun(folder, robust_scenario(folder), *LIVE, processes=request.param, to_be_killed=True) as live:
        yield Radios(live)


@pytest.mark.ros
def test_a_datagram_arrives_under_the_name_of_its_topics_robot(radios: Radios) -> None:
    radios.say('lander', b'first')
    radios.live.wait_for(radios.arrived, 15.0, 'a datagram')
    first = radios.arrived()[0]
    assert (first.src, first.dst, first.port, bytes(first.data)) == ('amber', 'lander', 4100, b'first')
    assert -80.0 < first.rssi < 0.0 and first.num_hops == 0
    radios.live.wait_for(lambda: radios.neighbors, 15.0, 'neighbors')
    assert radios.neighbors[-1].names == ['amber'] and radios.neighbors[-1].rssi[0] == first.rssi


@pytest.mark.ros
def test_datagrams_that_cannot_be_sent_are_all_reported(radios: Radios) -> None:
    """Warnings come once a second at most: what follows straight after one still comes."""
    radios.say('ghost', b'x')
    radios.logged("there is no radio 'ghost'; allowed: amber, basalt, lander, zircon, broadcast, multicast")
    radios.say('lander', b'x', 4321)
    radios.say('broadcast', b'x', 4322)
    radios.say('lander', bytes(1501))
    radios.refused['unknown_address'] += 1
    radios.refused['unbound_port'] += 2
    radios.logged("'lander' has not bound port 4321; it has bound 4000, 4100")
    radios.logged('no radio has bound port 4322')
    radios.logged("1501 bytes from 'amber'; allowed: up to 1500 bytes")
    radios.say('lander', bytes(1_000_000))
    radios.logged("1000000 bytes from 'amber'; allowed: up to 1500 bytes")


@pytest.mark.ros
def test_port_receives_once_it_is_bound(radios: Radios) -> None:
    from regolith_msgs.srv import BindPort

    assert radios.call(BindPort, 'bind_port', name='lander', port=4323).success
    radios.live.spin(0.3)
    radios.say('lander', b'second', 4323)

    def heard() -> list[bytes]:
        return [bytes(d.data) for d in radios.arrived() if d.port == 4323]

    assert radios.live.wait_for(heard, 15.0, 'a bound port') == [b'second']
    assert 'not registered' in radios.call(BindPort, 'bind_port', name='ghost', port=5).message


@pytest.mark.ros
@pytest.mark.slow
def test_ten_thousand_datagrams_at_once_arrive_in_order(radios: Radios) -> None:
    """10 bytes each: within a second's capacity of 125 000 bytes, so all of them."""
    before = len(radios.arrived())
    for k in range(10_000):
        radios.say('lander', b'%010d' % k)
    radios.live.wait_for(lambda: len(radios.arrived()) >= before + 10_000, 60.0, 'ten thousand datagrams')
    assert [bytes(d.data) for d in radios.arrived()[before:]] == [b'%010d' % k for k in range(10_000)]


@pytest.mark.ros
def test_services_refuse_with_a_message(radios: Radios) -> None:
    from regolith_msgs.srv import DeployBreadcrumb, RegisterRadio

    assert 'allowed: letters' in radios.call(RegisterRadio, 'register_radio', name='b c').message
    assert "vehicle 'lander'" in radios.call(DeployBreadcrumb, 'deploy_breadcrumb', vehicle='lander').message


@pytest.mark.ros
def test_a_breadcrumb_outside_every_tile_relays_nothing(radios: Radios) -> None:
    """Nor is its rover reached; the table of links says so, and the breadcrumb can be taken away again."""
    from regolith_msgs.srv import DeployBreadcrumb, RemoveBreadcrumb

    outside = radios.call(DeployBreadcrumb, 'deploy_breadcrumb', vehicle='zircon')
    assert outside.success and outside.breadcrumb == 'zircon_breadcrumb_0'
    radios.logged("breadcrumb 'zircon_breadcrumb_0' at (299.5, ")
    radios.live.wait_for(lambda: radios.links[-1].breadcrumbs == ['zircon_breadcrumb_0'], 15.0, 'the table of links')
    pair = {(k.src, k.dst): k for k in radios.links[-1].links}
    assert len(pair) == 12 and pair['amber', 'lander'].packet_error < 0.01
    assert pair['amber', 'zircon'].packet_error == 1.0 and pair['amber', 'zircon'].mean_rssi == float('-inf')
    assert radios.call(RemoveBreadcrumb, 'remove_breadcrumb', breadcrumb=outside.breadcrumb).success
    radios.live.wait_for(lambda: not radios.links[-1].breadcrumbs, 15.0, 'the breadcrumb to go')


@pytest.mark.ros
def test_the_summary_counts_what_arrived_and_what_came_to_nothing(radios: Radios) -> None:
    """The last of those that share a run: it ends it."""
    radios.say('no such radio', b'x')
    radios.refused['unknown_address'] += 1
    radios.logged("there is no radio 'no such radio'")
    arrived = len(radios.arrived())
    radios.live.interrupt()
    comms = radios.live.finish(30.0, code=None).summary['comms']
    assert {reason: comms['dropped'].get(reason, 0) for reason in radios.refused} == radios.refused
    assert comms['delivered'] == arrived


@pytest.mark.ros
@pytest.mark.slow
def test_robot_that_fails_alone_sends_nothing(tmp_path: Path) -> None:
    with LiveRun(tmp_path, robust_scenario(tmp_path), *LIVE, processes='many', to_be_killed=True) as live:
        radios = Radios(live)
        os.kill(live.pids()['basalt/agent'], signal.SIGKILL)
        live.wait_for(lambda: 'continues without it' in live.output, 30.0, 'the drop')
        radios.say('basalt', b'are you there?')
        radios.say('lander', b'it is not')
        radios.logged("'basalt' is not in the world")
        live.wait_for(lambda: [bytes(d.data) for d in radios.arrived()] == [b'it is not'], 15.0, 'the last word')
        live.interrupt()
        live.finish(30.0, code=None)
