# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""All commands of the command line, for reference pages and tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command


def all_commands(app: typer.Typer, program: str) -> Iterator[tuple[str, Any]]:
    """Yield all commands of an application, including those of sub-commands and plug-ins, in order of their names.

    Args:
        app: The application.
        program: Name of its program, with which the words of every command begin.

    Yields:
        The words of a command, such as ``regolith snapshot save``, and its click command.
    """
    yield from _commands_of(get_command(app), program)


def _commands_of(group: Any, path: str) -> Iterator[tuple[str, Any]]:
    context = typer.Context(group)
    for name in sorted(group.list_commands(context)):
        found = group.get_command(context, name)
        if isinstance(found, TyperGroup):
            yield from _commands_of(found, f'{path} {name}')
        else:
            yield f'{path} {name}', found
