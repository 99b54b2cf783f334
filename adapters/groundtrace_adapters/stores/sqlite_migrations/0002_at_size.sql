-- What keeps reading quick in a store that grows: no question of ours walks through the whole of a table.

-- The order of a session's rows, and behind it everything that the counts of its summary need: the table itself is
-- not read for them.
DROP INDEX tool_invocation_in_order;
CREATE INDEX tool_invocation_in_order ON tool_invocation
    (session_id, started_at, seq, id, tool_name, topic_domain, outcome, support, partial, input_fingerprint);

-- The list of sessions goes back in time from the latest call; summaries of a time look here too.
CREATE INDEX tool_invocation_by_time ON tool_invocation (started_at DESC, session_id);
CREATE INDEX verifier_evaluation_by_time ON verifier_evaluation (created_at DESC, session_id);
