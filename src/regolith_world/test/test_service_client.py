# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of service calls that are repeated after a lost response."""

from __future__ import annotations

import time

import pytest

pytest.importorskip('rclpy', reason='needs a ROS 2 environment')

from regolith_world.ros import service_client


class Future:
    def __init__(self):
        self.response = None

    def done(self):
        return self.response is not None

    def result(self):
        return self.response


class Service:
    """Client, server and executor in one. It responds as set in ``responses``, by the number of the request."""

    srv_name = '/world/join'

    def __init__(self, responses, ready=True):
        self.responses, self.ready = responses, ready
        self.futures, self.removed = [], []

    def service_is_ready(self):
        return self.ready

    def call_async(self, request):
        self.futures.append(Future())
        return self.futures[-1]

    def remove_pending_request(self, future):
        self.removed.append(future)

    def spin_once(self, timeout_sec):
        time.sleep(0.001)
        to, response = self.responses.get(len(self.futures), (0, None))
        if response is not None:
            self.futures[to].response = response


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    monkeypatch.setattr(service_client, 'FIRST_PATIENCE_S', 0.01)


def test_repeated_request_gets_the_response():
    service = Service({2: (1, 'yes')})
    assert service_client.call_service(service, service, None, 5.0) == 'yes'
    assert service.removed == service.futures and len(service.futures) == 2


def test_late_response_to_the_first_request_counts():
    service = Service({3: (0, 'yes')})
    assert service_client.call_service(service, service, None, 5.0) == 'yes'
    assert len(service.futures) == 3


def test_requests_are_repeated_at_growing_intervals_until_the_timeout():
    service = Service({})
    with pytest.raises(TimeoutError, match=r'no response from /world/join within 0.2 s'):
        service_client.call_service(service, service, None, 0.2)
    # After 0.01, 0.03, 0.07 and 0.15 s at the earliest.
    assert 2 <= len(service.futures) <= 5
    with pytest.raises(TimeoutError, match=r'no service /world/join within 0.0 s'):
        service_client.call_service(service, Service({}, ready=False), None, 0.02)


def test_call_service_stops_on_request():
    service = Service({})
    with pytest.raises(KeyboardInterrupt):
        service_client.call_service(service, service, None, 5.0, lambda: len(service.futures) > 0)
