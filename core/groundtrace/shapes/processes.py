"""A process that ended: its exit code declares, its output holds, and what it wrote to stderr is kept."""

import re
from dataclasses import replace

from groundtrace import outcomes
from groundtrace.encoding import encode
from groundtrace.json_text import JsonValue
from groundtrace.outcomes import FailureKind, NoEvidenceReason, Output, Support
from groundtrace.shapes.commands import Command, command_of
from groundtrace.shapes.declaring import failed, kept_as, marked, unread, whole
from groundtrace.shapes.exit_codes import Meaning, how_broken
from groundtrace.shapes.shape import Body, Inner, Shape, Told
from groundtrace.text import cut, is_blank

SAID_CHARACTERS = 500
"""So much of stderr stands in a message or a mark; the whole of it is in the output."""

_CODES = ("returncode", "exit_code", "exitCode", "return_code", "exit_status", "exited")
_CUT_SHORT = {
    "timed_out": ("the command timed out", FailureKind.TIMEOUT),
    "timedOut": ("the command timed out", FailureKind.TIMEOUT),
    "interrupted": ("the command was interrupted", FailureKind.CANCELLED),
}
_COMMANDS = ("args", "command", "cmd")
# Written by a client about the command that it ran, which says the same by its code.
_CHATTER = re.compile(r"^command terminated with (?:non-zero )?exit code:?.*$\n?", re.MULTILINE)


def process_outcome(
    code: int,
    /,
    *,
    stdout: Output | None,
    stderr: Output | None = None,
    args: JsonValue = None,
    inner: Inner,
) -> outcomes.Outcome:
    """Return what a process amounts to that ended with `code`; negative: by that signal.

    `stdout` and `stderr` are None where they were not captured. `args` are the program's words, or a shell's text:
    they tell whether the code is an answer (`grep` found nothing, `diff` found a difference) or a failure. `inner`
    reads the output.
    """
    command = command_of(args)
    if stderr is None and not command.alone:
        command = replace(command, hidden=True)
    said = _CHATTER.sub("", _text(stderr)).strip()
    output = _kept(stdout, stderr)
    meaning = None if code == 0 else command.meaning(code)
    if code == 0:
        return _ended_well(command, stdout, said, output, inner)
    if meaning is Meaning.NOTHING and _is_blank(stdout):
        return _nothing(command, code, said, output)
    if meaning is Meaning.PART and not _is_blank(stdout):
        return marked(kept_as(inner(stdout), output), (_sentence(code, said or "it could not see all"),))
    if meaning is None or meaning is Meaning.PART or not command.is_sure(code):
        return _broken(command, code, said, output)
    if _is_blank(stdout):
        answer = f"exit code {code}"
        return outcomes.Success(support=Support.INDIRECT, output=f"{answer}\n{said}" if said else answer)
    return marked(kept_as(inner(stdout), output), _others_said(command, said))


def _ended_well(command: Command, stdout: Output | None, said: str, output: Output, inner: Inner) -> outcomes.Outcome:
    if not _is_blank(stdout):
        return marked(kept_as(inner(stdout), output), _others_said(command, said))
    if command.words and command.is_quiet and command.alone:
        return outcomes.Success(support=Support.INDIRECT, output="exit code 0")
    if stdout is None and not said:
        return unread("the output of the command was not captured")
    if said and command.alone and command.words:
        return kept_as(inner(said), said)
    empty = outcomes.NoEvidence(reason=NoEvidenceReason.EMPTY_RESULT, output=output)
    return marked(empty, _complaints(command, said))


def _nothing(command: Command, code: int, said: str, output: Output) -> outcomes.Outcome:
    unsure = () if command.is_sure(code) else ("which of the commands ended it is not known",)
    marks = (*_complaints(command, said), *unsure)
    return marked(outcomes.NoEvidence(reason=NoEvidenceReason.NO_MATCH, output=output), marks)


