-- One store on several PostgreSQL servers (15 or newer): hash partitions by session_id that are foreign tables.
--
-- Words: a data server keeps rows; the entry keeps none, knows where they are, and is the server that groundtrace
-- connects to. docs/sharding.md tells how this behaves when one of them is away, and what it costs.
--
-- Before: `groundtrace migrate` on each data server, each in a database of its own, and data_server.sql there; then
-- `groundtrace migrate` on the entry. The tables and keys of the data servers stay as that command made them.
-- Then, on the entry, as a role that may create servers:
--
--     psql -v ON_ERROR_STOP=1 -d ENTRY -c "SET groundtrace.data_servers = '[
--         {\"server\": {\"host\": \"one\", \"dbname\": \"trace\"}, \"user\": {\"user\": \"groundtrace\"}},
--         {\"server\": {\"host\": \"two\", \"dbname\": \"trace\"}, \"user\": {\"user\": \"groundtrace\"}}]'" -f fdw.sql
--
-- `server` holds options of CREATE SERVER, `user` those of CREATE USER MAPPING (a password rather goes into the entry's
-- own ~/.pgpass, with password_required false in the mapping), and `schema`, where it is not `public`, the schema there.
-- The order decides which sessions a server keeps, and neither it nor the number changes later: moving a partition
-- is pg_dump of its data server into another one, and ALTER SERVER.
--
-- Refused where the entry's own tables hold rows. All or nothing.

BEGIN;

CREATE EXTENSION IF NOT EXISTS postgres_fdw;

DO $$
DECLARE
    -- One INSERT carries so many rows to a data server, and one FETCH brings so many back.
    batch     constant text := '250';
    page      constant text := '1000';
    -- `stored` means durable there; a server that is set to remote_apply is lowered by this: put that word here then.
    session   constant text := '-c synchronous_commit=on -c lock_timeout=10s -c statement_timeout=30s'
        ' -c idle_in_transaction_session_timeout=60s';
    servers   constant json := current_setting('groundtrace.data_servers');
    total     constant int := json_array_length(servers);
    one       json;
    name      text;
    parent    text;
    filled    boolean;
    options   text;
    rooms     text[] := '{}';
BEGIN
    FOREACH parent IN ARRAY ARRAY['tool_invocation', 'verifier_evaluation'] LOOP
        EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', parent);
        EXECUTE format('SELECT EXISTS (SELECT FROM %I)', parent) INTO filled;
        IF filled THEN
            RAISE EXCEPTION '% of the entry holds rows', parent
                USING HINT = 'Move them to the data servers first, or take an empty database.';
        END IF;
        -- With the columns of today's schema, and without keys: no unique index can span foreign partitions. The key
        -- (session_id, id) is each data server's own, and it is enough, since a session lives on one server.
        EXECUTE format('ALTER TABLE %I RENAME TO %I', parent, parent || '_unsharded');
        EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS) PARTITION BY HASH (session_id)',
            parent, parent || '_unsharded');
        EXECUTE format('DROP TABLE %I', parent || '_unsharded');
    END LOOP;

    FOR place IN 0 .. total - 1 LOOP
        one := servers -> place;
        name := 'groundtrace_' || place;
        SELECT coalesce(string_agg(format('%I %L', key, value), ', '), '') INTO options FROM (
            SELECT key, value FROM json_each_text(one -> 'server')
            UNION ALL VALUES ('fetch_size', page), ('batch_size', batch), ('connect_timeout', '5'),
                ('async_capable', 'true'), ('keepalives_idle', '10'), ('options', session)) AS given;
        EXECUTE format('CREATE SERVER %I FOREIGN DATA WRAPPER postgres_fdw OPTIONS (%s)', name, options);
        SELECT coalesce(string_agg(format('%I %L', key, value), ', '), '') INTO options
            FROM json_each_text(one -> 'user');
        EXECUTE format('CREATE USER MAPPING FOR PUBLIC SERVER %I OPTIONS (%s)', name, options);
        FOREACH parent IN ARRAY ARRAY['tool_invocation', 'verifier_evaluation'] LOOP
            EXECUTE format('CREATE FOREIGN TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS %s, REMAINDER %s)'
                ' SERVER %I OPTIONS (schema_name %L, table_name %L)',
                parent || '_' || place, parent, total, place, name, coalesce(one ->> 'schema', 'public'), parent);
        END LOOP;
        EXECUTE format('CREATE FOREIGN TABLE %I (bytes bigint) SERVER %I OPTIONS (schema_name %L, table_name %L)',
            'groundtrace_room_' || place, name, coalesce(one ->> 'schema', 'public'), 'groundtrace_room');
        rooms := rooms || format('SELECT bytes FROM %I', 'groundtrace_room_' || place);
    END LOOP;
    EXECUTE format('CREATE VIEW groundtrace_room AS SELECT sum(bytes)::bigint AS bytes FROM (%s) AS rooms',
        array_to_string(rooms, ' UNION ALL '));

    -- The list of sessions is then counted on each data server, and not here over all of their rows.
    EXECUTE format('ALTER DATABASE %I SET enable_partitionwise_aggregate = on', current_database());
END
$$;

COMMIT;
