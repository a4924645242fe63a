# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What is looked at before nodes of another machine's run are started."""

from __future__ import annotations

import pytest

from regolith_bringup.cli import main
from regolith_bringup.run.remote_nodes import check_not_running, check_software, selected_nodes
from regolith_files.problems import InputError
from regolith_world.software_versions import installed_versions, version_differences

pytest.importorskip('rclpy', reason='needs the environment of install/env.sh')


def refused(capfd: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as left:
        main(words)
    out, err = capfd.readouterr()
    assert (left.value.code, out) == (2, '') and len(err.splitlines()) == 1, err
    return err


@pytest.mark.parametrize(
    ('words', 'said'),
    [
        (
            ('run', 'two_rovers', '--remote', 'basalt,granite'),
            "--remote: 'granite': cannot run on a remote machine",
        ),
        (
            ('run', 'two_rovers', '--remote', 'basalt', '--processes', 'one'),
            "'basalt': cannot run on a remote machine",
        ),
        (('join', '--domain', 'auto'), '--domain: auto: is not the domain of a run'),
        (('join', '--domain', '900'), '--domain: 900: is not a domain'),
        (('join', '--namespace', '../x'), '--namespace: ../x: cannot be a namespace'),
        (('join', '--out', '/proc/version'), '--out /proc/version: is not an empty folder'),
    ],
)
def test_mistakes_have_one_line(capfd: pytest.CaptureFixture[str], words: tuple[str, ...], said: str) -> None:
    assert said in refused(capfd, *words)


def test_who_is_started_here() -> None:
    assert selected_nodes((), ['amber', 'basalt'], 'lab') == ['amber', 'basalt']
    assert selected_nodes(('basalt', 'basalt'), ['amber', 'basalt'], 'lab') == ['basalt']
    with pytest.raises(InputError, match='the run on lab has no remote nodes'):
        selected_nodes(('basalt',), [], 'lab')
    with pytest.raises(
        InputError, match=r"'basalth': is not a remote participant of the run on lab; .*did you mean basalt"
    ):
        selected_nodes(('basalth',), ['amber', 'basalt'], 'lab')
    with pytest.raises(InputError, match="'basalt': is already connected"):
        check_not_running(['amber', 'basalt'], {'basalt', 'world'})


def test_other_versions_are_refused_by_name() -> None:
    ours = installed_versions()
    names = [line.split()[0] for line in ours]
    assert {'numpy', 'numba', 'mujoco', 'regolith_world', 'regolith_vehicles'} <= set(names) and names == sorted(names)
    check_software(ours, list(ours), 'lab')
    theirs = [
        line if not line.startswith('mujoco ') else 'mujoco 1.0' for line in ours if not line.startswith('numba ')
    ]
    assert [row[0] for row in version_differences(ours, theirs)] == ['mujoco', 'numba']
    with pytest.raises(InputError, match=r'mujoco: is .* here and 1\.0 on lab; allowed: the same on all machines'):
        check_software(ours, theirs, 'lab')
