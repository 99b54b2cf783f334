"""Stack traces of Python, JavaScript, the JVM and Go, where one with its message is the whole text."""

import re

LONGEST = 32_000
_FRAME_BEGINS = (" ", "\t", "goroutine ", "note: ", "-", "Cell ")
MESSAGE_LINES = 20
"""So many lines may follow a stack trace as its message; more are an answer of their own."""

_BEGINS = re.compile(
    r"\s*File \"[^\"\n]{1,300}\", line \d+\n"
    r"|(?:[^\n]{0,200}\n){0,3}?[^\n]{0,200}Traceback \(most recent call last\):\n"
    r"|(?:[^\n]{0,300}\n){0,6}?(?:Uncaught )?(?:[A-Z]\w*)?Error: [^\n]*\n +at [^\n]+"
    r"|Exception in thread [^\n]*\n\s+at "
    r"|thread '[^'\n]{1,80}' panicked at [^\n]*\n"
    r"|panic: [^\n]*\n(?:\[[^\n]*\n)?\s*goroutine \d+ "
)


def is_stack_trace(text: str, /) -> bool:
    """Tell whether a text is one stack trace with its message: few lines stand after its last frame."""
    if len(text) > LONGEST or _BEGINS.match(text) is None:
        return False
    lines = text.splitlines()
    frames = [number for number, line in enumerate(lines) if line.startswith(_FRAME_BEGINS)]
    return bool(frames) and len(lines) - frames[-1] <= MESSAGE_LINES
