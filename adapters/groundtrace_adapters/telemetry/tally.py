"""What metrics need to remember of calls, within bounds: tools, what was asked before, how long nothing came."""

from collections import OrderedDict
from datetime import datetime

from groundtrace.invocation import Invocation
from groundtrace.outcomes import OutcomeKind
from groundtrace_adapters.telemetry import names

TOOLS = 100
"""So many names of tools become attributes of metrics, the first ones; all others are one more, `_OTHER`."""

QUESTIONS = 10_000
"""So many questions are remembered, the latest ones."""


class ToolTally:
    """Remembers calls for the metrics of one process; for one thread."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._quiet_since: dict[str, datetime | None] = {}
        self._asked: OrderedDict[tuple[str, str, str], None] = OrderedDict()

    def tool(self, row: Invocation, /) -> str:
        """Return the name under which a row's tool is counted."""
        if row.tool_name in self._quiet_since:
            return row.tool_name
        if len(self._quiet_since.keys() - {names.OTHER}) >= TOOLS:
            return names.OTHER
        self._quiet_since[row.tool_name] = None
        return row.tool_name

    def repeats(self, row: Invocation, /) -> bool:
        """Take note of a call, and tell whether its session asked the same tool the same before, or it says so."""
        question = row.session_id, row.tool_name, row.input_fingerprint
        known = question in self._asked
        self._asked[question] = None
        self._asked.move_to_end(question)
        if len(self._asked) > QUESTIONS:
            self._asked.popitem(last=False)
        return known or row.outcome is OutcomeKind.DEDUPED

    def quiet(self, row: Invocation, /) -> float:
        """Take note of a call, and return for how many seconds all calls of its tool have brought no evidence.

        Counted from the first such call to this one: a tool that nobody calls does not become quiet.
        """
        tool = self.tool(row)
        since = self._quiet_since.get(tool)
        if row.outcome is OutcomeKind.SUCCESS:
            self._quiet_since[tool] = None
            return 0.0
        if since is None:
            self._quiet_since[tool] = since = row.started_at
        return max(0.0, (row.started_at - since).total_seconds())
