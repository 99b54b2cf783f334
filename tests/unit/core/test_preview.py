"""What a row keeps of an output, and that no secret is left by half at a cut (section 4)."""

import hashlib
import re
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.invocation import OutputState
from groundtrace.preview import HEAD, MARGIN, NOTHING, TAIL, preview, whole_redacted
from groundtrace.redaction import Redactor

REDACTOR = Redactor(b"k" * 32)
SEAM = re.compile(r"\n\[\.\.\. ([0-9,]+) characters left out \.\.\.\]\n")
PEM_BODY = "\n".join("MIIEowIBAAKCAQEA7bq9" + "Zz1" * 14 for _ in range(48))
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{PEM_BODY}\n-----END RSA PRIVATE KEY-----"


def test_a_short_output_is_kept_whole() -> None:
    shown = preview("3 lines", REDACTOR)
    assert shown == ("3 lines", OutputState.FULL, 7, hashlib.sha256(b"3 lines").hexdigest())
    assert preview("x" * (HEAD + TAIL), REDACTOR).state is OutputState.FULL


def test_bytes_are_read_as_utf_8_and_hashed_as_they_are() -> None:
    shown = preview(b"caf\xc3\xa9 \xff\x00", REDACTOR)
    assert shown == ("café \ufffd\u2400", OutputState.FULL, 8, hashlib.sha256(b"caf\xc3\xa9 \xff\x00").hexdigest())


@pytest.mark.parametrize("length", [HEAD + TAIL + 1, 10_000, HEAD + TAIL + 2 * MARGIN + 1, 500_000])
@pytest.mark.parametrize("kind", [str, bytes])
def test_a_long_output_keeps_head_and_tail_and_says_how_much_lies_between(length: int, kind: type) -> None:
    text = "".join(f"line {number:6}\n" for number in range(length // 12 + 1))[:length]
    shown = preview(text if kind is str else text.encode(), REDACTOR)
    assert shown.state is OutputState.TRUNCATED
    assert shown.text == f"{text[:HEAD]}\n[... {length - HEAD - TAIL:,} characters left out ...]\n{text[-TAIL:]}"
    assert (shown.bytes, shown.sha256) == (length, hashlib.sha256(text.encode()).hexdigest())


@pytest.mark.parametrize(
    "output", ["3 lines of a log\n" * 1_000_000, b"3 lines of a log\n" * 1_000_000], ids=["str", "bytes"]
)
def test_a_large_output_is_never_copied_whole(output: str | bytes) -> None:
    tracemalloc.start()
    shown = preview(output, REDACTOR)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert shown.state is OutputState.TRUNCATED
    assert peak < len(output) // 10


def test_characters_are_counted_and_not_bytes() -> None:
    text = "é\U0001f600 " * 20_000
    for output in (text, text.encode()):
        shown = preview(output, REDACTOR)
        found = SEAM.search(shown.text or "")
        assert found is not None
        assert int(found[1].replace(",", "")) == 60_000 - HEAD - TAIL
        assert shown.bytes == len(text.encode())


@pytest.mark.parametrize("blank", ["", "  \n", "\u200b\u00a0", b"", b"\xc2\xa0", " " * 100_000])
def test_nothing_visible_is_a_state_and_no_blank_string(blank: str | bytes) -> None:
    shown = preview(blank, REDACTOR)
    assert (shown.text, shown.state) == (None, OutputState.NONE)
    data = blank if isinstance(blank, bytes) else blank.encode()
    assert (shown.bytes, shown.sha256) == (len(data), hashlib.sha256(data).hexdigest())


def test_no_output_has_neither_size_nor_hash() -> None:
    assert preview(None, REDACTOR) == NOTHING == (None, OutputState.NONE, None, None)


SECRETS = [
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "password=hunter2hunter2hunter2",
    f"Authorization: Bearer {'aB3' * 300}",
    f"https://ann:{'pW9' * 60}@db.example.test/x",
    PEM,
    f"eyJhbGciOiJSUzI1NiJ9.{'eyJ4' * 400}.sig",
]


@pytest.mark.parametrize("secret", SECRETS, ids=lambda secret: secret[:12])
@pytest.mark.parametrize("length", [9_000, 200_000])
@pytest.mark.parametrize("where", ["head", "tail"])
def test_a_secret_across_the_cut_leaves_no_part_of_itself(secret: str, length: int, where: str) -> None:
    filler = ("all is well here\n" * (length // 17 + 1))[:length]
    value = re.sub("^Authorization: Bearer |^https://ann:|^password=|@db.*", "", secret)
    parts = {value[at : at + 12] for at in range(0, min(len(value), 2_000) - 12, 6)}
    for shift in {1, 8, len(secret) // 2, len(secret) - 1}:
        at = HEAD - shift if where == "head" else length - TAIL - shift
        if not 0 <= at <= length:
            continue
        output = f"{filler[:at]}\n{secret}\n{filler[at:]}"
        shown = preview(output, REDACTOR).text
        assert shown is not None
        assert not [part for part in parts if part in shown]
        assert REDACTOR.text(shown) == shown


def test_a_private_key_that_fills_the_window_is_not_shown_by_half() -> None:
    key = PEM.replace(PEM_BODY, PEM_BODY * 3)
    for output in (f"{key}\n{'x ' * 20_000}", f"{'x ' * 20_000}\n{key}"):
        assert "MIIE" not in (preview(output, REDACTOR).text or "")


def test_a_run_whose_start_is_not_read_is_left_out() -> None:
    blob = "aB3" * 10_000
    shown = preview(f"{'x ' * 10_000}token={blob}", REDACTOR)
    assert "aB3" not in (shown.text or "")


def test_no_marker_is_cut_in_two() -> None:
    for at in range(HEAD - 60, HEAD + 5):
        text = f"{'a' * at} password=hunter2 {'b ' * 1_000}"
        shown = preview(text, REDACTOR).text or ""
        assert shown.count("[redacted ") == len(re.findall(r"\[redacted password [0-9a-f]{6}\]", shown))


def test_a_whole_output_is_redacted_or_too_long_to_hold() -> None:
    assert whole_redacted("password=abc\0", REDACTOR) == "password=" + REDACTOR.marker("abc\u2400", "password")
    assert whole_redacted(b"x" * 10, REDACTOR, limit=10) == "x" * 10
    assert whole_redacted("x" * 11, REDACTOR, limit=10) is None
    assert whole_redacted(None, REDACTOR) is None


@given(st.text(st.characters(), max_size=3_000) | st.binary(max_size=3_000), st.integers(1, 12))
def test_a_preview_is_bounded_and_its_hash_is_that_of_the_whole(piece: str | bytes, times: int) -> None:
    output = piece * times
    shown = preview(output, REDACTOR)
    data = output if isinstance(output, bytes) else output.encode("utf-8", "surrogatepass")
    assert (shown.bytes, shown.sha256) == (len(data), hashlib.sha256(data).hexdigest())
    assert (shown.text is None) == (shown.state is OutputState.NONE)
    assert len(shown.text or "") <= HEAD + TAIL + 60
    assert "\0" not in (shown.text or "")
    (shown.text or "").encode()
