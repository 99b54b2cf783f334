"""Evaluations that the store did not take: one small file each, written whole and fsynced, until the store has it.

Beside the rows' segments and as safe, but simpler: a turn leaves one evaluation, so there are few.
"""

import hashlib
import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from returns import result
from returns.pipeline import is_successful
from returns.result import Result

from groundtrace.evaluation import Evaluation
from groundtrace.ports import EvaluationStore, Fate, StoreFault
from groundtrace.problem import Problem
from groundtrace_adapters.careful_log import CarefulLog
from groundtrace_adapters.sinks.spool_segment import make_folder, sync_folder
from groundtrace_adapters.stores.record_codec import EVALUATIONS

EVALUATION_FILES = "evaluation-*.json"
MOST_FILES = 10_000
"""The most evaluations that wait; a further one is refused and reported, not put in place of another."""

SET_ASIDE = ".set-aside"
_DRAFTS = "evaluation-*.part"
DRAFT_SECONDS = 3_600.0
"""A file that is not whole after so long is of a process that was killed while it wrote: nothing was told of it."""

_OPERATION = "spool"

_log = CarefulLog("groundtrace.spool")


class EvaluationSpool:
    """A folder of waiting evaluations; safe for several processes, since a file appears whole and is never changed."""

    def __init__(self, folder: Path, /, *, most_files: int = MOST_FILES) -> None:
        """Keep at most `most_files` in `folder`, which is made when the first one comes."""
        self._folder = folder
        self._most = most_files

    def waiting(self) -> int:
        """Return how many evaluations wait."""
        return sum(1 for _ in self._folder.glob(EVALUATION_FILES))

    def keep(self, evaluation: Evaluation, /) -> Result[None, Problem]:
        """Keep an evaluation; on return of a Success it survives a crash."""
        if self.waiting() >= self._most:
            return result.Failure(self._problem(f"{self._most} evaluations wait already", "bring the store back"))
        return (
            EVALUATIONS.encode(evaluation, operation=_OPERATION)
            .alt(lambda error: self._problem(error.message, "report it"))
            .bind(lambda plain: self._write([plain[column] for column in EVALUATIONS.columns]))
        )

    def replay(self, store: EvaluationStore, /, *, lane_of: Callable[[str], str | None] = lambda _: None) -> int:
        """Bring what waits to `store`, until it takes no more, and return how many still wait.

        A file that is damaged, or whose evaluation the store refuses for good, is renamed and reported, never dropped.
        `lane_of` tells which sessions one server keeps: after a refusal that server is not asked again, and the others
        are.
        """
        self._remove_old_drafts()
        away: set[str | None] = set()
        for path in sorted(self._folder.glob(EVALUATION_FILES)):
            if None in away:
                break
            evaluation = _read(path)
            if evaluation is None:
                _set_aside(path, "it is damaged")
            elif (lane := lane_of(evaluation.session_id)) not in away and not _brought(path, evaluation, store):
                away.add(lane)
        return self.waiting()

    def _write(self, values: list[object]) -> Result[None, Problem]:
        body = json.dumps(values, ensure_ascii=False, default=datetime.isoformat)
        path = self._folder / EVALUATION_FILES.replace("*", uuid4().hex)
        draft = path.with_suffix(".part")
        try:
            make_folder(self._folder)
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as held:
                held.write(f"{_sum(body)}\n{body}\n")
                held.flush()
                os.fsync(held.fileno())
            draft.rename(path)
            # Without it the file would survive the machine's crash, and its name perhaps not.
            sync_folder(self._folder)
        except OSError as refused:
            with suppress(OSError):
                draft.unlink()
            return result.Failure(self._problem(f"cannot be written ({refused.strerror})", "make room or rights there"))
        return result.Success(None)

    def _remove_old_drafts(self) -> None:
        latest = time.time() - DRAFT_SECONDS
        for draft in self._folder.glob(_DRAFTS):
            # Of several processes another may have been quicker.
            with suppress(OSError):
                if draft.lstat().st_mtime < latest:
                    draft.unlink()

    def _problem(self, what: str, mend: str) -> Problem:
        return Problem(what=what, where=f"spool {self._folder}", mend=mend)


def _brought(path: Path, evaluation: Evaluation, store: EvaluationStore) -> bool:
    """Bring one to the store and let go of its file; tell whether the store answers."""
    saved = store.save(evaluation)
    if is_successful(saved):
        if saved.unwrap() is Fate.STORED:
            with suppress(OSError):
                path.unlink()
        else:
            _set_aside(path, "the store has another one under its id")
        return True
    error = saved.failure()
    if error.fault is not StoreFault.REFUSED_ROW:
        return False
    _set_aside(path, error.message)
    return True


def _set_aside(path: Path, why: str) -> None:
    try:
        path.rename(path.with_name(path.name + SET_ASIDE))
    except FileNotFoundError:
        # Another process was quicker.
        return
    except OSError as refused:
        why = f"{why}; it cannot be renamed ({refused.strerror})"
    _log.error("%s cannot be stored and is set aside: %s", path.name, why)


def _read(path: Path) -> Evaluation | None:
    try:
        checksum, _, body = path.read_text(encoding="utf-8").partition("\n")
        values = json.loads(body)
    except (OSError, ValueError, RecursionError):
        return None
    if checksum != _sum(body.rstrip("\n")) or not isinstance(values, list):
        return None
    return EVALUATIONS.decode(tuple(values), operation=_OPERATION).value_or(None)


def _sum(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
