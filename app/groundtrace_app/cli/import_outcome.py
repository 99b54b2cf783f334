"""What came of one run of `import`: reports of its files, bounded whatever a folder holds, and the fate of its rows."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from groundtrace.problem import Problem
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.import_problems import file_problem
from groundtrace_app.cli.import_sums import Sums
from groundtrace_app.cli.tally import Fate
from groundtrace_app.evaluation_keeping import EvaluationKeeping
from groundtrace_app.importing import CONFLICT, FileReport

REPORTS_KEPT = 1_000
"""So many files are kept one by one, the first ones; all of them are summed."""

PROBLEMS_TOLD = 20
"""So many files that were not read, or not wholly, are told; the others are counted."""

NAMES_KEPT = 1_000
ENDINGS_COUNTED = 100


@dataclass(slots=True, kw_only=True)
class LeftOut:
    """Files of folders that fit no format: all are counted, the first ones named."""

    count: int = 0
    names: list[str] = field(default_factory=list)
    endings: Counter[str] = field(default_factory=Counter)

    def add(self, name: str, /) -> None:
        """Count a file."""
        self.count += 1
        if len(self.names) < NAMES_KEPT:
            self.names.append(name)
        ending = PurePath(name).suffix or "without an ending"
        known = ending in self.endings or len(self.endings) < ENDINGS_COUNTED
        self.endings[ending if known else "others"] += 1


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What came of one run; `problems` tell of the first files that were not read, or not wholly."""

    reports: list[FileReport] = field(default_factory=list)
    sums: Sums = field(default_factory=Sums)
    left_out: LeftOut = field(default_factory=LeftOut)
    problems: list[Problem] = field(default_factory=list)
    troubled: int = 0
    files: int = 0
    in_folder: bool = False
    rows: Fate | None = None
    evaluations: EvaluationKeeping | None = None
    not_made: int = 0
    ended: Exit = Exit.DONE

    def read(self, report: FileReport, /) -> None:
        """Take a file's report; one of a folder that fits no format is only left out."""
        if self.in_folder and report.format is None:
            self.left_out.add(report.file)
            return
        self.files += 1
        if report.format is not None:
            self.sums.add(report)
        if report.format is None or report.unread:
            self._tell(file_problem(report))
        if len(self.reports) < REPORTS_KEPT:
            # The first record of a file that fits no format may be as large as a document.
            self.reports.append(replace(report, first=None))

    def broken(self, name: str, fault: OSError, /) -> None:
        """Take a file that cannot be read."""
        what = f"it cannot be read ({fault.strerror or type(fault).__name__})"
        self._tell(Problem(what=what, where=name, mend="give a file that can be read"))

    def _tell(self, problem: Problem) -> None:
        self.troubled += 1
        if len(self.problems) < PROBLEMS_TOLD:
            self.problems.append(problem)

    @property
    def known(self) -> int:
        """Return how many calls and answers the store has under the same id, told otherwise."""
        return self._conflicts + (0 if self.evaluations is None else self.evaluations.known)

    @property
    def waiting(self) -> tuple[int, int]:
        """Return how many calls and answers wait in the spool."""
        rows, kept = self.rows, self.evaluations
        return (0 if rows is None else rows.spooled, 0 if kept is None else kept.spooled)

    @property
    def lost(self) -> int:
        """Return how many calls and answers are neither in the store nor in the spool."""
        rows = 0 if self.rows is None else self.rows.lost - self._conflicts
        return rows + self.not_made + (0 if self.evaluations is None else self.evaluations.lost)

    @property
    def refused(self) -> Iterator[tuple[str, str]]:
        """Yield the rows that were refused for another reason than that they were there, each with why."""
        told = () if self.rows is None else self.rows.told
        return ((row_id, why) for row_id, why in told if why != CONFLICT)

    @property
    def code(self) -> Exit:
        """Return the exit code."""
        if self.ended:
            return self.ended
        if any(self.waiting):
            return Exit.UNAVAILABLE
        if not self.sums.whole.files:
            return Exit.BAD_INPUT
        return Exit.SOME_REFUSED if self.troubled or self.lost else Exit.DONE

    @property
    def _conflicts(self) -> int:
        return 0 if self.rows is None else sum(why == CONFLICT for _, why in self.rows.told)
