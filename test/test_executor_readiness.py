# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""An executor with nothing to do is left alone, and whatever comes is noticed at the next look."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from harness import Observer, free_domain, new_domain

pytestmark = pytest.mark.ros


def test_services_timers_and_new_nodes_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checked long after the entities were gathered last, so that nothing is done because of that."""
    pytest.importorskip('rclpy', reason='needs the environment of install/env.sh')
    import rclpy
    from rclpy.context import Context
    from rclpy.executors import SingleThreadedExecutor
    from rclpy.node import Node
    from std_srvs.srv import SetBool

    from regolith_world.ros import executor_readiness
    from regolith_world.ros.inbox import spin_ready

    monkeypatch.setattr(executor_readiness, 'FRESH_S', 1e9)
    domain = new_domain()
    context = Context()
    rclpy.init(context=context, domain_id=domain)
    nodes = [Node('first', context=context)]
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(nodes[0])
    called: list[str] = []

    def offer(node: Node, name: str) -> None:
        node.create_service(SetBool, f'/{name}', lambda request, response: (called.append(name), response)[1])

    def until(condition: Callable[[], object]) -> bool:
        end = time.monotonic() + 20.0
        while not condition() and time.monotonic() < end:
            spin_ready(executor)
            time.sleep(0.01)
        return bool(condition())

    try:
        with Observer(domain) as asking:
            offer(nodes[0], 'one')
            clients = {name: asking.node.create_client(SetBool, f'/{name}') for name in ('one', 'two')}
            assert asking.wait_for(clients['one'].service_is_ready)
            spin_ready(executor)
            assert not any([executor_readiness.is_ready(executor) for _ in range(5)][1:]), 'nothing is there to be done'
            clients['one'].call_async(SetBool.Request())
            assert until(lambda: called == ['one'])
            nodes.append(Node('second', context=context))
            offer(nodes[1], 'two')
            executor.add_node(nodes[1])
            assert asking.wait_for(clients['two'].service_is_ready)
            clients['two'].call_async(SetBool.Request())
            assert until(lambda: called == ['one', 'two'])
            nodes[1].create_timer(0.05, lambda: called.append('timer'))
            executor_readiness._known.clear()  # as it is every half second, or what came up since is not seen
            assert until(lambda: called.count('timer') > 2)
    finally:
        executor.shutdown()
        for node in nodes:
            node.destroy_node()
        context.try_shutdown()
        free_domain(domain)
