"""Lines of an export into a store: in batches, each line with its own fate; one bad line costs no other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar, assert_never

from returns import result
from returns.pipeline import is_successful
from returns.result import Result

from groundtrace.evaluation import Evaluation
from groundtrace.export_line import LeftOut, record_of
from groundtrace.invocation import Invocation
from groundtrace.ports import Fate, StoreError, StoreFault
from groundtrace.problem import Problem
from groundtrace_adapters.stores.opening import Store

BATCH_RECORDS = 1_000
BATCH_BYTES = 8 * 1024 * 1024
"""A batch is stored once it has so many records, or so many bytes of lines."""

Record = TypeVar("Record", Invocation, Evaluation)
_CONFLICT = Problem(
    what="the store has another record under this session and id, and keeps that one",
    mend="load into another store to have both",
)


@dataclass(slots=True, kw_only=True)
class Tally:
    """What became of the lines so far; `through` is the last line of which that is known."""

    stored: int = 0
    conflicts: int = 0
    withheld: int = 0
    refused: int = 0
    through: int = 0


@dataclass(slots=True, kw_only=True)
class _Batch(Generic[Record]):
    keep: Callable[[Sequence[Record]], Result[tuple[Fate, ...], StoreError]]
    records: list[Record] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def add(self, record: Record, line: int) -> None:
        self.records.append(record)
        self.lines.append(line)

    def empty(self) -> None:
        self.records.clear()
        self.lines.clear()


class Loading:
    """One run over the lines of one source; `told` hears of each line that is not stored, by number.

    Rows and evaluations wait in a batch each, and rows are stored first: no decision stands before its evidence. A line
    from which withheld texts were left out is counted and not stored: it would stand in the way of the whole one.
    """

    def __init__(self, store: Store, /, *, told: Callable[[int, Problem], None], stubs: bool = False) -> None:
        """Begin with nothing loaded; with `stubs` what such lines still tell is stored: for a store that ends soon."""
        self._stubs = stubs
        self.tally = Tally()
        self._told = told
        self._rows: _Batch[Invocation] = _Batch(keep=store.append)
        self._evaluations: _Batch[Evaluation] = _Batch(keep=store.upkeep().save_all)
        self._bytes = 0
        self._last = 0

    def take(self, number: int, line: Result[str, Problem], /) -> Result[None, StoreError]:
        """Take the next line, and store a batch if that is due; fails where the store cannot be used."""
        self._last = number
        read = line.bind(record_of)
        if not is_successful(read):
            self._refuse(number, read.failure())
            return result.Success(None)
        match record := read.unwrap():
            case LeftOut(stub=Evaluation() as stub) if self._stubs:
                self._evaluations.add(stub, number)
            case LeftOut():
                self.tally.withheld += 1
            case Invocation():
                self._rows.add(record, number)
            case Evaluation():
                self._evaluations.add(record, number)
            case _:
                assert_never(record)
        self._bytes += line.map(len).value_or(0)
        waiting = len(self._rows.records) + len(self._evaluations.records)
        due = waiting >= BATCH_RECORDS or self._bytes >= BATCH_BYTES
        return self.flush() if due else result.Success(None)

    def flush(self) -> Result[None, StoreError]:
        """Store what waits."""
        return self._store(self._rows).bind(lambda _: self._store(self._evaluations)).map(lambda _: self._settled())

    def _settled(self) -> None:
        self._bytes, self.tally.through = 0, self._last

    def _store(self, batch: _Batch[Record]) -> Result[None, StoreError]:
        if not batch.records:
            return result.Success(None)
        fates = batch.keep(batch.records)
        if not is_successful(fates) and fates.failure().fault is StoreFault.REFUSED_ROW:
            return self._one_by_one(batch)
        return fates.map(lambda every: self._count(batch, every))

    def _one_by_one(self, batch: _Batch[Record]) -> Result[None, StoreError]:
        """Find the ones that no store can keep; its neighbours are stored."""
        for record, number in zip(batch.records, batch.lines, strict=True):
            kept = batch.keep([record])
            if is_successful(kept):
                self._fate(number, kept.unwrap()[0])
            elif kept.failure().fault is StoreFault.REFUSED_ROW:
                self._refuse(number, Problem(what=kept.failure().message.partition(";")[0], mend="correct the line"))
            else:
                return result.Failure(kept.failure())
        batch.empty()
        return result.Success(None)

    def _count(self, batch: _Batch[Record], fates: Sequence[Fate]) -> None:
        for number, fate in zip(batch.lines, fates, strict=True):
            self._fate(number, fate)
        batch.empty()

    def _fate(self, number: int, fate: Fate) -> None:
        if fate is Fate.STORED:
            self.tally.stored += 1
        else:
            self.tally.conflicts += 1
            self._told(number, _CONFLICT)

    def _refuse(self, number: int, problem: Problem) -> None:
        self.tally.refused += 1
        self._told(number, problem)
