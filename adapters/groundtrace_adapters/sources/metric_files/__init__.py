"""Time series in files and folders: OpenMetrics, Prometheus text and CSV, each also under gzip."""

from groundtrace_adapters.sources.metric_files.source import FileMetricSource

__all__ = ["FileMetricSource"]
