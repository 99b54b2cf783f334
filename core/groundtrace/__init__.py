"""groundtrace: what an agent's tools really returned, and how far an answer may go on it.

The public API. Nothing is loaded until a name is first used, so that an import costs next to nothing; a name that is
not here is not promised. `docs/embedding.md` shows it at work.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundtrace import outcomes
    from groundtrace.classify import Classifier, classify_output
    from groundtrace.coverage import Covered, CoverState, ExpectedSource, coverage_of
    from groundtrace.decision import Decision, PassNeeds, cause_of_failure, ceiling, decide, fallback, not_stored
    from groundtrace.dedup import EarlierCall, Repeat, Run, decide_repeat, dedup_key, document_key, split_seen
    from groundtrace.disclosure import must_hide, public_view
    from groundtrace.entries import EvidenceEntry, EvidenceLevel, SummaryScope
    from groundtrace.evaluation import Evaluation
    from groundtrace.explanation import explain
    from groundtrace.invocation import Invocation, OutputState, ToolCall, row_order
    from groundtrace.json_text import JsonValue
    from groundtrace.judging import Judged, evaluate, redecide
    from groundtrace.next_steps import NextStep, suggest_steps
    from groundtrace.outcomes import (
        Basis,
        DedupReason,
        FailureKind,
        NoEvidenceReason,
        Outcome,
        OutcomeKind,
        Output,
        Support,
        deduped_from,
        failure_because,
        failure_from,
        kind_of,
    )
    from groundtrace.pending_row import PendingRow, pending, pending_retrieval
    from groundtrace.plan import PlannedCall, parse_plan
    from groundtrace.ports import (
        Acknowledgement,
        EvaluationStore,
        Fate,
        Flushed,
        InvocationStore,
        KeyKeeper,
        KnowledgeSource,
        LanguageModel,
        LogSource,
        MetricSource,
        Place,
        Receipt,
        RowSink,
        SessionLine,
        StoreError,
        StoreFault,
        StoreUpkeep,
        Telemetry,
    )
    from groundtrace.preview import whole_redacted
    from groundtrace.problem import Problem
    from groundtrace.prompt import Prompt, verifier_prompt, verify_request
    from groundtrace.reading import classify_foreign, outcome_of, row_digest
    from groundtrace.record_input import RecordInput, parse_record, record_schema
    from groundtrace.recording import RecordRules, duration_from, milliseconds_from, record, record_retrieval
    from groundtrace.redaction import Redactor
    from groundtrace.relevance import (
        CUT_OFFS,
        FLOOR,
        deliver,
        deliver_fetched,
        recount,
        relevance_of,
        retrieval_outcome,
    )
    from groundtrace.reply import (
        Citation,
        Reply,
        ShowUnverified,
        answer_withheld,
        shape,
        shape_low,
        shape_pass,
        shape_reject,
    )
    from groundtrace.retrieval import Hit, Layer, Mode, Relevance, Retrieval
    from groundtrace.role_prompts import draft_prompt, planner_prompt
    from groundtrace.roles import (
        DraftRequest,
        ModelError,
        ModelReply,
        ModelRequest,
        PlanRequest,
        RowState,
        Shown,
        ToolSpec,
        VerifyRequest,
    )
    from groundtrace.row_ids import imported_id
    from groundtrace.row_json import row_from_json, row_to_json
    from groundtrace.shapes.known import KNOWN_SHAPES
    from groundtrace.shapes.registry import Shapes
    from groundtrace.shapes.shape import Inner, Shape, Told
    from groundtrace.showing import label_rows
    from groundtrace.sources import (
        Aggregate,
        Description,
        KnowledgeAnswer,
        KnowledgeQuery,
        LogAnswer,
        LogEntry,
        LogQuery,
        MetricAnswer,
        MetricQuery,
        Passage,
        Series,
        SourceError,
    )
    from groundtrace.summary import EMPTY, Summary, SummaryBuilder, describe_entry, entries_of, merge, summarize
    from groundtrace.topics import TopicPolicy, topic_domain
    from groundtrace.upkeep import Certainty, Count, DataServer, Month, Page, Pruned, RecordKey, Selection, StoreStats
    from groundtrace.verdict import Cause, ParsedVerdict, UnusableReply, Verdict
    from groundtrace.verdict_parser import parse_verdict

__all__ = [
    "CUT_OFFS",
    "EMPTY",
    "FLOOR",
    "KNOWN_SHAPES",
    "Acknowledgement",
    "Aggregate",
    "Basis",
    "Cause",
    "Certainty",
    "Citation",
    "Classifier",
    "Count",
    "CoverState",
    "Covered",
    "DataServer",
    "Decision",
    "DedupReason",
    "Description",
    "DraftRequest",
    "EarlierCall",
    "Evaluation",
    "EvaluationStore",
    "EvidenceEntry",
    "EvidenceLevel",
    "ExpectedSource",
    "FailureKind",
    "Fate",
    "Flushed",
    "Hit",
    "Inner",
    "Invocation",
    "InvocationStore",
    "JsonValue",
    "Judged",
    "KeyKeeper",
    "KnowledgeAnswer",
    "KnowledgeQuery",
    "KnowledgeSource",
    "LanguageModel",
    "Layer",
    "LogAnswer",
    "LogEntry",
    "LogQuery",
    "LogSource",
    "MetricAnswer",
    "MetricQuery",
    "MetricSource",
    "Mode",
    "ModelError",
    "ModelReply",
    "ModelRequest",
    "Month",
    "NextStep",
    "NoEvidenceReason",
    "Outcome",
    "OutcomeKind",
    "Output",
    "OutputState",
    "Page",
    "ParsedVerdict",
    "PassNeeds",
    "Passage",
    "PendingRow",
    "Place",
    "PlanRequest",
    "PlannedCall",
    "Problem",
    "Prompt",
    "Pruned",
    "Receipt",
    "RecordInput",
    "RecordKey",
    "RecordRules",
    "Redactor",
    "Relevance",
    "Repeat",
    "Reply",
    "Retrieval",
    "RowSink",
    "RowState",
    "Run",
    "Selection",
    "Series",
    "SessionLine",
    "Shape",
    "Shapes",
    "ShowUnverified",
    "Shown",
    "SourceError",
    "StoreError",
    "StoreFault",
    "StoreStats",
    "StoreUpkeep",
    "Summary",
    "SummaryBuilder",
    "SummaryScope",
    "Support",
    "Telemetry",
    "Told",
    "ToolCall",
    "ToolSpec",
    "TopicPolicy",
    "UnusableReply",
    "Verdict",
    "VerifyRequest",
    "answer_withheld",
    "cause_of_failure",
    "ceiling",
    "classify_foreign",
    "classify_output",
    "coverage_of",
    "decide",
    "decide_repeat",
    "dedup_key",
    "deduped_from",
    "deliver",
    "deliver_fetched",
    "describe_entry",
    "document_key",
    "draft_prompt",
    "duration_from",
    "entries_of",
    "evaluate",
    "explain",
    "failure_because",
    "failure_from",
    "fallback",
    "imported_id",
    "kind_of",
    "label_rows",
    "merge",
    "milliseconds_from",
    "must_hide",
    "not_stored",
    "outcome_of",
    "outcomes",
    "parse_plan",
    "parse_record",
    "parse_verdict",
    "pending",
    "pending_retrieval",
    "planner_prompt",
    "public_view",
    "record",
    "record_retrieval",
    "record_schema",
    "recount",
    "redecide",
    "relevance_of",
    "retrieval_outcome",
    "row_digest",
    "row_from_json",
    "row_order",
    "row_to_json",
    "shape",
    "shape_low",
    "shape_pass",
    "shape_reject",
    "split_seen",
    "suggest_steps",
    "summarize",
    "topic_domain",
    "verifier_prompt",
    "verify_request",
    "whole_redacted",
]

_NAMES_BY_MODULE = {
    "classify": "Classifier classify_output",
    "coverage": "Covered CoverState ExpectedSource coverage_of",
    "decision": "Decision PassNeeds cause_of_failure ceiling decide fallback not_stored",
    "dedup": "EarlierCall Repeat Run decide_repeat dedup_key document_key split_seen",
    "disclosure": "must_hide public_view",
    "entries": "EvidenceEntry EvidenceLevel SummaryScope",
    "evaluation": "Evaluation",
    "explanation": "explain",
    "invocation": "Invocation OutputState ToolCall row_order",
    "json_text": "JsonValue",
    "judging": "Judged evaluate redecide",
    "next_steps": "NextStep suggest_steps",
    "outcomes": (
        "outcomes Basis DedupReason FailureKind NoEvidenceReason Outcome OutcomeKind Output Support "
        "deduped_from failure_because failure_from kind_of"
    ),
    "pending_row": "PendingRow pending pending_retrieval",
    "plan": "PlannedCall parse_plan",
    "ports": (
        "Acknowledgement EvaluationStore Fate Flushed InvocationStore KeyKeeper KnowledgeSource LanguageModel "
        "LogSource MetricSource Place Receipt RowSink SessionLine StoreError StoreFault StoreUpkeep "
        "Telemetry"
    ),
    "preview": "whole_redacted",
    "problem": "Problem",
    "prompt": "Prompt verifier_prompt verify_request",
    "reading": "classify_foreign outcome_of row_digest",
    "record_input": "RecordInput parse_record record_schema",
    "recording": "RecordRules duration_from milliseconds_from record record_retrieval",
    "redaction": "Redactor",
    "relevance": "CUT_OFFS FLOOR deliver deliver_fetched recount relevance_of retrieval_outcome",
    "reply": "Citation Reply ShowUnverified answer_withheld shape shape_low shape_pass shape_reject",
    "retrieval": "Hit Layer Mode Relevance Retrieval",
    "role_prompts": "draft_prompt planner_prompt",
    "roles": ("DraftRequest ModelError ModelReply ModelRequest PlanRequest RowState Shown ToolSpec VerifyRequest"),
    "row_ids": "imported_id",
    "row_json": "row_from_json row_to_json",
    "shapes.known": "KNOWN_SHAPES",
    "shapes.registry": "Shapes",
    "shapes.shape": "Inner Shape Told",
    "showing": "label_rows",
    "sources": (
        "Aggregate Description KnowledgeAnswer KnowledgeQuery LogAnswer LogEntry LogQuery MetricAnswer "
        "MetricQuery Passage Series SourceError"
    ),
    "summary": "EMPTY Summary SummaryBuilder describe_entry entries_of merge summarize",
    "topics": "TopicPolicy topic_domain",
    "upkeep": "Certainty Count DataServer Month Page Pruned RecordKey Selection StoreStats",
    "verdict": "Cause ParsedVerdict UnusableReply Verdict",
    "verdict_parser": "parse_verdict",
}
_MODULE_BY_NAME = {name: module for module, names in _NAMES_BY_MODULE.items() for name in names.split()}

# Not for type checkers: they read the imports above, and shall find a name that is not there.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Load the module of a public name, and keep the name."""
        module_name = _MODULE_BY_NAME.get(name)
        if module_name is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = __import__(f"{__name__}.{module_name}", fromlist=(name,))
        value = module if name == module_name else getattr(module, name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """Return the public names, loaded or not."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
