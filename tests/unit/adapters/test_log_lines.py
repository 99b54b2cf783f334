"""Searching whole blocks finds exactly the entries that match by themselves."""

from hypothesis import example, given
from hypothesis import strategies as st

from groundtrace.sources import LogQuery
from groundtrace_adapters.sources.file_blocks import searchable
from groundtrace_adapters.sources.log_files.lines import begins_entry, entry_end, entry_start, hits, last_entry
from groundtrace_adapters.sources.log_files.matching import Matcher, matcher_of

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
