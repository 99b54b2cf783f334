"""Shapes are a value: users add their own, which are asked first; whatever a shape does, there is an outcome."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace import outcomes
from groundtrace.classify import classify_output
from groundtrace.outcomes import FailureKind, Outcome, Support, failure_because
from groundtrace.shapes.known import KNOWN_SHAPES
from groundtrace.shapes.registry import Shapes
from groundtrace.shapes.shape import Body, Inner, Shape, Told


class Inventory:
    """An object of a library that we do not know."""

    def __init__(self, *hosts: str) -> None:
        """Hold hosts."""
        self.hosts = list(hosts)


class Racks(Inventory):
    """A subclass of it."""


def of_inventory(value: object, inner: Inner) -> Outcome | None:
    return inner(value.hosts) if isinstance(value, Inventory) else None


def of_ticket(body: Body, told: Told) -> Outcome | None:
    if body.get("kind") != "ticket":
        return None
    if body.get("state") == "gone":
        return failure_because(FailureKind.DENIED, "the ticket is gone")
    return outcomes.Success(support=Support.DIRECT, output=told.output)


def breaks(*_: object) -> NoReturn:
    raise RuntimeError("a reader with a bug")


ROOT = __name__.partition(".")[0]
INVENTORY = Shape(name="inventory", types=(f"{ROOT}.Inventory",), read_object=of_inventory)
TICKET = Shape(name="ticket", read_body=of_ticket)
MINE = KNOWN_SHAPES.extended(INVENTORY, TICKET)


NAMES = st.sampled_from(
    (
        "status data result resultType error errorType warnings isError content hits _shards jsonrpc status_code "
        "headers body exit_code stdout stderr command tool_call_id artifact part_kind rows columns kind items "
        "metadata traces metrics success ok errors truncated type kwargs id responses response is_running "
        "structuredContent value values"
    ).split()
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 600),
    st.sampled_from(["success", "error", "2.0", "streams", "vector", "NaN", "", "tool", "text", "List", "Status", "x"]),
)
BODIES = st.recursive(
    LEAVES, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=4))
)


@given(st.dictionaries(NAMES, BODIES, max_size=7))
def test_no_shape_of_ours_raises_whatever_stands_in_an_object(body: dict[str, Any]) -> None:
    for shape in KNOWN_SHAPES:
        for named in (True, False):
            told = Told(output="x", inner=classify_output, named=named)
            if shape.read_body is not None:
                shape.read_body(body, told)
    kinds = {outcomes.kind_of(classify_output(form)) for form in (body, json.dumps(body))}
    assert len(kinds) == 1


@given(st.dictionaries(NAMES, BODIES, max_size=7))
def test_no_shape_of_ours_raises_whatever_an_object_has(body: dict[str, Any]) -> None:
    value = SimpleNamespace(**body)
    for shape in KNOWN_SHAPES:
        assert shape.fits is None or shape.fits(value) in {True, False}
        if shape.read_object is not None:
            shape.read_object(value, classify_output)


@pytest.mark.parametrize("kind", [Inventory, Racks])
def test_a_class_is_found_by_its_name_and_by_that_of_a_parent(kind: Callable[..., Inventory]) -> None:
    assert isinstance(classify_output(kind("db-1"), shapes=MINE), outcomes.Success)
    assert isinstance(classify_output(kind(), shapes=MINE), outcomes.NoEvidence)


def test_an_object_is_found_by_its_fields_in_values_and_in_texts() -> None:
    for value in ({"kind": "ticket"}, json.dumps({"kind": "ticket"})):
        outcome = classify_output(value, shapes=MINE)
        assert isinstance(outcome, outcomes.Success)
        assert outcome.support is Support.DIRECT
    assert isinstance(classify_output({"kind": "ticket", "state": "gone"}, shapes=MINE), outcomes.Failure)


def test_a_registry_is_a_value_that_extending_does_not_change() -> None:
    assert KNOWN_SHAPES.named("ticket") is None
    assert MINE.named("ticket") is TICKET
    assert Shapes(KNOWN_SHAPES.shapes) == KNOWN_SHAPES


def test_a_shape_of_a_known_name_takes_its_place() -> None:
    quiet = Shape(name="mcp")
    changed = KNOWN_SHAPES.extended(quiet)
    assert [shape.name for shape in changed].count("mcp") == 1
    failed = {"content": [{"type": "text", "text": "no"}], "isError": True}
    assert isinstance(classify_output(failed, shapes=changed), outcomes.Success)


def test_the_names_are_unique_and_each_shape_reads_something() -> None:
    names = [shape.name for shape in KNOWN_SHAPES]
    assert len(names) == len(set(names))
    assert all(shape.read_object or shape.read_body for shape in KNOWN_SHAPES)


@pytest.mark.parametrize(
    "shape",
    [
        Shape(name="a", fits=breaks, read_object=breaks, read_body=breaks),
        Shape(name="b", types=(f"{ROOT}.Thing",), read_object=breaks),
        Shape(name="c", fits=lambda value: True, read_object=lambda value, inner: inner(value)),
    ],
    ids=["raises", "raises_by_class", "asks_for_itself"],
)
def test_a_shape_with_a_bug_is_passed_over(shape: Shape) -> None:
    @dataclass
    class Thing:
        pods: tuple[str, ...] = ("cart-0",)

    Thing.__qualname__ = "Thing"
    shapes = KNOWN_SHAPES.extended(shape)
    for value in (Thing(), {"pods": ["cart-0"]}, '{"pods": ["cart-0"]}'):
        assert isinstance(classify_output(value, shapes=shapes), outcomes.Success)


def test_a_shape_that_is_named_is_asked_first_and_of_any_object() -> None:
    outcome = classify_output({"kind": "ticket"}, shape=TICKET)
    assert isinstance(outcome, outcomes.Success)
    assert outcome.support is Support.DIRECT
    assert isinstance(classify_output("[]", shape=TICKET), outcomes.NoEvidence)
