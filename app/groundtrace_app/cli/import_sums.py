"""What any number of imported files held together, in bounded room: sums by format, and what was found first."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from posixpath import commonprefix

from groundtrace.transcripts.joined import Finding
from groundtrace_app.importing import FileReport

PLACES_TOLD = 10
TYPES_COUNTED = 1_000
OTHER_TYPES = "other types"


@dataclass(slots=True, kw_only=True)
class Sum:
    """What files hold together; a session that several of them hold is one."""

    files: int = 0
    sessions: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    answers: int = 0

    def add(self, report: FileReport, /) -> None:
        """Add a file."""
        self.files += 1
        self.sessions += report.findings.sessions - report.resumed
        self.calls.update(report.findings.calls)
        self.answers += report.findings.answers


@dataclass(slots=True, kw_only=True)
class Sums:
    """All files in a known format; `places` are the first findings, each with its file, its place and what it is."""

    whole: Sum = field(default_factory=Sum)
    formats: dict[str, Sum] = field(default_factory=dict)
    found: Counter[Finding] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    replaced: int = 0
    places: list[tuple[str, str, str]] = field(default_factory=list)
    _shared: str | None = None

    @property
    def folder(self) -> str:
        """Return the folder that all of several files lie below, with its separator; empty where there is none."""
        shared = self._shared or ""
        return shared[: shared.rfind("/") + 1] if self.whole.files > 1 else ""

    @property
    def by_format(self) -> Mapping[str, Sum]:
        """Return the sum of each format, that of the most files first."""
        return dict(sorted(self.formats.items(), key=lambda one: -one[1].files))

    def add(self, report: FileReport, /) -> None:
        """Add a file in a known format."""
        self.whole.add(report)
        self.formats.setdefault(report.format or "", Sum()).add(report)
        self.found.update(report.findings.found)
        self.replaced += report.replaced
        for name, number in report.findings.unknown.items():
            known = name in self.unknown or len(self.unknown) < TYPES_COUNTED
            self.unknown[name if known else OTHER_TYPES] += number
        room = PLACES_TOLD - len(self.places)
        self.places += [(report.file, place, what) for place, what in report.findings.notes[:room]]
        self._shared = report.file if self._shared is None else commonprefix((self._shared, report.file))
