"""What every RowSink does (DESIGN section 4): give `case`, get all of it."""

from groundtrace_adapters.conformance.sink_bad_days import BadDays, LastingBadDays, TheEnd
from groundtrace_adapters.conformance.sink_rows import Receipts, Storing


class RowSinkSuite(Storing, Receipts, BadDays, TheEnd):
    """For every sink that spools what its store does not take."""


class LastingRowSinkSuite(LastingBadDays):
    """For one over a store that outlives its process besides."""
