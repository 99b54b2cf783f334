"""What imported calls amount to beside what their recorders said: repeats, statuses, masked failures, wrong flags.

Reads `--data`; nothing is stored. Exit code 1 if a repeat whose output changed is a Deduped, a declared error is no
failure, a declared emptiness is evidence, or a known failure that its client flagged as fine is no failure.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from groundtrace import outcomes
from groundtrace.encoding import freeze_params
from groundtrace.inference import infer
from groundtrace.json_text import canonical
from groundtrace.outcomes import OutcomeKind
from groundtrace.transcripts.events import Record, Returned
from groundtrace.transcripts.formats import format_of
from groundtrace.transcripts.joined import ImportedCall
from groundtrace.transcripts.joining import Joining, Origin
from groundtrace_adapters.transcripts.files import own_name, pieces_of
from groundtrace_adapters.transcripts.folders import files_at

_RUNS = "sregym-traces/tests/traces/fixtures/"
CLIENTS = (_RUNS + "gemini_run", _RUNS + "opencode_run")
CHANGED_REPEATS = 82
HOLMES_CASES_AND_RESULTS = (68, 339)
KNOWN_FAILURES = ("Error from server (Forbidden)", '{"detail":"Not Found"}')
"""How the outputs begin of the failed calls that both clients flagged as fine."""

KNOWN_FAILED_CALLS, FAILED_AS_A_WHOLE = 6, 5
"""One of them ran two commands, of which the second answered."""

_WRAPPER = "<untrusted_context>\nOutput: "


class Told(NamedTuple):
    """A call of a file, and the result it was made of."""

    file: str
    call: ImportedCall
    result: Returned | None


def main() -> int:
    """Print a paragraph a subject; 1 if one of the rules is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    data: Path = parser.parse_args().data
    faults = [*_repeats(data), *_statuses(data), *_masked(data), *_flagged_fine(data)]
    for fault in faults:
        print(f"FAULT {fault}")
    return 1 if faults else 0


def _repeats(data: Path) -> Iterator[str]:
    last: dict[tuple[str, str, str, str], object] = {}
    changed: Counter[OutcomeKind] = Counter()
    same: Counter[OutcomeKind] = Counter()
    for told in _calls(data / "tau-bench", data / "tau2-bench"):
        asked = canonical(freeze_params(told.call.call.input_params).value)
        question = (told.file, told.call.call.session_id, told.call.call.tool_name, asked)
        output = None if told.result is None else told.result.output
        if question in last:
            (same if last[question] == output else changed)[outcomes.kind_of(told.call.outcome)] += 1
        last[question] = output
    print(f"identical repeats in tau-bench and tau2-bench: {same.total() + changed.total():,}")
    print(f"    output as before: {_words(same)}")
    print(f"    output changed: {_words(changed)}")
    if changed.total() != CHANGED_REPEATS or same[OutcomeKind.DEDUPED] or changed[OutcomeKind.DEDUPED]:
        yield f"{changed.total()} repeats changed their output, {CHANGED_REPEATS} are there; none is a Deduped"


def _statuses(data: Path) -> Iterator[str]:
    found: Counter[tuple[str, OutcomeKind]] = Counter()
    cases: set[str] = set()
    for told in _calls(data / "holmesgpt" / "head", only="holmesgpt"):
        result = told.result
        cases.add(told.call.call.session_id)
        status = "none" if result is None else "no_data" if result.empty else "error" if result.failed else "success"
        found[status, outcomes.kind_of(told.call.outcome)] += 1
    print(f"HolmesGPT's own status and what a call amounted to: {sum(found.values())} results in {len(cases)}")
    for status in ("success", "error", "no_data", "none"):
        kinds = Counter({kind: number for (word, kind), number in found.items() if word == status})
        if kinds:
            print(f"    {status}: {_words(kinds)}")
    if (len(cases), sum(found.values())) != HOLMES_CASES_AND_RESULTS:
        yield "the results and cases of HolmesGPT are not all found"
    if any(word == "error" and kind not in (OutcomeKind.FAILURE, OutcomeKind.DEDUPED) for word, kind in found):
        yield "a result with the status `error` is no failure"
    if any(word == "no_data" and kind is OutcomeKind.SUCCESS for word, kind in found):
        yield "a result with the status `no_data` is evidence"


def _masked(data: Path) -> Iterator[str]:
    fine: Counter[OutcomeKind] = Counter()
    for told in _calls(data / "toolbench" / "data_example"):
        if told.result is not None and told.result.failed is False:
            fine[outcomes.kind_of(told.call.outcome)] += 1
    print(f'ToolBench calls with code 0 and `error: ""`: {fine.total()}')
    print(f"    {_words(fine)}")
    yield from () if fine[OutcomeKind.FAILURE] and fine[OutcomeKind.NO_EVIDENCE] else ("no masked failure was found",)


def _flagged_fine(data: Path) -> Iterator[str]:
    known: Counter[OutcomeKind] = Counter()
    for told in _calls(*(data / client for client in CLIENTS)):
        output = "" if told.result is None else str(told.result.output)
        if output.removeprefix(_WRAPPER).startswith(KNOWN_FAILURES):
            known[outcomes.kind_of(told.call.outcome)] += 1
    print(f"known failures that two clients flagged as fine: {known.total()}")
    print(f"    {_words(known)}")
    if known.total() != KNOWN_FAILED_CALLS or known[OutcomeKind.FAILURE] < FAILED_AS_A_WHOLE:
        yield f"{known[OutcomeKind.FAILURE]} of {KNOWN_FAILED_CALLS} calls flagged as fine are failures"


def _calls(*folders: Path, only: str | None = None) -> Iterator[Told]:
    for folder in folders:
        for file in files_at(folder):
            records = [piece for piece in pieces_of(file) if isinstance(piece, Record)]
            form = format_of(records)
            if form is None or only not in (None, form.name):
                continue
            joining = Joining(Origin(format=form, name=own_name(file)), infer=infer)
            for event in form.read(iter(records)):
                for joined in joining.take(event):
                    if isinstance(joined, ImportedCall):
                        yield Told(file.shown, joined, event if isinstance(event, Returned) else None)
            yield from (Told(file.shown, one, None) for one in joining.end() if isinstance(one, ImportedCall))


def _words(counts: Counter[OutcomeKind]) -> str:
    return ", ".join(f"{kind.value} {number}" for kind, number in sorted(counts.items())) or "none"


if __name__ == "__main__":
    raise SystemExit(main())
