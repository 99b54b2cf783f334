"""A session's summary from one narrow look at its rows, where each statement is a long way: the facts, and no texts."""

from types import MappingProxyType

from groundtrace.outcomes import OutcomeKind, Support
from groundtrace.summary import Fact, Key, Summary
from groundtrace_adapters.stores.answer_rows import Answer
from groundtrace_adapters.stores.plain_values import as_flag, as_integer, as_text, as_time

READ_FACTS = """SELECT session_id, tool_name, topic_domain, started_at, seq, id, outcome, partial, input_fingerprint,
    error_message, support FROM tool_invocation WHERE session_id = %(session)s"""
"""Reads what a summary keeps of each row, and nothing else. Parameter: `session`."""

_OUTCOMES = frozenset(OutcomeKind)
_SUPPORTS = frozenset((None, *Support))


def summary_from(answer: Answer, /) -> Summary | None:
    """Return the summary of the rows that `READ_FACTS` tells, None if one of them is not in our own words."""
    facts: dict[Key, Fact] = {}
    for session_id, tool, topic, started_at, seq, id, outcome, partial, fingerprint, error, support in answer:
        if outcome not in _OUTCOMES or support not in _SUPPORTS or fingerprint is None:
            return None
        facts[as_text(session_id), as_text(id)] = (
            as_text(tool),
            as_text(topic),
            as_time(started_at),
            as_integer(seq),
            as_text(id),
            as_text(outcome),
            as_flag(partial),
            as_text(fingerprint),
            _text_or_none(error),
            None,
            _text_or_none(support),
        )
    return Summary(facts=MappingProxyType(facts))


def _text_or_none(value: object) -> str | None:
    return None if value is None else as_text(value)
