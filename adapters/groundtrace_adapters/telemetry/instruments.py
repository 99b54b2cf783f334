"""The metrics of tools and decisions: calls by outcome, their duration, repeats, and how long a tool has been quiet."""

from opentelemetry.metrics import Meter

from groundtrace.evaluation import Evaluation
from groundtrace.invocation import Invocation
from groundtrace_adapters.telemetry import names
from groundtrace_adapters.telemetry.calls import error_type
from groundtrace_adapters.telemetry.tally import ToolTally


class Instruments:
    """Counts rows and decisions; for one thread. Attributes are closed words and at most 101 names of tools."""

    def __init__(self, meter: Meter, /) -> None:
        """Make the instruments."""
        self.begin_anew()
        self._calls = meter.create_counter(names.CALLS, unit="{call}", description="Tool calls by outcome")
        self._repeats = meter.create_counter(
            names.REPEATS, unit="{call}", description="Tool calls that ask the same again in one session"
        )
        self._quiet = meter.create_gauge(
            names.QUIET, unit="s", description="How long all calls of a tool have brought no evidence"
        )
        self._duration = meter.create_histogram(
            names.DURATION,
            unit="s",
            description="The duration of a single tool execution",
            explicit_bucket_boundaries_advisory=names.DURATION_BUCKETS,
        )
        self._decisions = meter.create_counter(
            names.DECISIONS, unit="{decision}", description="Verified answers by decision and cause"
        )

    def begin_anew(self) -> None:
        """Forget what was counted; the instruments stay, since to make them takes locks of the SDK."""
        self._tally = ToolTally()

    def count_call(self, row: Invocation, /) -> None:
        """Count one call."""
        tool = {names.TOOL: self._tally.tool(row)}
        error = error_type(row)
        why = {} if row.reason is None else {names.REASON: row.reason}
        self._calls.add(1, {**tool, names.OUTCOME: row.outcome.value, **why})
        if self._tally.repeats(row):
            self._repeats.add(1, tool)
        self._quiet.set(self._tally.quiet(row), tool)
        if row.duration_ms is not None:
            self._duration.record(row.duration_ms / 1_000, tool if error is None else {**tool, names.ERROR_TYPE: error})

    def count_decision(self, evaluation: Evaluation, /) -> None:
        """Count one decision."""
        self._decisions.add(1, {names.DECISION: evaluation.decision.value, names.CAUSE: evaluation.cause.value})
