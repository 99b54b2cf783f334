#!/usr/bin/env python3
"""Record a real PostgreSQL incident: a throwaway server under pgbench load, two faults, and what they left.

Makes a cluster on loopback, runs a small shop on it, lets it run out of connection slots and then pile up on a
lock, and writes server.log, clients.log, apps.jsonl, metrics.om and timeline.json. Needs psycopg and PostgreSQL 14 to
16 with pgbench; runs as root (the server then runs as `postgres` or `nobody`) or as a normal user.
"""

import argparse
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path
from types import FrameType

try:
    import psycopg
except ImportError:
    sys.exit("record.py: psycopg is missing; install it with: pip install 'psycopg[binary]'")

from recording.cluster import HOST, Cluster, RecordingError, find_binaries
from recording.drivers import World, run_billing_report, run_checkout, run_notification_worker, run_pgbench
from recording.faults import exhaust_connections, pile_up_locks
from recording.journal import Journal, Phase, Timeline, utc_text
from recording.metrics import Samples, sample_until
from recording.shop import DATABASE, PGBENCH_APPS, SCHEMA, SERVER_SETTINGS, SUPERUSER, TIMEOUTS

FULL_MINUTES = 9.0
LEAST_MINUTES, MOST_MINUTES = 2.0, 30.0
FILES = ("server.log", "clients.log", "apps.jsonl", "metrics.om", "timeline.json")


def main() -> int:
    """Parse the flags, record into a temporary folder, and move the files only when all went well."""
    options = _options()
    stop = _stop_on_signals()
    with tempfile.TemporaryDirectory(prefix="incident-") as name:
        folder = Path(name)
        try:
            record(folder, stop, minutes=options.minutes, wait_for_minute=not options.now)
            options.out.mkdir(parents=True, exist_ok=True)
            for file in FILES:
                shutil.copyfile(folder / file, options.out / file)
        except (RecordingError, psycopg.Error, OSError) as error:
            print(f"record.py: {' '.join(str(error).split())}", file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            print("record.py: stopped; nothing was written", file=sys.stderr)
            return 130
    sizes = ", ".join(f"{file} {(options.out / file).stat().st_size // 1024} KiB" for file in FILES)
    print(f"recorded into {options.out}: {sizes}")
    return 0


def _stop_on_signals() -> threading.Event:
    """An event that an interrupt sets before it is raised, so that every waiting thread lets go."""
    stop = threading.Event()

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        stop.set()
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupt)
    return stop


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Record a real PostgreSQL incident under pgbench load.")
    parser.add_argument("--minutes", type=_minutes, default=FULL_MINUTES, help="length, 2 to 30 (default: 9)")
    parser.add_argument("--out", type=Path, default=Path("incident-recording"), help="folder for the five files")
    parser.add_argument("--now", action="store_true", help="do not wait for the next whole minute to begin")
    return parser.parse_args()


def _minutes(text: str) -> float:
    try:
        minutes = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not LEAST_MINUTES <= minutes <= MOST_MINUTES:
        raise argparse.ArgumentTypeError(f"{text} is not between {LEAST_MINUTES:g} and {MOST_MINUTES:g}")
    return minutes


def record(folder: Path, stop: threading.Event, *, minutes: float, wait_for_minute: bool) -> None:
    """Record one incident into a folder; whatever happens, end everything that was started."""
    server_folder = folder / "server"
    server_folder.mkdir(mode=0o700)
    folder.chmod(0o711)  # the server's account must be able to pass through
    cluster = Cluster(find_binaries(), server_folder, superuser=SUPERUSER, settings=SERVER_SETTINGS)
    journal, timeline = Journal(folder), Timeline(stop)
    world = World(cluster=cluster, journal=journal, timeline=timeline, folder=folder, stop=stop)
    try:
        cluster.start(folder / "server.log")
        version = _set_up(cluster, speed=min(1.0, minutes / FULL_MINUTES))
        _say(f"PostgreSQL {version} is up; recording {minutes:g} minutes")
        if wait_for_minute:
            timeline.wait_until(time.time() // 60 * 60 + 60)
        _run(world, folder, minutes=minutes, version=version)
    finally:
        stop.set()
        world.end_processes()
        cluster.stop()
        journal.close()


def _set_up(cluster: Cluster, *, speed: float) -> str:
    """Make the database; `speed` shortens the apps' timeouts when the phases are short."""
    login = f"host={HOST} port={cluster.port} user={SUPERUSER} application_name=setup sslmode=disable"
    with psycopg.connect(f"{login} dbname=postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {DATABASE}".encode())
    with psycopg.connect(f"{login} dbname={DATABASE}", autocommit=True) as connection:
        connection.execute(SCHEMA.encode())
        timeouts = TIMEOUTS.format(checkout=int(20000 * speed), fulfilment=int(8000 * speed))
        connection.execute(timeouts.encode())
    with psycopg.connect(f"{login} dbname={DATABASE}", autocommit=True) as connection:  # the load has been counted
        connection.execute("VACUUM ANALYZE")
        connection.execute("CHECKPOINT")
        return connection.info.parameter_status("server_version") or "unknown"


def _run(world: World, folder: Path, *, minutes: float, version: str) -> None:
    beat = minutes * 60 / FULL_MINUTES
    world.deadline = time.time() + minutes * 60
    samples = Samples()
    with world.connect("metrics-exporter") as exporter, ThreadPoolExecutor(max_workers=16) as pool:
        try:
            jobs = [pool.submit(job) for job in _jobs(world, exporter, samples)]
            for name, share, script in _plan(world):
                _say(f"{utc_text(time.time())} {name}")
                world.timeline.run(name, share * beat, script)
                _raise_first_error(jobs)
            wait(jobs, timeout=60)
            _raise_first_error(jobs)
        finally:
            world.stop.set()
            world.end_processes()
    samples.write(folder / "metrics.om")
    world.timeline.write(folder / "timeline.json", postgresql=version)


def _jobs(world: World, exporter: psycopg.Connection, samples: Samples) -> list[Callable[[], None]]:
    """Everything that runs from the first second to the last."""
    python = [partial(run, world) for run in (run_checkout, run_notification_worker, run_billing_report)]
    for app in PGBENCH_APPS:
        (world.folder / f"{app.app}.sql").write_text(app.script, encoding="utf-8")
    pgbench = [partial(run_pgbench, world, app) for app in PGBENCH_APPS for _ in range(app.processes)]
    sampler = partial(sample_until, exporter, world.journal, samples, world.stop, world.deadline)
    return [sampler, *pgbench, *python]


def _plan(world: World) -> tuple[tuple[str, float, Callable[[Phase], None]], ...]:
    """The phases: name, minutes in a recording of nine minutes, script."""
    return (
        ("quiet", 2.0, _nothing),
        ("connection-exhaustion", 2.0, partial(exhaust_connections, world)),
        ("calm", 1.0, _nothing),
        ("lock-pile-up", 2.0, partial(pile_up_locks, world)),
        ("recovery", 2.0, _nothing),
    )


def _nothing(_: Phase) -> None:
    """A phase in which only the apps do something."""


def _raise_first_error(jobs: list[Future[None]]) -> None:
    for job in jobs:
        if job.done():
            job.result()


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
