"""What every InvocationStore does (DESIGN sections 4 and 7): give `case`, get all of it."""

from groundtrace_adapters.conformance.row_fates import Fates, RefusedRows
from groundtrace_adapters.conformance.row_order import Order
from groundtrace_adapters.conformance.row_summaries import Summary, SummaryOfAScope
from groundtrace_adapters.conformance.row_texts import HostileText, RoundTrip, Times
from groundtrace_adapters.conformance.session_lists import Sessions
from groundtrace_adapters.conformance.store_lives import (
    AStoreThatIsDown,
    LastingAnotherProcess,
    LastingAStoreThatIsDown,
    SeveralWriters,
)


class InvocationStoreSuite(
    RoundTrip,
    Times,
    HostileText,
    RefusedRows,
    Fates,
    Order,
    Summary,
    SummaryOfAScope,
    Sessions,
    SeveralWriters,
    AStoreThatIsDown,
):
    """For every store of rows."""


class LastingInvocationStoreSuite(LastingAStoreThatIsDown, LastingAnotherProcess):
    """For a store that outlives its process besides: its case has a `bring_back`."""
