# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Notebooks run from top to bottom, and are kept without what they printed."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import nbformat
import pytest
from harness import ROOT, command, environment, free_domain, new_domain
from nbclient import NotebookClient

NOTEBOOKS = sorted((ROOT / 'examples').glob('*.ipynb'))
assert NOTEBOOKS


@pytest.mark.parametrize('path', NOTEBOOKS, ids=lambda path: path.name)
def test_outputs_are_not_in_git(path: Path) -> None:
    """They would differ with every run, and hide what changed."""
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == 'code']
    assert cells and not any(cell.outputs or cell.execution_count for cell in cells)


@pytest.mark.parametrize('path', NOTEBOOKS, ids=lambda path: path.name)
def test_names_that_are_imported_exist(path: Path) -> None:
    """The quick suite runs no notebook; a renamed function would be noticed by the slow one alone."""
    lines = [line for cell in nbformat.read(path, as_version=4).cells for line in cell.source.splitlines()]
    imports = [line for line in lines if line.startswith(('import ', 'from '))]
    assert any('regolith' in line for line in imports)
    for line in imports:
        exec(line, {})


@pytest.mark.slow
@pytest.mark.ros
@pytest.mark.timeout(900)
def test_reading_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a run of the demo as its first lines describe; the values it prints are those of the run."""
    run, domain = tmp_path / 'notebook', new_domain()
    try:
        subprocess.run(
            command('run', 'two_rovers', '--out', run, '--no-report'),
            env=environment(domain),
            check=True,
            capture_output=True,
            timeout=300,
        )
    finally:
        free_domain(domain)
    monkeypatch.setenv('RUN', str(run))
    # Kernel and plots keep their own files below an empty home.
    monkeypatch.setenv('HOME', str(tmp_path))
    notebook = nbformat.read(ROOT / 'examples' / 'reading_a_run.ipynb', as_version=4)
    done = NotebookClient(
        notebook, timeout=300, kernel_name='python3', resources={'metadata': {'path': str(ROOT / 'examples')}}
    ).execute()
    outputs = [output for cell in done.cells if cell.cell_type == 'code' for output in cell.outputs]
    printed = ''.join(output.get('text', '') for output in outputs)
    pictures = [output for output in outputs if 'image/png' in output.get('data', {})]
    assert len(pictures) == 4
    assert 'amber: 30.0 s, off by' in printed and '/regolith/terrain/committed' in printed
    # A rut is what stays of the deepest sinkage once the wheel is gone: soil springs back by a small part of it.
    vehicles = json.loads((run / 'summary.json').read_text(encoding='utf-8'))['vehicles'].values()
    deepest, sunk = (
        float(printed.split('the deepest by ')[1].split(' mm')[0]),
        1e3 * max(v['max_sinkage_m'] for v in vehicles),
    )
    assert 0.7 * sunk < deepest < sunk + 1.0
