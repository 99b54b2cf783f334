-- The base schema (PostgreSQL 15 or newer).
-- JSON stands in `json` and not in `jsonb`: it comes back as the very text that was stored, keys in their order and
-- escapes as they were, so that a row equals the one appended; `->>` works on it all the same.
-- Text has COLLATE "C": equal and ordered by code point, whatever the database's own collation.
-- A row written by other programs may leave out what has a default or may be NULL; readers classify it.

CREATE TABLE tool_invocation (
    session_id        text COLLATE "C" NOT NULL,
    id                text COLLATE "C" NOT NULL,
    turn_id           text COLLATE "C",
    seq               bigint NOT NULL DEFAULT 0,
    tool_name         text COLLATE "C" NOT NULL,
    topic_domain      text COLLATE "C" NOT NULL DEFAULT 'general',
    outcome           text COLLATE "C",
    support           text COLLATE "C",
    reason            text COLLATE "C",
    partial           boolean NOT NULL DEFAULT false,
    basis             text COLLATE "C" NOT NULL DEFAULT 'inferred',
    input_params      json NOT NULL DEFAULT '{}',
    input_fingerprint text COLLATE "C",
    started_at        timestamptz NOT NULL,
    duration_ms       bigint,
    success           boolean NOT NULL,
    output_preview    text COLLATE "C",
    output_state      text COLLATE "C",
    output_bytes      bigint,
    output_sha256     text COLLATE "C",
    error_message     text COLLATE "C",
    retrieval_layer   text COLLATE "C",
    l0_count          bigint,
    l1_count          bigint,
    relevance_level   text COLLATE "C",
    retrieval_details json,
    dedup_reason      text COLLATE "C",
    details           json NOT NULL DEFAULT '{}',
    row_digest        text COLLATE "C" NOT NULL DEFAULT '',
    PRIMARY KEY (session_id, id)
);

CREATE INDEX tool_invocation_in_order ON tool_invocation (session_id, started_at, seq, id);

CREATE TABLE verifier_evaluation (
    session_id     text COLLATE "C" NOT NULL,
    id             text COLLATE "C" NOT NULL,
    turn_id        text COLLATE "C" NOT NULL,
    created_at     timestamptz NOT NULL,
    question       text COLLATE "C" NOT NULL,
    given          text COLLATE "C",
    decision       text COLLATE "C" NOT NULL,
    cause          text COLLATE "C" NOT NULL,
    fallback       boolean NOT NULL,
    raw            text COLLATE "C",
    raw_cut        boolean NOT NULL,
    reasons        json NOT NULL,
    model          text COLLATE "C" NOT NULL,
    prompt_version text COLLATE "C" NOT NULL,
    prompt_sha256  text COLLATE "C" NOT NULL,
    duration_ms    bigint NOT NULL,
    attempts       bigint NOT NULL,
    cited          json NOT NULL,
    unknown        json NOT NULL,
    evidence       json NOT NULL,
    answer         text COLLATE "C",
    shown          text COLLATE "C" NOT NULL,
    withheld       boolean NOT NULL,
    row_digest     text COLLATE "C" NOT NULL DEFAULT '',
    PRIMARY KEY (session_id, id)
);

CREATE INDEX verifier_evaluation_in_order ON verifier_evaluation (session_id, created_at, id);

-- One row at most: the key under which secrets are replaced by markers.
CREATE TABLE redaction_key (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    key      bytea NOT NULL CHECK (octet_length(key) = 32)
);
