"""The error value for input that cannot be used: what is wrong, where, and how to mend it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One refusal in words for the person who can mend it; never holds a secret or a raw value of unbounded size.

    `what` is the fault, `where` names the place (a key, a line, a file, a setting), `mend` says what to do.
    """

    what: str
    where: str = ""
    mend: str = ""

    def line(self) -> str:
        """Return the problem as one line: `where: what; mend`."""
        head = f"{self.where}: {self.what}" if self.where else self.what
        return " ".join((f"{head}; {self.mend}" if self.mend else head).split())
