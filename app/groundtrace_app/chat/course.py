"""How far a turn has come, kept outside its coroutine: one that breaks off loses none of its calls."""

import asyncio
from collections.abc import Mapping

from groundtrace.verdict import Cause
from groundtrace_adapters.careful_log import CarefulLog
from groundtrace_app.chat.turn import Done, Gathered, Progress, Stage, Turn, Watcher

_PART_AT_WORK: Mapping[Stage, Cause] = {
    Stage.PLAN: Cause.PLANNER_FAILED,
    Stage.CALL: Cause.PLANNER_FAILED,
    Stage.RESULT: Cause.PLANNER_FAILED,
    Stage.DRAFT: Cause.EXECUTOR_FAILED,
    Stage.VERIFY: Cause.VERIFIER_ERROR,
    Stage.DECIDED: Cause.EVALUATION_NOT_STORED,
}
"""Which part of a turn is at work behind each step, as the record names it; the service names those between."""

_log = CarefulLog("groundtrace.chat")


class Course:
    """The course of one turn.

    `part` is the cause that names the part at work, should it break. `closing` is set once the turn's end is being
    recorded, which happens once.
    """

    __slots__ = ("_calls", "_watch", "closing", "part")

    def __init__(self, watch: Watcher, /) -> None:
        """Begin before the first plan; `watch` is told each step."""
        self._watch: Watcher | None = watch
        self._calls: list[Done] = []
        self.part = Cause.PLANNER_FAILED
        self.closing: asyncio.Task[Turn] | None = None

    def tell(self, progress: Progress, /) -> None:
        """Tell the watcher a step; one that raises is told nothing more, and the turn goes on."""
        self.part = _PART_AT_WORK[progress.stage]
        if self._watch is None:
            return
        try:
            self._watch(progress)
        except Exception as fault:  # noqa: BLE001 - a watcher never breaks what it watches
            _log.error("the watcher of a turn raised %s and is told nothing more", type(fault).__name__)
            self._watch = None

    def keep(self, done: Done, /) -> None:
        """Keep a call that has ended, well or not."""
        self._calls.append(done)

    def gathered(self) -> Gathered:
        """Return the calls that have ended so far, in the order of their ends."""
        return Gathered(calls=tuple(self._calls))
