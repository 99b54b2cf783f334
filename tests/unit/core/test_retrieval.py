"""What a retrieval may say of itself: counts that cannot be are refused."""

import pytest

from groundtrace.retrieval import Mode, Retrieval


def test_no_more_can_be_delivered_than_was_considered() -> None:
    with pytest.raises(ValueError, match="l1_count"):
        Retrieval(l0_count=1, l1_count=2)


def test_an_address_needs_no_candidates() -> None:
    assert Retrieval(mode=Mode.ADDRESS, l0_count=0, l1_count=1).l1_count == 1


@pytest.mark.parametrize("field", ["l0_count", "l1_count", "l2_count"])
def test_no_count_is_negative(field: str) -> None:
    with pytest.raises(ValueError, match="negative"):
        Retrieval(**{field: -1})  # type: ignore[arg-type]  # one count at a time, by name
