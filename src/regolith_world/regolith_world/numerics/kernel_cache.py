# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Cache of compiled kernels: a writable folder, or memory.

Numba refuses to compile a cached function without a writable cache. A checkout may be read-only (an image, or that of
another user), and so may the home folder. Then the compiled kernels are copied to a separate folder.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

VARIABLE = 'NUMBA_CACHE_DIR'
"""Environment variable of the folder of compiled kernels."""
_IN_MEMORY = 'REGOLITH_KERNELS_IN_MEMORY'
_ANNOUNCED = 'REGOLITH_COMPILATION_ANNOUNCED'


def _tell(text: str) -> None:
    print(f'regolith: {text}', file=sys.stderr)


def configure(
    environment: MutableMapping[str, str] = os.environ,
    candidates: Iterable[Path] | None = None,
    say: Callable[[str], None] = _tell,
) -> None:
    """Set Numba's cache to a writable folder. Call it before kernels are imported.

    The folder is stored in the environment, so child processes use it too, without a message.

    Args:
        environment: Environment of the process.
        candidates: Folders to try if the present one is not writable; None: those of the user and the machine.
        say: Function that prints the new folder, called once.
    """
    if environment.get(_IN_MEMORY):
        _keep_in_memory()
        return
    given = Path(environment[VARIABLE]) if environment.get(VARIABLE) else None
    # By default Numba stores compiled kernels beside the source.
    if writable(given if given is not None else Path(__file__).parent):
        return
    for base in _candidates(environment) if candidates is None else candidates:
        folder = base / f'regolith-kernels-{os.getuid()}' / (given.name if given is not None else 'all')
        if not _own(folder):
            continue
        if given is not None and given.is_dir() and not any(folder.iterdir()):
            _copy(given, folder)
        environment[VARIABLE] = str(folder)
        say(f'{given or "the source"} is not writable; compiled kernels are stored in {folder}')
        return
    environment[_IN_MEMORY] = '1'
    _keep_in_memory()
    say(f'no writable folder for compiled kernels ({VARIABLE} sets one): every process compiles its own')


def _stamp() -> Path | None:
    return Path(os.environ[VARIABLE]) / 'all_compiled' if os.environ.get(VARIABLE) else None


def mark_announced(environment: MutableMapping[str, str] = os.environ) -> None:
    """Record that the compilation of this process and its children was announced."""
    environment[_ANNOUNCED] = '1'


def mark_complete() -> None:
    """Record that setup has compiled all present kernels, if a cache folder is set."""
    stamp = _stamp()
    if stamp is not None and stamp.parent.is_dir():
        stamp.touch()


def is_complete() -> bool:
    """Return whether setup has compiled all present kernels."""
    stamp = _stamp()
    return stamp is not None and stamp.exists() and not os.environ.get(_IN_MEMORY)


@contextmanager
def announce_compilation(say: Callable[[str], None] = _tell) -> Iterator[None]:
    """Announce the first compilation within the block, which may take long.

    Args:
        say: Function that prints the announcement.
    """
    if os.environ.get(_ANNOUNCED):
        yield
        return
    with ExitStack() as listening:

        def listen() -> None:
            listening.enter_context(_first_compilation(say))

        if 'numba' in sys.modules:
            listen()
        else:  # a check that needs no kernels does not load it
            _waiting.append(listen)
        try:
            yield
        finally:
            if listen in _waiting:
                _waiting.remove(listen)


_waiting: list[Callable[[], None]] = []
"""Functions to call once Numba is loaded."""


def numba_is_loaded() -> None:
    """Begin the announcements that wait for Numba; the module that loads it calls this."""
    while _waiting:
        _waiting.pop()()


def _first_compilation(say: Callable[[str], None]) -> AbstractContextManager[object]:
    """Return a context in which the first compilation is announced."""
    from numba.core import event

    class FirstCompilation(event.Listener):  # type: ignore[misc]  # Numba has no types
        told = False

        def on_start(self, event: object) -> None:
            if not self.told:
                self.told = True
                say('compiling kernels, which takes a minute or two the first time')

        def on_end(self, event: object) -> None:
            pass

    installed: AbstractContextManager[object] = event.install_listener('numba:compile', FirstCompilation())
    return installed


def _candidates(environment: MutableMapping[str, str]) -> list[Path]:
    home = environment.get('XDG_CACHE_HOME') or (f'{environment["HOME"]}/.cache' if environment.get('HOME') else '')
    return [*([Path(home)] if home else []), Path(tempfile.gettempdir()), Path('/dev/shm')]


def writable(folder: Path) -> bool:
    """Return whether files can be created in a folder, which is created if absent."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


def _own(folder: Path) -> bool:
    """Create a folder that no other user can write to, because its files are executed. Return whether it exists."""
    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        safe = all(f.stat().st_uid == os.getuid() and not f.stat().st_mode & 0o022 for f in (folder, folder.parent))
        return safe and os.access(folder, os.W_OK | os.X_OK)
    except OSError:
        return False


def _copy(given: Path, folder: Path) -> None:
    """Copy files with their times, which Numba compares, but without their modes, which may be read-only."""
    for source in sorted(path for path in given.rglob('*') if path.is_file()):
        target = folder / source.relative_to(given)
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        stat = source.stat()
        os.utime(target, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def _keep_in_memory() -> None:
    from numba.core.dispatcher import Dispatcher

    setattr(Dispatcher, 'enable_caching', lambda self: None)  # noqa: B010  type checkers rightly mind the assignment
