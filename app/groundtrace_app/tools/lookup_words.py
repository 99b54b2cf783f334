"""What `lookup_knowledge` says beside its passages: why there are none, what was left out, what a call repeats."""

from collections.abc import Sequence

from groundtrace.dedup import Repeat
from groundtrace.material import note_line, passage_lines
from groundtrace.outcomes import OutcomeKind
from groundtrace.relevance import FLOOR
from groundtrace.retrieval import Mode, Retrieval
from groundtrace.sources import Passage

_NO_PROOF = "this is no proof that there is nothing: not all was searched"


def given_text(passages: Sequence[Passage], /, *, before: Sequence[str], unseen: Sequence[str]) -> str:
    """Return new passages as material; `before` are the calls that gave the others, which are left out."""
    told = [f"further passages were given before, by {_calls(before)}, and are left out here"] if before else []
    return _text(passage_lines(passages), [*told, *unseen])


def empty_text(retrieval: Retrieval, /, *, unseen: Sequence[str]) -> str:
    """Return why nothing is given."""
    if retrieval.mode is Mode.ADDRESS:
        words = "nothing has this address"
    elif retrieval.l0_count == 0:
        words = "no entry holds any of these words"
    else:
        best = max((hit.coverage for hit in retrieval.hits), default=0.0)
        words = (
            f"nothing relevant was found: {retrieval.l0_count} of the entries hold some of the words, but the best "
            f"passage covers {best:.0%} of the question, and {FLOOR:.0%} are needed"
        )
    return _text("", [words, *unseen, *([_NO_PROOF] if unseen else [])])


def seen_text(passages: Sequence[Passage], /, *, before: Sequence[str], unseen: Sequence[str]) -> str:
    """Return passages of which each was given before, and say so."""
    told = f"nothing new: each of these passages was given before, by {_calls(before)}"
    return _text(note_line(told), [], passage_lines(passages), *map(note_line, unseen))


def repeat_text(repeat: Repeat, stored: str, /) -> str:
    """Return the stored text of the call that is repeated behind a line that says so."""
    whom = f"this repeats {_calls(repeat.of)} of this session (asked {repeat.times} times now) and was not run again"
    found = "it found nothing" if repeat.inherited is OutcomeKind.NO_EVIDENCE else "what it gave follows"
    return _text(note_line(f"{whom}: {found}"), [], stored)


def _text(first: str, told: Sequence[str], *more: str) -> str:
    return "\n".join(line for line in (first, *map(note_line, told), *more) if line)


def _calls(ids: Sequence[str]) -> str:
    return f"call {ids[0]}" if len(ids) == 1 else f"calls {', '.join(ids)}"
