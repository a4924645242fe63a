# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""XML files with the line of each element, for error messages."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from regolith_files import InputError, Problem, allowed_names, as_yaml_text

Vector = NDArray[np.float64]


_DECLARATION = re.compile(rb'<\?xml\s[^>\n]*\?>')


@dataclass(slots=True, eq=False)
class Element:
    """Element of an XML file."""

    tag: str
    attributes: dict[str, str]
    file: str
    """File as named in messages."""
    line: int
    children: list[Element] = field(default_factory=list)
    text: str = ''

    @property
    def where(self) -> str:
        """File and line of the element."""
        return f'{self.file}:{self.line}'

    @property
    def title(self) -> str:
        """Tag with the name, for messages: ``joint left_wheel``."""
        name = self.attributes.get('name', '')
        return f'{self.tag} {name}'.strip()

    def all(self, tag: str) -> list[Element]:
        """Return the children with a tag."""
        return [child for child in self.children if child.tag == tag]

    def first(self, tag: str) -> Element | None:
        """Return the first child with a tag; None without one."""
        return next((child for child in self.children if child.tag == tag), None)

    def walk(self) -> Iterator[Element]:
        """Yield the element and all elements in it, in the order of the file."""
        yield self
        for child in self.children:
            yield from child.walk()

    def error(self, key: str, problem: str, allowed: str, value: object = None) -> InputError:
        """Return the error for a value of this element.

        Args:
            key: Attribute or element in this one; '' for the element itself.
            problem: Text that completes ``KEY = VALUE``.
            allowed: Allowed values.
            value: Value as written; None if there is none.
        """
        named = ' '.join(part for part in (self.title, key) if part)
        return InputError(Problem(self.where, named, problem, allowed, '' if value is None else as_yaml_text(value)))

    def required(self, tag: str) -> Element:
        """Return the first child with a tag.

        Raises:
            InputError: If there is none.
        """
        child = self.first(tag)
        if child is None:
            raise self.error('', f'has no <{tag}>', f'<{tag}> in <{self.tag}>')
        return child

    def attribute(self, key: str) -> str:
        """Return an attribute.

        Raises:
            InputError: If it does not exist or is empty.
        """
        value = self.attributes.get(key, '').strip()
        if not value:
            raise self.error(key, 'is missing', f'{key}="…"')
        return value

    def numbers(self, key: str, count: int, default: tuple[float, ...] | None = None) -> Vector:
        """Return the numbers of an attribute, shape (count,).

        Raises:
            InputError: If the attribute is missing without a default, or is not that many finite numbers.
        """
        if key not in self.attributes and default is not None:
            return np.array(default)
        return _numbers(self, key, self.attribute(key), count)

    def number(self, key: str, default: float | None = None) -> float:
        """Return the number of an attribute; see :meth:`numbers`."""
        return float(self.numbers(key, 1, None if default is None else (default,))[0])

    def content(self, tag: str, default: float | None = None) -> float:
        """Return the number in a child element, or the default without this child.

        Raises:
            InputError: If it is not a finite number, or missing without a default.
        """
        child = self.first(tag)
        if child is None and default is not None:
            return default
        inner = self.required(tag)
        return float(_numbers(inner, '', inner.text, 1)[0])

    def contents(self, count: int, default: tuple[float, ...]) -> Vector:
        """Return the numbers in the text of this element, shape (count,)."""
        return _numbers(self, '', self.text, count) if self.text.strip() else np.array(default)


def _numbers(element: Element, key: str, text: str, count: int) -> Vector:
    """Return the numbers of a text."""
    try:
        values = [float(word) for word in text.split()]
    except ValueError:
        values = []
    if len(values) != count or not all(map(math.isfinite, values)):
        allowed = 'a finite number' if count == 1 else f'{count} finite numbers'
        raise element.error(key, f'is not {allowed}', allowed, text.strip())
    return np.array(values)


def parse_xml(text: str | bytes, file: str) -> Element:
    """Return the root element of an XML document.

    Args:
        text: Document.
        file: Its name in messages.

    Raises:
        InputError: If it is not valid XML; names the line.
    """
    data = text.encode() if isinstance(text, str) else text
    # A comment before the declaration is not XML, but common, and other readers of URDF accept it.
    data = _DECLARATION.sub(lambda found: b' ' * len(found[0]), data) if not data.startswith(b'<?xml') else data
    parser = expat.ParserCreate()
    open_elements: list[Element] = []
    roots: list[Element] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, file, parser.CurrentLineNumber)
        (open_elements[-1].children if open_elements else roots).append(element)
        open_elements.append(element)

    def end(_: str) -> None:
        open_elements.pop()

    def characters(data: str) -> None:
        open_elements[-1].text += data

    handlers: tuple[tuple[str, Callable[..., None]], ...] = (
        ('StartElementHandler', start),
        ('EndElementHandler', end),
        ('CharacterDataHandler', characters),
    )
    for name, handler in handlers:
        setattr(parser, name, handler)
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        problem = f'is not valid XML: {expat.errors.messages[error.code]}'
        raise InputError(Problem(f'{file}:{error.lineno}', '', problem, 'a complete XML document')) from None
    return roots[0]


def unknown_parts(root: Element, known: dict[str, tuple[str, ...]], opaque: tuple[str, ...]) -> list[str]:
    """Return one line for each attribute or element that a reader does not know, and so ignores.

    Args:
        root: Root element.
        known: Attributes by tag.
        opaque: Tags of elements whose content is not checked.
    """
    found = []
    for key in root.attributes:
        if key not in known.get(root.tag, ()) and not key.startswith('xmlns'):
            allowed = allowed_names(known.get(root.tag, ()), key)
            found.append(f'{root.where}: {root.title} {key}: is unknown and ignored; allowed: {allowed}')
    for child in root.children:
        if child.tag in opaque:
            continue
        if child.tag not in known:
            found.append(
                f'{child.where}: {child.title}: is unknown and ignored; allowed: {allowed_names(known, child.tag)}'
            )
        else:
            found += unknown_parts(child, known, opaque)
    return found
