"""`migrate` and `doctor`: keeping a store and its sources in order."""

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from groundtrace.problem import Problem
from groundtrace.wording import one_line
from groundtrace_adapters.migrations import Migrated, Partition, migrate
from groundtrace_app.cli.checks import Check, checks_of
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.opening import Flags, settings_from, told, with_settings
from groundtrace_app.cli.printing import fail, paint, print_json, safe
from groundtrace_app.settings import Settings
from groundtrace_app.trace import store_problem


def version_words() -> str:
    """Return the version that is installed; a checkout that is run as it stands has none."""
    try:
        return f"groundtrace {version('groundtrace')}"
    except PackageNotFoundError:
        return "groundtrace, not installed"


def migrate_command(*, partition: str | None, flags: Flags, config: Path | None, as_json: bool) -> int:
    """Apply what the store's schema lacks, and cut an empty one by time if asked."""
    if partition not in (None, *Partition):
        what, mend = f"{one_line(str(partition), 40)!r} is none", f"write {', '.join(Partition)}"
        return fail(Problem(what=what, where="--partition", mend=mend))

    def run(settings: Settings) -> int:
        done = migrate(settings.store, partition=None if partition is None else Partition(partition)).alt(store_problem)
        return done.map(lambda one: _print_migrated(one, as_json=as_json)).lash(told(Exit.UNAVAILABLE)).unwrap()

    return with_settings(flags, config, run)


def doctor_command(*, flags: Flags, config: Path | None, as_json: bool) -> int:
    """Check everything that the settings name; 0 if all is in order, 1 if something needs mending."""
    checks = checks_of(settings_from(flags, config))
    if as_json:
        print_json(checks)
    else:
        _print_checks(checks)
    return Exit.DONE if all(check.good for check in checks) else Exit.SOME_REFUSED


def _print_checks(checks: Sequence[Check]) -> None:
    for check in checks:
        mark = paint("ok  ", "good") if check.good else paint("MEND", "bad")
        print(f"{mark}  {check.name}: {safe(check.found)}")
        if check.mend:
            print(f"      {safe(check.mend)}")


def _print_migrated(done: Migrated, *, as_json: bool) -> int:
    if as_json:
        print_json(done)
    elif done.applied:
        print(f"Applied {', '.join(done.applied)}; the store is at version {done.version}.")
    else:
        print(f"Nothing to do; the store is at version {done.version}.")
    if done.partition and not as_json:
        print(f"It is cut by the {done.partition}.")
    return Exit.DONE
