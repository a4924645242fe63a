# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Error messages for values that a schema rejects."""

from __future__ import annotations

import math
from typing import Any

_MAPPING = ('has the wrong type', 'a mapping')
_LIST = ('has the wrong type', 'a list')
_SWITCH = ('has the wrong type', 'true or false')
_WORDS = {
    'bool_parsing': _SWITCH,
    'bool_type': _SWITCH,
    'dict_type': _MAPPING,
    'enum': ('is unknown', '{expected}'),
    'extra_forbidden': ('unknown key', ''),
    'finite_number': ('is not finite', 'a finite number'),
    'list_type': _LIST,
    'literal_error': ('is unknown', '{expected}'),
    'missing': ('is missing', ''),
    'model_attributes_type': _MAPPING,
    'model_type': _MAPPING,
    'string_too_long': ('is too long', 'a length of at most {max_length}'),
    'string_too_short': ('is too short', 'a length of at least {min_length}'),
    'string_type': ('has the wrong type', 'text'),
    'too_long': ('is too long', 'at most {max_length} of them'),
    'too_short': ('is too short', 'at least {min_length} of them'),
    'tuple_type': _LIST,
}
_NO_NUMBER = ('float_parsing', 'float_type', 'int_from_float', 'int_parsing', 'int_type')


def describe_error(detail: Any) -> tuple[str, str]:
    """Return the problem of a pydantic error and the allowed values ('' if the schema does not give them).

    Args:
        detail: Item of ``ValidationError.errors()``, whose own messages name classes and tuples.
    """
    kind, message = detail['type'], detail['msg']
    if kind in _NO_NUMBER and _not_finite(detail['input']):  # YAML writes .inf and .nan; inf and nan are treated alike
        kind = 'finite_number'
    if kind in ('value_error', 'assertion_error'):
        problem, _, allowed = message.removeprefix('Value error, ').partition('; allowed: ')
        return problem, allowed
    if kind in _WORDS:
        problem, allowed = _WORDS[kind]
        return problem, allowed.format_map(detail.get('ctx', {}))
    allowed = message.removeprefix('Input should be ').partition(', unable')[0]
    return 'has the wrong type' if kind.endswith(('_type', '_parsing')) else 'is out of range', allowed


def _not_finite(value: object) -> bool:
    """Return whether a value, or the number that its text states, is infinite or NaN."""
    if not isinstance(value, (float, str)):
        return False
    try:
        return not math.isfinite(float(value))
    except ValueError:
        return False
