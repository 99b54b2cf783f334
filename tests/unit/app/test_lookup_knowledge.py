"""The tool `lookup_knowledge`: parameters, what it gives, and repeats, one after another and at once."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from time import sleep

import pytest
from returns import result
from returns.result import Result
from typing_extensions import override

from groundtrace import outcomes
from groundtrace.dedup import EarlierCall
from groundtrace.invocation import Invocation, OutputState, ToolCall
from groundtrace.material import read_material
from groundtrace.outcomes import (
    Deduped,
    DedupReason,
    Failure,
    FailureKind,
    NoEvidence,
    NoEvidenceReason,
    OutcomeKind,
    Success,
    Support,
)
from groundtrace.ports import KnowledgeSource
from groundtrace.recording import record_retrieval
from groundtrace.retrieval import Layer, Mode
from groundtrace.sources import Description, KnowledgeAnswer, KnowledgeQuery, Passage, SourceError
from groundtrace_adapters.sources.markdown import MarkdownKnowledgeSource
from groundtrace_app.tools.answer import ToolAnswer
from groundtrace_app.tools.lookup_knowledge import LookupKnowledgeTool
from groundtrace_app.tools.repeats import CALLS_A_SESSION, CHARACTERS, SESSIONS, Held, Known, Lead, Repeats
from groundtrace_testing.recorder_bench import RULES

S = "team/night"
POOL = "---\nservice: checkout\n---\n# PoolExhausted\n\n## Meaning\n\nEvery connection of the pool is taken.\n"
DISK = "# DiskFull\n\n## Meaning\n\nThe archive volume is full.\n\n## Mitigation\n\nRotate the archive.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pool.md").write_text(POOL, encoding="utf-8")
    (tmp_path / "disk.md").write_text(DISK, encoding="utf-8")
    return tmp_path


@pytest.fixture
def tool(folder: Path) -> Iterator[LookupKnowledgeTool]:
    source = MarkdownKnowledgeSource(folder)
    yield LookupKnowledgeTool(source)
    source.close()


def ask(tool: LookupKnowledgeTool, call_id: str, session: str = S, **params: object) -> ToolAnswer:
    return asyncio.run(tool.run(params, session_id=session, call_id=call_id))


def notes(answer: ToolAnswer) -> str:
    return " ".join(str(line["note"]) for line in read_material(answer.text) if "note" in line)


def uris(answer: ToolAnswer) -> list[str]:
    return [str(line["uri"]) for line in read_material(answer.text) if "uri" in line]


class Gated(KnowledgeSource):
    """A source of one passage a query, which counts its searches and waits at a gate before each of its answers."""

    def __init__(self, first: SourceError | None = None) -> None:
        self.first = first
        self.searches = 0
        self.revision = "r-1"
        self.gate = asyncio.Event()

    @override
    async def search(self, query: KnowledgeQuery, /) -> Result[KnowledgeAnswer, SourceError]:
        self.searches += 1
        failing = self.first if self.searches == 1 else None
        await self.gate.wait()
        if failing is not None:
            return result.Failure(failing)
        passage = a_passage(query.query)
        answer = KnowledgeAnswer(passages=(passage,), candidates=1, coverage=1.0, revision=self.revision)
        return result.Success(answer)

    @override
    async def fetch(self, uri: str, /) -> Result[Passage | None, SourceError]:
        return result.Success(a_passage(uri))

    @override
    async def describe(self) -> Result[Description, SourceError]:
        return result.Success(Description(name="gated", revision=self.revision))


def a_passage(text: str) -> Passage:
    return Passage(
        uri=f"{text}.md",
        entry=f"{text}.md",
        title=text,
        abstract="",
        heading="",
        text=text,
        layer=Layer.L1,
        score=1.0,
        coverage=1.0,
        content_hash=text,
    )


def test_a_relevant_section_is_direct_evidence(tool: LookupKnowledgeTool) -> None:
    answer = ask(tool, "c-1", query="every connection of the pool is taken")
    assert isinstance(answer.outcome, Success)
    assert answer.outcome.support is Support.DIRECT
    assert answer.outcome.output == answer.text
    assert uris(answer) == ["pool.md#meaning"]
    assert answer.retrieval is not None
    assert (answer.retrieval.l0_count, answer.retrieval.l1_count, answer.retrieval.layer) == (1, 1, Layer.L1)


def test_a_question_that_nothing_answers_is_below_relevance(tool: LookupKnowledgeTool) -> None:
    answer = ask(tool, "c-1", query="how do I train a pool of dolphins for a circus")
    assert isinstance(answer.outcome, NoEvidence)
    assert answer.outcome.reason is NoEvidenceReason.BELOW_RELEVANCE
    assert uris(answer) == []
    assert "nothing relevant" in notes(answer)
    assert answer.retrieval is not None
    assert (answer.retrieval.l0_count, answer.retrieval.l1_count) == (1, 0)


def test_words_that_stand_nowhere_are_no_match(tool: LookupKnowledgeTool) -> None:
    answer = ask(tool, "c-1", query="quetzalcoatl")
    assert isinstance(answer.outcome, NoEvidence)
    assert answer.outcome.reason is NoEvidenceReason.NO_MATCH


def test_an_address_gives_the_original_text(tool: LookupKnowledgeTool) -> None:
    answer = ask(tool, "c-1", uri="pool.md")
    assert read_material(answer.text)[0]["text"] == POOL
    assert answer.retrieval is not None
    assert (answer.retrieval.mode, answer.retrieval.layer, answer.retrieval.l2_count) == (Mode.ADDRESS, Layer.L2, 1)
    assert outcomes.kind_of(ask(tool, "c-2", uri="nothing.md").outcome) is OutcomeKind.NO_EVIDENCE


def test_filters_narrow_the_search(tool: LookupKnowledgeTool) -> None:
    assert uris(ask(tool, "c-1", query="meaning", service="checkout")) == ["pool.md#meaning"]
    assert outcomes.kind_of(ask(tool, "c-2", query="meaning", scope="nowhere").outcome) is OutcomeKind.NO_EVIDENCE


@pytest.mark.parametrize(
    ("params", "mend"),
    [
        ({}, "write the words to look up"),
        ({"query": " \u200b"}, "write the words to look up"),
        ({"query": 5}, "query"),
        ({"query": None}, "write the words to look up"),
        ({"query": "x", "top_k": 0}, "top_k"),
        ({"query": "x", "top_k": "5"}, "top_k"),
        ({"query": "x", "top_k": True}, "top_k"),
        ({"query": "x", "limit": 5}, "unknown parameter 'limit'"),
        ({"query": "x", "uri": "y"}, "give one of them"),
        ({"query": "x", "service": "a", "filters": {"service": "b"}}, "give it once"),
        ({"query": "x", "filters": "service=a"}, "filters"),
        ({"query": "x" * 30_000}, "query"),
    ],
)
def test_bad_parameters_are_a_failure_that_says_how_to_mend_them(
    tool: LookupKnowledgeTool, params: Mapping[str, object], mend: str
) -> None:
    answer = asyncio.run(tool.run(params, session_id=S, call_id="c-1"))
    assert isinstance(answer.outcome, Failure)
    assert (answer.outcome.kind, answer.outcome.retryable) == (FailureKind.ERROR, False)
    assert mend in answer.outcome.message
    assert answer.retrieval is None
    assert "\n" not in answer.outcome.message


def test_a_source_that_is_not_there_is_a_failure(tmp_path: Path) -> None:
    answer = ask(LookupKnowledgeTool(MarkdownKnowledgeSource(tmp_path / "missing")), "c-1", query="pool")
    assert isinstance(answer.outcome, Failure)
    assert answer.outcome.kind is FailureKind.UNAVAILABLE
    assert "name an existing folder" in answer.outcome.message


def test_unread_files_make_the_answer_indirect_and_are_named(tool: LookupKnowledgeTool, folder: Path) -> None:
    (folder / "lost.md").symlink_to(folder / "nowhere.md")
    found = ask(tool, "c-1", query="every connection of the pool is taken")
    assert isinstance(found.outcome, Success)
    assert found.outcome.support is Support.INDIRECT
    assert "lost.md" in notes(found)
    empty = ask(tool, "c-2", query="quetzalcoatl")
    assert isinstance(empty.outcome, NoEvidence)
    assert len(empty.outcome.partial) == 1
    assert "no proof" in notes(empty)


def test_a_tool_describes_its_parameters_and_its_source(tool: LookupKnowledgeTool) -> None:
    spec = asyncio.run(tool.describe())
    assert (spec.name, spec.source.titles) == ("lookup_knowledge", ("DiskFull", "PoolExhausted"))
    assert {"query", "top_k", "uri"} <= set(spec.parameters)


def test_a_repeat_is_not_run_and_gives_what_was_given(tool: LookupKnowledgeTool) -> None:
    """Field cases D01, D05 and D10: the order of keys and null do not matter, and each repeat is counted."""
    first = ask(tool, "c-1", query="pool connection", top_k=2)
    again = ask(tool, "c-2", top_k=2, query=" pool connection\n", scope=None)
    third = ask(tool, "c-3", query="pool connection", top_k=2)
    for answer in (again, third):
        assert answer.outcome == Deduped(reason=DedupReason.SAME_QUERY, of=("c-1",), inherited=OutcomeKind.SUCCESS)
        assert answer.text.endswith(first.text)
        assert answer.retrieval is not None
        assert (answer.retrieval.l0_count, answer.retrieval.l1_count) == (0, 0)
        assert answer.retrieval.index_revision != ""
    assert "asked 2 times" in notes(again)
    assert "asked 3 times" in notes(third)


def test_a_repeat_of_an_empty_call_says_that_nothing_was_found(tool: LookupKnowledgeTool) -> None:
    ask(tool, "c-1", query="quetzalcoatl")
    again = ask(tool, "c-2", query="quetzalcoatl")
    assert again.outcome == Deduped(reason=DedupReason.SAME_QUERY, of=("c-1",), inherited=OutcomeKind.NO_EVIDENCE)
    assert "found nothing" in notes(again)


@pytest.mark.parametrize("session", ["team/day", "other/night", "Team/night"])
def test_another_session_shares_nothing(tool: LookupKnowledgeTool, session: str) -> None:
    """Field case D03."""
    ask(tool, "c-1", query="pool connection")
    assert isinstance(ask(tool, "c-2", session, query="pool connection").outcome, Success)


def test_calls_without_a_session_share_nothing(tool: LookupKnowledgeTool) -> None:
    """Field case D03."""
    for call_id in ("c-1", "c-2"):
        assert isinstance(ask(tool, call_id, "", query="pool connection").outcome, Success)


def test_a_changed_folder_is_asked_again(tool: LookupKnowledgeTool, folder: Path) -> None:
    ask(tool, "c-1", query="pool connection")
    (folder / "pool.md").write_text(POOL.replace("taken", "busy"), encoding="utf-8")
    assert isinstance(ask(tool, "c-2", query="pool connection").outcome, Success)


def test_documents_given_before_are_nothing_new(tool: LookupKnowledgeTool) -> None:
    ask(tool, "c-1", query="pool connection")
    answer = ask(tool, "c-2", query="connection of the pool taken")
    assert answer.outcome == Deduped(reason=DedupReason.SAME_DOCUMENTS, of=("c-1",), inherited=OutcomeKind.SUCCESS)
    assert uris(answer) == ["pool.md#meaning"]
    assert "c-1" in notes(answer)
    assert answer.retrieval is not None
    assert (answer.retrieval.l0_count, answer.retrieval.l1_count) == (1, 0)
    again = ask(tool, "c-3", query="connection of the pool taken")
    assert again.outcome == Deduped(reason=DedupReason.SAME_QUERY, of=("c-1",), inherited=OutcomeKind.SUCCESS)
    assert uris(ask(tool, "c-4", query="connection of the pool taken")) == ["pool.md#meaning"]


def test_where_some_documents_are_new_only_these_are_given_and_counted(tool: LookupKnowledgeTool) -> None:
    first = ask(tool, "c-1", query="rotate")
    answer = ask(tool, "c-2", query="archive")
    assert uris(first) == ["disk.md#mitigation"]
    assert uris(answer) == ["disk.md#meaning"]
    assert isinstance(answer.outcome, Success)
    assert "c-1" in notes(answer)
    assert answer.retrieval is not None
    assert answer.retrieval.l1_count == 1


def test_after_a_failure_the_call_runs() -> None:
    """Field case D05."""

    async def scene() -> list[outcomes.Outcome]:
        source = Gated(SourceError(kind=FailureKind.UNAVAILABLE, message="503"))
        source.gate.set()
        tool = LookupKnowledgeTool(source)
        return [(await tool.run({"query": "q"}, session_id=S, call_id=f"c-{n}")).outcome for n in range(3)]

    kinds = [outcomes.kind_of(one) for one in asyncio.run(scene())]
    assert kinds == [OutcomeKind.FAILURE, OutcomeKind.SUCCESS, OutcomeKind.DEDUPED]


def test_what_is_no_longer_held_runs_again(tool: LookupKnowledgeTool) -> None:
    """Field case D10: a result that nobody can read any more answers nothing."""
    ask(tool, "c-1", query="pool connection")
    for number in range(CALLS_A_SESSION):
        ask(tool, f"d-{number}", query=f"nothing{number}")
    assert isinstance(ask(tool, "c-2", query="pool connection").outcome, Success)


async def together(source: Gated, count: int, wait_seconds: float = 10.0) -> list[ToolAnswer | BaseException]:
    tool = LookupKnowledgeTool(source, wait_seconds=wait_seconds)
    asked = [
        asyncio.create_task(tool.run({"query": "q"}, session_id=S, call_id=f"c-{number}")) for number in range(count)
    ]
    await asyncio.sleep(0.02)
    source.gate.set()
    return await asyncio.gather(*asked, return_exceptions=True)


def kinds_of(answers: list[ToolAnswer | BaseException]) -> list[OutcomeKind]:
    return [outcomes.kind_of(one.outcome) for one in answers if isinstance(one, ToolAnswer)]


@pytest.mark.parametrize("count", [2, 5])
def test_of_identical_calls_at_once_one_runs_and_the_others_wait(count: int) -> None:
    """Field case D09."""

    async def scene() -> tuple[list[ToolAnswer | BaseException], int]:
        source = Gated()
        return await together(source, count), source.searches

    answers, searches = asyncio.run(scene())
    assert kinds_of(answers) == [OutcomeKind.SUCCESS] + [OutcomeKind.DEDUPED] * (count - 1)
    assert searches == 1
    repeats = [one.outcome for one in answers[1:] if isinstance(one, ToolAnswer)]
    same = Deduped(reason=DedupReason.SAME_QUERY, of=("c-0",), inherited=OutcomeKind.SUCCESS)
    assert repeats == [same] * (count - 1)


def test_where_the_first_of_two_fails_the_second_runs_itself() -> None:
    """Field case D09."""

    async def scene() -> list[ToolAnswer | BaseException]:
        return await together(Gated(SourceError(kind=FailureKind.ERROR, message="broken")), 2)

    assert kinds_of(asyncio.run(scene())) == [OutcomeKind.FAILURE, OutcomeKind.SUCCESS]


def test_where_the_first_of_three_fails_one_runs_and_one_repeats() -> None:
    async def scene() -> list[ToolAnswer | BaseException]:
        return await together(Gated(SourceError(kind=FailureKind.ERROR, message="broken")), 3)

    assert sorted(kinds_of(asyncio.run(scene()))) == ["deduped", "failure", "success"]


@pytest.mark.parametrize("victim", [0, 1])
def test_a_cancelled_twin_does_not_take_the_other_with_it(victim: int) -> None:
    """Field case D09: a cancelled call gave nothing, so nothing repeats it."""

    async def scene() -> tuple[list[ToolAnswer | BaseException], int]:
        source = Gated()
        tool = LookupKnowledgeTool(source)
        tasks = [asyncio.create_task(tool.run({"query": "q"}, session_id=S, call_id=f"c-{n}")) for n in range(2)]
        await asyncio.sleep(0.02)
        tasks[victim].cancel()
        await asyncio.sleep(0.02)
        source.gate.set()
        return await asyncio.gather(*tasks, return_exceptions=True), source.searches

    answers, searches = asyncio.run(scene())
    assert isinstance(answers[victim], asyncio.CancelledError)
    assert kinds_of(answers) == [OutcomeKind.SUCCESS]
    assert searches == 2 - victim


def test_who_waited_long_enough_runs_itself() -> None:
    """Field case D09."""

    async def scene() -> tuple[ToolAnswer, int]:
        source = Gated()
        tool = LookupKnowledgeTool(source, wait_seconds=0.05)
        first = asyncio.create_task(tool.run({"query": "q"}, session_id=S, call_id="c-1"))
        await asyncio.sleep(0.01)
        second = asyncio.create_task(tool.run({"query": "q"}, session_id=S, call_id="c-2"))
        await asyncio.sleep(0.2)
        searches = source.searches
        source.gate.set()
        await first
        return await second, searches

    answer, searches = asyncio.run(scene())
    assert searches == 2
    assert outcomes.kind_of(answer.outcome) in (OutcomeKind.SUCCESS, OutcomeKind.DEDUPED)


def test_different_questions_at_once_do_not_wait_for_each_other() -> None:
    async def scene() -> int:
        source = Gated()
        tool = LookupKnowledgeTool(source)
        tasks = [asyncio.create_task(tool.run({"query": q}, session_id=S, call_id=q)) for q in ("a", "b")]
        await asyncio.sleep(0.02)
        searches = source.searches
        source.gate.set()
        await asyncio.gather(*tasks)
        return searches

    assert asyncio.run(scene()) == 2


def test_calls_from_several_event_loops_share_one_memory(tool: LookupKnowledgeTool) -> None:
    """Each `ask` has an event loop of its own; so have the threads here."""

    async def in_threads() -> list[ToolAnswer]:
        return await asyncio.gather(*(asyncio.to_thread(ask, tool, f"c-{n}", query="pool") for n in range(6)))

    kinds = [outcomes.kind_of(one.outcome) for one in asyncio.run(in_threads())]
    assert sorted(kinds) == [OutcomeKind.DEDUPED] * 5 + [OutcomeKind.SUCCESS]


def stored(tool: LookupKnowledgeTool, call_id: str, query: str) -> Invocation:
    """Ask, and return the row that the recorder keeps of it."""
    answer = ask(tool, call_id, query=query)
    call = ToolCall(
        session_id=S,
        id=call_id,
        tool_name=tool.name,
        input_params={"query": query},
        started_at=datetime(2026, 5, 4, tzinfo=UTC),
        duration_ms=1,
    )
    return record_retrieval(call, answer.retrieval, answer.outcome, rules=RULES)


def later_process(folder: Path, *rows: Invocation) -> LookupKnowledgeTool:
    return LookupKnowledgeTool(MarkdownKnowledgeSource(folder), history=lambda session: rows if session == S else ())


def test_a_call_of_an_earlier_process_is_repeated_from_its_stored_text(tool: LookupKnowledgeTool, folder: Path) -> None:
    row = stored(tool, "c-1", query="pool connection")
    answer = ask(later_process(folder, row), "c-2", query="pool connection")
    assert answer.outcome == Deduped(reason=DedupReason.SAME_QUERY, of=("c-1",), inherited=OutcomeKind.SUCCESS)
    assert uris(answer) == ["pool.md#meaning"]


def test_documents_of_an_earlier_process_are_known(tool: LookupKnowledgeTool, folder: Path) -> None:
    row = stored(tool, "c-1", query="rotate")
    answer = ask(later_process(folder, row), "c-2", query="archive")
    assert uris(answer) == ["disk.md#meaning"]


def test_a_stored_text_that_was_cut_or_is_gone_is_looked_up_again(tool: LookupKnowledgeTool, folder: Path) -> None:
    """Field case D10."""
    row = stored(tool, "c-1", query="pool connection")
    for worn in (
        replace(row, output_state=OutputState.TRUNCATED),
        replace(row, output_state=OutputState.NONE, output_preview=None),
        replace(row, retrieval_details=None),
        replace(row, retrieval_details="[broken"),
    ):
        assert isinstance(ask(later_process(folder, worn), "c-2", query="pool connection").outcome, Success)
    assert isinstance(ask(later_process(folder), "c-2", query="pool connection").outcome, Success)


def test_a_store_that_does_not_answer_is_gone_without(folder: Path) -> None:
    def slow(session: str) -> tuple[Invocation, ...]:
        sleep(0.3)
        return ()

    tool = LookupKnowledgeTool(MarkdownKnowledgeSource(folder), history=slow, wait_seconds=0.05)
    assert isinstance(ask(tool, "c-1", query="pool connection").outcome, Success)


def test_a_long_text_is_cut_and_the_answer_says_so(tool: LookupKnowledgeTool, folder: Path) -> None:
    (folder / "long.md").write_text("word " * 100_000, encoding="utf-8")
    answer = ask(tool, "c-1", uri="long.md")
    assert isinstance(answer.outcome, Success)
    assert answer.outcome.support is Support.INDIRECT
    assert "left out" in notes(answer)
    assert len(answer.text) < 200_000


def test_memory_is_bounded_by_the_session_used_longest_ago() -> None:
    repeats = Repeats()
    for number in range(SESSIONS + 1):
        repeats.settle(f"s-{number}", lambda _: (None, None))
    assert not repeats.knows("s-0")
    assert repeats.knows(f"s-{SESSIONS}")


def test_memory_is_bounded_in_characters() -> None:
    repeats = Repeats()
    large = "x" * (CHARACTERS // 3)
    for number in range(4):
        call = EarlierCall(id=f"c-{number}", key=f"k-{number}", outcome=OutcomeKind.SUCCESS)
        repeats.settle("s", lambda _, call=call: (Held(call=call, text=large), None))  # type: ignore[misc]  # bound now
    assert isinstance(repeats.begin("s", "k-3"), Known)
    assert isinstance(repeats.begin("s", "k-0"), Lead)
