"""Logs in files and folders: plain text, JSON lines and CSV, each also under gzip; `source` holds the source."""
