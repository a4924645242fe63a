# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Files that may be given by name: those that ship, those that installed packages bring, and a user's own by path."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from regolith_files.paths import resolved
from regolith_files.plugins import PluginError, entry_points, load_plugin
from regolith_files.problems import InputError, Problem, one_of, shown
from regolith_files.validation import validated
from regolith_files.yaml_source import KeyPath, YamlSource

ModelT = TypeVar('ModelT', bound=BaseModel)


def path_of(target: Any) -> Path:
    """Return the path that an entry point leads to: it is one, or a callable that returns one."""
    return Path(str(target() if callable(target) else target))


@dataclass(frozen=True)
class Library:
    """The YAML files of one kind. Names of ours come first, so that no other package replaces what we ship."""

    noun: str
    """What a file describes, e.g. ``soil``."""
    folder: Path
    """Of those that ship."""
    group: str
    """Of the entry points that lead to files of other packages: name -> path, or a callable that returns one."""
    pattern: str = '*.yaml'
    """Of the files in the folder; a file's name is its name here."""

    def shipped(self) -> dict[str, Path]:
        """Return the files that ship, in name order."""
        return {path.stem: path for path in sorted(self.folder.glob(self.pattern), key=lambda path: path.stem)}

    def known(self) -> dict[str, Path | metadata.EntryPoint]:
        """Return all that have a name, in name order; a plug-in is loaded by :meth:`find` only."""
        known: dict[str, Path | metadata.EntryPoint] = {point.name: point for point in entry_points(self.group)}
        known.update(self.shipped())
        return {name: known[name] for name in sorted(known)}

    def names(self) -> tuple[str, ...]:
        """Return the names that may be given, sorted."""
        return tuple(self.known())

    def find(self, given: str | Path, base_dir: str | Path = '.') -> Path:
        """Return the absolute path of a file given by name or path.

        :param base_dir: what a relative path is relative to
        :raises InputError: if there is none
        """
        text = str(given)
        found = self.known().get(text)
        if isinstance(found, Path):
            return resolved(found)
        if found is not None:
            try:
                return resolved(load_plugin(found, path_of))
            except PluginError as error:
                problem = Problem(self.noun, '', str(error), f'a {self.noun} that can be loaded', shown(text))
                raise InputError(problem) from None
        path = resolved(Path(base_dir) / text)
        if not os.path.isfile(path):
            allowed = f'the path of a YAML file, or one of {one_of(self.names(), text)}'
            raise InputError(
                Problem(self.noun, '', f'no such {self.noun} and no such file ({path})', allowed, shown(text))
            )
        return path

    def find_at(self, key: KeyPath, given: str, source: YamlSource) -> Path:
        """Return the file that a key of another file names; what is wrong is told of that key.

        :raises InputError: if there is none
        """
        try:
            return self.find(given, source.base_dir(key))
        except InputError as error:
            (problem,) = error.problems
            raise source.error(key, problem.problem, problem.allowed, given) from None

    def settled(self, key: KeyPath, given: str, source: YamlSource) -> str:
        """Return what a resolved file says instead: the name, if it is one, or else the absolute path.

        :raises InputError: if there is no such file
        """
        path = self.find_at(key, given, source)
        return given if given in self.known() else str(path)

    def read(self, given: str | Path | Mapping[str, Any], base_dir: str | Path = '.') -> YamlSource:
        """Return the content of a file given by name or path; or the values themselves, if they are what is given.

        :raises InputError: if there is no such file, or it is no YAML mapping
        """
        if isinstance(given, Mapping):
            return YamlSource.of(given, self.noun)
        return YamlSource(self.find(given, base_dir), what=f'a {self.noun}')

    def load(
        self, given: str | Path | Mapping[str, Any], schema: type[ModelT], base_dir: str | Path = '.'
    ) -> ModelT:
        """Return what a file says, checked; arguments as of :meth:`read`.

        :raises InputError: naming file, line, key, value and what is allowed
        """
        source = self.read(given, base_dir)
        return validated(schema, source.data, source)
