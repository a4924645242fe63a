# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Domains and namespaces."""

from __future__ import annotations

import socket

import pytest

from regolith_bringup.run import ros_graph
from regolith_files.problems import InputError


def test_a_domain_is_given_to_one_only() -> None:
    first = ros_graph.free_domain()
    second = ros_graph.free_domain()
    assert first.number != second.number
    again = first.number
    first.release()
    third = ros_graph.free_domain([again])
    assert third.number == again
    with pytest.raises(InputError, match='finds no free domain'):
        ros_graph.free_domain([again, second.number])
    second.release()
    third.release()


def test_domain_with_a_listener_is_not_free() -> None:
    """A process that uses a domain without reserving it still binds its ports."""
    domain = ros_graph.free_domain()
    domain.release()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(('127.0.0.1', 7400 + 250 * domain.number + 10))
        with pytest.raises(InputError):
            ros_graph.free_domain([domain.number])


@pytest.mark.parametrize('text', ['-1', '233', 'any', '1.5', '', '٣'])
def test_invalid_domain_is_refused(text: str) -> None:
    with pytest.raises(InputError, match='0 to 232, or auto'):
        ros_graph.parse_domain(text)


def test_domains_by_number() -> None:
    assert ros_graph.parse_domain('0') == 0
    assert ros_graph.parse_domain('232') == 232


@pytest.mark.parametrize(('text', 'name'), [('', ''), ('moon', 'moon'), ('/moon/', 'moon'), ('a/b_c', 'a/b_c')])
def test_namespaces(text: str, name: str) -> None:
    assert ros_graph.parse_namespace(text) == name


@pytest.mark.parametrize('text', ['a b', '1a', 'a//b', 'a__b', 'a-b', '~a', 'ä'])
def test_invalid_namespace_is_refused(text: str) -> None:
    with pytest.raises(InputError, match='letters, digits'):
        ros_graph.parse_namespace(text)
