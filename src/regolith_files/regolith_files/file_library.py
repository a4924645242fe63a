# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Named configuration files: shipped files, files of other packages, and user files by path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from regolith_files.paths import resolved, usable_file
from regolith_files.plugins import PluginError, entry_points, load_plugin
from regolith_files.problems import InputError, Problem, allowed_names, as_yaml_text
from regolith_files.validation import validated
from regolith_files.yaml_source import KeyPath, YamlSource

ModelT = TypeVar('ModelT', bound=BaseModel)


def entry_point_path(target: Any) -> Path:
    """Return the path of an entry point whose target is a path or a function that returns one."""
    return Path(str(target() if callable(target) else target))


@dataclass(frozen=True)
class FileLibrary:
    """Library of YAML files of one kind. Shipped files have priority over files of other packages."""

    noun: str
    """Kind of the files, e.g. ``soil``."""
    folder: Path
    """Folder of the shipped files."""
    group: str
    """Entry point group for files of other packages: name -> path, or a function that returns a path."""
    pattern: str = '*.yaml'
    """Pattern of the file names in the folder; the stem is the name."""

    def shipped(self) -> dict[str, Path]:
        """Return the shipped files, sorted by name."""
        return {path.stem: path for path in sorted(self.folder.glob(self.pattern), key=lambda path: path.stem)}

    def known(self) -> dict[str, Path | metadata.EntryPoint]:
        """Return all named files, sorted by name. Only :meth:`find` loads plug-ins."""
        known: dict[str, Path | metadata.EntryPoint] = {point.name: point for point in entry_points(self.group)}
        known.update(self.shipped())
        return {name: known[name] for name in sorted(known)}

    def names(self) -> tuple[str, ...]:
        """Return all names, sorted."""
        return tuple(self.known())

    def find(self, given: str | Path, base_dir: str | Path = '.') -> Path:
        """Return the absolute path of a file given by name or path.

        Args:
            given: Name or path of the file.
            base_dir: Base folder of relative paths.

        Raises:
            InputError: If there is no such file.
        """
        text = str(given)
        found = self.known().get(text)
        if isinstance(found, Path):
            return resolved(found)
        if found is not None:
            try:
                return resolved(load_plugin(found, entry_point_path))
            except PluginError as error:
                problem = Problem(self.noun, '', str(error), f'a {self.noun} that can be loaded', as_yaml_text(text))
                raise InputError(problem) from None
        allowed = f'the path of a YAML file, or one of {allowed_names(self.names(), text)}'
        try:
            return usable_file(text, allowed, base_dir, f'no such {self.noun} and no such file')
        except InputError as error:
            raise InputError(replace(error.problems[0], where=self.noun, value=as_yaml_text(text))) from None

    def find_for_key(self, key: KeyPath, given: str, source: YamlSource) -> Path:
        """Return the file that a key of another file names; errors name that key.

        Raises:
            InputError: If there is no such file.
        """
        try:
            return self.find(given, source.base_dir(key))
        except InputError as error:
            (problem,) = error.problems
            raise source.error(key, problem.problem, problem.allowed, given) from None

    def resolve(self, key: KeyPath, given: str, source: YamlSource) -> str:
        """Return the value of a resolved scenario: a known name unchanged, otherwise the absolute path.

        Raises:
            InputError: If there is no such file.
        """
        path = self.find_for_key(key, given, source)
        return given if given in self.known() else str(path)

    def read(self, given: str | Path | Mapping[str, Any], base_dir: str | Path = '.') -> YamlSource:
        """Return the content of a file given by name or path, or the given values.

        Raises:
            InputError: If there is no such file, or its content is not a YAML mapping.
        """
        if isinstance(given, Mapping):
            return YamlSource.of(given, self.noun)
        return YamlSource(self.find(given, base_dir), what=f'a {self.noun}')

    def load(self, given: str | Path | Mapping[str, Any], schema: type[ModelT], base_dir: str | Path = '.') -> ModelT:
        """Return the validated content of a file; arguments as of :meth:`read`.

        Raises:
            InputError: If the input is invalid. The message states file, line, key, value and allowed values.
        """
        source = self.read(given, base_dir)
        return validated(schema, source.data, source)
