"""From settings to the three tools: one for each kind of source that is set."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from groundtrace.invocation import Invocation
from groundtrace_app.settings import Settings
from groundtrace_app.tools.answer import EvidenceTool

History: TypeAlias = Callable[[str], Sequence[Invocation]]


def tools_of(settings: Settings, /, *, history: History | None = None) -> tuple[EvidenceTool, ...]:
    """Return the tools over the sources that are set, knowledge first; a source is read when it is first asked.

    `history` gives the rows of a session from earlier processes, so that a lookup is not delivered twice; it may block.
    """
    return tuple(_tools(settings, history))


def _tools(settings: Settings, history: History | None) -> Iterator[EvidenceTool]:
    if settings.knowledge:
        from groundtrace_adapters.sources.markdown import MarkdownKnowledgeSource
        from groundtrace_app.tools.lookup_knowledge import LookupKnowledgeTool

        yield LookupKnowledgeTool(MarkdownKnowledgeSource(Path(settings.knowledge)), history=history)
    if settings.logs:
        yield _logs(settings)
    if settings.metrics:
        from groundtrace_adapters.sources.metric_files import FileMetricSource
        from groundtrace_app.tools.query_metrics import QueryMetricsTool

        yield QueryMetricsTool(FileMetricSource([Path(path) for path in settings.metrics]))


def _logs(settings: Settings) -> EvidenceTool:
    from groundtrace_adapters.sources.log_files.formats import LogFormat
    from groundtrace_adapters.sources.log_files.source import FileLogSource
    from groundtrace_app.tools.query_logs import QueryLogsTool

    time_field, text_field = settings.log_time_field, settings.log_text_field
    given = None
    if settings.log_format is not None:
        given = LogFormat(kind=settings.log_format, time_field=time_field, text_field=text_field)
    return QueryLogsTool(FileLogSource([Path(path) for path in settings.logs], log_format=given))
