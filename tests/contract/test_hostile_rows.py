"""Keys, texts, times and numbers that no friendly program sends: recorded, sunk, kept, listed, moved, all unchanged."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from itertools import groupby
from pathlib import Path

import pytest
from returns import result

from groundtrace import outcomes
from groundtrace.entries import SummaryScope
from groundtrace.export_line import record_of
from groundtrace.invocation import LARGEST, Invocation, ToolCall, row_order
from groundtrace.outcomes import DedupReason, FailureKind, NoEvidenceReason, Support
from groundtrace.ports import Acknowledgement, Fate, Flushed, Place
from groundtrace.recording import RecordRules
from groundtrace.redaction import Redactor
from groundtrace.retrieval import Hit, Layer, Relevance, Retrieval
from groundtrace.summary import entries_of, summarize
from groundtrace.upkeep import Cursor, Selection
from groundtrace_adapters.sinks.held import Bounds
from groundtrace_adapters.sinks.queue_sink import QueueSink
from groundtrace_adapters.sinks.spool import Spool
from groundtrace_adapters.stores.memory import MemoryStore
from groundtrace_app.recorder import ToolInvocationRecorder
from groundtrace_app.store_export import parts_of
from groundtrace_app.store_load import Loading
from groundtrace_testing.moody_store import Mood, MoodyStore
from groundtrace_testing.sinks import eventually
from groundtrace_testing.stores import PARTITIONED, STORES, StoreCase, stores_of

RULES = RecordRules(redactor=Redactor(b"k" * 32))
SOON = 20.0
UUID7 = "019a3c5e-7d20-7abc-8def-0123456789ab"
ACUTE = "caf\u00e9"
IDS = (
    "1",
    UUID7,
    UUID7.upper(),
    "{" + UUID7 + "}",
    unicodedata.normalize("NFC", ACUTE),
    unicodedata.normalize("NFD", ACUTE),
    " 1",
    "1 ",
    "1\n",
    "%",
    "_",
    "'; DROP TABLE tool_invocation; --",
    '"\\',
    "\\N",
    "\u202eabc",
    "\u0301" * 200,
    "\U0001f525" * 200,
    "x" * 200,
    "nul\0",
    "half\ud800",
    "00000000-0000-7000-8000-000000000000",
    "ffffffff-ffff-7fff-bfff-ffffffffffff",
    "01a1cd40-e400-7000-8000-000000000001",
    "02bb5b2d-8000-7000-8000-000000000001",
)
"""Ids that are equal to a careless eye, or none that a careless store takes."""

SESSIONS = (
    "%",
    "_",
    "acme/50%_off",
    "o'clock",
    '"; --',
    "\\",
    "\u202etenant/session",
    "\U0001f525" * 200,
    "\0nul",
    "\udc00",
)
TEXTS = (
    "\0",
    "\ud83d",
    "a\0b\udc00c",
    "\u202e\u2066x",
    "\\u0000",
    "\\N",
    "\x01\x7f\x85\u2028",
    "'\"`;--",
    "\ufeff",
    "%s {0} $1",
)
TIMES = (
    datetime(1, 1, 2, tzinfo=UTC),
    datetime.min.replace(tzinfo=UTC),
    datetime(1, 1, 1, 0, 30, tzinfo=timezone(timedelta(hours=14))),
    datetime(1899, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    datetime(1970, 1, 1, tzinfo=UTC),
    datetime(2026, 3, 8, 12, 0, 0, 1, tzinfo=timezone(timedelta(hours=5, minutes=45, seconds=13))),
    datetime(2100, 2, 28, tzinfo=timezone(-timedelta(hours=23, minutes=59))),
    datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=timezone(-timedelta(hours=12))),
)
NUMBERS = (0, 1, 2**31, 2**53 + 1, LARGEST)
PARAMS: tuple[object, ...] = (
    {"big": "x" * 1_000_000},
    {f"key {number}": number for number in range(30_000)},
    {"\0": {"\ud800": ["\0", math.nan, 10**5_000, -0.0, 1e-320, 2**63]}},
    {"": {"": None}, " ": "\u200b"},
    "\ud800",
    [[[[[[]]]]]] * 3,
)


def calls() -> Iterator[tuple[ToolCall, outcomes.Outcome]]:
    found = outcomes.Success(support=Support.DIRECT, output="3 lines")

    def call(number: int, **changes: object) -> ToolCall:
        plain = {
            "session_id": "acme/hostile",
            "id": f"plain-{number}",
            "tool_name": "query_logs",
            "input_params": {"n": number},
            "started_at": datetime(2026, 3, 8, 12, 0, tzinfo=UTC),
            "duration_ms": 12,
        }
        return ToolCall(**{**plain, **changes})  # type: ignore[arg-type]  # one form for all kinds of change

    yield from ((call(number, id=id), found) for number, id in enumerate(IDS, 100))
    yield from ((call(number, session_id=session), found) for number, session in enumerate(SESSIONS, 200))
    yield from ((call(number, started_at=time), found) for number, time in enumerate(TIMES, 300))
    yield from ((call(number, seq=at, duration_ms=at), found) for number, at in enumerate(NUMBERS, 400))
    yield from ((call(number, input_params=given), found) for number, given in enumerate(PARAMS, 500))
    for number, text in enumerate(TEXTS, 600):
        names = {"tool_name": f"t{text}", "topic_domain": f"d{text}", "turn_id": text, "scope": text}
        told = call(number, **names, details={text: [text, {"x": text}]})
        yield told, outcomes.Success(support=Support.INDIRECT, output=text + "x" * 5_000 + text, partial=(text,))
        broke = outcomes.Failure(kind=FailureKind.ERROR, message=f"broke: {text}" * 500, retryable=False, output=text)
        yield call(number + 50, **names), broke
        yield call(number + 100, **names), outcomes.NoEvidence(reason=NoEvidenceReason.NO_MATCH, partial=(text,))
        again = outcomes.Deduped(reason=DedupReason.SAME_QUERY, of=(f"of {text}",))
        yield call(number + 150, **names), again


def searched(text: str) -> Retrieval:
    hit = Hit(uri=f"kb://{text}", layer=Layer.L1, score=0.5, coverage=0.5, content_hash=text)
    return Retrieval(
        layer=Layer.L1,
        l0_count=LARGEST,
        l1_count=LARGEST,
        relevance=Relevance.HIGH,
        hits=(hit,),
        filters={text: text},
        index_revision=text,
    )


def recorded(sink: QueueSink) -> list[Invocation]:
    """Record every call, wait until each is placed, and return the rows as their receipts tell them."""
    recorder = ToolInvocationRecorder(sink, rules=RULES)
    receipts = [recorder.record(call, outcome) for call, outcome in calls()]
    for number, text in enumerate(TEXTS):
        call = ToolCall(
            session_id="acme/hostile",
            id=f"lookup-{number}",
            tool_name="lookup_knowledge",
            input_params={"query": text},
            started_at=datetime(2026, 3, 8, 12, 0, tzinfo=UTC),
            duration_ms=1,
        )
        outcome = outcomes.Success(support=Support.DIRECT, output=f"found {text}")
        receipts.append(recorder.record_retrieval(call, searched(text), outcome))
    assert all(receipt is not None and receipt.wait(deadline=SOON) for receipt in receipts)
    return [receipt.row for receipt in receipts if receipt is not None]


def stored(sink: QueueSink, session: str) -> bool:
    return sink.flush(session, deadline=SOON) == Flushed()


@pytest.fixture(params=[*STORES, PARTITIONED])
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreCase]:
    yield from stores_of(request, tmp_path)


def by_session(rows: list[Invocation]) -> dict[str, list[Invocation]]:
    ordered = sorted(rows, key=lambda row: (row.session_id, *row_order(row)))
    return {session: list(group) for session, group in groupby(ordered, key=lambda row: row.session_id)}


def check(case: StoreCase, rows: list[Invocation]) -> None:
    """The store holds exactly these rows, by whatever way it is asked."""
    store, sessions = case.reopen(), by_session(rows)
    assert len({(row.session_id, row.id) for row in rows}) == len(rows)
    for session, held in sessions.items():
        assert list(store.rows(session).unwrap()) == held
        assert list(store.find(session, [row.id for row in held]).unwrap()) == held
        assert store.entries(session).unwrap() == entries_of(summarize(held))
    assert store.entries_within(SummaryScope(sessions=tuple(sessions))).unwrap() == entries_of(summarize(rows))
    assert store.entries_within(SummaryScope()).unwrap() == entries_of(summarize(rows))


def check_pages(case: StoreCase, rows: list[Invocation]) -> None:
    """Pages of the smallest size give each row and each session once."""
    store, sessions = case.reopen(), by_session(rows)
    for session, held in sessions.items():
        after, found = None, list[Invocation]()
        while page := store.rows(session, after=after, limit=7).unwrap():
            found += page
            after = page[-1]
        assert found == held
    before, lines = None, list[str]()
    while listed := store.sessions(before=before, limit=3).unwrap():
        lines += [line.session_id for line in listed]
        before = listed[-1]
    assert sorted(lines) == sorted(sessions)


def exported(case: StoreCase) -> list[str]:
    parts = parts_of(case.reopen().upkeep(), Selection(), start=Cursor(), reveal=True, page_records=9)
    return [line for part in parts for line in part.unwrap().lines]


def test_whatever_is_recorded_is_kept_listed_and_moved_as_it_was(case: StoreCase, tmp_path: Path) -> None:
    sink = QueueSink(case.store, spool=Spool(tmp_path.with_name(tmp_path.name + "-spool")), overlap=2)
    rows = recorded(sink)
    for session in by_session(rows):
        assert eventually(partial(stored, sink, session))
    sink.close(deadline=SOON)
    check(case, rows)
    check_pages(case, rows)
    lines = exported(case)
    assert [record_of(line).unwrap() for line in lines] == sorted(rows, key=lambda row: (row.session_id, row.id))
    other, complaints = MemoryStore(), list[object]()
    for target in (other, case.reopen()):
        loading = Loading(target, told=lambda *told: complaints.append(told))
        for number, line in enumerate(lines, 1):
            loading.take(number, result.Success(line)).unwrap()
        loading.flush().unwrap()
        assert loading.tally.stored == len(rows)
    assert not complaints
    for session, held in by_session(rows).items():
        assert list(other.rows(session).unwrap()) == held


def test_whatever_is_spooled_is_stored_later_as_it_was(case: StoreCase, tmp_path: Path) -> None:
    store = MoodyStore(case.store)
    store.mood = Mood.FAILS
    folder = tmp_path.with_name(tmp_path.name + "-spool")
    sink = QueueSink(store, spool=Spool(folder), bounds=Bounds(seconds=0.1))
    rows = recorded(sink)
    sink.close(deadline=SOON)
    assert not case.reopen().sessions().unwrap()
    store.mood = Mood.WORKS
    later = QueueSink(store, spool=Spool(folder))
    assert eventually(lambda: not list(folder.glob("rows-*")), seconds=SOON)
    later.close(deadline=SOON)
    check(case, rows)


def test_one_key_with_two_contents_in_one_batch_and_in_two_has_one_row_and_one_refusal(
    case: StoreCase, tmp_path: Path
) -> None:
    """Field cases B01 and B11, with keys that only look equal beside those that are."""
    spool = Spool(tmp_path.with_name(tmp_path.name + "-spool"))
    sink = QueueSink(case.store, spool=spool, bounds=Bounds(seconds=SOON), overlap=3)
    recorder = ToolInvocationRecorder(sink, rules=RULES)
    told = []
    hostile = [pair for pair in calls() if pair[0].session_id == "acme/hostile"]
    for _ in range(2):
        for number, (call, outcome) in enumerate(hostile[::3]):
            other = outcomes.NoEvidence(reason=NoEvidenceReason.NO_MATCH)
            told.append((number, recorder.record(call, outcome), recorder.record(call, other)))
    for _, first, second in told:
        assert first is not None
        assert second is not None
        assert first.wait(deadline=SOON) == Acknowledgement(place=Place.STORED)
        refused = second.wait(deadline=SOON)
        if first.row != second.row:
            assert refused == Acknowledgement(place=Place.REFUSED, why=Fate.ID_CONFLICT)
    sink.close(deadline=SOON)
