-- What a data server of docs/sharding.md has beside the tables of `groundtrace migrate`: the room that they take, which
-- the entry reads for `groundtrace store stats`. Run it once in the data server's database, after that command.

CREATE OR REPLACE VIEW groundtrace_room AS
SELECT pg_total_relation_size('tool_invocation') + pg_total_relation_size('verifier_evaluation') AS bytes;
