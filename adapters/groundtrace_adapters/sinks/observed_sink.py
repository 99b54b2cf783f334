"""A sink that also tells telemetry of each row; where rows come to, and when, is the other sink's affair."""

from typing_extensions import override

from groundtrace.invocation import Invocation
from groundtrace.pending_row import PendingRow, row_weight
from groundtrace.ports import Flushed, Receipt, RowSink, Telemetry


class ObservedSink(RowSink):
    """Hands everything on to `sink`, and tells `telemetry` of each receipt. Closes only the sink."""

    def __init__(self, sink: RowSink, telemetry: Telemetry, /) -> None:
        """Stand before a sink."""
        self._sink = sink
        self._telemetry = telemetry

    @override
    def put(self, row: Invocation | PendingRow, /) -> Receipt:
        receipt = self._sink.put(row)
        weight = row.weight if isinstance(row, PendingRow) else row_weight(row)
        self._telemetry.recorded(receipt, weight=weight)
        return receipt

    @override
    def flush(self, session_id: str, /, *, deadline: float) -> Flushed:
        return self._sink.flush(session_id, deadline=deadline)

    @override
    def close(self, *, deadline: float) -> None:
        self._sink.close(deadline=deadline)
