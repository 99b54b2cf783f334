"""Lines by which a program of the command line complains by its own name: `grep: app.log: Permission denied`."""

import re

from groundtrace.inference.call import Call

MOST_LINES = 5

_STRERROR = (
    r"No such file or directory|Permission denied|Is a directory|Not a directory|Operation not permitted|File exists"
    r"|Connection refused|Connection timed out|No such process|command not found|not found|Device or resource busy"
    r"|Read-only file system|Argument list too long|invalid option(?: -- '?\w'?)?|unrecognized option .{1,60}"
    r"|syntax error.{0,200}|unexpected (?:EOF|end of file).{0,100}"
)
_COMPLAINT = re.compile(
    r"(?P<program>[\w./+-]{1,60}): (?:(?:line )?\d+: )?(?:[^\n]{1,300}: )?(?:line \d+: )?"
    rf"(?:{_STRERROR})\.?",
    re.IGNORECASE,
)
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ash", "ksh", "fish"})


def complains(text: str, call: Call, /) -> bool:
    """Tell whether each line of a whole text is a complaint of a program that the command line ran, or of the shell."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not call.command or not lines or len(lines) > MOST_LINES:
        return False
    found = [_COMPLAINT.fullmatch(line) for line in lines]
    names = [match["program"].rsplit("/", 1)[-1] for match in found if match is not None]
    return len(names) == len(lines) and all(name in call.programs or name in _SHELLS for name in names)
