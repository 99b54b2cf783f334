"""The index of a knowledge folder in SQLite: its tables, and opening them where they are missing or of another form."""

import sqlite3

FORM = 3
"""Changes with the tables or with what is indexed; an index of another form is built again."""

COLUMN_WEIGHTS = (4.0, 2.0, 1.0, 1.0)
"""BM25 weights of name, heading, body, and the parts of names in camel case within the body."""

_DROP = (
    "DROP TABLE IF EXISTS words; DROP TABLE IF EXISTS piece; DROP TABLE IF EXISTS field; DROP TABLE IF EXISTS entry;"
)

_CREATE = """
CREATE TABLE entry (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, mark TEXT NOT NULL, hash TEXT NOT NULL,
    title TEXT NOT NULL, abstract TEXT NOT NULL, unread TEXT, note TEXT
);
CREATE TABLE field (entry INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL);
CREATE INDEX field_value ON field (name, value, entry);
CREATE INDEX field_entry ON field (entry);
CREATE TABLE piece (
    id INTEGER PRIMARY KEY, entry INTEGER NOT NULL, layer TEXT NOT NULL, anchor TEXT NOT NULL, hash TEXT NOT NULL,
    name TEXT NOT NULL, heading TEXT NOT NULL, body TEXT NOT NULL, parts TEXT NOT NULL
);
CREATE INDEX piece_entry ON piece (entry);
CREATE VIRTUAL TABLE words USING fts5 (
    name, heading, body, parts, content='piece', content_rowid='id', tokenize='porter unicode61'
);
"""

# A table beside the index, in memory, that tells how the tokenizer reads a word.
_SCRATCH = """
CREATE VIRTUAL TABLE temp.scratch USING fts5 (word, tokenize='porter unicode61');
CREATE VIRTUAL TABLE temp.stems USING fts5vocab ('temp', 'scratch', 'instance');
"""


class _Index(sqlite3.Connection):
    """Ends with the source that nobody closed, and without the warning that Python 3.13 gives of that."""

    def __del__(self) -> None:
        self.close()


def open_index(path: str, /, *, wait_seconds: float) -> sqlite3.Connection:
    """Return a connection that any thread may use, one at a time; sqlite3.Error if there can be none."""
    connection = sqlite3.connect(
        path, timeout=wait_seconds, check_same_thread=False, isolation_level=None, factory=_Index
    )
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        if connection.execute("PRAGMA user_version").fetchone()[0] != FORM:
            connection.executescript(f"BEGIN IMMEDIATE; {_DROP} {_CREATE} PRAGMA user_version = {FORM}; COMMIT;")
        connection.executescript(_SCRATCH)
    except sqlite3.Error:
        connection.close()
        raise
    return connection
