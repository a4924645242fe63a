# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Generated parts of a page, between ``<!-- NAME -->`` and ``<!-- end -->``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path


def written(page: Path, parts: Mapping[str, Sequence[str]]) -> str:
    """Return the text of a page with the lines of each part between its marks.

    Args:
        page: Path of the page.
        parts: Lines of each part, by the name in its mark.

    Raises:
        SystemExit: If a mark does not occur exactly once.
    """
    text = page.read_text(encoding='utf-8')
    for name, lines in parts.items():
        mark = re.compile(rf'(<!-- {name} -->\n).*?(<!-- end -->)', re.DOTALL)
        block = '\n'.join(lines) + '\n'
        text, count = mark.subn(lambda m, b=block: m[1] + b + m[2], text)
        if count != 1:
            raise SystemExit(f'{page}: mark <!-- {name} --> occurs {count} times; allowed: once')
    return text
