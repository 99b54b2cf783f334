-- What keeps reading quick in a store that grows: no question of ours walks through the whole of a table.
-- Building the indexes keeps writers waiting, some seconds for each million rows; readers go on.

-- Everything that the counts of a session's summary need, in the order in which they are grouped: the table itself is
-- not read for them, and nothing is sorted. An index takes no entry over 2,704 bytes, so a row whose names are longer
-- stands apart, and so does a row that another program wrote in words that are not ours; readers look there too, and
-- classify.
CREATE INDEX tool_invocation_summed ON tool_invocation (session_id, tool_name, topic_domain)
    INCLUDE (outcome, support, partial, input_fingerprint, started_at)
    WHERE (outcome IN ('success', 'no_evidence', 'deduped', 'failure')
        AND (support IS NULL OR support IN ('DIRECT', 'INDIRECT'))
        AND strpos(input_fingerprint, ' ') = 0
        AND octet_length(session_id || tool_name || topic_domain || input_fingerprint) <= 2000) IS TRUE;
CREATE INDEX tool_invocation_apart ON tool_invocation (session_id)
    WHERE (outcome IN ('success', 'no_evidence', 'deduped', 'failure')
        AND (support IS NULL OR support IN ('DIRECT', 'INDIRECT'))
        AND strpos(input_fingerprint, ' ') = 0
        AND octet_length(session_id || tool_name || topic_domain || input_fingerprint) <= 2000) IS NOT TRUE;

-- The list of sessions goes back in time from the latest call; summaries of a time look here too.
CREATE INDEX tool_invocation_by_time ON tool_invocation (started_at DESC, session_id);
CREATE INDEX verifier_evaluation_by_time ON verifier_evaluation (created_at DESC, session_id);

-- A summary is answered by the index alone only where the server knows that all may see a page; without this it would
-- look at what was appended only once that is a fifth of the table.
ALTER TABLE tool_invocation SET (autovacuum_vacuum_insert_scale_factor = 0.02);

-- Rows are written a third faster with lz4 than with pglz. Not every server was built with it. Stored rows stay as
-- they are.
DO $$
DECLARE
    wide record;
BEGIN
    IF EXISTS (SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)) THEN
        FOR wide IN SELECT attrelid::regclass AS name, attname FROM pg_attribute
            WHERE attrelid IN ('tool_invocation'::regclass, 'verifier_evaluation'::regclass)
                AND attnum > 0 AND NOT attisdropped AND attstorage = 'x'
        LOOP
            EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET COMPRESSION lz4', wide.name, wide.attname);
        END LOOP;
    END IF;
END
$$;
