"""The two faults and their remedies, as scripts for a phase: connection exhaustion, then a lock pile-up.

Both are made with ordinary statements of ordinary clients; the server is never told to pretend.
"""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial

import psycopg

from .drivers import World
from .journal import Phase

BACKFILL_STEP = 500
BACKFILL_END = 20000

SESSIONS_BY_APP = (
    "SELECT application_name, state, count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
    " GROUP BY 1, 2 ORDER BY 3 DESC"
)
END_IDLE_BILLING = (
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
    " WHERE application_name = 'billing-report' AND state = 'idle' AND state_change < now() - interval '5 seconds'"
)
WHO_BLOCKS = (
    "SELECT pid, application_name, pg_blocking_pids(pid) AS blocked_by, left(query, 60) FROM pg_stat_activity"
    " WHERE wait_event_type = 'Lock' ORDER BY query_start"
)
CANCEL_BILLING = (
    "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity"
    " WHERE application_name = 'billing-report' AND wait_event_type = 'Lock'"
)
MONTH_END = "SELECT product_id, count(*), sum(quantity) FROM orders GROUP BY product_id ORDER BY 3 DESC"
REFUNDS = "SELECT count(*) FROM orders WHERE status = 'refunded'"
ADD_COLUMN = "ALTER TABLE orders ADD COLUMN channel text"
BACKFILL = "UPDATE orders SET channel = 'web' WHERE id > %s AND id <= %s"


def exhaust_connections(world: World, phase: Phase) -> None:
    """billing-report opens a connection a second and gives none back, until ops-console ends them."""
    rolled_back = threading.Event()
    with ThreadPoolExecutor(max_workers=1) as pool:
        leak = pool.submit(_leak, world, phase, rolled_back)
        try:
            _look_from_the_console(world, phase)
        finally:
            rolled_back.set()
        leak.result()


def _leak(world: World, phase: Phase, rolled_back: threading.Event) -> None:
    world.timeline.wait_until(phase.moment(0.04))
    world.timeline.event("billing-report begins to open connections that it does not give back")
    held: list[psycopg.Connection] = []
    while not rolled_back.is_set() and not world.stop.is_set():
        text = f"pool: open connection {len(held) + 1}"
        world.attempt("billing-report", text, lambda: held.append(world.connect("billing-report")))
        rolled_back.wait(phase.length / 110)
    for number, connection in enumerate(held, 1):
        world.attempt("billing-report", f"pool: check connection {number}", partial(_ping, connection))
        connection.close()


def _ping(connection: psycopg.Connection) -> None:
    connection.execute("SELECT 1")


def _look_from_the_console(world: World, phase: Phase) -> None:
    """Three operators take the reserved slots, a fourth is refused; then the idle sessions are ended."""
    with ExitStack() as sessions:
        world.timeline.wait_until(phase.moment(0.5))
        first = sessions.enter_context(_open_console(world, phase))
        _console(world, first, "list sessions by app", SESSIONS_BY_APP)
        world.timeline.wait_until(phase.moment(0.55))
        sessions.enter_context(_open_console(world, phase))
        sessions.enter_context(_open_console(world, phase))
        world.timeline.event("ops-console holds the three reserved connection slots")
        world.timeline.wait_until(phase.moment(0.7))
        world.attempt("ops-console", "open a fourth console", lambda: world.connect("ops-console").close())
        world.timeline.wait_until(phase.moment(0.9))
        _console(world, first, "end the idle sessions of billing-report", END_IDLE_BILLING)
        world.timeline.event("ops-console ended the idle sessions of billing-report")


def _open_console(world: World, phase: Phase) -> psycopg.Connection:
    """A client that is being refused takes a slot for a moment, so a console may need a few tries."""
    opened: list[psycopg.Connection] = []
    while not opened and time.time() < phase.moment(0.65) and not world.stop.is_set():
        world.attempt("ops-console", "open a console", lambda: opened.append(world.connect("ops-console")))
        if not opened:
            world.stop.wait(0.3)
    return opened[0] if opened else world.connect("ops-console")


def _console(world: World, connection: psycopg.Connection, what: str, sql: str) -> None:
    def run() -> str:
        rows = connection.execute(sql.encode()).fetchall()
        return "; ".join(", ".join(str(part) for part in row) for row in rows)

    world.attempt("ops-console", what, run)


def pile_up_locks(world: World, phase: Phase) -> None:
    """A report keeps its transaction open, a migration waits behind it, all of orders waits behind the migration."""
    with ThreadPoolExecutor(max_workers=3) as pool:
        parts = [pool.submit(part, world, phase) for part in (_month_end_report, _migrate, _refund_report)]
        world.timeline.wait_until(phase.moment(0.55))
        if not world.stop.is_set():
            with world.connect("ops-console") as console:
                _console(world, console, "list waiting sessions", WHO_BLOCKS)
                world.timeline.wait_until(phase.moment(0.6))
                _console(world, console, "cancel the waiting queries of billing-report", CANCEL_BILLING)
                world.timeline.event("ops-console cancelled the waiting queries of billing-report")
        for part in parts:
            part.result()


def _month_end_report(world: World, phase: Phase) -> None:
    world.timeline.wait_until(phase.moment(0.02))
    with world.connect("billing-report") as connection, connection.transaction():
        world.attempt("billing-report", "month-end report: read orders", lambda: _read(connection, MONTH_END))
        world.timeline.event("billing-report keeps its month-end transaction open")
        world.timeline.wait_until(phase.moment(0.25))
    world.journal.app_line("billing-report", "info", "month-end report: transaction ended")
    world.timeline.event("billing-report ended its month-end transaction")


def _refund_report(world: World, phase: Phase) -> None:
    world.timeline.wait_until(phase.moment(0.45))
    if not world.stop.is_set():
        with world.connect("billing-report") as connection:
            world.attempt("billing-report", "refund report: read orders", lambda: _read(connection, REFUNDS))


def _read(connection: psycopg.Connection, sql: str) -> None:
    connection.execute(sql.encode()).fetchall()


def _migrate(world: World, phase: Phase) -> None:
    """Adds a column and fills it in the same transaction, so that the strongest lock is held all the while."""
    app = "schema-migration"
    world.timeline.wait_until(phase.moment(0.08))
    if world.stop.is_set():
        return
    with world.connect(app) as connection:
        with connection.transaction():
            world.timeline.event("schema-migration asks for an ACCESS EXCLUSIVE lock on orders")
            world.attempt(app, "add column orders.channel", lambda: _change(connection, ADD_COLUMN))
            world.timeline.event("schema-migration holds the lock and begins its backfill")
            _backfill(world, phase, connection)
            world.timeline.wait_until(phase.moment(0.78))
        world.journal.app_line(app, "info", "migration committed")
        world.timeline.event("schema-migration committed")


def _backfill(world: World, phase: Phase, connection: psycopg.Connection) -> None:
    starts = range(0, BACKFILL_END, BACKFILL_STEP)
    began = time.time()
    pause = max(0.0, phase.moment(0.76) - began) / len(starts)
    for number, start in enumerate(starts, 1):
        text = f"backfill orders.channel, batch {number} of {len(starts)}"
        bounds = (start, start + BACKFILL_STEP)
        world.attempt("schema-migration", text, partial(_change, connection, BACKFILL, bounds))
        world.timeline.wait_until(began + number * pause)


def _change(connection: psycopg.Connection, sql: str, parameters: tuple[int, int] | None = None) -> None:
    connection.execute(sql.encode(), parameters)
