"""From settings to running parts: tools, models, chat. The store and the way into it are `trace`."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from returns import result
from returns.result import Result

from groundtrace.coverage import ExpectedSource
from groundtrace.invocation import Invocation
from groundtrace.next_steps import NO_OPTIONS, Options
from groundtrace.ports import LanguageModel
from groundtrace.problem import Problem
from groundtrace_app.chat import ChatService, Models, TurnRules
from groundtrace_app.settings import Settings
from groundtrace_app.tools.answer import EvidenceTool
from groundtrace_app.trace import Trace, open_reader
from groundtrace_app.trace_summary import EARLIER_ROWS, read_rows

FIRST_LOOKS: Mapping[str, Mapping[str, object]] = {
    "lookup_knowledge": {"query": "incident diagnosis and mitigation"},
    "query_logs": {"order": "newest", "limit": 20},
    "query_metrics": {"selector": '{__name__=~".+"}'},
}
"""What a person may ask a source first that was never asked."""


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
        later=trace.keep_evaluation,
        telemetry=trace.telemetry,
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


def _scripted(place: Path) -> Result[LanguageModel, Problem]:
    from groundtrace_adapters.models.rules import RulesModel
    from groundtrace_adapters.models.script import ScriptModel, read_script

    return read_script(place).map(lambda script: ScriptModel(script, otherwise=RulesModel()))
