"""Exit codes: whether the command behind one failed, or looked and found nothing, by the tables of the shapes."""

from groundtrace.inference.call import Call
from groundtrace.inference.wrappers import Peeled
from groundtrace.shapes.commands import Command, command_of
from groundtrace.shapes.exit_codes import Meaning, how_broken
from groundtrace.text import is_blank


def found_nothing(peeled: Peeled, call: Call, /) -> bool:
    """Tell whether a command that looks for something came back with nothing.

    A bare exit code is read by the command. Where the harness itself says `failed`, its word stands unless it also
    shows that nothing was written to standard error.
    """
    if not is_blank(peeled.body):
        return False
    command = _command(peeled, call)
    code = 1 if peeled.exit_code is None and peeled.failed else peeled.exit_code
    if not code or command.meaning(code) is not Meaning.NOTHING or not command.is_sure(code):
        return False
    return peeled.silent or not peeled.failed


def ended_badly(peeled: Peeled, call: Call, /) -> str | None:
    """Return what the exit code, or the harness in words, says of a command that failed; None if it did not."""
    if _compares(peeled, call):
        return None
    if peeled.failed or peeled.late:
        return "the command failed" if not peeled.exit_code else f"exit code {peeled.exit_code}"
    if not peeled.exit_code:
        return None
    command = _command(peeled, call)
    means = command.meaning(peeled.exit_code) if command.is_sure(peeled.exit_code) else None
    answered = means is Meaning.ANSWER or (means in (Meaning.DATA, Meaning.PART) and not is_blank(peeled.body))
    if answered:
        return None
    words = how_broken(command.name, peeled.exit_code, under_deadline=command.under_deadline).words
    return f"exit code {peeled.exit_code}" + (f", {words}" if words else "")


def _compares(peeled: Peeled, call: Call) -> bool:
    """Tell whether a comparison ended with 1 and shows what differs, which no word of a harness makes a failure."""
    words = _command(peeled, call).words[:4]
    return peeled.exit_code == 1 and not is_blank(peeled.body) and "diff" in words and peeled.silent


def _command(peeled: Peeled, call: Call) -> Command:
    return command_of(peeled.command or call.command)
