"""Rows and evaluations for programs: what may be shown, with each time of a document in one form (`...Z`)."""

import json

from groundtrace.disclosure import public_view
from groundtrace.evaluation import Evaluation
from groundtrace.invocation import Invocation
from groundtrace.material import time_text
from groundtrace.row_json import row_to_json


def row_view(row: Invocation, /) -> dict[str, object]:
    """Return a row by column, as `row_from_json` reads it."""
    return {**json.loads(row_to_json(row)), "started_at": time_text(row.started_at)}


def evaluation_view(evaluation: Evaluation, /, *, reveal: bool) -> dict[str, object]:
    """Return what a reader may see of an evaluation; with `reveal` also what was withheld."""
    return {**public_view(evaluation, reveal=reveal), "created_at": time_text(evaluation.created_at)}
