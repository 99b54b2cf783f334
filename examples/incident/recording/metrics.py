"""Samples pg_stat_* and the drivers' counters, and writes them as OpenMetrics text with timestamps.

OpenMetrics wants each family in one block and each series in time order, so the samples are kept until the end.
"""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import LiteralString

import psycopg

from .journal import Journal
from .shop import APPS, INSTANCE, TABLES

EVERY_SECONDS = 5
Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """An OpenMetrics metric family. A counter's samples get `_total`; a unit must end the name."""

    name: str
    kind: str
    help: str
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A query whose first columns are label values and whose other columns are one family each."""

    sql: LiteralString
    labels: tuple[str, ...] = ()
    lists: tuple[Sequence[str], ...] = ()
    families: tuple[Family, ...]


def _gauge(name: str, text: str, unit: str = "") -> Family:
    return Family(name=name, kind="gauge", help=text, unit=unit)


def _counter(name: str, text: str, unit: str = "") -> Family:
    return Family(name=name, kind="counter", help=text, unit=unit)


STATES = ("active", "idle", "idle in transaction")
MODES = ("AccessShareLock", "RowExclusiveLock", "ShareUpdateExclusiveLock", "AccessExclusiveLock")

QUERIES = (
    Query(
        sql="SELECT current_setting('max_connections')::int, current_setting('superuser_reserved_connections')::int,"
        " pg_database_size(current_database())",
        families=(
            _gauge("pg_settings_max_connections", "Setting max_connections."),
            _gauge("pg_settings_superuser_reserved_connections", "Setting superuser_reserved_connections."),
            _gauge("pg_database_size_bytes", "Size of the database on disk.", "bytes"),
        ),
    ),
    Query(
        sql="SELECT a.app, count(s.pid), count(s.pid) FILTER (WHERE s.state LIKE 'idle in transaction%%'),"
        " count(s.pid) FILTER (WHERE s.wait_event_type = 'Lock'),"
        " coalesce(extract(epoch FROM max(clock_timestamp() - s.xact_start)), 0)::float8"
        " FROM unnest(%s::text[]) AS a(app) LEFT JOIN pg_stat_activity AS s"
        " ON s.application_name = a.app AND s.backend_type = 'client backend' GROUP BY a.app",
        labels=("app",),
        lists=(APPS,),
        families=(
            _gauge("pg_stat_activity_connections", "Client connections by application_name."),
            _gauge("pg_stat_activity_idle_in_transaction_connections", "Connections with an open transaction, idle."),
            _gauge("pg_stat_activity_lock_waiting_connections", "Connections that wait for a heavyweight lock."),
            _gauge("pg_stat_activity_oldest_transaction_seconds", "Age of the oldest open transaction.", "seconds"),
        ),
    ),
    Query(
        sql="SELECT w.state, count(s.pid) FROM unnest(%s::text[]) AS w(state) LEFT JOIN pg_stat_activity AS s"
        " ON s.state = w.state AND s.backend_type = 'client backend' GROUP BY w.state",
        labels=("state",),
        lists=(STATES,),
        families=(_gauge("pg_stat_activity_state_connections", "Client connections by state."),),
    ),
    Query(
        sql="SELECT a.app, count(DISTINCT b.pid) FROM unnest(%s::text[]) AS a(app) LEFT JOIN ("
        "SELECT h.pid, h.application_name FROM pg_stat_activity AS w"
        " CROSS JOIN LATERAL unnest(pg_blocking_pids(w.pid)) AS p(pid) JOIN pg_stat_activity AS h ON h.pid = p.pid"
        " WHERE w.wait_event_type = 'Lock') AS b ON b.application_name = a.app GROUP BY a.app",
        labels=("app",),
        lists=(APPS,),
        families=(_gauge("pg_blocking_connections", "Connections that pg_blocking_pids() names for a waiter."),),
    ),
    Query(
        sql="SELECT m.mode, count(l.pid) FILTER (WHERE l.granted), count(l.pid) FILTER (WHERE NOT l.granted)"
        " FROM unnest(%s::text[]) AS m(mode) LEFT JOIN pg_locks AS l ON l.mode = m.mode AND l.locktype = 'relation'"
        " AND l.relation IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace) GROUP BY m.mode",
        labels=("mode",),
        lists=(MODES,),
        families=(
            _gauge("pg_locks_held", "Relation locks held on tables and indexes of the schema public."),
            _gauge("pg_locks_waiting", "Relation locks waited for on tables and indexes of the schema public."),
        ),
    ),
    Query(
        sql="SELECT xact_commit, xact_rollback, blks_read, blks_hit, tup_inserted, tup_updated, deadlocks, temp_bytes,"
        " sessions, sessions_killed FROM pg_stat_database WHERE datname = current_database()",
        families=(
            _counter("pg_stat_database_xact_commit", "Transactions committed."),
            _counter("pg_stat_database_xact_rollback", "Transactions rolled back."),
            _counter("pg_stat_database_blks_read", "Blocks read from outside the buffer cache."),
            _counter("pg_stat_database_blks_hit", "Blocks found in the buffer cache."),
            _counter("pg_stat_database_tup_inserted", "Rows inserted."),
            _counter("pg_stat_database_tup_updated", "Rows updated."),
            _counter("pg_stat_database_deadlocks", "Deadlocks detected."),
            _counter("pg_stat_database_temp_bytes", "Data written to temporary files.", "bytes"),
            _counter("pg_stat_database_sessions", "Sessions established."),
            _counter("pg_stat_database_sessions_killed", "Sessions ended by an operator."),
        ),
    ),
    Query(
        sql="SELECT checkpoints_timed, checkpoints_req FROM pg_stat_bgwriter",
        families=(
            _counter("pg_stat_bgwriter_checkpoints_timed", "Checkpoints started by checkpoint_timeout."),
            _counter("pg_stat_bgwriter_checkpoints_req", "Checkpoints that were requested."),
        ),
    ),
    Query(
        sql="SELECT relname, n_live_tup, n_dead_tup, autovacuum_count FROM pg_stat_user_tables"
        " WHERE relname = ANY (%s::text[])",
        labels=("relation",),
        lists=(TABLES,),
        families=(
            _gauge("pg_stat_user_tables_n_live_tup", "Estimated live rows."),
            _gauge("pg_stat_user_tables_n_dead_tup", "Estimated dead rows."),
            _counter("pg_stat_user_tables_autovacuum_count", "Vacuums by the autovacuum daemon."),
        ),
    ),
)

# counters that the drivers keep themselves: counter in the journal, family, the apps that have it
DRIVER_COUNTERS = (
    (
        "refused",
        _counter("app_connections_refused", "Connection attempts that the server refused for want of a slot."),
        ("checkout", "fulfilment", "inventory-sync", "notification-worker", "billing-report", "ops-console"),
    ),
    (
        "ok",
        _counter("app_requests_succeeded", "Requests that succeeded, of the clients that write apps.jsonl."),
        ("checkout", "notification-worker", "billing-report"),
    ),
    (
        "failed",
        _counter("app_requests_failed", "Requests that failed, of the clients that write apps.jsonl."),
        ("checkout", "notification-worker", "billing-report"),
    ),
    (
        "restart",
        _counter("app_pgbench_restarts", "Times that a pgbench process had to be started again."),
        ("checkout", "fulfilment", "inventory-sync"),
    ),
)


@dataclass(slots=True)
class Samples:
    """Everything sampled so far: family -> labels -> (time, value) in time order."""

    points: dict[Family, dict[Labels, list[tuple[float, float]]]] = field(default_factory=dict)

    def add(self, family: Family, labels: Labels, moment: float, value: float) -> None:
        """Keep one sample."""
        series = self.points.setdefault(family, {}).setdefault((("instance", INSTANCE), *labels), [])
        series.append((moment, value))

    def write(self, path: Path) -> None:
        """Write all samples as one OpenMetrics text."""
        with path.open("w", encoding="utf-8") as out:
            for family, by_labels in self.points.items():
                out.write(f"# TYPE {family.name} {family.kind}\n")
                out.write(f"# UNIT {family.name} {family.unit}\n" if family.unit else "")
                out.write(f"# HELP {family.name} {family.help}\n")
                name = family.name + ("_total" if family.kind == "counter" else "")
                for labels, series in by_labels.items():
                    text = ",".join(f'{key}="{value}"' for key, value in labels)
                    out.writelines(f"{name}{{{text}}} {value:.10g} {moment:.3f}\n" for moment, value in series)
            out.write("# EOF\n")


def scrape(connection: psycopg.Connection, journal: Journal, samples: Samples) -> None:
    """Take one sample of everything; all its points carry the time at which it began."""
    moment = time.time()
    for query in QUERIES:
        for row in connection.execute(query.sql, [list(items) for items in query.lists]).fetchall():
            labels = tuple(zip(query.labels, (str(part) for part in row), strict=False))
            for family, value in zip(query.families, row[len(labels) :], strict=True):
                samples.add(family, labels, moment, float(value))
    for counter, family, apps in DRIVER_COUNTERS:
        for app in apps:
            samples.add(family, (("app", app),), moment, float(journal.counted(counter, app)))


def sample_until(
    connection: psycopg.Connection, journal: Journal, samples: Samples, stop: threading.Event, deadline: float
) -> None:
    """Sample every five seconds until the deadline, on a connection that was opened before the trouble began."""
    due = time.time()
    while due < deadline and not stop.is_set():
        scrape(connection, journal, samples)
        due += EVERY_SECONDS
        stop.wait(max(0.0, min(due, deadline) - time.time()))
