# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Names in the ROS graph: nodes with fixed names, and the namespace of a run."""

from __future__ import annotations

from typing import Any

from rclpy.node import Node


def named_node(name: str, namespace: str, **options: Any) -> Node:
    """Return a node of this name, independent of the process's remaps.

    ``-r __node:=…`` and ``-r __ns:=…`` on a command line rename every node of a process. Further nodes in the process
    need separate arguments, which take precedence. Other remaps of the command line still apply to them.

    Args:
        name: Name of the node.
        namespace: Absolute namespace, such as ``/moon/amber``.
        **options: Options of :class:`rclpy.node.Node`.
    """
    own = ['--ros-args', '-r', f'__node:={name}', '-r', f'__ns:={namespace or "/"}']
    return Node(name, namespace=namespace, cli_args=own, **options)


def helper_node(node: Node, purpose: str) -> Node:
    """Return a helper node of another node: ``/regolith/world`` gets ``/regolith/world_link``.

    Only the caller spins it, and it has no parameters.

    Args:
        node: The node.
        purpose: Purpose in one word, such as ``link``.
    """
    return named_node(
        f'{node.get_name()}_{purpose}',
        node.get_namespace(),
        start_parameter_services=False,
        enable_rosout=False,
        context=node.context,
    )


def root_namespace(node: Node) -> str:
    """Return the namespace above that of a node, '' or ``/moon``, the prefix of all names of a run and of ``/clock``.

    Nodes of the world are in ``regolith`` below it. Those of a vehicle are in the vehicle's name.
    """
    return str(node.get_namespace()).rpartition('/')[0]
