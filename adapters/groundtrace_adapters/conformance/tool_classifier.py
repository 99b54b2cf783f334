"""What every classifier of tool results does: a shape, or a reading given as `classify` (DESIGN section 3)."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groundtrace import outcomes
from groundtrace.classify import Classifier, classify_output
from groundtrace.outcomes import FailureKind, NoEvidenceReason, Outcome, OutcomeKind, Support, kind_of
from groundtrace.shapes.shape import Shape

Expected = OutcomeKind | NoEvidenceReason | FailureKind
"""What a result amounts to: an outcome, or one of a kind."""

_SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)
ANY_VALUE = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassifierCase:
    """A classifier with examples: at least one success, and one that is none.

    `examples` are results as the tool gives them, with what each amounts to. `strangers` are results of other tools,
    which it must leave to others. `partial` are results that hold data and say that they are incomplete.
    """

    classifier: Shape | Classifier
    examples: Sequence[tuple[object, Expected]]
    strangers: Sequence[object] = ("plain text", "", 0, False, {"rows": [1]}, [], None)
    partial: Sequence[object] = ()

    def read(self, value: object, /) -> Outcome | None:
        """Return what the classifier makes of a value; None where it leaves it to others."""
        if not isinstance(self.classifier, Shape):
            return self.classifier(value)
        return classify_output(value, shape=self.classifier)

    def leaves(self, value: object, /) -> bool:
        """Tell whether the classifier leaves a value to others: it changes nothing of what they say."""
        found = self.read(value)
        return found is None or found == classify_output(value)


class ToolClassifierSuite:
    """For every classifier. Give it a fixture `case`, a ClassifierCase."""

    def test_each_example_amounts_to_what_it_says(self, case: ClassifierCase) -> None:
        told = [(case.read(value), expected) for value, expected in case.examples]
        assert [(words_of(found), expected) for found, expected in told if expected not in words_of(found)] == []

    def test_the_examples_show_evidence_and_the_lack_of_it(self, case: ClassifierCase) -> None:
        kinds = {kind_of(found) for value, _ in case.examples if (found := case.read(value)) is not None}
        assert OutcomeKind.SUCCESS in kinds
        assert kinds - {OutcomeKind.SUCCESS}

    def test_results_of_other_tools_are_left_to_others(self, case: ClassifierCase) -> None:
        assert [value for value in case.strangers if not case.leaves(value)] == []

    def test_the_same_result_amounts_to_the_same(self, case: ClassifierCase) -> None:
        for value, _ in case.examples:
            assert case.read(value) == case.read(value)

    def test_reading_a_result_does_not_change_it(self, case: ClassifierCase) -> None:
        for value, _ in case.examples:
            before = deepcopy(value)
            case.read(value)
            assert repr(value) == repr(before)

    def test_incomplete_data_says_so_and_is_never_direct(self, case: ClassifierCase) -> None:
        for value in case.partial:
            found = case.read(value)
            assert isinstance(found, outcomes.Success | outcomes.NoEvidence)
            assert found.partial
            assert not isinstance(found, outcomes.Success) or found.support is Support.INDIRECT

    def test_a_failure_says_why(self, case: ClassifierCase) -> None:
        for value, _ in case.examples:
            found = case.read(value)
            assert not isinstance(found, outcomes.Failure) or found.message.strip()

    @settings(
        max_examples=min(100, settings().max_examples),
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors],
    )
    @given(value=ANY_VALUE)
    def test_any_value_is_read_without_an_exception(self, case: ClassifierCase, value: object) -> None:
        assert isinstance(case.read(value), Outcome | None)

    @pytest.mark.parametrize("spoil", [None, [], {}, "", -1, "\x00\ud800", {"a": {"b": []}}], ids=repr)
    def test_an_example_of_which_a_part_is_spoiled_is_read_without_an_exception(
        self, case: ClassifierCase, spoil: object
    ) -> None:
        for value, _ in case.examples:
            if isinstance(value, dict):
                for key in value:
                    assert isinstance(case.read({**value, key: spoil}), Outcome | None)


def words_of(outcome: Outcome | None, /) -> tuple[Expected, ...]:
    """Return the words that say what a result amounts to: the outcome, and its reason or kind."""
    match outcome:
        case None:
            return ()
        case outcomes.NoEvidence():
            return OutcomeKind.NO_EVIDENCE, outcome.reason
        case outcomes.Failure():
            return OutcomeKind.FAILURE, outcome.kind
        case _:
            return (kind_of(outcome),)
