"""Rows as a role is shown them: those of the conformance kit."""

from groundtrace_adapters.conformance.shown_rows import (
    ASKED_AT,
    DAY,
    at,
    entry,
    knowledge_shown,
    logs_shown,
    passage,
    series,
    series_shown,
    shown,
    to_verify,
)

__all__ = [
    "ASKED_AT",
    "DAY",
    "at",
    "entry",
    "knowledge_shown",
    "logs_shown",
    "passage",
    "series",
    "series_shown",
    "shown",
    "to_verify",
]
