"""From a verifier's text to its own verdict, or to the cause for which it has none (DESIGN section 8)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from returns.pipeline import is_successful

from groundtrace.verdict import Cause, ParsedVerdict, Verdict
from groundtrace.verdict_parser import parse_verdict, read_verdict

PASS = '{"verdict": "PASS", "confidence": 0.8, "evidence_ids": ["e1"], "reasons": ["e1 shows the refusals"]}'
REJECT = '{"verdict": "REJECT", "evidence_ids": [], "reasons": ["e1 names another pod"]}'
LOW = '{"verdict": "LOW_CONFID"}'


def parsed(raw: object, finish_reason: object = None) -> ParsedVerdict:
    return parse_verdict(raw, finish_reason=finish_reason).unwrap()


def cause_of(raw: object, finish_reason: object = None) -> Cause:
    return parse_verdict(raw, finish_reason=finish_reason).failure().cause


@pytest.mark.parametrize(
    ("raw", "verdict"),
    [
        (PASS, Verdict.PASS),
        (f"\ufeff\n {REJECT}\r\n\t", Verdict.REJECT),
        (f"```json\n{PASS}\n```", Verdict.PASS),
        (f"```\r\n{LOW}\r\n```", Verdict.LOW_CONFID),
        (f"  ```JSON  \n{REJECT}\n```  \n", Verdict.REJECT),
        (f"```Json\n\n{PASS}\n\n  ```", Verdict.PASS),
        (f"<think>hm, {REJECT}?\nno</think>{PASS}", Verdict.PASS),
        (f"<thinking>\n{PASS} first\n</thinking>\n\n{REJECT}", Verdict.REJECT),
        (f"\ufeff<think></think>\n```json\n{PASS}\n```", Verdict.PASS),
        (
            '{"verdict": "PASS", "evidence_ids": ["e1"], "reasons": ["it says </think> and ```json {} ```"]}',
            Verdict.PASS,
        ),
        ('{"verdict": "PASS", "evidence_ids": ["e1"], "tokens": 12, "model": {"name": "v"}}', Verdict.PASS),
    ],
)
def test_accepted_packaging_carries_its_own_verdict(raw: str, verdict: Verdict) -> None:
    """Field cases A01, A06 and A14 (extra keys)."""
    assert parsed(raw).verdict is verdict


FALLBACKS: dict[str, tuple[object, Cause]] = {
    "A01 fence never closed": (f"```json\n{PASS}", Cause.CUT_OFF),
    "A01 fence of another language": (f"```python\n{PASS}\n```", Cause.PROSE_AROUND_JSON),
    "A01 fence in one line": (f"```json {PASS}```", Cause.PROSE_AROUND_JSON),
    "A01 fence within a fence": (f"```\n```json\n{PASS}\n```\n```", Cause.PROSE_AROUND_JSON),
    "A01 empty fence": ("```json\n\n```", Cause.MISSING),
    "A01 text behind the fence": (f"```json\n{PASS}\n```\nI hope this helps.", Cause.PROSE_AROUND_JSON),
    "A03 a word in prose": ("I lean to PASS. No: REJECT.", Cause.INVALID_JSON),
    "A03 a quoted object": (f"Row e1 wants me to say {PASS}, which I will not.", Cause.PROSE_AROUND_JSON),
    "A03 prose before": (f"My verdict follows.\n{PASS}", Cause.PROSE_AROUND_JSON),
    "A03 prose after": (f"{PASS}\nThat is my verdict.", Cause.PROSE_AROUND_JSON),
    "A03 prose before a fence": (f"Of course!\n```json\n{PASS}\n```", Cause.PROSE_AROUND_JSON),
    "A03 a REJECT is not salvaged": (f"Verdict: {REJECT}", Cause.PROSE_AROUND_JSON),
    "A04 PASS first": (f"{PASS}\n{REJECT}", Cause.SEVERAL_OBJECTS),
    "A04 PASS last": (f"{REJECT}\n{PASS}", Cause.SEVERAL_OBJECTS),
    "A04 glued": (f"{LOW}{PASS}", Cause.SEVERAL_OBJECTS),
    "A04 comma between": (f"{PASS}, {PASS}", Cause.SEVERAL_OBJECTS),
    "A04 the same twice": (f"{PASS}\n{PASS}", Cause.SEVERAL_OBJECTS),
    "A04 two fences": (f"```json\n{PASS}\n```\n```json\n{PASS}\n```", Cause.SEVERAL_OBJECTS),
    "A04 prose between": (f"First {PASS}, then rather {REJECT}.", Cause.SEVERAL_OBJECTS),
    "A06 never closed": (f"<think>\nperhaps {PASS}", Cause.CUT_OFF),
    "A06 closed by the other tag": (f"<think>perhaps</thinking>{PASS}", Cause.CUT_OFF),
    "A06 nothing behind it": ("<thinking>PASS</thinking>", Cause.MISSING),
    "A06 upper case": (f"<THINK>so</THINK>\n{PASS}", Cause.PROSE_AROUND_JSON),
    "A06 mixed case": (f"<Thinking>so</Thinking>\n{PASS}", Cause.PROSE_AROUND_JSON),
    "A06 two blocks": (f"<think>a</think><think>b</think>{PASS}", Cause.PROSE_AROUND_JSON),
    "A06 an attribute": (f'<think type="deep">a</think>{PASS}', Cause.PROSE_AROUND_JSON),
    "A06 not at the start": (f"So: <think>a</think>{PASS}", Cause.PROSE_AROUND_JSON),
    "A06 closed early by a quote": (f"<think>it says </think> {PASS}</think>{REJECT}", Cause.SEVERAL_OBJECTS),
    "A14 envelope": (f'{{"ok": true, "result": {PASS}}}', Cause.MISSING),
    "A14 quoted under another key": (f'{{"under_review": {PASS}, "reasons": ["no"]}}', Cause.MISSING),
    "A15 array of one": (f"[{PASS}]", Cause.MISSING),
    "A15 empty array": ("[]", Cause.MISSING),
    "A15 a string": ('"PASS"', Cause.MISSING),
    "A15 JSON within a string": (json.dumps(PASS), Cause.MISSING),
    "A15 a word": ("true", Cause.MISSING),
    "A15 a number": ("0", Cause.MISSING),
    "A15 null": ("null", Cause.MISSING),
    "A17 open arrays": ("[" * 150_000, Cause.TOO_DEEP),
    "A17 open objects": ('{"b":' * 80_000, Cause.TOO_DEEP),
    "A17 deep detail": (
        '{"verdict": "PASS", "evidence_ids": ["e1"], "d": ' + "[" * 70 + "]" * 70 + "}",
        Cause.TOO_DEEP,
    ),
    "A17 deep within a fence": ("```\n" + "[" * 90_000 + "\n```", Cause.TOO_DEEP),
    "A17 long": ('{"verdict": "REJECT", "reasons": ["' + "y" * 1_500_000 + '"]}', Cause.TOO_LARGE),
    "A17 long white space": (PASS + " " * 1_100_000, Cause.TOO_LARGE),
    "A19 single quotes": ("{'verdict': 'REJECT'}", Cause.INVALID_JSON),
    "A19 comma at the end": ('{"verdict": "PASS", "evidence_ids": ["e1"],}', Cause.INVALID_JSON),
    "A19 no comma": ('{"verdict": "PASS" "evidence_ids": ["e1"]}', Cause.INVALID_JSON),
    "A19 key without quotes": ('{verdict: "PASS", evidence_ids: ["e1"]}', Cause.INVALID_JSON),
    "A19 comment": ('{"verdict": "PASS", "evidence_ids": ["e1"] /* or REJECT */}', Cause.INVALID_JSON),
    "A19 python words": ('{"verdict": "PASS", "evidence_ids": ["e1"], "sure": True}', Cause.INVALID_JSON),
    "A19 special token": (f"{PASS}<|im_end|>", Cause.PROSE_AROUND_JSON),
    "A19 lines": ("verdict: PASS\nevidence_ids: [e1]", Cause.INVALID_JSON),
    "A19 broken REJECT": ('{"verdict": "REJECT", "reasons": ["it says', Cause.INVALID_JSON),
    "A19 broken array with an object": (f"[{PASS},", Cause.INVALID_JSON),
    "A20 nothing": (None, Cause.MISSING),
    "A20 empty": ("", Cause.MISSING),
    "A20 white space": ("\r\n \t\u3000", Cause.MISSING),
    "A20 invisible": ("\u200b\u2060\ufeff", Cause.MISSING),
    "A20 a refusal in words": ("I will not judge this.", Cause.INVALID_JSON),
    "A20 a banner": ("upstream connect error 503, reset before headers", Cause.INVALID_JSON),
    "A20 HTML": ("<!doctype html><title>504</title>", Cause.INVALID_JSON),
    "A20 bytes": (PASS.encode(), Cause.INVALID_JSON),
    "A20 a number": (7, Cause.INVALID_JSON),
    "A20 an object that is no text": ({"verdict": "PASS"}, Cause.INVALID_JSON),
    "two byte order marks": (f"\ufeff\ufeff{PASS}", Cause.PROSE_AROUND_JSON),
    "duplicate verdict": ('{"verdict": "PASS", "evidence_ids": ["e1"], "verdict": "PASS"}', Cause.DUPLICATE_KEYS),
    "duplicate in disguise": ('{"verdict": "REJECT", "v\\u0065rdict": "PASS"}', Cause.DUPLICATE_KEYS),
    "duplicate reasons": ('{"verdict": "REJECT", "reasons": [], "reasons": []}', Cause.DUPLICATE_KEYS),
    "key in another case": ('{"Verdict": "PASS", "evidence_ids": ["e1"]}', Cause.MISSING),
}


@pytest.mark.parametrize(("raw", "cause"), FALLBACKS.values(), ids=FALLBACKS.keys())
def test_everything_else_is_a_fallback_with_its_cause(raw: object, cause: Cause) -> None:
    """Field cases A01, A03, A04, A06, A14, A15, A17, A19 and A20."""
    assert cause_of(raw) is cause


@pytest.mark.parametrize("word", ["PASS", "pass", "Pass", " PASS\n", "\tpAsS"])
def test_case_and_outer_white_space_of_a_verdict_do_not_count(word: str) -> None:
    """Field case A10."""
    assert read_verdict(word) is Verdict.PASS


@pytest.mark.parametrize(
    "word",
    [
        "PASSED", "PASS.", "**PASS**", "\u2705 PASS", "PASS (mostly)", "NOT PASS", "PASS/REJECT", "LOW-CONFID",
        "LOW CONFID",
        "LOWCONFID", "OK", "APPROVED", "true", "1", "", " ", "BESTANDEN", "\u901a\u8fc7", "\u0440\u0430ss",
        "P\u0410SS",
        "PA\u017f\u017f", "PAS\u0405", "\uff30\uff21\uff33\uff33", "PASS\u200b", "\u200bPASS", "P A S S", "PASS\x00",
        "REJ\u0415CT", "low_conf\u0131d", "LOW_CONF\u0130D", "L\u039fW_CONFID", "PA\u00df",
    ],
)  # fmt: skip
def test_an_alias_a_translation_or_a_look_alike_is_no_verdict(word: str) -> None:
    """Field case A10; the word is kept for the record."""
    unusable = parse_verdict(json.dumps({"verdict": word, "evidence_ids": ["e1"]})).failure()
    assert unusable.cause is Cause.UNKNOWN_VERDICT
    assert unusable.given == word.replace("\x00", "\u2400")


@pytest.mark.parametrize("value", [True, False, 1, 0, None, ["PASS"], {"value": "PASS"}, {"verdict": "PASS"}, 1.5])
def test_a_verdict_that_is_no_string_is_unknown(value: object) -> None:
    """Field case A12."""
    assert cause_of(json.dumps({"verdict": value, "evidence_ids": ["e1"]})) is Cause.UNKNOWN_VERDICT


@pytest.mark.parametrize("reply", [{}, {"pass": True}, {"pass": "false"}, {"decision": "PASS"}, {"result": "PASS"}])
def test_a_missing_verdict_is_never_read_from_another_key(reply: object) -> None:
    """Field case A12."""
    assert cause_of(json.dumps(reply)) is Cause.MISSING


@pytest.mark.parametrize(
    ("reason", "cause"),
    [
        ("length", Cause.CUT_OFF),
        ("max_tokens", Cause.CUT_OFF),
        ("MAX_TOKENS", Cause.CUT_OFF),
        ("content_filter", Cause.FILTERED),
        ("SAFETY", Cause.FILTERED),
        ("RECITATION", Cause.FILTERED),
        ("refusal", Cause.REFUSED),
        ("tool_calls", Cause.VERIFIER_ERROR),
        ("tool_use", Cause.VERIFIER_ERROR),
        ("Stop", Cause.VERIFIER_ERROR),
        ("stop ", Cause.VERIFIER_ERROR),
        ("", Cause.VERIFIER_ERROR),
        ("pause_turn", Cause.VERIFIER_ERROR),
        (0, Cause.VERIFIER_ERROR),
        (False, Cause.VERIFIER_ERROR),
        (["stop"], Cause.VERIFIER_ERROR),
    ],
)
@pytest.mark.parametrize("raw", [PASS, REJECT, None, PASS[:30]])
def test_a_finish_reason_that_is_not_normal_decides_before_the_text(raw: object, reason: object, cause: Cause) -> None:
    """Field case A08: neither a complete PASS nor a REJECT counts, nor does the text matter."""
    assert cause_of(raw, reason) is cause


@pytest.mark.parametrize("reason", ["stop", "end_turn", "STOP", None])
def test_a_normal_finish_reason_lets_the_reply_be_read(reason: str | None) -> None:
    """Field case A08."""
    assert parsed(PASS, reason).verdict is Verdict.PASS


@pytest.mark.parametrize("reason", ["tool_calls", "tool_use", "stop"])
def test_a_tool_call_is_normal_only_where_the_adapter_asked_for_it(reason: str) -> None:
    assert parse_verdict(PASS, finish_reason=reason, by_tool_call=True).unwrap().verdict is Verdict.PASS


BAD_CONFIDENCE = [
    "1e400",
    "-1e400",
    "-0.1",
    "1.0001",
    "87",
    "true",
    "false",
    '"sure"',
    '"0.9"',
    "null",
    "[0.5]",
    "9" * 5_000,
]


@pytest.mark.parametrize("number", BAD_CONFIDENCE)
def test_a_bad_confidence_lowers_a_pass_and_leaves_a_reject(number: str) -> None:
    """Field case A16."""
    assert (
        parsed(f'{{"verdict": "PASS", "confidence": {number}, "evidence_ids": ["e1"]}}').lowered is Cause.BAD_CONFIDENCE
    )
    reject = parsed(f'{{"verdict": "REJECT", "confidence": {number}}}')
    assert (reject.verdict, reject.lowered) == (Verdict.REJECT, None)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "01", ".5", "+1", "1.", "0x1"])
def test_a_number_that_is_no_json_makes_the_reply_none(number: str) -> None:
    """Field case A16."""
    assert cause_of(f'{{"verdict": "REJECT", "confidence": {number}}}') is Cause.INVALID_JSON


@pytest.mark.parametrize(("number", "value"), [("0", 0.0), ("1", 1.0), ("-0", 0.0), ("1e-400", 0.0), ("0.5", 0.5)])
def test_a_good_confidence_is_kept(number: str, value: float) -> None:
    """Field case A16: 0 is a number."""
    reply = parsed(f'{{"verdict": "PASS", "confidence": {number}, "evidence_ids": ["e1"]}}')
    assert (reply.confidence, reply.lowered) == (value, None)


CONTRADICTIONS = [
    '"criteria": [{"name": "time", "verdict": "REJECT"}]',
    '"criteria": [{"verdict": "PASS"}, {"verdict": "low_confid"}]',
    '"a": {"b": [[{"verdict": "MAYBE"}]]}',
    '"a": {"verdict": null}',
    '"a": {"verdict": ["PASS"]}',
    '"a": {"verdict": "REJECT", "verdict": "PASS"}',
    '"a": {"Verdict": "REJECT"}',
    '"unsupported_claims": ["the disk was full"]',
    '"unsupported_claims": "the disk was full"',
    '"unsupported_claims": [""]',
    '"unsupported_claims": {"claim": "x"}',
    '"unsupported_claims": true',
    '"unsupported_claims": 0',
    '"criteria": [{"verdict": "PASS", "unsupported_claims": ["x"]}]',
]


@pytest.mark.parametrize("more", CONTRADICTIONS)
def test_a_pass_that_denies_itself_is_a_contradiction_and_a_reject_stays(more: str) -> None:
    """Field case A14 (criteria inside a REJECT)."""
    assert parsed(f'{{"verdict": "PASS", "evidence_ids": ["e1"], {more}}}').lowered is Cause.CONTRADICTION
    for verdict in (Verdict.REJECT, Verdict.LOW_CONFID):
        reply = parsed(f'{{"verdict": "{verdict}", {more}}}')
        assert (reply.verdict, reply.lowered) == (verdict, None)


@pytest.mark.parametrize(
    "more",
    [
        '"unsupported_claims": []',
        '"unsupported_claims": null',
        '"unsupported_claims": "  "',
        '"criteria": [{"verdict": "pass "}]',
        '"quoted": "{\\"verdict\\": \\"REJECT\\"}"',
        '"seen": {"a": 1, "a": 2}',
    ],
)
def test_a_pass_that_does_not_deny_itself_stands(more: str) -> None:
    assert parsed(f'{{"verdict": "PASS", "evidence_ids": ["e1"], {more}}}').lowered is None


@pytest.mark.parametrize(
    ("ids", "labels"),
    [
        ('["e2", "e1", "e2"]', ("e2", "e1")),
        ("[]", ()),
        ('[" e1"]', (" e1",)),
        ("null", None),
        ('"e1"', None),
        ('["e1", 2]', None),
        ('{"e1": true}', None),
        ('[["e1"]]', None),
    ],
)
def test_evidence_ids_are_an_array_of_strings_or_nothing(ids: str, labels: tuple[str, ...] | None) -> None:
    """Field case E09: no trimming, repeats count once."""
    assert parsed(f'{{"verdict": "PASS", "evidence_ids": {ids}}}').evidence_ids == labels


@pytest.mark.parametrize(
    ("reasons", "read"),
    [
        ('["no failure found; nothing was rejected"]', ("no failure found; nothing was rejected",)),
        ('"would PASS with a log"', ("would PASS with a log",)),
        ('{"a": "REJECT"}', ()),
        ("7", ()),
        ('["", null, "REJECT", {"verdict": "PASS"}]', ("REJECT",)),
        ('["half \\ud83d", "nul \\u0000"]', ("half \ufffd", "nul \u2400")),
    ],
)
@pytest.mark.parametrize("verdict", Verdict)
def test_reasons_are_read_by_people_only(verdict: Verdict, reasons: str, read: tuple[str, ...]) -> None:
    """Field case E12: words in reasons never count."""
    reply = parsed(f'{{"verdict": "{verdict}", "evidence_ids": ["e1"], "reasons": {reasons}}}')
    assert (reply.verdict, reply.reasons, reply.lowered) == (verdict, read, None)


PIECES = st.sampled_from(
    [
        PASS,
        REJECT,
        LOW,
        "{",
        "}",
        "[",
        "]",
        '"',
        "\\",
        ",",
        ":",
        "<think>",
        "</think>",
        "```json\n",
        "\n```",
        "\ufeff",
        " ",
        "x",
    ]
)


@given(st.lists(PIECES, max_size=8).map("".join) | st.text())
def test_any_reply_is_parsed_or_has_a_cause_and_nothing_raises(raw: str) -> None:
    read = parse_verdict(raw)
    assert is_successful(read) or read.failure().cause in Cause


@given(
    st.sampled_from([PASS, REJECT, LOW]), st.text(min_size=1).filter(lambda text: text.strip("\ufeff").strip() != "")
)
def test_text_beside_an_object_leaves_no_verdict(reply: str, prose: str) -> None:
    for raw in (prose + reply, reply + prose):
        assert not is_successful(parse_verdict(raw))


@given(st.text(alphabet='{}[]",:0e.-tru\n \\', max_size=30))
def test_malformed_json_inside_a_reply_is_never_a_verdict(detail: str) -> None:
    raw = f'{{"verdict": "PASS", "evidence_ids": ["e1"], "detail": {detail}}}'
    try:
        json.loads(raw)
    except ValueError:
        assert not is_successful(parse_verdict(raw))
