"""When a knowledge call is a repeat: what makes two calls one, and what an earlier call must have been."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.dedup import EarlierCall, Repeat, Run, decide_repeat, dedup_key, document_key, split_seen
from groundtrace.outcomes import OutcomeKind
from groundtrace.retrieval import Layer
from groundtrace.sources import Passage

SUCCESS, EMPTY, DEDUPED, FAILURE = (
    OutcomeKind.SUCCESS,
    OutcomeKind.NO_EVIDENCE,
    OutcomeKind.DEDUPED,
    OutcomeKind.FAILURE,
)
ASKED: dict[str, object] = {"query": "disk is full", "top_k": 3, "filters": {"service": "cart", "scope": "eu"}}


def key(
    params: object, tool: str = "lookup_knowledge", session: str | None = "t1/s-1", revision: str = "r"
) -> str | None:
    return dedup_key(tool, session, params, revision=revision)


def call(id: str, outcome: OutcomeKind = SUCCESS, *of: str, readable: bool = True, key: str = "k") -> EarlierCall:
    return EarlierCall(id=id, key=key, outcome=outcome, of=of, readable=readable)


@pytest.mark.parametrize(
    "params",
    [
        {"filters": {"scope": "eu", "service": "cart"}, "top_k": 3, "query": "disk is full"},
        '{ "top_k":3, "filters":{"scope":"eu","service":"cart"}, "query":"disk is full" }',
        {**ASKED, "cursor": None},
        {**ASKED, "filters": {"service": "cart", "scope": "eu", "tags": None}},
        {**ASKED, "query": "  disk is full\n"},
        {**ASKED, "query": "\u00a0disk is full\u2003"},
    ],
    ids=["key order", "JSON text", "null", "null inside", "outer white space", "Unicode white space"],
)
def test_calls_that_ask_the_same_share_a_key(params: object) -> None:
    """Field case D01: the rule is that null equals absent."""
    assert key(params) == key(ASKED)


@pytest.mark.parametrize(
    "params",
    [
        {**ASKED, "top_k": 30},
        {**ASKED, "top_k": "3"},
        {**ASKED, "top_k": 3.0},
        {**ASKED, "top_k": True},
        {**ASKED, "filters": {"service": "cart"}},
        {**ASKED, "filters": ["service", "cart"]},
        {**ASKED, "query": "Disk is full"},
        {**ASKED, "query": "disk  is full"},
        {**ASKED, "service": "cart"},
        {"query": "disk is full"},
        "disk is full",
        "{disk is full",
        "[]",
        None,
    ],
)
def test_calls_that_ask_something_else_have_another_key(params: object) -> None:
    """Field case D01: the rule is that types count as typed."""
    assert key(params) not in (None, key(ASKED))


def test_one_and_true_are_two_values() -> None:
    assert key({"top_k": 1}) != key({"top_k": True})


def test_composed_and_decomposed_letters_are_one_query() -> None:
    assert key({"query": "caf\u00e9"}) == key({"query": "cafe\u0301"})
    assert key({"query": "x", "scope": "caf\u00e9"}) != key({"query": "x", "scope": "cafe\u0301"})


@pytest.mark.parametrize("tool", ["query_logs", "query_metrics", "Lookup_Knowledge", "lookup_knowledge "])
def test_only_knowledge_is_ever_shared(tool: str) -> None:
    """Field cases D01 and D04: what changes with time is asked again, whatever its window."""
    assert key({"expr": "up", "start": "2026-05-04T00:00:00Z", "end": "2026-05-04T00:05:00Z"}, tool=tool) is None


@pytest.mark.parametrize("session", [None, "", "  ", "\u200b", "\t\n"])
def test_calls_without_a_session_are_never_shared(session: str | None) -> None:
    """Field case D03."""
    assert key(ASKED, session=session) is None


@pytest.mark.parametrize("session", ["t1/s-2", "t2/s-1", "T1/s-1", "t1/s-1 ", "s-1"])
def test_sessions_and_tenants_do_not_share(session: str) -> None:
    """Field case D03."""
    assert key(ASKED, session=session) != key(ASKED)


def test_a_changed_index_is_asked_again() -> None:
    assert key(ASKED, revision="r2") != key(ASKED)


@pytest.mark.parametrize("params", [{1: "x", "a": 2}, {"query": {1, 2}}, {"a": object()}, {"a": {1: {}}}])
def test_parameters_that_are_no_json_are_never_shared(params: object) -> None:
    assert key(params) is None


def test_hostile_parameters_do_not_raise() -> None:
    deep: object = "x"
    for _ in range(100_000):
        deep = [deep]
    assert key({"query": "\ud800\x00", "x": float("nan")}) is not None
    assert key({"deep": deep}) is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=5), json_values, max_size=5), st.randoms())
def test_the_key_does_not_depend_on_the_order_of_keys(params: dict[str, object], random: Random) -> None:
    names = list(params)
    random.shuffle(names)
    assert key({name: params[name] for name in names}) == key(params)


@pytest.mark.parametrize(
    "history",
    [
        [],
        [call("c-1", FAILURE)],
        [call("c-1", FAILURE), call("c-2", FAILURE)],
        [call("c-1", SUCCESS), call("c-2", FAILURE)],
        [call("c-1", FAILURE), call("c-2", DEDUPED, "c-1")],
        [call("c-1", SUCCESS, readable=False)],
        [call("c-1", EMPTY, readable=False)],
        [call("c-2", DEDUPED, "c-1")],
        [call("c-1", DEDUPED)],
        [call("c-1", DEDUPED, "c-1")],
        [call("c-1", DEDUPED, "c-2"), call("c-2", DEDUPED, "c-1")],
        [call("c-1", SUCCESS, readable=False), call("c-2", DEDUPED, "c-1")],
        [call("c-1", SUCCESS, key="another")],
    ],
    ids=[
        "nothing before",
        "failed",
        "failed twice",
        "failed since",
        "a repeat of a failure",
        "cleared",
        "cleared, was empty",
        "deleted",
        "refers to nothing",
        "refers to itself",
        "a circle",
        "a chain that ends in a cleared call",
        "another question",
    ],
)
def test_the_call_runs(history: list[EarlierCall]) -> None:
    """Field cases D05 and D10."""
    assert decide_repeat(history, key="k") == Run()


@pytest.mark.parametrize(
    ("history", "expected"),
    [
        ([call("c-1")], Repeat(of=("c-1",), source="c-1", inherited=SUCCESS, times=2)),
        ([call("c-1", FAILURE), call("c-2")], Repeat(of=("c-2",), source="c-2", inherited=SUCCESS, times=3)),
        ([call("c-1", EMPTY)], Repeat(of=("c-1",), source="c-1", inherited=EMPTY, times=2)),
        ([call("c-1"), call("c-2", DEDUPED, "c-1")], Repeat(of=("c-1",), source="c-1", inherited=SUCCESS, times=3)),
        (
            [call("c-1"), call("c-2", DEDUPED, "c-1"), call("c-3", DEDUPED, "c-2")],
            Repeat(of=("c-1",), source="c-1", inherited=SUCCESS, times=4),
        ),
        (
            [call("c-1"), call("c-2", DEDUPED, "c-1", readable=False)],
            Repeat(of=("c-1",), source="c-1", inherited=SUCCESS, times=3),
        ),
    ],
    ids=[
        "done",
        "done after a failure",
        "found nothing",
        "repeated once",
        "a chain",
        "an unread repeat of a read call",
    ],
)
def test_the_call_repeats_the_first_real_one(history: list[EarlierCall], expected: Repeat) -> None:
    """Field cases D05 and D10: how often it was asked is told."""
    assert decide_repeat(history, key="k") == expected


def test_a_call_without_a_key_runs() -> None:
    assert decide_repeat([EarlierCall(id="c-1", key=None, outcome=SUCCESS)], key=None) == Run()


def test_asking_again_for_known_documents_repeats_the_calls_that_gave_them() -> None:
    history = [call("c-1", key="a"), call("c-2", key="b"), call("c-3", DEDUPED, "c-1", "c-2")]
    assert decide_repeat(history, key="k") == Repeat(of=("c-1", "c-2"), source="c-3", inherited=SUCCESS, times=2)
    assert decide_repeat([*history, call("c-4", DEDUPED, "c-3")], key="k") == Repeat(
        of=("c-1", "c-2"), source="c-3", inherited=SUCCESS, times=3
    )


@pytest.mark.parametrize("lost", ["c-1", "c-2", "c-3"])
def test_known_documents_that_can_no_longer_be_read_are_looked_up_again(lost: str) -> None:
    history = [call("c-1", key="a"), call("c-2", key="b"), call("c-3", DEDUPED, "c-1", "c-2")]
    cleared = [call(one.id, one.outcome, *one.of, readable=one.id != lost, key=one.key or "") for one in history]
    assert decide_repeat(cleared, key="k") == Run()


def passage(uri: str, content: str = "text") -> Passage:
    return Passage(
        uri=uri,
        entry=uri.split("#", maxsplit=1)[0],
        title="",
        abstract="",
        heading="",
        text=content,
        layer=Layer.L1,
        score=1.0,
        coverage=1.0,
        content_hash=content,
    )


def test_documents_given_before_are_told_from_new_ones() -> None:
    old, changed, new = passage("a.md#x"), passage("b.md#x", "new text"), passage("c.md#x")
    before = {document_key(old): "c-1", document_key(passage("b.md#x", "old text")): "c-2"}
    assert split_seen([old, changed, new, old], given=before) == ((changed, new), ("c-1",))


def test_a_document_is_known_by_address_and_content() -> None:
    assert document_key(passage("a.md", "t")) != document_key(passage("b.md", "t"))
