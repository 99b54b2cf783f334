"""The files of an audit: how many were read, which were left out or broken, and what of them was passed over."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

NAMES_TOLD = 3
KINDS_TOLD = 5
NAMES_KEPT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesTaken:
    """What became of the files that an audit was given.

    `broken` could not be read, or not wholly; `left_out` of folders fit no format, the first of them by name.
    `passed_over` counts records of types that the formats do not know.
    """

    read: int = 0
    broken: int = 0
    left_out: int = 0
    left_out_names: tuple[str, ...] = ()
    passed_over: Mapping[str, int] = field(default_factory=dict)

    def gaps(self) -> Iterator[str]:
        """Yield a line for each kind of thing that is not in the audit."""
        if self.broken:
            yield f"{_files(self.broken)} could not be read, or not wholly"
        if self.left_out:
            named = self.left_out_names[:NAMES_TOLD]
            verb = "fits" if self.left_out == 1 else "fit"
            yield f"{_files(self.left_out)} {verb} no known format, left out: {_listed(named, self.left_out)}"
        if self.passed_over:
            most = sorted(self.passed_over.items(), key=lambda one: (-one[1], one[0]))[:KINDS_TOLD]
            named = tuple(f"{name} ({number:,})" for name, number in most)
            yield f"Records of unknown types were passed over: {_listed(named, len(self.passed_over))}"

    def words(self) -> str:
        """Return `1 file read`, `1,200 files read`."""
        return f"{_files(self.read)} read"


def _files(number: int) -> str:
    return f"{number:,} file{'' if number == 1 else 's'}"


def _listed(names: tuple[str, ...], number: int) -> str:
    more = number - len(names)
    return ", ".join(names) + (f" and {more:,} more" if more > 0 else "")
