"""Shapes of one's own, as a caller would write them: mypy holds the types, the run holds the values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_type

import groundtrace
from groundtrace import outcomes


def of_ticket(body: Mapping[str, groundtrace.JsonValue], told: groundtrace.Told) -> groundtrace.Outcome | None:
    if "ticket" not in body:
        return None
    return outcomes.Success(support=groundtrace.Support.DIRECT, output=told.output)


def of_boxed(value: object, inner: groundtrace.Inner) -> groundtrace.Outcome | None:
    return inner(value[0]) if isinstance(value, list) and len(value) == 1 else None


BOXED = groundtrace.Shape(name="boxed", read_object=of_boxed)
TICKET = groundtrace.Shape(name="ticket", members=frozenset({"ticket"}), read_body=of_ticket)
SHAPES: groundtrace.Shapes = groundtrace.KNOWN_SHAPES.extended(TICKET)


def test_a_reader_may_ask_what_stands_inside() -> None:
    found = groundtrace.classify_output(["No results found"], shape=BOXED)
    assert groundtrace.kind_of(found) is groundtrace.OutcomeKind.NO_EVIDENCE


def test_a_shape_of_ones_own_decides() -> None:
    assert_type(SHAPES.named("ticket"), groundtrace.Shape | None)
    found = groundtrace.classify_output({"ticket": 7}, shapes=SHAPES)
    assert_type(found, groundtrace.Outcome)
    assert found == outcomes.Success(support=groundtrace.Support.DIRECT, output='{"ticket":7}')
