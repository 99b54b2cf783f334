"""The names that spans, events and metrics carry: those of the GenAI conventions as literals of ours, and our own.

The conventions are in development and their constants have moved between packages before; a name here changes with a
release of ours and with nothing else.
"""

SCOPE = "groundtrace"

OPERATION = "gen_ai.operation.name"
EXECUTE_TOOL = "execute_tool"
TOOL = "gen_ai.tool.name"
CONVERSATION = "gen_ai.conversation.id"
ARGUMENTS = "gen_ai.tool.call.arguments"
RESULT = "gen_ai.tool.call.result"
ERROR_TYPE = "error.type"

EVALUATION_EVENT = "gen_ai.evaluation.result"
EVALUATION_NAME = "gen_ai.evaluation.name"
SCORE_LABEL = "gen_ai.evaluation.score.label"
EXPLANATION = "gen_ai.evaluation.explanation"

DURATION = "gen_ai.execute_tool.duration"
DURATION_BUCKETS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
"""The buckets that the conventions name, in seconds."""

INVOCATION = "groundtrace.invocation.id"
TURN = "groundtrace.turn.id"
OUTCOME = "groundtrace.outcome"
REASON = "groundtrace.reason"
LEVEL = "groundtrace.evidence.level"
BASIS = "groundtrace.basis"
PARTIAL = "groundtrace.partial"
TOPIC = "groundtrace.topic_domain"
FAILURE_MESSAGE = "groundtrace.failure.message"
OUTPUT_STATE = "groundtrace.output.state"
OUTPUT_BYTES = "groundtrace.output.bytes"
RETRIEVAL_LAYER = "groundtrace.retrieval.layer"
RELEVANCE = "groundtrace.retrieval.relevance"
CONSIDERED = "groundtrace.retrieval.l0_count"
DELIVERED = "groundtrace.retrieval.l1_count"

EVALUATION = "groundtrace.evaluation.id"
CAUSE = "groundtrace.cause"
FALLBACK = "groundtrace.fallback"
WITHHELD = "groundtrace.withheld"
CITED = "groundtrace.cited"
VERIFIER = "groundtrace.verifier.model"
VERIFIER_MS = "groundtrace.verifier.duration_ms"
DECISION = "groundtrace.decision"

CALLS = "groundtrace.tool.calls"
REPEATS = "groundtrace.tool.repeats"
QUIET = "groundtrace.tool.quiet"
DECISIONS = "groundtrace.decisions"

OTHER = "_OTHER"
"""Stands for each name beyond the bound, as the conventions write it."""
