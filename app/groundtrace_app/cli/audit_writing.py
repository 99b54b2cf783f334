"""The page of an audit as a file: never over what is read here, and only over a page of ours."""

import os
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from groundtrace.problem import Problem
from groundtrace_adapters.stores.opening import Technology, address_of, file_of
from groundtrace_app.audit_page.page import MARK
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.printing import fail
from groundtrace_app.settings import Settings
from groundtrace_app.trace import spool_folder

_BESIDE = ("", "-wal", "-shm", "-journal")
"""What SQLite keeps beside a file."""

_HEAD_BYTES = 4096
_NAME_ANOTHER = "name another file"


def kept_of(settings: Settings, /) -> tuple[Path, ...]:
    """Return the paths that a store's settings name: its file, what lies beside it, its spool and what is in it."""
    address = address_of(settings.store).value_or(None)
    if address is None:
        return ()
    file = address.technology is Technology.SQLITE
    own = tuple(Path(f"{file_of(address)}{ending}") for ending in _BESIDE) if file else ()
    spool = spool_folder(settings, address)
    return own if spool is None else (*own, spool, *_inside(spool))


def page_refused(page: Path, kept: Sequence[Path], /) -> Problem | None:
    """Return why a page may not be written there, None if it may.

    `kept` are the files and folders that are read: none is written over, by whatever name. What else stands there must
    be empty or a page of ours.
    """
    try:
        return _refused(page, kept)
    except (OSError, ValueError, RuntimeError) as broken:
        reason = (broken.strerror if isinstance(broken, OSError) else None) or "it leads nowhere"
        return Problem(what=f"it cannot be looked at ({reason})", where=str(page), mend=_NAME_ANOTHER)


def write_page(page: Path, pieces: Iterable[str], /) -> Exit:
    """Write the page beside its place and move it there: a reader sees the old one or the new one."""
    held: str | None = None
    try:
        place = page.resolve()
        descriptor, held = tempfile.mkstemp(prefix=f".{place.name[:100]}.", dir=place.parent)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as out:
            out.writelines(pieces)
        Path(held).replace(place)
    except OSError as refused:
        if held is not None:
            with suppress(OSError):
                Path(held).unlink()
        what = f"it cannot be written ({refused.strerror})"
        mend = "make its folder, room or rights there, or name another file"
        return Exit(fail(Problem(what=what, where=str(page), mend=mend), Exit.UNAVAILABLE))
    return Exit.DONE


def _refused(page: Path, kept: Sequence[Path]) -> Problem | None:
    where = str(page)
    if any(_same(page, one) for one in kept):
        return Problem(what="this is read here, and is not written over", where=where, mend=_NAME_ANOTHER)
    if not page.exists():
        return None
    if not page.is_file():
        return Problem(what="this is no plain file", where=where, mend=_NAME_ANOTHER)
    with page.open("rb") as held:
        head = held.read(_HEAD_BYTES)
    if not head or (head.startswith(b"<!doctype html>") and MARK.encode() in head):
        return None
    what = "this file is no page of an audit, and is not written over"
    return Problem(what=what, where=where, mend=f"{_NAME_ANOTHER}, or remove this one")


def _inside(folder: Path) -> tuple[Path, ...]:
    try:
        return tuple(folder.iterdir())
    except OSError:
        return ()


def _same(page: Path, kept: Path) -> bool:
    """Tell whether two paths mean one place, there or not yet, by whatever link."""
    if page.resolve() == kept.resolve():
        return True
    return page.exists() and kept.exists() and page.samefile(kept)
