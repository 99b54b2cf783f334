-- One store on several PostgreSQL servers by way of Citus. NOT RUN HERE: written from its documentation and tested by
-- nobody with this release; fdw.sql beside it is the form that the tests run.
--
-- On the coordinator, after `groundtrace migrate` there, and before rows are kept:
--
--     psql -v ON_ERROR_STOP=1 -d TRACE -f citus.sql
--
-- Then groundtrace connects to the coordinator as to any PostgreSQL server.

BEGIN;

CREATE EXTENSION IF NOT EXISTS citus;

-- Why it fits:
-- - Citus enforces a key only where it holds the distribution column: both keys are (session_id, id).
-- - A query that names its session as a constant or a parameter goes to one shard: all of ours do that read or sum up
--   one session, and so does ON CONFLICT, whose key begins with it.
-- - Both tables are distributed alike (colocated), so a session's rows and evaluations lie on one node, and what asks of
--   both, such as the list of sessions, joins within each node.
-- - COPY is spread over the shards by the coordinator, in one distributed transaction (two-phase commit): a batch over
--   several nodes is atomic, which it is not in fdw.sql; in return a node that is away refuses the whole batch.
SELECT create_distributed_table('tool_invocation', 'session_id', shard_count => 32);
SELECT create_distributed_table('verifier_evaluation', 'session_id', colocate_with => 'tool_invocation');

-- One row, read by every process at its start and needed on no worker; the versions of the schema likewise.
SELECT citus_add_local_table_to_metadata('redaction_key');
SELECT citus_add_local_table_to_metadata('groundtrace_schema');

COMMIT;

-- What is to be looked at first by whoever runs it: the walks from session to session of `groundtrace store stats` and
-- `prune` (WITH RECURSIVE over all shards), which Citus plans only in part; a migration, since Citus passes on most of
-- CREATE INDEX and ALTER TABLE but not all; and whether `stored` is durable on each node (synchronous_commit there).
