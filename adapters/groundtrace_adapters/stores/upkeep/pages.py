"""Pages of a store from what a database answered; a record that cannot be read is told and costs no other. Pure."""

from returns.pipeline import is_successful

from groundtrace.upkeep import Page, RecordKey
from groundtrace_adapters.stores.answer_rows import Answer
from groundtrace_adapters.stores.record_codec import Record, RecordCodec


def page_of(
    codec: RecordCodec[Record], answer: Answer, operation: str, /, *, full: bool = False, end: RecordKey | None = None
) -> Page[Record]:
    """Return the page that `answer` holds: the next one begins behind `end`, or behind its last record if it is full.

    The key's columns are the first two of each row.
    """
    records: list[Record] = []
    unreadable: list[str] = []
    for values in answer:
        read = codec.decode(values, operation=operation)
        if is_successful(read):
            records.append(read.unwrap())
        else:
            unreadable.append(read.failure().message)
    if full:
        end = RecordKey(session_id=str(answer[-1][0]), id=str(answer[-1][1]))
    return Page(records=tuple(records), unreadable=tuple(unreadable), next=end)
