"""Outputs of a command line with several parts, cut where it wrote a line of its own between them: `a; echo ---; b`."""

import re

from groundtrace.inference.call import Call

_ECHOED = re.compile(r"\becho +(?:-e +)?[\"']?(?P<mark>[-=#*~]{2,40})[\"']?(?=\s*(?:[;&|\n]|\Z))")
LONGEST = 16_000


def first_section(text: str, call: Call, /) -> str | None:
    """Return what stands before the first line that the command line itself echoed as a divider, None without one."""
    found = _ECHOED.search(call.command)
    if found is None or len(text) > LONGEST or found["mark"] not in text:
        return None
    return text.split(found["mark"], 1)[0]