def _broken(command: Command, code: int, said: str, output: Output) -> outcomes.Failure:
    broken = how_broken(command.name, code, under_deadline=command.under_deadline)
    words = "; ".join(part for part in (broken.words, cut(said, SAID_CHARACTERS)) if part)
    message = _sentence(code, words or cut(_text(output).strip()[-SAID_CHARACTERS:], SAID_CHARACTERS))
    return failed(broken.kind, message, output, retryable=broken.retryable)


def _complaints(command: Command, said: str) -> tuple[str, ...]:
    """Return why an empty output is no proof: what was complained of, or that nobody could see it."""
    if said:
        return (cut(said, SAID_CHARACTERS),)
    return ("what its other commands complained of was thrown away",) if command.hidden else ()


def _others_said(command: Command, said: str) -> tuple[str, ...]:
    """Return what the other commands of a pipeline may have complained of; of one command it is chatter."""
    return () if not said or command.alone else (cut(said, SAID_CHARACTERS),)


def _sentence(code: int, words: str) -> str:
    return f"exit code {code}: {words}" if words else f"exit code {code}"


def _kept(stdout: Output | None, stderr: Output | None) -> Output:
    if _is_blank(stderr):
        return stdout or ""
    return f"{_text(stdout)}\n[stderr]\n{_text(stderr)}" if not _is_blank(stdout) else _text(stderr)


def _is_blank(output: Output | None) -> bool:
    return output is None or is_blank(_text(output))


def _text(output: Output | None) -> str:
    return output.decode("utf-8", "replace") if isinstance(output, bytes) else output or ""


def _read_object(value: object, inner: Inner) -> outcomes.Outcome | None:
    code = next((code for name in _CODES if type(code := getattr(value, name, None)) is int), None)
    if code is None:
        return None
    args = next((getattr(value, name) for name in _COMMANDS if hasattr(value, name)), None)
    return process_outcome(
        code,
        stdout=_stream(getattr(value, "stdout", None)),
        stderr=_stream(getattr(value, "stderr", None)),
        args=encode(args),
        inner=inner,
    )


def _read_body(body: Body, told: Told) -> outcomes.Outcome | None:
    code = next((code for name in _CODES if (code := whole(body.get(name))) is not None), None)
    out = next((name for name in ("stdout", "output") if name in body), None)
    cut_short = None if code is not None or out != "stdout" else _cut_short(body, told)
    if cut_short is not None:
        return cut_short
    if code is None or out is None or (out == "output" and not told.named):
        return None
    args = next((body[name] for name in _COMMANDS if name in body), None)
    stdout, stderr = _stream(body.get(out)), _stream(body.get("stderr"))
    return process_outcome(code, stdout=stdout, stderr=stderr, args=args, inner=told.inner)


def _cut_short(body: Body, told: Told) -> outcomes.Failure | None:
    """Read a process without an exit code that says that it did not come to its end."""
    said = next((name for name in _CUT_SHORT if body.get(name) is True), None)
    if said is None:
        return None
    words, kind = _CUT_SHORT[said]
    stdout, stderr = _stream(body.get("stdout")), _stream(body.get("stderr"))
    complaint = "" if _is_blank(stderr) else f": {cut(_text(stderr).strip(), SAID_CHARACTERS)}"
    return failed(kind, words + complaint, _kept(stdout, stderr))


def _stream(value: object) -> Output | None:
    return value if isinstance(value, str | bytes) else None


def _looks_like(value: object) -> bool:
    own = getattr(value, "__dict__", {})
    return isinstance(own, dict) and "stdout" in own and any(type(own.get(name)) is int for name in _CODES)


PROCESS = Shape(
    name="process",
    types=("subprocess.CompletedProcess", "invoke.Result", "fabric.Result"),
    fits=_looks_like,
    members=frozenset({*_CODES, *_CUT_SHORT}),
    read_object=_read_object,
    read_body=_read_body,
)
