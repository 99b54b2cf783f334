"""From settings to running parts: store, sink, recorder, tools, models, chat. The only place that names adapters."""

import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from groundtrace.recording import RecordRules
from returns import result
from returns.result import Result

from groundtrace.coverage import ExpectedSource
from groundtrace.ports import LanguageModel, StoreError
from groundtrace.problem import Problem
from groundtrace.redaction import Redactor
from groundtrace_adapters.sinks.queue_sink import QueueSink
from groundtrace_adapters.sinks.spool import Spool
from groundtrace_adapters.stores.opening import Address, Store, Technology, address_of, file_of, open_store
from groundtrace_app.chat import ChatService, Models, TurnRules
from groundtrace_app.clock import SystemClock
from groundtrace_app.recorder import ToolInvocationRecorder
from groundtrace_app.settings import Settings
from groundtrace_app.tools.answer import EvidenceTool

CLOSE_SECONDS = 10.0
KEY_BYTES = 32

_log = logging.getLogger("groundtrace")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A store with the way into it."""

    store: Store
    sink: QueueSink
    recorder: ToolInvocationRecorder
    spool_folder: Path | None

    def close(self) -> None:
        """Store or spool what is held, and let go of the store."""
        self.sink.close(deadline=CLOSE_SECONDS)
        self.store.close()


def open_trace(settings: Settings, /, *, away: bool = False) -> Result[Trace, Problem]:
    """Return the store and the recorder over it; a store that cannot be used is a Problem.

    With `away` a store that is away for now is no Problem: rows go to the spool, and secrets are marked under a key of
    this process alone.
    """
    return address_of(settings.store).bind(lambda address: _opened(settings, address, away=away)).alt(store_problem)


def store_problem(error: StoreError, /) -> Problem:
    """Return a store's refusal as a problem in one line."""
    return Problem(what=error.message, where=f"store, {error.operation}")


def open_tools(settings: Settings, /) -> Result[tuple[EvidenceTool, ...], Problem]:
    """Return the tools whose sources are set; no source at all is a Problem."""
    from groundtrace_app.tools.opening import tools_of

    tools = tools_of(settings)
    if tools:
        return result.Success(tools)
    mend = "give at least one of --knowledge, --logs, --metrics"
    return result.Failure(Problem(what="no source is set, so nothing could be looked up", where="sources", mend=mend))


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


def open_chat(settings: Settings, trace: Trace, tools: Sequence[EvidenceTool], model: LanguageModel, /) -> ChatService:
    """Return the chat over these parts."""
    return ChatService(
        models=Models(planner=model, executor=model, verifier=model),
        tools=tools,
        recorder=trace.recorder,
        sink=trace.sink,
        store=trace.store,
        expected=expected_sources(settings, tools),
        rules=turn_rules(settings),
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
    return tuple(ExpectedSource(tool_name=tool.name, source_name=places.get(tool.name, "")) for tool in tools)


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
