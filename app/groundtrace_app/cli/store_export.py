"""`store export`: a store as JSON lines, into a file that can be taken up again, or to standard output."""

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from returns import result
from returns.pipeline import is_successful
from returns.result import Result

from groundtrace.export_columns import export_schema
from groundtrace.export_line import cursor_of
from groundtrace.ports import StoreError
from groundtrace.problem import Problem
from groundtrace.upkeep import Cursor, Selection
from groundtrace_adapters.stores.opening import Store
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.opening import Flags, settings_from, told, with_store
from groundtrace_app.cli.options import without_password
from groundtrace_app.cli.printing import counted_words, fail, print_json, safe
from groundtrace_app.cli.progress import ProgressLine
from groundtrace_app.cli.store_opening import span_of
from groundtrace_app.store_export import Part, parts_of
from groundtrace_app.store_file import ExportFile, Progress, open_export
from groundtrace_app.trace import store_problem

STANDARD_OUTPUT = "-"
UNREADABLE_TOLD = 20

_Write: TypeAlias = Callable[[tuple[str, ...], Progress], None]


def export_command(
    file: str,
    given: Mapping[str, str | None],
    *,
    reveal: bool,
    schema: bool,
    flags: Flags,
    config: Path | None,
    as_json: bool,
) -> int:
    """Write the chosen records, or print the schema of their lines."""
    if schema:
        print_json(export_schema())
        return Exit.DONE

    def run(chosen: Selection, start: Cursor) -> int:
        if file == STANDARD_OUTPUT:
            return with_store(flags, config, lambda store: _to_output(store, chosen, start, reveal=reveal))
        options = json.dumps([_place(flags, config), {**given, "reveal": reveal}])
        return with_store(flags, config, lambda store: into(store, chosen, start, options))

    def into(store: Store, chosen: Selection, start: Cursor, options: str) -> int:
        # A store that cannot be used leaves no file behind.
        usable = store.check().alt(store_problem)
        if not is_successful(usable):
            return fail(usable.failure(), Exit.UNAVAILABLE)
        opened = open_export(Path(file), start, options)
        filled = opened.map(lambda held: _to_file(store, chosen, held, reveal=reveal, as_json=as_json))
        return filled.lash(told()).unwrap()

    read = Result.do((chosen, start) for chosen in _selection(given) for start in _start(given["after"]))
    return read.map(lambda both: run(*both)).lash(told()).unwrap()


def _place(flags: Flags, config: Path | None) -> str:
    return settings_from(flags, config).map(lambda read: without_password(read.store)).value_or("")


def _selection(given: Mapping[str, str | None]) -> Result[Selection, Problem]:
    return span_of(given["since"], given["until"]).map(
        lambda span: Selection(session_id=given["session"], since=span[0], until=span[1])
    )


def _start(line: str | None) -> Result[Cursor, Problem]:
    if line is None:
        return result.Success(Cursor())
    mend = "give the last whole line that you have, or its `record`, `session_id` and `id` as JSON"
    return cursor_of(line).alt(lambda problem: replace(problem, where="--after", mend=mend))


def _to_output(store: Store, chosen: Selection, start: Cursor, *, reveal: bool) -> int:
    """Print the lines and nothing else; UTF-8, whatever the locale says, since JSON is."""
    if sys.stdout is None:
        return fail(Problem(what="it is closed", where="standard output", mend="name a file"), Exit.UNAVAILABLE)

    def write(lines: tuple[str, ...], progress: Progress) -> None:
        sys.stdout.buffer.write("".join(f"{line}\n" for line in lines).encode("utf-8"))
        sys.stdout.flush()

    ended, done = _export(store, chosen, Progress(options="", cursor=start), write, reveal=reveal)
    if ended is Exit.INTERRUPTED:
        fail(Problem(what="interrupted", where="export", mend="--after LINE goes on behind the last whole line"))
    return ended or (Exit.SOME_REFUSED if done.unreadable else Exit.DONE)


def _to_file(store: Store, chosen: Selection, held: ExportFile, *, reveal: bool, as_json: bool) -> int:
    """Fill the file; whatever ends it early, what is whole stays and is told."""
    before = held.progress.lines
    try:
        ended, done = _export(store, chosen, held.progress, held.write, reveal=reveal)
        if ended:
            held.save()
        else:
            held.finish()
    except OSError as refused:
        what = f"it takes no more ({refused.strerror})"
        mend = "make room there, then run the same command again"
        ended, done = Exit(fail(Problem(what=what, where=str(held.path), mend=mend), Exit.UNAVAILABLE)), held.saved
    finally:
        held.close()
    return _report(ended, done, before, held.path, as_json=as_json)


def _report(ended: Exit, done: Progress, before: int, path: Path, *, as_json: bool) -> int:
    if as_json:
        counts = {"lines": done.lines, "left_out": done.left_out, "unreadable": done.unreadable}
        print_json({"file": str(path), "whole": not ended, **counts})
    else:
        lines = counted_words(done.lines, "line", "lines")
        more = f", {before:,} of them by an earlier run" if before else ""
        if ended:
            print(f"{safe(str(path))} holds {lines}{more}; the same command goes on from here.")
        else:
            print(f"{safe(str(path))} is whole: {lines}{more}.")
        if done.left_out:
            decisions = counted_words(done.left_out, "decision", "decisions")
            print(f"The withheld texts of {decisions} are left out; --reveal-withheld writes them.")
    return ended or (Exit.SOME_REFUSED if done.unreadable else Exit.DONE)


def _export(
    store: Store, chosen: Selection, progress: Progress, write: _Write, *, reveal: bool
) -> tuple[Exit, Progress]:
    """Write part after part; return how it ended and how far it came. Raises OSError, as `write` does."""
    run = _Exporting(progress)
    try:
        refused = run.through(parts_of(store.upkeep(), chosen, start=progress.cursor, reveal=reveal), write)
    except KeyboardInterrupt:
        return Exit.INTERRUPTED, run.progress
    finally:
        for why in run.unreadable:
            fail(Problem(what=why, where="not exported"))
    if refused is not None:
        return Exit(fail(store_problem(refused), Exit.UNAVAILABLE)), run.progress
    return Exit.DONE, run.progress


class _Exporting:
    """One run: how far it came, and what could not be read, which is told when no progress line stands in its way."""

    def __init__(self, progress: Progress, /) -> None:
        self.progress = progress
        self.unreadable: list[str] = []

    def through(self, parts: Iterable[Result[Part, StoreError]], write: _Write) -> StoreError | None:
        """Write all parts; return why the store gave no more."""
        with ProgressLine() as line:
            for part in parts:
                if not is_successful(part):
                    return part.failure()
                self._write(part.unwrap(), write)
                line.count("lines written:", self.progress.lines)
        return None

    def _write(self, part: Part, write: _Write) -> None:
        self.unreadable += part.unreadable[: UNREADABLE_TOLD - len(self.unreadable)]
        then = _behind(self.progress, part)
        write(part.lines, then)
        self.progress = then


def _behind(progress: Progress, part: Part) -> Progress:
    return replace(
        progress,
        cursor=part.cursor or progress.cursor,
        lines=progress.lines + len(part.lines),
        left_out=progress.left_out + part.left_out,
        unreadable=progress.unreadable + len(part.unreadable),
    )
