# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the radio model against tables from the code of osrf/subt (see ``test/data/README.md``)."""

from __future__ import annotations

import csv
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regolith_comms.links.link import LinkModel
from regolith_comms.links.relays import relay_table
from regolith_comms.links.visibility import TileGraph
from regolith_comms.links.world_grid import WorldGrid
from regolith_comms.packet_delivery import CapacityWindows, DeliveryOutcome, deliver
from regolith_comms.radio import Radio, bit_error, delivery, packet_error, received_power, success_probability
from regolith_world.random.philox import stream_key

DATA = Path(__file__).parent / 'data'
SHARED = Path(os.environ.get('REGOLITH_SHARED', Path(__file__).parents[3].parent / 'shared'))
WORLDS = SHARED / 'subt_worlds'

needs_worlds = pytest.mark.skipif(not WORLDS.is_dir(), reason=f'no SubT worlds at {WORLDS} (REGOLITH_SHARED)')


def rows(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(newline='') as file:
        return list(csv.DictReader(file))


def column(table: list[dict[str, str]], name: str) -> np.ndarray:
    return np.array([float('inf' if row[name] == 'unreachable' else row[name]) for row in table])


def points(text: str) -> list[tuple[float, ...]]:
    return [tuple(map(float, part.split())) for part in text.split('|')] if text else []


@cache
def graph(world: str) -> TileGraph:
    return TileGraph.from_dot(WORLDS / f'{world}.dot')


@cache
def grid(world: str) -> WorldGrid:
    return WorldGrid.from_dat(WORLDS / f'{world}.dat')


@needs_worlds
@pytest.mark.parametrize('file', sorted((DATA / 'visibility_costs').glob('*.csv')), ids=lambda file: file.stem)
def test_visibility_costs_match_the_reference(file: Path) -> None:
    with file.open(newline='') as lines:
        table = list(csv.reader(lines))
    world = graph(file.stem)
    assert world.ids.tolist() == [int(text) for text in table[0][1:]]
    expected = [[float('inf' if text == 'unreachable' else text) for text in row[1:]] for row in table[1:]]
    assert np.array_equal(world.costs, expected)


@needs_worlds
def test_tile_lookup_matches_the_reference() -> None:
    table = rows('tile_lookup.csv')
    for world in sorted({row['world'] for row in table}):
        mine = [row for row in table if row['world'] == world]
        found = grid(world).tile_at([[float(row[axis]) for axis in 'xyz'] for row in mine])
        assert found.tolist() == [-1 if row['tile'] == 'none' else int(row['tile']) for row in mine]


def test_range_model_matches_the_reference() -> None:
    """Powers to 1e-9 of the value; the table has ten decimals, so at least 1e-9 dB absolute."""
    table = rows('range_model.csv')
    assert len(table) > 50
    for row in table:
        radio = Radio(
            tx_power_dbm=float(row['tx_power_dbm']),
            max_range_m=float(row['max_range_m']),
            fading_exponent=float(row['base_fading_exponent']),
            visibility_cost_to_fading_exponent=float(row['vis_to_exp']),
            path_loss_1m_db=float(row['L0_db']),
            fading_variance_db2=float(row['sigma']),
            scaling_factor=float(row['scaling_factor']),
            range_per_hop_m=float(row['range_per_hop_m']),
            visibility_cost_max=1e9,
        )
        mean, variance = received_power(
            float(row['range_m']), float(row['num_hops']), float(row['visibility_cost']), radio
        )
        assert mean == pytest.approx(float(row['mean_dbm']), rel=1e-9, abs=1e-9)
        assert variance == float(row['variance'])


def test_simple_range_models_match_the_reference() -> None:
    for row in rows('range_model_simple.csv'):
        radio = Radio.model_validate(
            {
                'model': row['model'],
                'tx_power_dbm': float(row['tx_power_dbm']),
                'max_range_m': float(row['max_range_m']),
                'fading_exponent': float(row['fading_exponent']),
                'path_loss_1m_db': float(row['L0_db']),
                'fading_variance_db2': float(row['sigma']),
            }
        )
        ends = [[float(row[f'{end}_{axis}']) for axis in 'xyz'] for end in ('tx', 'rx')]
        links = LinkModel(radio).between([ends[0]], [ends[1]])
        assert links.mean_dbm[0] == pytest.approx(float(row['mean_dbm']), rel=1e-9, abs=1e-9)
        assert links.variance_db2[0] == float(row['variance'])


def test_packet_errors_match_the_reference() -> None:
    """To 1e-9 absolute: 1 - exp(...) in the table loses digits by cancellation, ours does not."""
    table = rows('packet_error.csv')
    power, size = column(table, 'rx_power_dbm'), column(table, 'num_bytes')
    for noise in sorted({row['noise_floor_dbm'] for row in table}):
        mine = np.array([row['noise_floor_dbm'] == noise for row in table])
        radio = Radio(noise_floor_dbm=float(noise))
        assert bit_error(power[mine], radio) == pytest.approx(column(table, 'ber')[mine], abs=1e-9)
        assert packet_error(power[mine], size[mine], radio) == pytest.approx(
            column(table, 'per')[mine], abs=1e-9, nan_ok=True
        )
        expected = np.nan_to_num(column(table, 'p_success_ideal')[mine], nan=0.0)  # nan counts as lost.
        assert delivery(power[mine], size[mine], radio) == pytest.approx(expected, abs=1e-9)


def test_success_probabilities_match_the_reference() -> None:
    """To 1e-6, as in the README of the tables; the quadratures agree to about 1e-10."""
    table = rows('success_probability.csv')
    for noise in sorted({row['noise_floor_dbm'] for row in table}):
        mine = [row for row in table if row['noise_floor_dbm'] == noise]
        found = success_probability(
            column(mine, 'mean_dbm'),
            column(mine, 'variance_db2'),
            column(mine, 'num_bytes'),
            Radio(noise_floor_dbm=float(noise)),
        )
        assert found == pytest.approx(column(mine, 'p_success_ideal'), abs=1e-6)


@needs_worlds
@pytest.mark.parametrize('name', ['relay_costs.csv', 'relay_reference_suboptimal.csv'])
def test_relay_costs_match_the_reference(name: str) -> None:
    """Mode wiki: the cheapest worst leg with the fewest relays. Mode reference: the old recursion with its route."""
    table = rows(name)
    differs = 0
    for world, tiles in sorted({(row['world'], row['breadcrumb_tiles']) for row in table}):
        ids = graph(world).ids.tolist()
        # A breadcrumb outside all tiles relays nothing.
        relays = [int(tile) for tile in tiles.split(';') if tile not in ('', 'none')]
        wiki = relay_table(graph(world), relays)
        old = relay_table(graph(world), relays, 'reference')
        for row in table:
            if (row['world'], row['breadcrumb_tiles']) != (world, tiles):
                continue
            a, b = ids.index(int(row['from'])), ids.index(int(row['to']))
            number = {
                key: float('inf' if text == 'unreachable' else text) for key, text in row.items() if key in NUMBERS
            }
            assert (wiki.costs[a, b], wiki.hops[a, b]) == (number['minimax_cost'], number['minimax_hops']), row
            assert (old.costs[a, b], old.hops[a, b]) == (number['ref_cost'], number['ref_hops']), row
            route = tuple(int(tile) for tile in row['ref_route'].split(';') if tile)
            assert old.route(a, b) == route, row
            if 'ref_greatest_relay_hop_m' in row:
                at = LinkModel(Radio(), graph(world), grid(world))
                at.place_breadcrumbs((f'b{k}', point) for k, point in enumerate(points(row[DROPPED])))
                places = {tile: place for _, place, tile in reversed(at.breadcrumbs)}
                legs = [float(np.linalg.norm(places[r] - places[s])) for r, s in old.relay_legs(a, b)]
                assert max(legs, default=0.0) == pytest.approx(float(row['ref_greatest_relay_hop_m']), abs=1e-9), row
            differs += old.hops[a, b] != wiki.hops[a, b] or old.costs[a, b] != wiki.costs[a, b]
    assert differs > 0


@needs_worlds
def test_invalid_tile_ids_of_the_grid_relay_nothing() -> None:
    """-1, outside every tile, and ids that the graph lacks relay nothing, for any number type."""
    world = graph('simple_tunnel_02')
    expected = relay_table(world, [6, 7])
    for tiles in ([-1, 6, 7, 4711], np.array([7, -1, 6, 6]), np.array([6, 7], dtype=np.uint64), [2**64 - 2, 6, 7]):
        table = relay_table(world, tiles)
        assert table.relay_tiles == (6, 7) and np.array_equal(table.costs, expected.costs)
        assert relay_table(world, tiles, 'reference').relay_tiles == (6, 7)


DROPPED = 'breadcrumbs_xyz_in_deploy_order'
NUMBERS = ('minimax_cost', 'minimax_hops', 'ref_cost', 'ref_hops')


def radio_of(text: str) -> Radio:
    tx, reach, exponent, loss, variance, scale, per_hop, per_cost, limit = map(float, text.split())
    return Radio(
        tx_power_dbm=tx,
        max_range_m=reach,
        fading_exponent=exponent,
        path_loss_1m_db=loss,
        fading_variance_db2=variance,
        scaling_factor=scale,
        range_per_hop_m=per_hop,
        visibility_cost_to_fading_exponent=per_cost,
        visibility_cost_max=limit,
    )


@needs_worlds
def test_received_power_matches_the_reference() -> None:
    """Reference mode: every row. Default mode: the unique rows without a breadcrumb in the tile of the receiver.

    With three or more relays the old code also ignores legs between relays (see test_relay_costs_match_the_reference).
    Where the longest leg is one of these, the range of the default mode is the longer one.
    """
    table = rows('rx_power_world.csv')
    configuration = next(key for key in table[0] if key.startswith('config('))
    compared = {'wiki': 0, 'reference': 0}
    relayed = forgotten_legs = 0
    groups: dict[tuple[str, str, str], list[dict[str, str]]] = {}
    for row in table:
        groups.setdefault((row['world'], row[configuration], row['breadcrumbs_xyz_in_deploy_order']), []).append(row)
    for (world, text, breadcrumbs), members in sorted(groups.items()):
        for mode in ('wiki', 'reference'):
            model = LinkModel(radio_of(text), graph(world), grid(world), mode)
            model.place_breadcrumbs((f'b{k}', point) for k, point in enumerate(points(breadcrumbs)))
            links = model.between([points(r['tx_xyz'])[0] for r in members], [points(r['rx_xyz'])[0] for r in members])
            holding = {tile for _, _, tile in model.breadcrumbs}
            for n, row in enumerate(members):
                exception = row['using_breadcrumbs'] == '1' and int(row['rx_tile']) in holding
                if mode == 'wiki' and row['route_status'] == 'tie':
                    assert (links.cost[n], links.hops[n]) == (float(row['visibility_cost']), int(row['num_hops']))
                if mode == 'wiki' and (row['route_status'] not in ('unique', 'outside') or exception):
                    continue
                forgotten = links.range_m[n] > float(row['range_m'] or 'inf') * (1.0 + 1e-9)
                if mode == 'wiki' and links.hops[n] >= 3 and forgotten:
                    forgotten_legs += 1
                    continue
                same_power(links, n, row)
                compared[mode] += 1
                relayed += links.hops[n] > 0
                if np.isfinite(links.mean_dbm[n]) and mode == 'reference':
                    expected = [float(row['p_ideal_100B']), float(row['p_ideal_1500B'])]
                    found = success_probability(links.mean_dbm[n], links.variance_db2[n], [100, 1500], model.radio)
                    assert found == pytest.approx(expected, abs=1e-6)
    assert compared['reference'] == len(table) and compared['wiki'] > 0.8 * len(table) and relayed > 100
    assert forgotten_legs == 1


def same_power(links: Any, n: int, row: dict[str, str]) -> None:
    cost = row['visibility_cost']
    assert links.cost[n] == (np.inf if cost in ('unreachable', 'inf') else float(cost)), row
    if np.isfinite(links.cost[n]):
        assert links.hops[n] == int(row['num_hops']), row
    if row['range_m']:
        assert links.range_m[n] == pytest.approx(float(row['range_m']), rel=1e-12), row
    assert links.mean_dbm[n] == pytest.approx(float(row['mean_dbm']), rel=1e-9, abs=1e-9), row
    assert links.variance_db2[n] == float(row['variance']), row


def test_capacity_trace_matches_the_reference() -> None:
    """Row by row: arrivals and the content of both windows; the link itself never loses a packet (-40 dBm)."""
    table = rows('capacity_trace.csv')
    windows, case = CapacityWindows(0), None
    for row in table:
        if row['case'] != case:
            case = row['case']
            count = 1 + max(int(r[end]) for r in table if r['case'] == case for end in ('tx_radio', 'rx_radio'))
            windows = CapacityWindows(count)
        radio = Radio(capacity_bps=float(row['capacity_bps']))
        tx, rx = int(row['tx_radio']), int(row['rx_radio'])
        t_ns = round(float(row['sim_time_s']) * 1e9)
        size = int(row['num_bytes'])
        result = deliver(windows, radio, np.uint64(1), t_ns, [tx], [rx], [size], [-40.0], [0.0], [0], [0])
        assert (result.outcome[0] == DeliveryOutcome.DELIVERED) == (row['delivered'] == '1'), row
        held = windows.bytes_in_window(tx)[0], windows.bytes_in_window(rx)[1]
        assert held[0] == int(row['tx_bytes_in_window_after']), row
        # The reference prunes the window of the receiver only where the attempt gets that far.
        if result.outcome[0] in (DeliveryOutcome.DELIVERED, DeliveryOutcome.RX_CAPACITY):
            assert held[1] == int(row['rx_bytes_in_window_after']), row


def test_success_rates_match_the_exact_probability() -> None:
    """100 000 random attempts against the exact probability, within 3 sigma; mean and spread of the fading."""
    for scenario in json.loads((DATA / 'mc_attempt_send.json').read_text()):
        count, size = 100_000, scenario['num_bytes']
        radio = Radio(noise_floor_dbm=scenario['noise_floor_dbm'], capacity_bps=1e18)
        mean, variance = float(scenario['mean_dbm']), float(scenario['variance_db2'])
        result = deliver(
            CapacityWindows(2),
            radio,
            stream_key(7, 'comms', scenario['name']),
            0,
            np.zeros(count, int),
            np.ones(count, int),
            size,
            mean,
            variance,
            np.zeros(count, np.uint64),
            np.arange(count),
        )
        expected = scenario['p_exact_ideal']
        rate = float((result.outcome == DeliveryOutcome.DELIVERED).mean())
        assert abs(rate - expected) <= 3.0 * np.sqrt(expected * (1.0 - expected) / count) + 1e-12, scenario['name']
        if not np.isfinite(mean):
            continue
        # Mean and variance of 1e5 normal numbers: within 4 standard errors.
        assert abs(result.rssi_dbm.mean() - mean) <= 4.0 * np.sqrt(variance / count)
        assert result.rssi_dbm.var() == pytest.approx(variance, rel=4.0 * np.sqrt(2.0 / count))
