"""Takes a transcript file into a trace: its calls through the recorder, its answers as evaluations.

Rows come from the recorder alone. An answer waits until the rows of its turn have their place.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, islice
from typing import assert_never

from groundtrace.inference import infer
from groundtrace.invocation import Invocation, ToolCall
from groundtrace.ports import Place, Receipt
from groundtrace.showing import ROWS_SHOWN
from groundtrace.transcripts.answers import answer_record
from groundtrace.transcripts.events import Format, Record
from groundtrace.transcripts.formats import format_of
from groundtrace.transcripts.joined import Findings, ImportedAnswer, ImportedCall, Joined
from groundtrace.transcripts.joining import Joining, Origin
from groundtrace.transcripts.timing import UNDATED
from groundtrace_adapters.transcripts.files import TranscriptFile, own_name, pieces_of
from groundtrace_adapters.transcripts.pieces import Piece, Unread
from groundtrace_app.evaluation_keeping import EvaluationKeeping
from groundtrace_app.sessions_met import SessionsMet
from groundtrace_app.trace import Trace

HEAD_RECORDS = 200
"""So many records are looked at for one that shows the format."""

ROWS_HELD = 2_000
"""So many rows wait for the answers of their turns; then those of the oldest turn are let go."""

ANSWERS_WAITING = 200
"""So many answers wait until their rows are stored, with as many rows in all as above."""

UNDER_WAY = 1_000
"""So many calls are on their way to the store at once: reading faster than it writes would only fill the spool."""

UNREAD_TOLD = 20
WAIT_SECONDS = 10.0

CONFLICT = "id_conflict"


@dataclass(slots=True, kw_only=True)
class FileReport:
    """What one file held; `format` is None where no known one fits, and `first` is then its first record.

    Where a format was asked for and nothing of it stands in the file, that is `refused`, and `format` is None too.
    `resumed` counts those of its sessions that an earlier file of the run held too.
    """

    file: str
    format: str | None = None
    refused: str | None = None
    records: int = 0
    unread: int = 0
    replaced: int = 0
    told: list[Unread] = field(default_factory=list)
    findings: Findings = field(default_factory=Findings)
    resumed: int = 0
    first: Record | None = None

    @property
    def empty(self) -> bool:
        """Tell whether nothing at all stands in the file."""
        return not self.records and not self.unread


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """How files are to be read: in a given format, under a prefix, undated calls at a given time."""

    format: Format | None = None
    session: str | None = None
    undated: datetime = UNDATED


class TranscriptImport:
    """One run over any number of files; without a trace everything is read and nothing kept."""

    def __init__(self, trace: Trace | None, wishes: Wishes, /, *, recorded: Callable[[Receipt], None]) -> None:
        """Import into `trace`; `recorded` hears of each call that the recorder took."""
        self._trace = trace
        self._wishes = wishes
        self._recorded = recorded
        self._turns: OrderedDict[tuple[str, str], deque[Receipt]] = OrderedDict()
        self._held = self._behind = 0
        self._under_way: deque[Receipt] = deque()
        self._waiting: deque[tuple[ImportedAnswer, Sequence[Receipt]]] = deque()
        self._met = SessionsMet()
        self.keeping = None if trace is None else EvaluationKeeping(trace)
        self.not_made = 0

    def take(self, file: TranscriptFile, /, *, watch: Callable[[int], None] = lambda _: None) -> FileReport:
        """Import one file and return what it held; may raise OSError, and what was read before is kept."""
        report = FileReport(file=file.shown)
        records = _counted(pieces_of(file), report, watch)
        head = deque(islice(records, HEAD_RECORDS))
        found = (self._wishes.format or format_of(head)) if head else None
        if found is None:
            report.first = next(iter(head), None)
            head.clear()
            deque(records, maxlen=0)
            return report
        report.format = found.name
        origin = Origin(format=found, name=own_name(file), prefix=self._wishes.session, undated=self._wishes.undated)
        joining = Joining(origin, infer=infer)
        report.findings = joining.findings
        self._met.next_file()
        for joined in _joined(joining, found, chain(_drained(head), records)):
            report.resumed += self._met.again(_session_of(joined))
            self._keep(joined)
        self._settle(leave=0)
        if self._wishes.format is not None and not report.findings.any:
            report.format, report.refused = None, found.name
        return report

    def end(self) -> None:
        """Keep what still waits."""
        self._settle(leave=0)
        if self.keeping is not None:
            self.keeping.flush()

    def _keep(self, joined: Joined) -> None:
        if self._trace is None:
            return
        match joined:
            case ImportedCall():
                self._call(self._trace, joined)
            case ImportedAnswer():
                rows = self._turns.pop((joined.session_id, joined.turn_id), ())
                self._held -= len(rows)
                self._waiting.append((joined, tuple(rows)))
                self._behind += len(rows)
                while self._behind > ROWS_HELD or len(self._waiting) > ANSWERS_WAITING:
                    self._settle(leave=len(self._waiting) - 1)
            case _:
                assert_never(joined)

    def _call(self, trace: Trace, one: ImportedCall) -> None:
        receipt = trace.recorder.record(one.call, one.outcome)
        if receipt is None:
            self.not_made += 1
            return
        self._recorded(receipt)
        self._under_way.append(receipt)
        if len(self._under_way) > UNDER_WAY:
            self._under_way.popleft().wait(deadline=WAIT_SECONDS)
        self._hold(one.call, receipt)

    def _hold(self, call: ToolCall, receipt: Receipt) -> None:
        key = (call.session_id, call.turn_id or "")
        rows = self._turns.setdefault(key, deque(maxlen=ROWS_SHOWN))
        self._turns.move_to_end(key)
        self._held += len(rows) < ROWS_SHOWN
        rows.append(receipt)
        while self._held > ROWS_HELD:
            self._held -= len(self._turns.popitem(last=False)[1])

    def _settle(self, *, leave: int) -> None:
        while len(self._waiting) > leave:
            answer, receipts = self._waiting.popleft()
            self._behind -= len(receipts)
            self._evaluate(answer, receipts)

    def _evaluate(self, answer: ImportedAnswer, receipts: Sequence[Receipt]) -> None:
        if self._trace is None or self.keeping is None:
            return
        rows: list[Invocation] = []
        spooled: set[str] = set()
        lost: set[str] = set()
        for receipt in receipts:
            row, told = receipt.row, receipt.wait(deadline=WAIT_SECONDS)
            rows.append(row)
            if told is None or (told.place is Place.REFUSED and told.why != CONFLICT):
                lost.add(row.id)
            elif told.place is Place.SPOOLED:
                spooled.add(row.id)
        redact = self._trace.recorder.rules.redactor.text
        self.keeping.keep(answer_record(answer, rows, redact=redact, spooled=spooled, lost=lost))


def _session_of(joined: Joined) -> str:
    return joined.call.session_id if isinstance(joined, ImportedCall) else joined.session_id


def _drained(records: deque[Record]) -> Iterator[Record]:
    """Yield records and hold on to none of them."""
    while records:
        yield records.popleft()


def _joined(joining: Joining, form: Format, records: Iterable[Record]) -> Iterator[Joined]:
    for event in form.read(records):
        yield from joining.take(event)
    yield from joining.end()


def _counted(pieces: Iterable[Piece], report: FileReport, watch: Callable[[int], None]) -> Iterator[Record]:
    """Yield the records; count them, and the places that could not be read."""
    for piece in pieces:
        match piece:
            case Record():
                report.records += 1
                watch(report.records)
                yield piece
            case Unread():
                if piece.kept:
                    report.replaced += 1
                else:
                    report.unread += 1
                if len(report.told) < UNREAD_TOLD:
                    report.told.append(piece)
            case _:
                assert_never(piece)
