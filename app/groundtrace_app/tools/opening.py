"""From settings to the three tools: one for each kind of source that is set."""

from collections.abc import Iterator
from pathlib import Path

from groundtrace_app.settings import Settings
from groundtrace_app.tools.answer import EvidenceTool


def tools_of(settings: Settings, /) -> tuple[EvidenceTool, ...]:
    """Return the tools over the sources that are set, knowledge first; a source is read when it is first asked."""
    return tuple(_tools(settings))


def _tools(settings: Settings) -> Iterator[EvidenceTool]:
    if settings.knowledge:
        from groundtrace_adapters.sources.markdown import MarkdownKnowledgeSource

        from groundtrace_app.tools.lookup_knowledge import LookupKnowledgeTool

        yield LookupKnowledgeTool(MarkdownKnowledgeSource(Path(settings.knowledge)))
    if settings.logs:
        from groundtrace_adapters.sources.log_files import FileLogSource
        from groundtrace_app.tools.query_logs import QueryLogsTool

        yield QueryLogsTool(FileLogSource([Path(path) for path in settings.logs]))
    if settings.metrics:
        from groundtrace_adapters.sources.metric_files import FileMetricSource
        from groundtrace_app.tools.query_metrics import QueryMetricsTool

        yield QueryMetricsTool(FileMetricSource([Path(path) for path in settings.metrics]))
