"""The process's streams and last words: any text in any encoding, readers that leave, and one line a fault.

Standard library alone: it works where the extra that brings the rest of the command line is missing.
"""

import errno
import io
import logging
import os
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from typing_extensions import override

from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.interrupts import interrupt_again

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
"""How a system says that a file takes no more."""

MOST_OF_A_KIND = 10
"""So many lines of one logger are printed; the rest would only bury what the command says itself."""

# What the sink warns of while it works, the command itself says at its end, with the place where rows wait.
_SAID_ANYWAY = "groundtrace.sink"
_SAID_WHERE_IT_WAITS = ("groundtrace", "groundtrace.chat")


def say(line: str, code: Exit, /) -> int:
    """Print one line of ours on standard error and return the code."""
    with suppress(OSError):
        print("groundtrace: " + " ".join(line.split()), file=sys.stderr)
    return code


def print_any_text() -> None:
    """Let standard output show what its encoding lacks (half of a surrogate pair, anything in ASCII) as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def one_line_faults() -> None:
    """For a process of our own: warnings, and faults that threads and libraries report, are one line each."""
    logging.getLogger().addHandler(_OneLine())
    threading.excepthook = lambda fault: None if fault.exc_type is SystemExit else _report(fault.exc_type)
    sys.unraisablehook = lambda fault: _report(fault.exc_type)


def finish_output(code: int, /) -> int:
    """Flush standard output and return `code`; a reader that left is no fault, a full disk is one."""
    if sys.stdout is None:
        return code
    try:
        sys.stdout.flush()
    except OSError as refused:
        # Point it elsewhere, so that the interpreter's own flush at its exit stays silent.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if refused.errno != errno.EPIPE and code != Exit.UNAVAILABLE:
            return output_full(refused)
    return code


def output_full(refused: OSError, /) -> int:
    """Say that standard output takes no more."""
    words = f"standard output: cannot be written ({refused.strerror}); make room there, or send it elsewhere"
    return say(words, Exit.UNAVAILABLE)


@contextmanager
def told_by_ourselves() -> Iterator[None]:
    """Within it nothing is said of single rows and evaluations that wait: the command names and counts them itself."""
    filters = {_SAID_ANYWAY: _nothing, **dict.fromkeys(_SAID_WHERE_IT_WAITS, _faults_only)}
    for name, wanted in filters.items():
        logging.getLogger(name).addFilter(wanted)
    try:
        yield
    finally:
        for name, wanted in filters.items():
            logging.getLogger(name).removeFilter(wanted)


def _nothing(record: logging.LogRecord) -> bool:
    del record
    return False


def _faults_only(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.ERROR


class _OneLine(logging.Handler):
    """Prints a record's words without its traceback, on whatever standard error is at that time."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._printed: Counter[str] = Counter()

    @override
    def emit(self, record: logging.LogRecord) -> None:
        severe = record.levelno >= logging.ERROR
        ours = record.name.startswith("groundtrace") and record.name != _SAID_ANYWAY
        self._printed[record.name] += severe or ours
        if (severe or ours) and self._printed[record.name] <= MOST_OF_A_KIND:
            first, *_ = record.getMessage().splitlines() or [""]
            say("".join(one if one.isprintable() else "?" for one in first), Exit.DONE)


def _report(kind: "type[BaseException]") -> None:
    if issubclass(kind, KeyboardInterrupt):
        interrupt_again()
    elif not issubclass(kind, BrokenPipeError):
        say(f"a part of groundtrace broke: {kind.__name__}", Exit.BUG)
