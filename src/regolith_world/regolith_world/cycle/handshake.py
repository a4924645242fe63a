# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Admission of participants: all must agree on ground and parameters."""

from __future__ import annotations

from collections.abc import Mapping

PROTOCOL = '4'
"""Version of the messages between world and participants, one of the parameters."""


class ParameterAgreement:
    """The agreed parameters, each with the value of the first participant that named it."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, str]] = {}

    def differences(self, name: str, parameters: Mapping[str, str]) -> str | None:
        """Return a sentence naming the differing parameters and both values; None: no difference.

        Args:
            name: of the participant that asks to join
            parameters: its values by parameter; new parameters cannot differ
        """
        found = []
        for key in sorted(parameters):
            owner, value = self._known.get(key, (name, parameters[key]))
            if value != parameters[key]:
                found.append(f'{key} is {parameters[key]} at {name} but {value} at {owner}')
        if not found:
            return None
        return '; '.join(found[:5]) + (f' (and {len(found) - 5} more)' if len(found) > 5 else '')

    def adopt(self, name: str, parameters: Mapping[str, str]) -> None:
        """Adopt the new parameters of a participant."""
        for key in parameters:
            self._known.setdefault(key, (name, parameters[key]))
