"""What `doctor` looks at: settings, store, spool, sources and extras. It changes nothing and makes no file."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from returns import result
from returns.result import Result

from groundtrace.material import time_text
from groundtrace.ports import StoreError, Telemetry
from groundtrace.problem import Problem
from groundtrace.sources import Description
from groundtrace_adapters.migrations import SchemaStatus, status
from groundtrace_adapters.sinks.evaluation_spool import EVALUATION_FILES, SET_ASIDE, EvaluationSpool
from groundtrace_adapters.sinks.set_aside import FILE_NAME
from groundtrace_adapters.sinks.spool_segment import bytes_waiting
from groundtrace_adapters.stores.opening import Address, MonthlyUpkeep, ShardedStore, Store, Technology, file_of
from groundtrace_app.cli.printing import counted_words
from groundtrace_app.cli.store_stats import months_words
from groundtrace_app.deadline import within
from groundtrace_app.loop import run_now
from groundtrace_app.settings import Settings, TelemetryTo
from groundtrace_app.telemetry import telemetry_in
from groundtrace_app.tools.answer import EvidenceTool
from groundtrace_app.tools.opening import tools_of
from groundtrace_app.trace import SPOOLS, address_in, open_reader, spool_folder, store_problem
from groundtrace_app.wiring import open_model

UNSEEN_TOLD = 5

CLOSE_SECONDS = 1.0

_SET_ASIDE = (FILE_NAME, f"*/{FILE_NAME}", EVALUATION_FILES + SET_ASIDE)
"""Where a spool's folder, and its lanes, hold what a person must look at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at: whether it is in order, what was found, and how to mend it."""

    name: str
    good: bool
    found: str
    mend: str = ""


def checks_of(settings: Result[Settings, Problem], /) -> tuple[Check, ...]:
    """Return one check a thing; settings that cannot be used are all there is to say."""
    return settings.map(lambda read: tuple(_checks(read))).lash(lambda why: _only(_bad(why, "settings"))).unwrap()


def _checks(settings: Settings) -> Iterator[Check]:
    yield Check(name="settings", good=True, found="read")
    address = address_in(settings)
    yield address.bind(lambda read: _store(settings, read)).lash(lambda why: result.Success(_bad(why))).unwrap()
    yield from address.map(lambda read: _servers(settings, read)).value_or(())
    yield from address.map(lambda read: _spools(spool_folder(settings, read))).value_or(())
    yield _model(settings)
    yield from _telemetry(settings)
    yield from _sources(settings)
    yield _patterns()


def _store(settings: Settings, address: Address) -> Result[Check, Problem]:
    if address.technology is Technology.MEMORY:
        return result.Success(Check(name="store", good=True, found="in memory: it ends with its command"))
    if address.technology is Technology.SQLITE and not file_of(address).exists():
        return result.Success(_not_there(file_of(address)))
    found = status(settings.store).alt(store_problem)
    return found.bind(lambda schema: _pending(schema) if schema.pending else _answers(settings, schema))


def _not_there(file: Path) -> Check:
    if not file.parent.is_dir():
        mend = "make the folder, or name another store"
        return Check(name="store", good=False, found=f"there is no folder {file.parent} for {file.name}", mend=mend)
    if not os.access(file.parent, os.W_OK):
        mend = "grant the right to write there, or name another store"
        return Check(
            name="store", good=False, found=f"{file.parent} cannot be written, so {file.name} cannot be made", mend=mend
        )
    return Check(name="store", good=True, found=f"{file} is not there yet; the first call that is recorded makes it")


def _pending(found: SchemaStatus) -> Result[Check, Problem]:
    lacks = f"version {found.version}, and lacks {', '.join(found.pending)}"
    mend = "run `groundtrace migrate` with the same store"
    return result.Success(Check(name="store", good=False, found=lacks, mend=mend))


def _answers(settings: Settings, found: SchemaStatus) -> Result[Check, Problem]:
    def read(store: Store) -> Result[Check, Problem]:
        # Of a store on several servers each is looked at by itself.
        told = store.check() if isinstance(store, ShardedStore) else store.sessions(limit=1).map(lambda _: None)
        answer = told.bind(lambda _: _cut(store)).alt(store_problem)
        store.close()
        return answer.map(
            lambda cut: Check(name="store", good=True, found=f"answers, schema version {found.version}{cut}")
        )

    return open_reader(settings).bind(read)


def _cut(store: Store) -> Result[str, StoreError]:
    """Tell into which months a store is cut."""
    upkeep = store.upkeep()
    if not isinstance(upkeep, MonthlyUpkeep):
        return result.Success("")
    return upkeep.months().map(lambda months: f", months {months_words(months)}" if months else "")


def _servers(settings: Settings, address: Address) -> Iterator[Check]:
    """Look at each server of a store on several; where their entry does not answer, that was said of the store."""
    if address.technology is not Technology.SHARDED:
        return
    store = open_reader(settings).value_or(None)
    if not isinstance(store, ShardedStore):
        return
    servers = store.servers().value_or(())
    store.close()
    for server in servers:
        found, _, mend = (server.away or "answers").partition("; ")
        yield Check(name=server.name, good=server.away is None, found=found, mend=mend)


