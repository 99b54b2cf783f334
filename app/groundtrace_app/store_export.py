"""A whole store, or a part of it, as lines of an export: page by page, in constant memory, from any place on.

Calls come first, then decisions, each kind by session and id. What is recorded meanwhile may be in it or not; what was
there all the time is in it once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from returns.pipeline import is_successful
from returns.result import Result

from groundtrace.disclosure import must_hide
from groundtrace.evaluation import Evaluation
from groundtrace.export_line import line_of
from groundtrace.invocation import Invocation
from groundtrace.ports import StoreError, StoreUpkeep
from groundtrace.upkeep import Cursor, Page, RecordKey, RecordKind, Selection

PAGE_RECORDS = 250


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A few lines, what could not be read among them, and where the export goes on (None: it is whole).

    `left_out` counts lines without the texts that were withheld.
    """

    lines: tuple[str, ...]
    left_out: int
    unreadable: tuple[str, ...]
    cursor: Cursor | None


def parts_of(
    upkeep: StoreUpkeep, chosen: Selection, /, *, start: Cursor, reveal: bool, page_records: int = PAGE_RECORDS
) -> Iterator[Result[Part, StoreError]]:
    """Yield the parts of an export from `start` on; a page that cannot be read is the last thing told."""
    cursor: Cursor | None = start
    while cursor is not None:
        part = _part(upkeep, chosen, cursor, reveal=reveal, limit=page_records)
        yield part
        if not is_successful(part):
            return
        cursor = part.unwrap().cursor


def _part(
    upkeep: StoreUpkeep, chosen: Selection, cursor: Cursor, *, reveal: bool, limit: int
) -> Result[Part, StoreError]:
    if cursor.kind is RecordKind.INVOCATION:
        rows = upkeep.invocations(chosen, after=cursor.key, limit=limit)
        then = Cursor(kind=RecordKind.EVALUATION)
        return rows.map(lambda page: _lines(page, page.records, then, RecordKind.INVOCATION, reveal=reveal))
    found = upkeep.evaluations(chosen, after=cursor.key, limit=limit)
    return found.map(lambda page: _lines(page, page.records, None, RecordKind.EVALUATION, reveal=reveal))


def _lines(
    page: Page[Invocation] | Page[Evaluation],
    records: Sequence[Invocation | Evaluation],
    then: Cursor | None,
    kind: RecordKind,
    *,
    reveal: bool,
) -> Part:
    hidden = [one for one in records if isinstance(one, Evaluation) and must_hide(one)]
    return Part(
        lines=tuple(line_of(one, reveal=reveal) for one in records),
        left_out=0 if reveal else len(hidden),
        unreadable=page.unreadable,
        cursor=_behind(kind, page.next) or then,
    )


def _behind(kind: RecordKind, key: RecordKey | None) -> Cursor | None:
    return None if key is None else Cursor(kind=kind, key=key)
