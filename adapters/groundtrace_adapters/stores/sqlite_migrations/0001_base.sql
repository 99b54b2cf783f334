-- The base schema (SQLite 3.37 or newer: STRICT tables refuse a value of another type).
-- Times are text in UTC of one width, 2026-03-08T02:30:00.000000Z, so that their order is the order of text; booleans
-- are 0 and 1; JSON is text as it was given. The collation is BINARY: by bytes of UTF-8, which is by code point.
-- A row written by other programs may leave out what has a default or may be NULL; readers classify it.

CREATE TABLE tool_invocation (
    session_id        TEXT NOT NULL,
    id                TEXT NOT NULL,
    turn_id           TEXT,
    seq               INTEGER NOT NULL DEFAULT 0,
    tool_name         TEXT NOT NULL,
    topic_domain      TEXT NOT NULL DEFAULT 'general',
    outcome           TEXT,
    support           TEXT,
    reason            TEXT,
    partial           INTEGER NOT NULL DEFAULT 0,
    basis             TEXT NOT NULL DEFAULT 'inferred',
    input_params      TEXT NOT NULL DEFAULT '{}',
    input_fingerprint TEXT,
    started_at        TEXT NOT NULL CHECK (started_at GLOB '????-??-??T??:??:??.??????Z'),
    duration_ms       INTEGER,
    success           INTEGER NOT NULL,
    output_preview    TEXT,
    output_state      TEXT,
    output_bytes      INTEGER,
    output_sha256     TEXT,
    error_message     TEXT,
    retrieval_layer   TEXT,
    l0_count          INTEGER,
    l1_count          INTEGER,
    relevance_level   TEXT,
    retrieval_details TEXT,
    dedup_reason      TEXT,
    details           TEXT NOT NULL DEFAULT '{}',
    row_digest        TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (session_id, id)
) STRICT;

CREATE INDEX tool_invocation_in_order ON tool_invocation (session_id, started_at, seq, id);

CREATE TABLE verifier_evaluation (
    session_id     TEXT NOT NULL,
    id             TEXT NOT NULL,
    turn_id        TEXT NOT NULL,
    created_at     TEXT NOT NULL CHECK (created_at GLOB '????-??-??T??:??:??.??????Z'),
    question       TEXT NOT NULL,
    given          TEXT,
    decision       TEXT NOT NULL,
    cause          TEXT NOT NULL,
    fallback       INTEGER NOT NULL,
    raw            TEXT,
    raw_cut        INTEGER NOT NULL,
    reasons        TEXT NOT NULL,
    model          TEXT NOT NULL,
    prompt_version TEXT NOT NULL,
    prompt_sha256  TEXT NOT NULL,
    duration_ms    INTEGER NOT NULL,
    attempts       INTEGER NOT NULL,
    cited          TEXT NOT NULL,
    unknown        TEXT NOT NULL,
    evidence       TEXT NOT NULL,
    answer         TEXT,
    shown          TEXT NOT NULL,
    withheld       INTEGER NOT NULL,
    row_digest     TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (session_id, id)
) STRICT;

CREATE INDEX verifier_evaluation_in_order ON verifier_evaluation (session_id, created_at, id);

-- One row at most: the key under which secrets are replaced by markers.
CREATE TABLE redaction_key (
    only_one INTEGER PRIMARY KEY DEFAULT 1 CHECK (only_one),
    key      BLOB NOT NULL CHECK (length(key) = 32)
) STRICT;
