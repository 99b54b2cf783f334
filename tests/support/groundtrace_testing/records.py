"""Rows and evaluations for tests: those of the conformance kit."""

from groundtrace_adapters.conformance.records import (
    NOON,
    STORABLE,
    a_failure,
    a_knowledge_row,
    a_row,
    an_evaluation,
    summed_rows,
)

__all__ = ["NOON", "STORABLE", "a_failure", "a_knowledge_row", "a_row", "an_evaluation", "summed_rows"]
