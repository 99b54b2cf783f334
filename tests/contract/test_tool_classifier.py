"""Our declared shapes under the suite of the kit, and the classifiers that the pages show."""

from __future__ import annotations

import subprocess

import pytest

from groundtrace import outcomes
from groundtrace.outcomes import FailureKind, NoEvidenceReason, Outcome, OutcomeKind, Support
from groundtrace.shapes.known import KNOWN_SHAPES
from groundtrace.shapes.shape import Shape
from groundtrace_adapters.conformance.tool_classifier import ClassifierCase, Expected, ToolClassifierSuite

FOUND, NOTHING, BROKEN = OutcomeKind.SUCCESS, OutcomeKind.NO_EVIDENCE, OutcomeKind.FAILURE


def named(name: str) -> Shape:
    shape = KNOWN_SHAPES.named(name)
    assert shape is not None
    return shape


def case_of(name: str, *examples: tuple[object, Expected], partial: tuple[object, ...] = ()) -> ClassifierCase:
    return ClassifierCase(classifier=named(name), examples=examples, partial=partial)


def text(words: str, *, failed: bool = False) -> dict[str, object]:
    return {"content": [{"type": "text", "text": words}], "isError": failed}


def vector(*samples: object, **more: object) -> dict[str, object]:
    return {"status": "success", "data": {"resultType": "vector", "result": list(samples)}, **more}


def hits(*found: str, **more: object) -> dict[str, object]:
    documents = [{"_id": one, "_source": {"message": one}} for one in found]
    shards = {"total": 1, "successful": 1, "skipped": 0, "failed": 0}
    return {
        "took": 3,
        "timed_out": False,
        "_shards": shards,
        "hits": {"total": {"value": len(found), "relation": "eq"}, "hits": documents},
        **more,
    }


def ran(code: int, out: str = "", err: str = "", *, program: str = "grep") -> object:
    return subprocess.CompletedProcess([program, "x"], code, out, err)


def own(value: object) -> Outcome | None:
    """A reading as a user gives it: a tool that answers in words of its own."""
    if not (isinstance(value, str) and value.startswith("INVENTORY ")):
        return None
    if value == "INVENTORY STALE":
        return outcomes.Failure(kind=FailureKind.UNAVAILABLE, message="the inventory is stale")
    if value == "INVENTORY 0":
        return outcomes.NoEvidence(reason=NoEvidenceReason.EMPTY_RESULT, output=value)
    return outcomes.Success(support=Support.DIRECT, output=value)


SAMPLE = {"metric": {"pod": "a"}, "value": [1773000000, "12"]}
CASES = {
    "mcp": case_of("mcp", (text("two pods"), FOUND), (text(""), NOTHING), (text("no such pod", failed=True), BROKEN)),
    "prometheus": case_of(
        "prometheus",
        (vector(SAMPLE), FOUND),
        (vector(), NOTHING),
        ({"status": "error", "errorType": "timeout", "error": "took too long"}, FailureKind.TIMEOUT),
        partial=(vector(SAMPLE, warnings=["a store is away"]), vector(isPartial=True)),
    ),
    "elasticsearch": case_of(
        "elasticsearch", (hits("a"), FOUND), (hits(), NOTHING), partial=(hits("a", timed_out=True),)
    ),
    "process": case_of(
        "process",
        (ran(0, "a line"), FOUND),
        (ran(1), NoEvidenceReason.NO_MATCH),
        (ran(2, err="no such file"), BROKEN),
        ({"exit_code": 0, "stdout": "a line", "stderr": ""}, FOUND),
    ),
    "http_json": case_of(
        "http_json",
        ({"status": 200, "headers": {}, "body": {"pods": ["a"]}}, FOUND),
        ({"status": 204, "headers": {}, "body": ""}, NOTHING),
        ({"status": 429, "headers": {"retry-after": "3"}, "body": ""}, FailureKind.RATE_LIMITED),
    ),
    "a reading of one's own": ClassifierCase(
        classifier=own,
        examples=(("INVENTORY 3", FOUND), ("INVENTORY 0", NOTHING), ("INVENTORY STALE", FailureKind.UNAVAILABLE)),
    ),
}


class TestToolClassifiers(ToolClassifierSuite):
    @pytest.fixture(params=list(CASES.values()), ids=list(CASES))
    def case(self, request: pytest.FixtureRequest) -> ClassifierCase:
        case: ClassifierCase = request.param
        return case
