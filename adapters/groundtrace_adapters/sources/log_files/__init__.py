"""Logs in files and folders: plain text, JSON lines and CSV, each also under gzip."""

from groundtrace_adapters.sources.log_files.source import FileLogSource

__all__ = ["FileLogSource"]
