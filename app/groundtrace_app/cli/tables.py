"""Tables for people, in the width of what they are printed to. Loads `rich` whole, which most commands do without."""

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text
from typing_extensions import override

from groundtrace_app.cli.printing import safe, width


def console() -> Console:
    """Return the console for tables on standard output, as wide as `width`; a reader that left is a BrokenPipeError."""
    return _PipeConsole(highlight=False, soft_wrap=False, width=width())


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], /) -> Table:
    """Return a table of plain cells; no cell is read as markup."""
    made = Table(title=title, title_justify="left", show_edge=False, pad_edge=False)
    for column in columns:
        made.add_column(column, overflow="fold")
    for row in rows:
        made.add_row(*(Text(safe("" if cell is None else str(cell))) for cell in row))
    return made


class _PipeConsole(Console):
    @override
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError
