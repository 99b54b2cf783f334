"""Searching whole blocks finds exactly the entries that match by themselves."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import example, given
from hypothesis import strategies as st

from groundtrace.sources import LogQuery
from groundtrace_adapters.sources.file_blocks import searchable
from groundtrace_adapters.sources.log_files.lines import begins_entry, entry_end, entry_start, hits, last_entry
from groundtrace_adapters.sources.log_files.matching import Matcher, matcher_of
from groundtrace_adapters.sources.log_files.window_skip import may_hold
from groundtrace_adapters.sources.timestamps import Clockwork, leading_time

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)

STAMP = "2026-11-30T16:50:01Z "
LINES = st.sampled_from(
    ["", "a", "ab", "b a", "  a", "\tat b", "Caused by: a", "Traceback (most recent call last)", "b b"]
)
BLOCKS = st.lists(st.tuples(st.booleans(), LINES), max_size=12).map(
    lambda lines: "".join(f"{STAMP if stamped else ''}{line}\n" for stamped, line in lines).encode()
)
PATTERNS = st.sampled_from(
    [
        "a",
        "b",
        "ab",
        "a b",
        "^a",
        "a$",
        r"\Aa",
        r"a\z",
        "a*",
        "[^c]*b",
        "(?s)a.*b",
        r"a\s+b",
        r"b\b",
        "a|b$",
        "(?i)CAUSED",
    ]
) | st.text("ab .*$^", max_size=5)


def matcher(pattern: str, *, regex: bool) -> Matcher | None:
    return matcher_of(LogQuery(pattern=pattern, regex=regex)).value_or(None)


def entries(block: bytes, *, stamped: bool) -> list[bytes]:
    """Split a block line by line: the plain meaning of what the fast search must find."""
    found: list[bytes] = []
    offset = 0
    for line in block.splitlines(keepends=True):
        if found and not begins_entry(block, offset, stamped=stamped):
            found[-1] += line
        else:
            found.append(line)
        offset += len(line)
    return found


@given(block=BLOCKS, pattern=PATTERNS, regex=st.booleans(), stamped=st.booleans())
@example(block=b"a\nb\n", pattern="a[^c]*b", regex=True, stamped=False)
@example(block=b"a\n", pattern="^$", regex=True, stamped=False)
@example(block=b"a\n\n", pattern="^$", regex=True, stamped=True)
def test_a_block_gives_the_entries_that_match_alone(*, block: bytes, pattern: str, regex: bool, stamped: bool) -> None:
    fast, alone = matcher(pattern, regex=regex), matcher(pattern, regex=regex)
    if fast is None or alone is None:
        return
    found = [block[start:end] for start, end, hit in hits(block, fast, stamped=stamped) if hit >= 0]
    assert found == [entry for entry in entries(block, stamped=stamped) if alone.holds(entry.rstrip(b"\n").decode())]


@given(block=BLOCKS, stamped=st.booleans())
def test_entries_follow_each_other_without_a_gap(*, block: bytes, stamped: bool) -> None:
    spans = [(start, end) for start, end, _ in hits(block, None, stamped=stamped)]
    assert b"".join(block[start:end] for start, end in spans) == block
    for start, end in spans:
        for place in (start, (start + end) // 2, end - 1):
            assert entry_start(block, place, stamped=stamped) == start
            assert entry_end(block, place, stamped=stamped) == end


@given(block=BLOCKS, stamped=st.booleans())
def test_a_block_is_cut_where_its_last_entry_begins(*, block: bytes, stamped: bool) -> None:
    spans = [start for start, _, _ in hits(block, None, stamped=stamped)]
    assert last_entry(block, stamped=stamped) == (spans[-1] if spans else 0)


@given(st.binary(max_size=64))
def test_bytes_made_searchable_are_valid_text_with_as_many_lines(data: bytes) -> None:
    found = searchable(data)
    assert "\0" not in found.decode()
    assert found.count(b"\n") == data.count(b"\n")
    assert searchable(found) == found


TIMES = st.sampled_from(
    [
        "2026-11-30T16:50:01Z",
        "2026-11-30T16:59:59.999999Z",
        "2026-11-30 16:50:01,5 UTC",
        "2026-11-30T18:50:01+02:00",
        "2026-11-30 16:50:01",
        "2026-11-30 16:50:01 CET",
        "2026-11-30T16:50Z",
        "2026-11-31T16:50:01Z",
        "[2026-11-30 17:10:00]",
        "2026-11-30T23:10:00.123456789123-05:00",
        "Nov 30 16:50:01",
        "\tat a",
        "200 items",
        "",
    ]
)
MOMENTS = st.none() | st.integers(-600, 900).map(lambda minutes: NOON + timedelta(minutes=minutes))


@given(
    block=st.lists(TIMES, min_size=1, max_size=4).map(lambda lines: "".join(f"{line} up\n" for line in lines).encode()),
    start=MOMENTS,
    end=MOMENTS,
)
def test_a_block_is_passed_over_only_if_none_of_its_entries_can_be_in_the_window(
    block: bytes, start: datetime | None, end: datetime | None
) -> None:
    clockwork = Clockwork(zone=timezone(timedelta(hours=-3)), latest=NOON + timedelta(days=1))
    times = [leading_time(block, clockwork, at=begin) for begin, _, _ in hits(block, None, stamped=True)]
    wanted = [at for at in times if at is None or ((not start or start <= at) and (not end or at < end))]
    assert may_hold(block, start, end, clockwork) or not wanted


def test_a_block_far_from_the_window_is_passed_over() -> None:
    block = b"2026-11-30T16:50:01.123Z up\n\tat a\n2026-11-30T16:51:01Z up\n"
    clockwork = Clockwork(zone=UTC, latest=NOON)
    assert not may_hold(block, NOON.replace(hour=16, minute=52), None, clockwork)
    assert not may_hold(block, None, NOON.replace(hour=16, minute=50), clockwork)
    assert may_hold(block, NOON.replace(hour=16, minute=51), None, clockwork)
