"""What is blank, what is replaced visibly, how a cut is seen (sections 3 and 4)."""

import pytest

from groundtrace.text import clean, cut, is_blank


@pytest.mark.parametrize("text", ["", " \n\t", "\u00a0\u200b", "\ufeff", "\0", "\u3164\u115f", "\u00ad", "\U000e0041"])
def test_white_space_and_invisible_characters_are_blank(text: str) -> None:
    """Field case C05, the blank forms."""
    assert is_blank(text)


@pytest.mark.parametrize("text", ["0", " x", "\u200b.", "\ufffd", "é", "~", "!", "\x01"])
def test_anything_visible_is_not_blank(text: str) -> None:
    assert not is_blank(text)


def test_nul_and_lone_surrogates_are_replaced_one_for_one() -> None:
    """Field case B01."""
    assert clean("core\0dump") == "core\u2400dump"
    assert clean("\ud83d \udc00é") == "\ufffd \ufffdé"
    assert clean("text \\u0000 text\x01\x02") == "text \\u0000 text\x01\x02"
    assert clean("\U0001f600") == "\U0001f600"


def test_a_cut_is_seen() -> None:
    assert cut("abcdef", 6) == "abcdef"
    assert cut("abcdefg", 6) == "abc..."
    assert cut("abc", 2) == ".."
