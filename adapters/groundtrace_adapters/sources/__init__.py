"""Embedded sources: Markdown, log files, metric files."""
