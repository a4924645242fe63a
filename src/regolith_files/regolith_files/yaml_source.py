# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""YAML reader that keeps the line of every value and rejects repeated keys.

Differences from ``yaml.safe_load``:

* A repeated key in a mapping is an error. YAML libraries keep the last one, so that one of two rovers with the same
  name would be lost.
* ``1e-3`` is a number.
* Keys are text as written, so that a rover can have the name ``on``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from regolith_files.bounded_yaml import UNREADABLE, BaseLoader, YamlLimitError, check_limits, load_yaml
from regolith_files.paths import resolved, usable_file
from regolith_files.problems import InputError, Problem, as_yaml_text, closest_name, without_file_name

KeyPath = tuple[str | int, ...]
"""Path of a value in a file: keys of mappings and indices of lists, outermost first."""

_MERGE = 'tag:yaml.org,2002:merge'


class ValueOrigin(NamedTuple):
    """Origin of a value that is not in the file."""

    text: str
    """Name in messages: ``--set a.b=1``, ``sweep.yaml:7``."""
    folder: Path
    """Base folder of relative paths in the value."""


def value_at(value: Any, path: KeyPath) -> Any:
    """Return the part of a value at a path; None if there is none."""
    for part in path:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return None
    return value


class YamlSource:
    """Content of a YAML file with the origin of each part."""

    def __init__(self, file: str | Path, *, what: str) -> None:
        """Read a file whose root is a mapping.

        Args:
            file: Path of the file.
            what: Kind of the content, for messages.

        Raises:
            InputError: If the file is missing, empty, not YAML or not a mapping, or if a key is repeated.
        """
        allowed = f'a YAML file with {what}'
        usable_file(file, allowed)
        self.file = Path(file)
        self._lines: dict[KeyPath, int] = {}
        self._given: dict[KeyPath, ValueOrigin] = {}
        self.notices: list[str] = []
        """Warnings and notes on the content, one line each, see :meth:`warn`."""
        self._made: dict[KeyPath, tuple[ValueOrigin, tuple[str, ...]]] = {}
        """Mappings that were not in the file: the origin of the value that created them, and the sibling keys."""
        try:
            text = self.file.read_text(encoding='utf-8')
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, 'strerror', None) or 'it is not UTF-8'
            raise self.error((), f'cannot be read as text: {reason}', allowed) from None
        self.data: dict[str, Any] = self._parse(text, what)

    @classmethod
    def of(cls, values: Mapping[str, Any], name: str) -> YamlSource:
        """Return a source of values that do not come from a file.

        Args:
            values: Content of the source.
            name: Name of the values in messages.
        """
        source = cls.__new__(cls)
        source.file, source.data, source._lines, source._given, source._made = Path(name), dict(values), {}, {}, {}
        source.notices = []
        return source

    # -- tracing --------------------------------------------------------------------------------------------------

    def where(self, path: KeyPath) -> str:
        """Return the origin of a key: file and line, or the option that set it."""
        for end in range(len(path), -1, -1):
            if path[:end] in self._given:
                return self._given[path[:end]].text
            if path[:end] in self._made:
                return self._made[path[:end]][0].text
            if path[:end] in self._lines:
                return f'{self.file}:{self._lines[path[:end]]}'
        return str(self.file)

    def base_dir(self, path: KeyPath) -> Path:
        """Return the base folder of relative paths at a key."""
        for end in range(len(path), -1, -1):
            if path[:end] in self._given:
                return self._given[path[:end]].folder
        return self.file.resolve().parent

    def find_file(self, path: KeyPath, given: str, allowed: str) -> Path:
        """Return the absolute path of the file that a key names.

        Args:
            path: Path of the key.
            given: Value of the key.
            allowed: Allowed values of the key.

        Raises:
            InputError: If it is not a readable regular file.
        """
        try:
            return usable_file(given, allowed, self.base_dir(path))
        except InputError as error:
            (found,) = error.problems
            raise self.error(path, found.problem, found.allowed, given) from None

    def error(self, path: KeyPath, problem: str, allowed: str, value: object = None) -> InputError:
        """Return the error for a problem at a key."""
        return InputError(self.problem(path, problem, allowed, value))

    def wrap(self, path: KeyPath, error: Exception, allowed: str, value: object = None) -> InputError:
        """Return the error for a key from the text of another error.

        Args:
            path: Path of the key.
            error: Other error; its text may state the allowed values.
            allowed: Allowed values if the other error does not state them.
            value: Value of the key.
        """
        problem, _, better = str(error).partition('; allowed: ')
        return self.error(path, problem, better or allowed, value)

    def problem(self, path: KeyPath, problem: str, allowed: str, value: object = None) -> Problem:
        """Return a problem at a key."""
        if isinstance(value, str) and (written := self._written(path, value)) is not None:
            problem, value = problem.replace(value, written), written
        shown_value = '' if value is None else as_yaml_text(value)
        if isinstance(value, str) and (rest := without_file_name(problem, value)) != problem:
            # The name appears once and in full: its end is the most specific part.
            problem, shown_value = rest, as_yaml_text(value, len(value) + 2)
        problem = without_file_name(problem, str(self.file))
        # The name of a key can itself be the problem, and be very long.
        names = [name if name.isprintable() else repr(name)[1:-1] for name in map(str, path)]
        key = '.'.join(name if len(name) <= 80 else f'{name[:79]}…' for name in names)
        for end in range(1, len(path)):
            beside = self._made[path[:end]][1] if path[:end] in self._made else ()
            if guess := closest_name(beside, path[end - 1], likeness=0.75):
                allowed = f'{allowed} (did you mean {".".join([*names[: end - 1], guess])}?)'
        return Problem(self.where(path), key, problem, allowed, shown_value)

    def _written(self, path: KeyPath, value: str) -> str | None:
        """Return the text in the file, if it is another path of the same file as a value; None otherwise."""
        written = value_at(getattr(self, 'data', None), path)
        if not isinstance(written, str) or written == value or not os.path.isabs(value):
            return None
        return written if str(resolved(self.base_dir(path) / written)) == value else None

    def warn(self, path: KeyPath, problem: str, fix: str, value: object = None, kind: str = 'warning') -> None:
        """Add a warning to :attr:`notices`, for a value that is allowed but unusual.

        Args:
            path: Path of the key.
            problem: Text of the problem.
            fix: Action that removes the cause.
            value: Value of the key.
            kind: 'warning', or 'note' if no action is necessary.
        """
        found = self.problem(path, problem, '', value)
        subject = ' = '.join(part for part in (found.key, found.value) if part)
        self.notices.append(f'{found.where}: {kind}: {subject}{": " if subject else ""}{problem}; fix: {fix}')

    # -- overriding -----------------------------------------------------------------------------------------------

    def override(self, path: KeyPath, value: Any, origin: str | ValueOrigin) -> None:
        """Set the value of a key and create missing mappings on its path.

        Args:
            path: Path of the key; numbers are indices of lists.
            value: New value.
            origin: Origin of the value; text is an option of the command line.

        Raises:
            InputError: If a value on the path is not a mapping.
        """
        origin = origin if isinstance(origin, ValueOrigin) else ValueOrigin(origin, Path.cwd())
        node: Any = self.data
        for depth, part in enumerate(path):
            last = depth == len(path) - 1
            if isinstance(node, list):
                if not str(part).isdigit() or int(part) >= len(node):
                    raise self._no_way(path, depth, origin, f'an index from 0 to {len(node) - 1}', part)
                part = int(part)
            elif not isinstance(node, dict):
                raise self._no_way(path, depth, origin, 'a key whose parent is a mapping', node)
            if last:
                # Later values may be set inside this one, and must not change the original.
                node[part] = deepcopy(value)
            else:
                if isinstance(node, dict) and node.get(part) is None:
                    self._made[path[: depth + 1]] = (origin, tuple(node))
                    node[part] = {}
                node = node[part]
        # Remove the lines of the replaced value.
        self._lines = {known: line for known, line in self._lines.items() if known[: len(path)] != path}
        self._given[path] = origin

    def _no_way(self, path: KeyPath, depth: int, origin: ValueOrigin, allowed: str, value: object) -> InputError:
        key = '.'.join(map(str, path[:depth])) or '.'.join(map(str, path))
        return InputError(Problem(f'{self.file} ({origin.text})', key, 'cannot be set', allowed, as_yaml_text(value)))

    # -- parsing --------------------------------------------------------------------------------------------------

    def _parse(self, text: str, what: str) -> dict[str, Any]:
        try:
            check_limits(text)
            loader = BaseLoader(text)
            node = loader.get_single_node()
        except yaml.YAMLError as error:
            mark = getattr(error, 'problem_mark', None)
            self._lines[()] = mark.line + 1 if mark else 1
            if isinstance(error, YamlLimitError):
                raise self.error((), error.what, error.allowed) from None
            reason = getattr(error, 'problem', None) or ' '.join(str(error).split())
            line = ''.join(text.splitlines()[mark.line : mark.line + 1]) if mark else ''
            if '\t' in line[: len(line) - len(line.lstrip())]:
                reason = 'a tab; indent with spaces'
            raise self.error((), f'is not YAML: {reason}', f'a YAML file with {what}') from None
        if node is None:
            raise self.error((), 'is empty', f'a YAML file with {what}')
        if not isinstance(node, yaml.MappingNode):
            # The message does not quote the text, because errors are also sent to other machines.
            kind = 'a list' if isinstance(node, yaml.SequenceNode) else 'text'
            raise self.error((), f'holds {kind}, not a mapping', f'a YAML mapping with {what}')
        return dict(self._value(loader, node, (), ()))

    def _value(self, loader: Any, node: yaml.Node, path: KeyPath, parents: tuple[int, ...]) -> Any:
        if id(node) in parents:
            raise self.error(path, 'contains itself', 'aliases (*name) without cycles')
        parents = (*parents, id(node))
        if isinstance(node, yaml.MappingNode):
            self._refuse_duplicates(node, path)
            try:
                loader.flatten_mapping(node)
            except yaml.YAMLError as error:
                self._lines[path] = node.start_mark.line + 1
                reason = f'cannot be merged: {getattr(error, "problem", error)}'
                raise self.error((*path, '<<'), reason, 'an alias of a mapping, or a list of them') from None
            values: dict[str, Any] = {}
            for key_node, value_node in node.value:
                key = self._key(key_node, path)
                self._lines[(*path, key)] = key_node.start_mark.line + 1
                values[key] = self._value(loader, value_node, (*path, key), parents)
            return values
        if isinstance(node, yaml.SequenceNode):
            items = []
            for index, item in enumerate(node.value):
                self._lines[(*path, index)] = item.start_mark.line + 1
                items.append(self._value(loader, item, (*path, index), parents))
            return items
        try:
            return loader.construct_object(node, deep=True)
        except (yaml.YAMLError, *UNREADABLE) as error:
            reason = getattr(error, 'problem', None) or str(error)
            raise self.error(path, f'cannot be read: {reason}', 'text, number, true or false', node.value) from None

    def _key(self, node: yaml.Node, path: KeyPath) -> str:
        if not isinstance(node, yaml.ScalarNode):
            self._lines[path] = node.start_mark.line + 1
            raise self.error(path, 'has a key that is not text', 'plain text as keys')
        return str(node.value)

    def _refuse_duplicates(self, node: yaml.MappingNode, path: KeyPath) -> None:
        seen: dict[str, int] = {}
        for key_node, _ in node.value:
            if key_node.tag == _MERGE:
                continue
            key, line = self._key(key_node, path), key_node.start_mark.line + 1
            if key in seen:
                self._lines[(*path, key)] = line
                again = f'is given twice, first in line {seen[key]}'
                raise self.error((*path, key), again, 'each name once')
            seen[key] = line


def parse_yaml_value(text: str, option: str = 'value', key: str = '') -> Any:
    """Return the value of a YAML text: ``1e-3`` is a number, ``[1, 2]`` a list, '' is None.

    Args:
        text: YAML text.
        option: Command line option, for messages.
        key: Key of the value, for messages.

    Raises:
        InputError: If the text is not YAML or exceeds the limits of files.
    """
    try:
        return load_yaml(text)
    except YamlLimitError as error:
        problem, allowed = error.what, error.allowed
    except yaml.YAMLError as error:
        problem, allowed = f'is not YAML: {" ".join(str(error).split())}', 'a value as in a scenario'
    raise InputError(Problem(option, key, problem, allowed, as_yaml_text(text)))
