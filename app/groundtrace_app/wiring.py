"""From settings to running parts: store, sink, recorder, tools, models, chat. The only place that names adapters."""

import logging
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from returns import result
from returns.result import Result

from groundtrace.coverage import ExpectedSource
from groundtrace.invocation import Invocation
from groundtrace.next_steps import NO_OPTIONS, Options
from groundtrace.ports import LanguageModel, StoreError
from groundtrace.problem import Problem
from groundtrace.recording import RecordRules
from groundtrace.redaction import Redactor
from groundtrace_adapters.sinks.queue_sink import QueueSink
from groundtrace_adapters.sinks.spool import Spool
from groundtrace_adapters.sinks.spool_segment import PATTERN, bytes_at
from groundtrace_adapters.stores.opening import Address, Store, Technology, address_of, file_of, open_store
from groundtrace_adapters.stores.sqlite import SqliteStore
from groundtrace_app.chat import ChatService, Models, TurnRules
from groundtrace_app.clock import SystemClock
from groundtrace_app.recorder import ToolInvocationRecorder
from groundtrace_app.settings import Settings
from groundtrace_app.tools.answer import EvidenceTool
from groundtrace_app.trace_summary import EARLIER_ROWS, read_rows

CLOSE_SECONDS = 10.0
KEY_BYTES = 32
STALL_SECONDS = 1.0
LOOK_SECONDS = 0.02

FIRST_LOOKS: Mapping[str, Mapping[str, object]] = {
    "lookup_knowledge": {"query": "incident diagnosis and mitigation"},
    "query_logs": {"order": "newest", "limit": 20},
    "query_metrics": {"selector": '{__name__=~".+"}'},
}
"""What a person may ask a source first that was never asked."""

_log = logging.getLogger("groundtrace")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A store with the way into it."""

    store: Store
    sink: QueueSink
    recorder: ToolInvocationRecorder
    spool_folder: Path | None

    def replay(self) -> int:
        """Wait while rows that were spooled before are stored, and return how many bytes still wait.

        Ends once nothing more is stored for a second: the store is away, or another process holds the rest.
        """
        waiting, since = self._waiting(), time.monotonic()
        while waiting and time.monotonic() - since < STALL_SECONDS:
            time.sleep(LOOK_SECONDS)
            if (now := self._waiting()) != waiting:
                waiting, since = now, time.monotonic()
        return waiting

    def _waiting(self) -> int:
        return 0 if self.spool_folder is None else sum(map(bytes_at, self.spool_folder.glob(PATTERN)))

    def close(self) -> None:
        """Store or spool what is held, and let go of the store."""
        self.sink.close(deadline=CLOSE_SECONDS)
        self.store.close()


def open_trace(settings: Settings, /, *, away: bool = False) -> Result[Trace, Problem]:
    """Return the store and the recorder over it; a store that cannot be used is a Problem.

    With `away` a store that is away for now is no Problem: rows go to the spool, and secrets are marked under a key of
    this process alone.
    """
    return address_in(settings).bind(lambda address: _opened(settings, address, away=away).alt(store_problem))


def open_reader(settings: Settings, /) -> Result[Store, Problem]:
    """Return the store opened for reading: nothing is made or changed, and a file that is not there is a Problem."""
    return address_in(settings).bind(lambda address: _reader(settings, address))


def address_in(settings: Settings, /) -> Result[Address, Problem]:
    """Return where the store is; an address that means nothing, and a folder, are Problems of what was written."""
    return address_of(settings.store).alt(store_problem).bind(_no_folder)


def _no_folder(address: Address) -> Result[Address, Problem]:
    if address.technology is Technology.SQLITE and file_of(address).is_dir():
        what = f"{file_of(address)} is a folder"
        return result.Failure(Problem(what=what, where="store", mend="name a file in it"))
    return result.Success(address)


def _reader(settings: Settings, address: Address) -> Result[Store, Problem]:
    match address.technology:
        case Technology.MEMORY:
            mend = "name the file or server that the calls were recorded in"
            return result.Failure(Problem(what="`memory:` ends with its command", where="store", mend=mend))
        case Technology.SQLITE:
            file = file_of(address)
            if file.exists():
                return result.Success(SqliteStore(file, read_only=True))
            mend = "name it with --store; `groundtrace ask`, `call` and `record` make it"
            return result.Failure(Problem(what=f"there is no file {file}", where="store", mend=mend))
        case Technology.POSTGRES:
            return open_store(settings.store).alt(store_problem)


def store_problem(error: StoreError, /) -> Problem:
    """Return a store's refusal as a problem in one line."""
    return Problem(what=error.message, where="store")