def _spools(folder: Path | None) -> Iterator[Check]:
    """Look at the store's spool, and tell of rows that wait beside it, for an address that was written otherwise."""
    yield _spool(folder)
    if folder is None or folder.parent != SPOOLS:
        return
    for other in sorted(path for path in SPOOLS.glob("*/") if path != folder):
        if bytes_waiting(other) or EvaluationSpool(other).waiting():
            mend = "record once with the store that it is for, by the address that it had then"
            yield Check(name="spool", good=False, found=f"rows for another address wait in {other}", mend=mend)


def _spool(folder: Path | None) -> Check:
    if folder is None:
        return Check(name="spool", good=True, found="none: rows that the store does not take wait in memory")
    aside = next((file for pattern in _SET_ASIDE for file in folder.glob(pattern)), None)
    if aside is not None:
        mend = f"look at {aside}: the store refused what is in it, or it was damaged; move the file away when done"
        return Check(name="spool", good=False, found="something was set aside", mend=mend)
    waiting, evaluations = bytes_waiting(folder), EvaluationSpool(folder).waiting()
    if waiting or evaluations:
        calls = counted_words(waiting, "byte", "bytes")
        found = f"in {folder} wait {calls} of calls and {counted_words(evaluations, 'evaluation', 'evaluations')}"
        return Check(name="spool", good=True, found=found, mend="the next command that records stores them")
    return Check(name="spool", good=True, found=f"nothing waits in {folder}")


def _model(settings: Settings) -> Check:
    good = Check(name="model", good=True, found=settings.model)
    return open_model(settings).map(lambda _: good).lash(lambda why: result.Success(_bad(why, "model"))).unwrap()


def _telemetry(settings: Settings) -> Iterator[Check]:
    if settings.telemetry is TelemetryTo.OFF:
        return
    good = Check(name="telemetry", good=True, found=f"{settings.telemetry}: set up; its receiver is not asked")
    yield (
        telemetry_in(settings)
        .map(_closed)
        .map(lambda _: good)
        .lash(lambda why: result.Success(_bad(why, "telemetry")))
        .unwrap()
    )


def _closed(telemetry: Telemetry | None) -> None:
    if telemetry is not None:
        telemetry.close(deadline=CLOSE_SECONDS)


def _sources(settings: Settings) -> Iterator[Check]:
    tools = tools_of(settings)
    if not tools:
        mend = "give --knowledge, --logs or --metrics, or set them in groundtrace.toml"
        yield Check(name="sources", good=False, found="none is set", mend=mend)
    for tool in tools:
        yield _source(tool, settings.tool_seconds)


def _source(tool: EvidenceTool, seconds: float) -> Check:
    """Let a tool describe its source, which reads it; what could not be read is named."""
    try:
        source = run_now(within(tool.describe(), seconds)).source
    except TimeoutError:
        mend = "name plain files or folders; raise tool_seconds if they are only large"
        return Check(name=tool.name, good=False, found=f"did not answer within {seconds:g} s", mend=mend)
    except Exception as fault:  # noqa: BLE001 - a source that breaks is what a doctor is for
        mend = "look at its files"
        return Check(name=tool.name, good=False, found=f"cannot be read ({type(fault).__name__})", mend=mend)
    return Check(name=tool.name, good=not source.unseen, found=_described(source), mend=_mend(source))


def _mend(source: Description) -> str:
    told = source.unseen[:UNSEEN_TOLD]
    more = len(source.unseen) - len(told)
    return "; ".join((*told, f"and {more} more") if more > 0 else told)


def _described(source: Description) -> str:
    span = ""
    if source.earliest and source.latest:
        span = f" from {time_text(source.earliest)} to {time_text(source.latest)}"
    parts = (
        (len(source.titles), "entry", "entries"),
        (len(source.metrics), "metric", "metrics"),
        (len(source.entities), "field that names entities", "fields that name entities"),
    )
    counted = ", ".join(counted_words(*part) for part in parts if part[0])
    return f"{counted or ('times' if span else 'nothing was found there')}{span}"


def _patterns() -> Check:
    if find_spec("re2") is not None:
        return Check(name="patterns", good=True, found="regular expressions are available (RE2)")
    mend = "run `pip install 'groundtrace[logs]'` to use regular expressions in query_logs"
    return Check(name="patterns", good=True, found="literal patterns only", mend=mend)


def _bad(problem: Problem, name: str = "store", /) -> Check:
    """Return a problem as a check: a store's own words end in what mends it."""
    what, _, mend = problem.what.partition("; ")
    place = "" if problem.where in {"", name} else f"{problem.where}: "
    return Check(name=name, good=False, found=f"{place}{what}", mend=problem.mend or mend)


def _only(check: Check) -> Result[tuple[Check, ...], Problem]:
    return result.Success((check,))
