"""The statements that write records, as text: inserts by position, the binary COPY and the stage beside it."""

from functools import lru_cache

from groundtrace_adapters.stores.record_codec import Record, RecordCodec

STAGE = "groundtrace_stage"
"""A temporary table of one transaction: nothing of it is there for the next one, on whatever connection."""


@lru_cache(8)
def insert_text(codec: RecordCodec[Record], mark: str, /) -> str:
    """Return the statement that inserts one record, its values by position."""
    marks = ", ".join([mark] * (len(codec.columns) + 1))
    return f"INSERT INTO {codec.table} ({_columns(codec)}) VALUES ({marks})"  # noqa: S608 - of constants alone


@lru_cache(8)
def bare_insert_text(codec: RecordCodec[Record], mark: str, /) -> str:
    """Return the statement that inserts one record without a digest."""
    marks = ", ".join([mark] * len(codec.columns))
    return f"INSERT INTO {codec.table} ({', '.join(codec.columns)}) VALUES ({marks})"  # noqa: S608 - of constants alone


@lru_cache(8)
def copy_text(codec: RecordCodec[Record], table: str, /) -> str:
    """Return the binary COPY of records into a table that has their columns."""
    return f"COPY {table} ({_columns(codec)}) FROM STDIN (FORMAT BINARY)"


@lru_cache(8)
def stage_texts(codec: RecordCodec[Record], /) -> tuple[str, str, str]:
    """Return what makes the stage, what moves all that is new from it, and what tells each key's digest.

    Rows move in the order of their keys, so that two writers of the same rows never wait for each other crosswise; of
    two rows with one key the first one staged. No target of the conflict is named: over foreign partitions PostgreSQL
    knows none. A key's digest is looked up key by key, so that no plan reads the whole table.
    """
    columns, table = _columns(codec), codec.table
    made = f"(LIKE {table} INCLUDING DEFAULTS, place bigint GENERATED ALWAYS AS IDENTITY)"
    kept = f"SELECT row_digest FROM {table} AS kept WHERE kept.session_id = new.session_id AND kept.id = new.id"  # noqa: S608 - of constants alone
    move = f"INSERT INTO {table} ({columns}) SELECT {columns} FROM {STAGE}"  # noqa: S608 - of constants alone
    return (
        f"CREATE TEMPORARY TABLE {STAGE} {made} ON COMMIT DROP",
        f"{move} ORDER BY session_id, id, place ON CONFLICT DO NOTHING",
        f"SELECT session_id, id, ({kept}) FROM {STAGE} AS new",  # noqa: S608 - of constants alone
    )


def _columns(codec: RecordCodec[Record]) -> str:
    return ", ".join((*codec.columns, "row_digest"))
