"""What every EvaluationStore and KeyKeeper does (DESIGN section 8): give `case`, get all of it."""

from groundtrace_adapters.conformance.evaluations import (
    Evaluations,
    LastingEvaluations,
    LastingRedactionKey,
    RedactionKey,
)


class EvaluationStoreSuite(Evaluations, RedactionKey):
    """For every store of evaluations that keeps the redaction key too."""


class LastingEvaluationStoreSuite(LastingEvaluations, LastingRedactionKey):
    """For one that outlives its process besides."""
