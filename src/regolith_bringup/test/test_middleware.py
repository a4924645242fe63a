# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of middleware profiles: visibility of a run."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from regolith_bringup.run.middleware import (
    LOCAL,
    NETWORK,
    NETWORK_UDP,
    RANGE,
    UDP,
    VARIABLE,
    is_network_visible,
    middleware_environment,
    profile,
)


def texts(name: str, tag: str) -> list[str]:
    return [''.join(e.itertext()).strip() for e in ElementTree.parse(profile(name)).iter() if e.tag.endswith('}' + tag)]


def test_profiles_that_ship() -> None:
    # Transports in the profiles that shared_memory.py and ros/shutdown.py depend on.
    assert texts(LOCAL, 'type') == texts(NETWORK, 'type') == ['SHM', 'UDPv4']
    assert texts(UDP, 'type') == texts(NETWORK_UDP, 'type') == ['UDPv4']


@pytest.mark.parametrize('name', [LOCAL, UDP])
def test_by_default_everything_is_bound_to_this_machine(name: str) -> None:
    for tag in ('interfaceWhiteList', 'metatrafficUnicastLocatorList', 'initialPeersList'):
        assert texts(name, tag) == ['127.0.0.1']


@pytest.mark.parametrize('given', [{}, {RANGE: 'LOCALHOST'}, {VARIABLE: str(profile())}, {RANGE: 'SYSTEM_DEFAULT'}])
def test_a_run_has_our_local_profile(given: dict[str, str]) -> None:
    assert middleware_environment(given) == {VARIABLE: str(profile(LOCAL)), RANGE: 'SYSTEM_DEFAULT'}
    assert not is_network_visible(given)


def test_a_run_without_shared_memory_stays_without() -> None:
    given = {VARIABLE: str(profile(UDP)), RANGE: 'LOCALHOST'}
    assert Path(middleware_environment(given)[VARIABLE]).name == UDP
    # Both ways, as what one process has settled the next one finds.
    out = middleware_environment(given, network=True)
    assert Path(out[VARIABLE]).name == NETWORK_UDP
    assert middleware_environment(out) == out
    assert Path(middleware_environment({VARIABLE: out[VARIABLE]})[VARIABLE]).name == UDP


@pytest.mark.parametrize('given', [{RANGE: 'SUBNET'}, {RANGE: 'SUBNET', VARIABLE: str(profile())}])
def test_network_is_visible_only_on_request(given: dict[str, str]) -> None:
    assert middleware_environment(given) == {VARIABLE: str(profile(NETWORK)), RANGE: 'SUBNET'}
    assert is_network_visible(given)
    assert middleware_environment({}, network=True) == {VARIABLE: str(profile(NETWORK)), RANGE: 'SUBNET'}


def test_a_profile_or_middleware_of_the_users_own_is_left_alone() -> None:
    assert middleware_environment({VARIABLE: '/some/other.xml'}) == {RANGE: 'LOCALHOST'}
    other = {'RMW_IMPLEMENTATION': 'rmw_cyclonedds_cpp'}
    assert middleware_environment(other) == {RANGE: 'LOCALHOST'}
    assert middleware_environment(other, network=True) == {RANGE: 'SUBNET'}
