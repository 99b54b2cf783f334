"""What every LanguageModel does: plays three roles, keeps nothing between requests, answers what the core reads."""

import asyncio
import time
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from returns.pipeline import is_successful
from returns.result import Result

from groundtrace.plan import parse_plan
from groundtrace.ports import LanguageModel
from groundtrace.roles import DraftRequest, ModelError, ModelReply, ModelRequest, PlanRequest, Shown, ToolSpec
from groundtrace.sources import Description
from groundtrace.verdict import Verdict
from groundtrace.verdict_parser import parse_verdict
from groundtrace_adapters.conformance.shown_rows import at, entry, logs_shown, to_verify

NOW = datetime(2031, 5, 6, 18, 0, tzinfo=UTC)
LOGS = Description(
    name="logs",
    entities={"pod": ("cart-5f7c9d8b6-k2x9p",)},
    earliest=at("14:00:00"),
    latest=at("17:00:00"),
    revision="1",
)
TOOLS = (ToolSpec(name="query_logs", purpose="find log entries", parameters={}, source=LOGS),)
ROWS = (logs_shown("e1", [entry("16:52:03", "ERROR: cart is locked", pod="cart-5f7c9d8b6-k2x9p")]),)
ANSWER = "cart-5f7c9d8b6-k2x9p logged `ERROR: cart is locked` at 16:52:03Z [e1]."
QUESTION = "what went wrong at 16:52?"
LONGEST = 20.0
"""Seconds that four requests of 32,000 characters may take."""

PATIENCE = 60.0
"""Seconds after which a model that does not answer has failed its test."""


def plan(question: str = QUESTION, seen: Sequence[Shown] = ()) -> PlanRequest:
    return PlanRequest(question=question, now=NOW, tools=TOOLS, seen=tuple(seen))


def draft(question: str = QUESTION, rows: Sequence[Shown] = ROWS) -> DraftRequest:
    return DraftRequest(question=question, shown=tuple(rows))


def ask(model: LanguageModel, *requests: ModelRequest) -> list[Result[ModelReply, ModelError]]:
    async def together() -> list[Result[ModelReply, ModelError]]:
        async with asyncio.timeout(PATIENCE):
            return list(await asyncio.gather(*(model.reply(request) for request in requests)))

    return asyncio.run(together())


def text_of(model: LanguageModel, request: ModelRequest) -> str:
    text = ask(model, request)[0].unwrap().text
    assert text is not None
    return text


class LanguageModelSuite:
    """Over a model that answers in one piece: a plan, a text, a PASS for `ANSWER`, equal replies to equal requests.

    Give it a fixture `model`.
    """

    def test_a_model_has_a_name_and_signs_its_replies_with_it(self, model: LanguageModel) -> None:
        assert model.name.strip()
        assert ask(model, draft())[0].unwrap().model == model.name

    def test_the_planner_answers_with_a_plan_that_the_core_reads(self, model: LanguageModel) -> None:
        assert is_successful(parse_plan(text_of(model, plan())))

    def test_the_executor_answers_with_a_text(self, model: LanguageModel) -> None:
        assert text_of(model, draft()).strip()

    def test_the_verifier_answers_with_a_verdict_that_the_core_reads(self, model: LanguageModel) -> None:
        reply = ask(model, to_verify(QUESTION, ANSWER, ROWS))[0].unwrap()
        parsed = parse_verdict(reply.text, finish_reason=reply.finish_reason, by_tool_call=reply.by_tool_call).unwrap()
        assert parsed.verdict is Verdict.PASS
        assert parsed.evidence_ids == ("e1",)

    def test_a_reply_ends_by_itself_and_says_so(self, model: LanguageModel) -> None:
        assert ask(model, draft())[0].unwrap().finish_reason in ("stop", None)

    def test_the_same_request_gets_the_same_reply_whatever_was_asked_between(self, model: LanguageModel) -> None:
        first = text_of(model, to_verify(QUESTION, ANSWER, ROWS))
        text_of(model, draft("what about 14:00?", ()))
        text_of(model, plan("something else"))
        assert text_of(model, to_verify(QUESTION, ANSWER, ROWS)) == first

    def test_requests_of_all_roles_may_run_at_once(self, model: LanguageModel) -> None:
        requests: list[ModelRequest] = [plan(), draft(), to_verify(QUESTION, ANSWER, ROWS)]
        replies = ask(model, *requests * 5)
        assert all(is_successful(reply) for reply in replies)

    def test_a_cancelled_request_leaves_the_model_usable(self, model: LanguageModel) -> None:
        async def impatient() -> None:
            task = asyncio.create_task(model.reply(draft()))
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

        asyncio.run(impatient())
        assert text_of(model, draft()).strip()

    @pytest.mark.parametrize(
        "question",
        [
            "",
            " ",
            "?",
            "\x00\ud800",
            "{" * 2_000,
            "at 16:52 " * 500,
            "[e1] " * 500,
            "`" * 999,
            "99:99 2031-13-45",
            "\u202e" * 9,
        ],
    )
    def test_a_hostile_question_is_answered_with_a_value(self, model: LanguageModel, question: str) -> None:
        assert all(map(is_successful, ask(model, plan(question), draft(question), to_verify(question, question, ROWS))))

    @pytest.mark.parametrize(
        "words",
        ["{", "show ", "which ", "was all ", "at 16:52 ", "from 16:52 to ", "a-", "`", "\n", "not ", "1 ", '"a '],
    )
    def test_no_long_text_takes_the_square_of_its_length(self, model: LanguageModel, words: str) -> None:
        text = (words * 32_000)[:32_000]
        requests = plan(text), draft(text), to_verify(text, text, ROWS), to_verify(QUESTION, text * 3, ROWS)
        began = time.monotonic()
        assert all(map(is_successful, ask(model, *requests)))
        assert time.monotonic() - began < LONGEST

    @pytest.mark.parametrize(
        "text", ["", "{", "[]", "null\n1\n{}", '{"at": 5, "text": 7}', '{"metric": "m", "points": [[1]]}']
    )
    def test_material_that_is_none_is_answered_with_a_value(self, model: LanguageModel, text: str) -> None:
        odd = (Shown(label="e1", row=ROWS[0].row, text=text, whole=True),)
        assert all(map(is_successful, ask(model, plan(seen=odd), draft(rows=odd), to_verify(QUESTION, ANSWER, odd))))