def open_tools(settings: Settings, /) -> Result[tuple[EvidenceTool, ...], Problem]:
    """Return the tools whose sources are set; no source at all is a Problem."""
    from groundtrace_app.tools.opening import tools_of

    tools = tools_of(settings, history=lambda session: _history(settings, session))
    if tools:
        return result.Success(tools)
    mend = "give at least one of --knowledge, --logs, --metrics"
    return result.Failure(Problem(what="no source is set, so nothing could be looked up", where="sources", mend=mend))


def _history(settings: Settings, session: str) -> tuple[Invocation, ...]:
    """Return what earlier commands recorded in a session; nothing where there is no store yet, or none that answers."""
    store = open_reader(settings).value_or(None)
    if store is None:
        return ()
    try:
        return read_rows(store, session, most=EARLIER_ROWS).value_or(())
    finally:
        store.close()


def open_model(settings: Settings, /) -> Result[LanguageModel, Problem]:
    """Return the model that plays all three roles: `rules`, or `script:FILE` with the rules for unscripted roles."""
    from groundtrace_adapters.models.rules import RulesModel

    if settings.model == "rules":
        return result.Success(RulesModel())
    name, _, place = settings.model.partition(":")
    if name == "script" and place:
        return _scripted(Path(place))
    mend = "write rules or script:FILE"
    return result.Failure(Problem(what=f"unknown model {settings.model!r}", where="setting model", mend=mend))


def open_chat(
    settings: Settings,
    trace: Trace,
    tools: Sequence[EvidenceTool],
    model: LanguageModel,
    /,
    *,
    options: Options = NO_OPTIONS,
) -> ChatService:
    """Return the chat over these parts; `options` are by tool what the commands that it names need besides."""
    return ChatService(
        models=Models(planner=model, executor=model, verifier=model),
        tools=tools,
        recorder=trace.recorder,
        sink=trace.sink,
        store=trace.store,
        expected=expected_sources(settings, tools),
        rules=turn_rules(settings),
        options=options,
    )


def turn_rules(settings: Settings, /) -> TurnRules:
    """Return the rules of a turn that the settings ask for."""
    return TurnRules(
        tool_seconds=settings.tool_seconds,
        verifier_seconds=settings.verifier_seconds,
        turn_seconds=settings.turn_seconds,
        flush_seconds=settings.flush_seconds,
        max_steps=settings.max_steps,
        max_calls=settings.max_calls,
        verifier_retries=settings.verifier_retries,
        pass_needs=settings.pass_needs,
        show_unverified=settings.show_unverified,
    )


def expected_sources(settings: Settings, tools: Sequence[EvidenceTool], /) -> tuple[ExpectedSource, ...]:
    """Return one expected source a tool, named by what is set for it."""
    places = {
        "lookup_knowledge": settings.knowledge or "",
        "query_logs": ", ".join(settings.logs),
        "query_metrics": ", ".join(settings.metrics),
    }
    return tuple(
        ExpectedSource(
            tool_name=tool.name,
            source_name=places.get(tool.name, ""),
            first_look=FIRST_LOOKS.get(tool.name, {}),
        )
        for tool in tools
    )


def _opened(settings: Settings, address: Address, *, away: bool) -> Result[Trace, StoreError]:
    return open_store(settings.store).bind(
        lambda store: (
            store.redaction_key()
            .lash(lambda error: _key_of_this_process(error) if away and error.retryable else result.Failure(error))
            .map(lambda key: _trace(store, key, spool_folder(settings, address)))
        )
    )


def _key_of_this_process(error: StoreError) -> Result[bytes, StoreError]:
    _log.warning("the store is away (%s): secrets are marked under a key of this process alone", error.fault)
    return result.Success(secrets.token_bytes(KEY_BYTES))


def _trace(store: Store, key: bytes, folder: Path | None) -> Trace:
    sink = QueueSink(store, spool=Spool(folder) if folder else None)
    recorder = ToolInvocationRecorder(sink, rules=RecordRules(redactor=Redactor(key)), clock=SystemClock())
    return Trace(store=store, sink=sink, recorder=recorder, spool_folder=folder)


def spool_folder(settings: Settings, address: Address, /) -> Path | None:
    """Return where rows wait for a store that is away: as set, beside a file store, none for memory."""
    if settings.spool:
        return Path(settings.spool).expanduser()
    match address.technology:
        case Technology.MEMORY:
            return None
        case Technology.SQLITE:
            file = file_of(address)
            return file.with_name(file.name + ".spool")
        case Technology.POSTGRES:
            return Path("groundtrace.spool")


def _scripted(place: Path) -> Result[LanguageModel, Problem]:
    from groundtrace_adapters.models.rules import RulesModel
    from groundtrace_adapters.models.script import ScriptModel, read_script

    return read_script(place).map(lambda script: ScriptModel(script, otherwise=RulesModel()))
