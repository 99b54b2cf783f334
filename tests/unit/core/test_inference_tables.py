"""The tables of known whole texts: each row knows its own example, and no example counts as a part of more."""

import re

import pytest

from groundtrace.inference.absence_texts import ABSENCE, FRAMES
from groundtrace.inference.failure_calls import CALLS
from groundtrace.inference.failure_messages import MESSAGES
from groundtrace.inference.failure_network import NETWORK
from groundtrace.inference.failure_own import KUBECTL, OWN
from groundtrace.inference.failure_plain import PLAIN
from groundtrace.inference.known_texts import Known, KnownTexts
from groundtrace.inference.repeats import REFUSALS
from groundtrace.inference.wrapper_forms import AROUND, LEADING, TRAILING

TABLES = {
    "absence": ABSENCE,
    "frames": FRAMES,
    "own": OWN,
    "kubectl": KUBECTL,
    "plain": PLAIN,
    "network": NETWORK,
    "calls": CALLS,
    "messages": MESSAGES,
    "repeats": REFUSALS,
}
ROWS = [pytest.param(table, row, id=f"{name}: {row.name}") for name, table in TABLES.items() for row in table.rows]
LONG = 5_000
PROSE = "\n\nThe above was seen in the spring, and since then we have moved every shop to the new cluster.\n" * (
    LONG // 90
)


@pytest.mark.parametrize(("table", "row"), ROWS)
def test_each_row_knows_its_own_example(table: KnownTexts, row: Known) -> None:
    assert row.name in table.names_for(row.like)
    assert table.knows(row.like)


@pytest.mark.parametrize(("table", "row"), ROWS)
def test_no_row_counts_where_its_example_only_begins_or_ends_a_document(table: KnownTexts, row: Known) -> None:
    assert not table.knows(f"{row.like}{PROSE}")
    assert not table.knows(f"{PROSE}{row.like}")


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_names_of_rows_are_told_apart(table: KnownTexts) -> None:
    names = [row.name for row in table.rows]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("row", [*LEADING, *TRAILING, *AROUND], ids=lambda row: row.name)
def test_each_wrapper_knows_its_own_example(row: Known) -> None:
    assert re.search(row.form, row.like, re.IGNORECASE | re.DOTALL)
