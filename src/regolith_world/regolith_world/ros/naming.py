# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Names in the graph: nodes with fixed names, and the namespace of a whole run."""

from __future__ import annotations

from typing import Any

from rclpy.node import Node


def named_node(name: str, namespace: str, **options: Any) -> Node:
    """Return a node of this name, independent of the process's remaps.

    ``-r __node:=…`` and ``-r __ns:=…`` on a command line rename every node of a process. Further nodes in it need
    arguments of their own, which come before those; other remaps of the command line still reach them.

    Args:
        namespace: absolute, ``/moon/amber``
        options: of :class:`rclpy.node.Node`
    """
    own = ['--ros-args', '-r', f'__node:={name}', '-r', f'__ns:={namespace or "/"}']
    return Node(name, namespace=namespace, cli_args=own, **options)


def helper_node(node: Node, purpose: str) -> Node:
    """Return a node beside another for one purpose of its process: ``/regolith/world`` gets ``/regolith/world_link``.

    Only its maker spins it, and it has no parameters.

    Args:
        purpose: in one word, ``link``
    """
    return named_node(
        f'{node.get_name()}_{purpose}',
        node.get_namespace(),
        start_parameter_services=False,
        enable_rosout=False,
        context=node.context,
    )


def root_of(node: Node) -> str:
    """Return the namespace above a node's own, '' or ``/moon``, the prefix of all names of a run, ``/clock`` included.

    Nodes of the world are in ``regolith`` below it, those of a vehicle in the vehicle's name.
    """
    return str(node.get_namespace()).rpartition('/')[0]
