# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Usage errors of the command line, formatted as input errors."""

from __future__ import annotations

import re
from typing import Any

from typer.core import TyperGroup

from regolith_files import Problem, allowed_names, as_yaml_text, closest_name


def usage_message(error: Any) -> str:
    """Return a usage error formatted as an input error."""
    command = error.ctx.command_path if error.ctx is not None else 'regolith'
    parameter = getattr(error, 'param', None)
    if message := _unknown_command(error) or _unknown_option(error):
        return message
    if parameter is None or not error.message:
        return str(
            Problem(command, '', error.format_message().rstrip('.'), f'the arguments listed by {command} --help')
        )
    name = next((option for option in parameter.opts if option.startswith('--')), parameter.name)
    about = getattr(parameter, 'help', None)
    form = error.message.rstrip('.')
    problem, allowed = form, f'the arguments listed by {command} --help'
    if form.startswith('Input should be '):
        allowed = form.removeprefix('Input should be ').partition(', unable')[0]
        problem = 'has the wrong type' if form.startswith('Input should be a valid') else 'is out of range'
    causes = error.__cause__.errors() if hasattr(error.__cause__, 'errors') else [{}]
    value = as_yaml_text(causes[0]['input']) if 'input' in causes[0] else ''
    return str(Problem(f'{command} {name}', '', problem, f'{allowed} ({about})' if about else allowed, value))


def _unknown_command(error: Any) -> str:
    """Return the message for an unknown command, with similar commands, or '' for other errors."""
    found = re.match(r"No such command '([^']*)'", error.format_message())
    group = error.ctx.command if error.ctx is not None else None
    if found is None or not isinstance(group, TyperGroup):
        return ''
    names = group.list_commands(error.ctx)
    allowed = allowed_names(names, found[1])
    if error.ctx.parent is None:  # too many for one line
        guess = allowed.partition(' (did you mean ')[2]
        allowed = f'the commands listed by regolith --help{f" (did you mean {guess}" if guess else ""}'
    return str(Problem(error.ctx.command_path, '', f'No such command {found[1]!r}', allowed))


def _unknown_option(error: Any) -> str:
    """Return the message for an unknown option, with a similar option, or '' for other errors."""
    found = re.match(r'No such option:? (--[\w-]+)', error.format_message())
    if found is None or error.ctx is None:
        return ''
    path, options = error.ctx.command_path, {name for each in error.ctx.command.params for name in each.opts}
    guess = closest_name(sorted(options), found[1], likeness=0.7)
    allowed = f'the options listed by {path} --help{f" (did you mean {guess}?)" if guess else ""}'
    return str(Problem(path, '', f'No such option {found[1]}', allowed))
