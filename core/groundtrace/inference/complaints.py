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
_OWN_WORDS = re.compile(
    r"(?P<program>[\w.+-]{1,60})(?:\[\d+\])?: (?!nothing to be done|entering |leaving |warning\b|note\b|info\b"
    r"|done\b|ok\b)"
    r"[^\n]{3,400}",
    re.IGNORECASE,
)
_SHELL = re.compile(r"\w+sh: command not found: \S+|command terminated with exit code \d+", re.IGNORECASE)
_ADVICE = re.compile(r"(?:try|see|usage:?|for more)\b[^\n]{0,200}", re.IGNORECASE)
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ash", "ksh", "fish"})
_NAMING = frozenset("echo file find getent grep head host ls printf tail time type whereis xargs".split())
"""Programs that begin each line of their answer with a name."""


def complains(text: str, call: Call, /) -> bool:
    """Tell whether each line of a whole text is a complaint of a program that the command line ran, or of the shell."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not call.command or not lines or len(lines) > MOST_LINES:
        return False
    told = [line for line in lines if not _ADVICE.fullmatch(line)]
    return bool(told) and all(_is_complaint(line, call) for line in told)


def _is_complaint(line: str, call: Call) -> bool:
    if _SHELL.fullmatch(line):
        return True
    found = _COMPLAINT.fullmatch(line)
    name = "" if found is None else found["program"].rsplit("/", 1)[-1]
    if name and (name in call.programs or name in _SHELLS):
        return True
    if "git" in call.run and line.startswith("fatal: "):
        return True
    own = _OWN_WORDS.fullmatch(line)
    return own is not None and own["program"] in call.run - _NAMING
