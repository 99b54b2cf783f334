"""What frameworks hand a model, rows of databases, and flags by which an object says that it is not whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from groundtrace import outcomes
from groundtrace.classify import classify_output
from groundtrace.outcomes import NoEvidenceReason, Outcome
from groundtrace.shapes.asked import limit_of


def message(content: object, **more: object) -> Outcome:
    return classify_output({"type": "tool", "tool_call_id": "c1", "content": content, "status": "success", **more})


def marks(outcome: Outcome, /) -> tuple[str, ...]:
    assert isinstance(outcome, outcomes.Success)
    return outcome.partial


class TestToolMessages:
    def test_a_status_of_error_is_a_failure(self) -> None:
        outcome = message("Error: no such pod", status="error")
        assert isinstance(outcome, outcomes.Failure)
        assert outcome.message == "Error: no such pod"

    @pytest.mark.parametrize("content", ["", "[]", [], "No results found", [{"type": "text", "text": ""}]])
    def test_empty_content_is_no_evidence(self, content: object) -> None:
        assert isinstance(message(content), outcomes.NoEvidence)

    @pytest.mark.parametrize("content", ["3 lines", "Error: refused (12 times)", [{"type": "text", "text": "3 lines"}]])
    def test_content_is_evidence(self, content: object) -> None:
        assert marks(message(content)) == ()

    def test_an_artifact_that_the_model_was_not_shown_is_partial(self) -> None:
        assert marks(message("", artifact=["doc"])) == ("the model was given no content, only the program an artifact",)
        assert marks(message("1 document", artifact=[])) == ()

    def test_the_form_that_a_dump_writes_is_read(self) -> None:
        names = ["langchain", "schema", "messages", "ToolMessage"]
        kwargs = {"content": "no", "tool_call_id": "c", "status": "error"}
        dumped = {"lc": 1, "type": "constructor", "id": names, "kwargs": kwargs}
        assert isinstance(classify_output(dumped), outcomes.Failure)

    @pytest.mark.parametrize(
        ("part", "failed"),
        [
            ({"part_kind": "tool-return", "content": ["cart-0"], "tool_name": "x"}, False),
            ({"part_kind": "tool-return", "content": "not allowed", "outcome": "denied"}, True),
            ({"part_kind": "retry-prompt", "content": [{"type": "missing", "msg": "Field required"}]}, True),
            ({"part_kind": "text", "content": ""}, False),
        ],
    )
    def test_parts_of_pydantic_ai_are_read_by_their_kind(self, part: dict[str, object], *, failed: bool) -> None:
        assert isinstance(classify_output(part), outcomes.Failure) is failed


class TestRows:
    @pytest.mark.parametrize("rows", [[], [(None,)], [(None, None), ("",)], ()])
    def test_no_row_and_no_value_is_no_evidence(self, rows: object) -> None:
        assert isinstance(classify_output(rows), outcomes.NoEvidence)

    @pytest.mark.parametrize("rows", [[(0,)], [{"count": 0}], [("cart", None)]])
    def test_a_row_with_a_value_is_evidence(self, rows: object) -> None:
        assert marks(classify_output(rows)) == ()

    def test_as_many_rows_as_were_asked_for_are_partial(self) -> None:
        full = "2 items, as many as the limit allows: there may be more"
        assert marks(classify_output([(1,), (2,)], limit=2)) == (full,)
        assert marks(classify_output([(1,), (2,)], limit=3)) == ()

    @pytest.mark.parametrize(
        ("params", "limit"),
        [
            ({"limit": 10}, 10),
            ({"max_results": 5, "limit": 50}, 5),
            ({"maxResults": 7}, 7),
            ({"sql": "SELECT * FROM orders ORDER BY id LIMIT 20;"}, 20),
            ({"query": "select 1 from t limit 5 offset 10"}, 5),
            ({"query": "SELECT x FROM t FETCH FIRST 3 ROWS ONLY"}, 3),
            ({"query": "index=main | head 8"}, 8),
            ({"query": "Logs | where level == 'error' | take 9"}, 9),
            ({"sql": "SELECT * FROM (SELECT 1 LIMIT 2) x"}, None),
            ({"limit": True}, None),
            ({"limit": 0}, None),
            ({"limit": "10"}, None),
            ({"count": 3, "n": 4}, None),
            ({"query": "speed limit 50 zone"}, None),
            (["limit"], None),
            (None, None),
        ],
    )
    def test_a_limit_is_found_among_the_parameters(self, params: object, limit: int | None) -> None:
        assert limit_of(params) == limit

    @pytest.mark.parametrize(
        ("body", "words"),
        [
            ({"columns": ["n"], "rows": [[1]], "truncated": True}, ("the answer says that it is cut off",)),
            ({"columns": ["n"], "rows": [[1]], "total": 9}, ("1 of 9 rows are shown",)),
            ({"rowcount": 1, "rows": [[1]]}, ()),
            ({"items": [1], "incomplete_results": True}, ("the answer says that it is partial",)),
            ({"items": [1], "nextPageToken": "t2"}, ("there is a further page",)),
            ({"items": [1], "nextPageToken": ""}, ()),
            ({"items": [1], "has_more": False}, ()),
            ({"items": [1], "truncated": "yes"}, ()),
        ],
    )
    def test_an_object_says_by_known_flags_that_there_is_more(
        self, body: dict[str, object], words: tuple[str, ...]
    ) -> None:
        assert marks(classify_output(body)) == words

    def test_an_empty_object_that_is_not_whole_proves_nothing(self) -> None:
        outcome = classify_output({"items": [], "total": 0, "incomplete_results": True})
        assert isinstance(outcome, outcomes.NoEvidence)
        assert outcome.reason is NoEvidenceReason.PARTIAL_EMPTY


@dataclass
class Cursor:
    """A cursor as PEP 249 has it."""

    rowcount: Any = -1
    description: Any = None

    def fetchall(self) -> list[Any]:
        raise AssertionError("a recorder reads no rows")

    fetchone = fetchall


class TestCursors:
    @pytest.mark.parametrize(
        ("cursor", "kind", "words"),
        [
            (Cursor(3), "success", "3 rows affected"),
            (Cursor(0), "no_evidence", "0 rows affected"),
            (Cursor(0, [("n",)]), "no_evidence", "0 rows"),
            (Cursor(3, [("n",)]), "no_evidence", None),
            (Cursor(-1), "no_evidence", None),
        ],
    )
    def test_a_cursor_says_how_many_without_being_read(self, cursor: Cursor, kind: str, words: str | None) -> None:
        outcome = classify_output(cursor)
        assert (outcomes.kind_of(outcome), getattr(outcome, "output", None)) == (kind, words)
