"""`migrate` and `doctor`: keeping a store and its sources in order."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from returns import result
from returns.result import Result

from groundtrace.material import time_text
from groundtrace.problem import Problem
from groundtrace.sources import Description
from groundtrace_adapters.migrations import Migrated, SchemaStatus, migrate, status
from groundtrace_adapters.stores.opening import address_of, open_store
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.opening import settings_from
from groundtrace_app.cli.printing import fail, print_json, safe
from groundtrace_app.loop import run_now
from groundtrace_app.settings import Settings
from groundtrace_app.tools.answer import EvidenceTool
from groundtrace_app.tools.opening import tools_of
from groundtrace_app.wiring import spool_folder, store_problem

UNSEEN_TOLD = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at: whether it is in order, what was found, and how to mend it."""

    name: str
    good: bool
    found: str
    mend: str = ""


def migrate_command(*, flags: Mapping[str, object], config: Path | None, as_json: bool) -> int:
    """Apply what the store's schema lacks."""

    def run(settings: Settings) -> int:
        return (
            migrate(settings.store)
            .map(lambda done: _print_migrated(done, as_json=as_json))
            .alt(lambda error: fail(store_problem(error), Exit.UNAVAILABLE))
            .lash(_code)
            .unwrap()
        )

    return settings_from(flags, config).map(run).alt(fail).lash(_code).unwrap()


def doctor_command(*, flags: Mapping[str, object], config: Path | None, as_json: bool) -> int:
    """Check everything that the settings name; 1 if something needs mending."""
    settings = settings_from(flags, config)
    checks = settings.map(lambda read: tuple(_checks(read))).lash(_broken_settings).unwrap()
    if as_json:
        print_json(checks)
    else:
        for check in checks:
            print(f"{'ok  ' if check.good else 'MEND'}  {check.name}: {safe(check.found)}")
            if check.mend:
                print(f"      {safe(check.mend)}")
    return Exit.DONE if all(check.good for check in checks) else Exit.SOME_REFUSED


def _print_migrated(done: Migrated, *, as_json: bool) -> int:
    if as_json:
        print_json(done)
    elif done.applied:
        print(f"Applied {', '.join(done.applied)}; the store is at version {done.version}.")
    else:
        print(f"Nothing to do; the store is at version {done.version}.")
    return Exit.DONE


def _broken_settings(problem: Problem) -> Result[tuple[Check, ...], Problem]:
    return result.Success((Check(name="settings", good=False, found=problem.line()),))


def _checks(settings: Settings) -> Iterator[Check]:
    yield Check(name="settings", good=True, found="read")
    yield _schema(settings)
    yield _store(settings)
    yield _spool(settings)
    yield from _sources(settings)
    yield _patterns()


def _schema(settings: Settings) -> Check:
    return (
        status(settings.store)
        .map(_schema_found)
        .lash(lambda error: result.Success(_bad("schema", store_problem(error))))
        .unwrap()
    )


def _schema_found(found: SchemaStatus) -> Check:
    if not found.pending:
        return Check(name="schema", good=True, found=f"version {found.version}")
    mend = "run `groundtrace migrate` with the same store"
    return Check(name="schema", good=found.version == 0, found=f"lacks {', '.join(found.pending)}", mend=mend)


def _store(settings: Settings) -> Check:
    def look() -> Result[Check, object]:
        return (
            open_store(settings.store)
            .bind(lambda store: store.check().bind(lambda _: store.sessions(limit=1)).map(lambda _: store.close()))
            .map(lambda _: Check(name="store", good=True, found="answers"))
            .lash(lambda error: result.Success(_bad("store", store_problem(error))))
        )

    return look().unwrap()


def _spool(settings: Settings) -> Check:
    folder = address_of(settings.store).map(lambda address: spool_folder(settings, address)).value_or(None)
    waiting = sorted(folder.glob("rows-*.jsonl")) if folder and folder.is_dir() else []
    aside = folder / "set-aside.jsonl" if folder else None
    if aside is not None and aside.is_file():
        mend = f"look at {aside}: the store refused these lines, or they were damaged; remove the file when done"
        return Check(name="spool", good=False, found="lines were set aside", mend=mend)
    if waiting:
        size = sum(path.stat().st_size for path in waiting)
        mend = "they are stored at the next command that records"
        return Check(name="spool", good=True, found=f"{size} bytes wait in {folder}", mend=mend)
    return Check(name="spool", good=True, found="empty")


def _sources(settings: Settings) -> Iterator[Check]:
    tools = tools_of(settings)
    if not tools:
        yield Check(
            name="sources",
            good=False,
            found="none is set",
            mend="give --knowledge, --logs or --metrics, or set them in groundtrace.toml",
        )
    for tool in tools:
        yield _source(tool)


def _source(tool: EvidenceTool) -> Check:
    """Let a tool describe its source, which reads it; what could not be read is named."""
    try:
        source = run_now(tool.describe()).source
    except Exception as fault:  # noqa: BLE001 - a source that breaks is what a doctor is for
        return Check(name=tool.name, good=False, found=f"cannot be read: {fault}")
    unseen = "; ".join(source.unseen[:UNSEEN_TOLD])
    return Check(name=tool.name, good=not unseen, found=_described(source), mend=unseen)


def _described(source: Description) -> str:
    span = ""
    if source.earliest and source.latest:
        span = f" from {time_text(source.earliest)} to {time_text(source.latest)}"
    parts = (
        (len(source.titles), "entries"),
        (len(source.metrics), "metrics"),
        (len(source.entities), "fields that name entities"),
    )
    told = ", ".join(f"{number} {noun}" for number, noun in parts if number)
    return f"{source.name}: {told or 'nothing'}{span}"


def _patterns() -> Check:
    if find_spec("re2") is not None:
        return Check(name="patterns", good=True, found="regular expressions are available (RE2)")
    mend = "run `pip install 'groundtrace[logs]'` to use regular expressions in query_logs"
    return Check(name="patterns", good=True, found="literal patterns only", mend=mend)


def _bad(name: str, problem: Problem) -> Check:
    return Check(name=name, good=False, found=problem.what, mend=problem.mend)


def _code(code: int) -> Result[int, int]:
    return result.Success(code)
