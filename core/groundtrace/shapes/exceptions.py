"""What an exception says beside its text: the HTTP answer, the exit code or the code of an error that it carries."""

from dataclasses import replace

from groundtrace import outcomes
from groundtrace.encoding import encode
from groundtrace.outcomes import RETRYABLE_KINDS, FailureKind, Output
from groundtrace.shapes.commands import command_of
from groundtrace.shapes.exit_codes import how_broken
from groundtrace.shapes.http_answer import answer_of, headers_of
from groundtrace.shapes.http_status import kind_of_status
from groundtrace.text import cut, is_blank

SAID_CHARACTERS = 500

_GROUPED = 5
"""So many exceptions of a group are told."""

_CAUSES = ("reason", "orig")
"""Where urllib, urllib3 and SQLAlchemy keep the exception that they put theirs in the place of."""


def failure_of(error: BaseException, /, *, output: Output | None = None) -> outcomes.Failure:
    """Return the Failure that tells an exception truly: an exception is one, whatever it carries; total.

    Its kind is the one that its type says; where that says nothing, the status of the answer that it carries
    (`response`, `status_code`), the exit code of a command, or the exception that it stands in the place of (`reason`,
    `orig`). `retry-after` and stderr stand in the message. A group says what its exceptions say, and is of their kind
    where it is one.
    """
    failure = outcomes.failure_from(error, output=output)
    try:
        read = (_from_group, _from_command, _from_answer, _from_cause)
        return next((told for one in read if (told := one(error, failure)) is not None), failure)
    except Exception:  # noqa: BLE001 - a property of a foreign exception may raise anything
        return failure


def _from_answer(error: BaseException, failure: outcomes.Failure) -> outcomes.Failure | None:
    own = error.__dict__
    answer = answer_of(own["response"]) if own.get("response") is not None else answer_of(error)
    kind = None if answer is None else kind_of_status(answer.status)
    if answer is None or kind is None:
        return None
    headers = answer.headers or headers_of(own.get("headers", own.get("hdrs")))
    later = headers.get("retry-after", "").strip()
    wait = f"; retry after {later}{' s' if later.isdigit() else ''}" if later else ""
    return _refined(failure, kind, wait)


def _from_command(error: BaseException, failure: outcomes.Failure) -> outcomes.Failure | None:
    own = error.__dict__
    if "cmd" not in own:
        return None
    said, code = (own.get("stderr"), own.get("returncode"))
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said if isinstance(said, str) else ""
    words = "" if is_blank(text) else f"; {cut(text.strip(), SAID_CHARACTERS)}"
    given = own.get("output")
    kept = failure.output if failure.output is not None else given if isinstance(given, str | bytes) else None
    command = command_of(encode(own["cmd"]))
    broken = how_broken(command.name, code, under_deadline=command.under_deadline) if type(code) is int else None
    kind, retryable = (failure.kind, None) if broken is None else (broken.kind, broken.retryable)
    return replace(_refined(failure, kind, words, retryable=retryable), output=kept)


def _from_group(error: BaseException, failure: outcomes.Failure) -> outcomes.Failure | None:
    if not isinstance(error, BaseExceptionGroup):
        return None
    told = [failure_of(one) for one in _ungrouped(error)]
    kinds = {one.kind for one in told}
    said = "; ".join(dict.fromkeys(cut(one.message, SAID_CHARACTERS) for one in told))
    kind = next(iter(kinds)) if len(kinds) == 1 else FailureKind.ERROR
    return _refined(failure, kind, f": {said}" if said else "")


def _ungrouped(group: BaseExceptionGroup[BaseException]) -> list[BaseException]:
    """Return the first exceptions of a group, those of groups within it too."""
    found: list[BaseException] = []
    waiting: list[BaseException] = [group]
    while waiting and len(found) < _GROUPED:
        one = waiting.pop(0)
        if isinstance(one, BaseExceptionGroup):
            waiting = [*one.exceptions[:_GROUPED], *waiting]
        else:
            found.append(one)
    return found


def _from_cause(error: BaseException, failure: outcomes.Failure) -> outcomes.Failure | None:
    inner = next((one for name in _CAUSES if isinstance(one := error.__dict__.get(name), BaseException)), None)
    return None if inner is None else _refined(failure, outcomes.failure_from(inner).kind, "")


def _refined(
    failure: outcomes.Failure, kind: FailureKind, more: str, *, retryable: bool | None = None
) -> outcomes.Failure:
    """Return a failure told more truly; a kind that the exception's type says stays."""
    kind = kind if failure.kind is FailureKind.ERROR else failure.kind
    message = cut(failure.message + more, outcomes.ERROR_CHARACTERS)
    can_retry = kind in RETRYABLE_KINDS if retryable is None else retryable
    return replace(failure, kind=kind, message=message, retryable=can_retry)
