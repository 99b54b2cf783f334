"""The apps: those that pgbench plays and those that are a few lines of Python, each with its own name and role.

A driver knows what its app does, not when an incident begins; that is in `faults`.
"""

import random
import re
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import psycopg

from .cluster import HOST, Cluster
from .journal import Journal, Timeline
from .shop import ANNOUNCE, DATABASE, PLACE_ORDER, ROLES, PgbenchApp

RESTART_SECONDS = 2.0
BANNER = re.compile(r"^pgbench \(")


@dataclass(slots=True, kw_only=True)
class World:
    """What every driver needs: the server, the logs, the timeline, and when to end."""

    cluster: Cluster
    journal: Journal
    timeline: Timeline
    folder: Path
    stop: threading.Event
    deadline: float = 0.0
    processes: list[subprocess.Popen[str]] = field(default_factory=list)

    def running(self, *, reserve: float = 0.0) -> bool:
        """Whether there is still time, less the reserve in seconds."""
        return not self.stop.is_set() and time.time() < self.deadline - reserve

    def end_processes(self) -> None:
        """End the pgbench processes that still run, each by its process id."""
        for process in self.processes:
            if process.poll() is None:
                process.terminate()

    def connect(self, app: str) -> psycopg.Connection:
        """A new connection of an app; raises psycopg.OperationalError when it is refused."""
        return psycopg.connect(
            host=HOST,
            port=self.cluster.port,
            user=ROLES[app],
            dbname=DATABASE,
            application_name=app,
            sslmode="disable",
            gssencmode="disable",
            connect_timeout=10,
            autocommit=True,
        )

    def attempt(self, app: str, what: str, work: Callable[[], str | None]) -> bool:
        """Do something in the name of an app and log how it went, with what it gave; True if it went well."""
        began = time.monotonic()
        try:
            found = work()
        except psycopg.Error as error:
            spent = (time.monotonic() - began) * 1000
            text = f"{what} failed: {error.diag.message_primary or str(error).strip()}"
            self.journal.app_line(app, "error", text, sqlstate=error.sqlstate, latency_ms=spent)
            self.journal.count("failed", app)
            return False
        spent = (time.monotonic() - began) * 1000
        self.journal.app_line(app, "info", f"{what}: {found}" if found else what, latency_ms=spent)
        self.journal.count("ok", app)
        return True


def run_pgbench(world: World, app: PgbenchApp) -> None:
    """Keep one pgbench process running until the deadline, as a supervisor would, and log all that it prints."""
    while world.running(reserve=3):
        seconds = int(world.deadline - time.time())
        pgbench = world.cluster.binaries.path("pgbench")
        process = subprocess.Popen(
            [pgbench, "--no-vacuum", "--progress=10", f"--time={seconds}", *app.arguments, f"--file={app.app}.sql"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=world.folder,
            env=_pgbench_environment(world, app.app),
        )
        world.processes.append(process)
        for line in process.stdout or ():
            if line.strip() and not BANNER.match(line):
                world.journal.client_line(app.app, process.pid, line.rstrip())
        status = process.wait()
        world.journal.client_line(app.app, process.pid, f"supervisor: pgbench ended with exit status {status}")
        if status != 0 and world.running(reserve=3):
            world.journal.count("restart", app.app)
            world.stop.wait(RESTART_SECONDS)


def _pgbench_environment(world: World, app: str) -> dict[str, str]:
    """Only what libpq needs: nothing of the caller's environment may steer or leak into the recording."""
    return {
        "PGHOST": HOST,
        "PGPORT": str(world.cluster.port),
        "PGDATABASE": DATABASE,
        "PGUSER": ROLES[app],
        "PGAPPNAME": app,
        "PGSSLMODE": "disable",
        "PGGSSENCMODE": "disable",
        "LC_ALL": "C",
    }


def run_checkout(world: World) -> None:
    """The storefront's own probe: one order every two seconds, each on a new connection."""
    dice = random.Random(1)
    while world.running(reserve=2):
        product, quantity = dice.randint(1, 2000), dice.randint(1, 5)
        world.attempt("checkout", "place order", partial(_place_order, world, product, quantity))
        world.stop.wait(2)


def _place_order(world: World, product: int, quantity: int) -> None:
    with world.connect("checkout") as connection, connection.transaction():
        connection.execute(PLACE_ORDER, (product, quantity))
        connection.execute(ANNOUNCE, (f"product {product}",))


def run_notification_worker(world: World) -> None:
    """Empties the outbox every two seconds on a new connection; never touches the orders table."""
    while world.running(reserve=2):
        world.attempt("notification-worker", "send notifications", lambda: _drain_outbox(world))
        world.stop.wait(2)


def _drain_outbox(world: World) -> None:
    with world.connect("notification-worker") as connection:
        connection.execute(
            "DELETE FROM outbox WHERE id IN (SELECT id FROM outbox ORDER BY id LIMIT 50 FOR UPDATE SKIP LOCKED)"
        )


def run_billing_report(world: World) -> None:
    """Refreshes a dashboard every three seconds over one connection that it keeps, with no timeout of its own."""
    with world.connect("billing-report") as connection:
        while world.running(reserve=2):
            world.attempt("billing-report", "refresh daily totals", partial(_daily_totals, connection))
            world.stop.wait(3)


def _daily_totals(connection: psycopg.Connection) -> None:
    connection.execute("SELECT placed_at::date, count(*), sum(quantity) FROM orders GROUP BY 1").fetchall()
