"""What harnesses wrap around a tool's answer: exit codes, streams, envelopes. Peeled off, and kept as facts.

A wrapper counts only where it encloses the whole answer. Nothing inside is judged here.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from groundtrace.inference.literal import form_of
from groundtrace.inference.wrapper_forms import AROUND, LEADING, TRAILING
from groundtrace.text import is_blank

_HEAD = 4_000
"""A wrapper's first lines, in characters."""

_TAIL = 300
_DEEPEST = 6
_CODE_DIGITS = 9

CODES = ("exit_code", "exitCode", "returncode", "return_code", "returnCode", "exit_status", "code")
OUTS = ("output", "stdout", "aggregated_output")
ERRS = ("stderr",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Peeled:
    """An answer without its wrappers, and what these told of it.

    `failed`: the harness says in words that the call failed. `silent`: it shows that nothing was written to standard
    error. `late`: it says that time ran out. `command`: the command line that it says was run.
    """

    body: str
    exit_code: int | None = None
    failed: bool = False
    silent: bool = False
    late: bool = False
    command: str = ""


Wrapper: TypeAlias = Callable[[Peeled], Peeled | None]

_leading = tuple(re.compile(one.form, re.IGNORECASE) for one in LEADING)
_trailing = tuple(re.compile(rf"{one.form}\s*\Z", re.IGNORECASE) for one in TRAILING)
_around = tuple(re.compile(rf"\s*{one.form}\s*", re.DOTALL) for one in AROUND)
_stdout_begins = re.compile(r"[ \t\r\n]*stdout: ?\n?", re.IGNORECASE)
_stderr_begins = re.compile(r"^[ \t]{0,8}stderr: ?\n?", re.IGNORECASE | re.MULTILINE)


def peel(text: str, /) -> Peeled:
    """Return the answer inside its wrappers, the outermost first; the innermost exit code counts."""
    peeled = Peeled(body=text)
    for _ in range(_DEEPEST):
        inner = next((found for wrapper in _WRAPPERS if (found := wrapper(peeled)) is not None), None)
        if inner is None:
            break
        peeled = inner
    return peeled


def _in_front(outer: Peeled) -> Peeled | None:
    head = outer.body[:_HEAD]
    found = next((match for one in _leading if (match := one.match(head))), None)
    return None if found is None else _told(outer, found, outer.body[found.end() :])


def _behind(outer: Peeled) -> Peeled | None:
    start = max(0, len(outer.body) - _TAIL)
    found = next((match for one in _trailing if (match := one.search(outer.body[start:]))), None)
    return None if found is None else _told(outer, found, outer.body[: start + found.start()])


def _enclosing(outer: Peeled) -> Peeled | None:
    if outer.body.lstrip()[:1] not in ("<", "O"):
        return None
    found = next((match for one in _around if (match := one.fullmatch(outer.body))), None)
    return None if found is None else _told(outer, found, found["body"])


def _streams(outer: Peeled) -> Peeled | None:
    begins = _stdout_begins.match(outer.body)
    turns = None if begins is None else _stderr_begins.search(outer.body, begins.end())
    if begins is None or turns is None:
        return None
    out, err = outer.body[begins.end() : turns.start()].rstrip("\n"), outer.body[turns.end() :]
    return replace(outer, body=err if is_blank(out) else out, silent=is_blank(err))


def _json_process(outer: Peeled) -> Peeled | None:
    """Peel the object of a finished process: `output` (or `stdout` and `stderr`) beside an exit code."""
    form = form_of(outer.body)
    if not isinstance(form, dict):
        return None
    meta = form.get("metadata")
    holder = meta if isinstance(meta, dict) and isinstance(form.get("output"), str) else form
    code = next((holder[name] for name in CODES if name in holder), None)
    out, err = (next((form[name] for name in names if name in form), None) for names in (OUTS, ERRS))
    if not isinstance(code, int) or isinstance(code, bool) or not isinstance(out, str):
        return None
    if not isinstance(err, str | None):
        return None
    silent = err is not None and is_blank(err)
    return replace(outer, body=err if err and is_blank(out) else out, exit_code=code, silent=silent)


def _told(outer: Peeled, found: re.Match[str], body: str) -> Peeled:
    told = found.groupdict()
    code = told.get("code")
    return replace(
        outer,
        body=body,
        exit_code=outer.exit_code if code is None else int(code[:_CODE_DIGITS]),
        failed=outer.failed or told.get("failed") is not None,
        silent=outer.silent or (told.get("silent") is not None and is_blank(body)),
        late=outer.late or told.get("late") is not None,
        command=told.get("cmd") or outer.command,
    )


_WRAPPERS: tuple[Wrapper, ...] = (_enclosing, _in_front, _behind, _streams, _json_process)
