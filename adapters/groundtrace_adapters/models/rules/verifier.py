"""The verifier role: does the shown evidence carry the answer? It reads question, answer and rows, and nothing else.

PASS needs every statement carried by what it cites, about the asked thing and time. REJECT needs a statement that the
cited rows deny. All else is LOW_CONFID.
"""

import json
from collections.abc import Sequence

from groundtrace.roles import VerifyRequest
from groundtrace.text import cut
from groundtrace.verdict import Verdict
from groundtrace_adapters.models.rules.asked_time import EPOCH
from groundtrace_adapters.models.rules.claims import read_claims
from groundtrace_adapters.models.rules.evidence import known_names, read_rows
from groundtrace_adapters.models.rules.findings import Judgement, Standing
from groundtrace_adapters.models.rules.judge import judge
from groundtrace_adapters.models.rules.relevance import answer_faults
from groundtrace_adapters.models.rules.shape_faults import shape_faults
from groundtrace_adapters.models.rules.statements import STATEMENTS_KEPT, split_statements
from groundtrace_adapters.models.rules.subject import read_subject

CONFIDENCE = {Verdict.PASS: 0.9, Verdict.LOW_CONFID: 0.4, Verdict.REJECT: 0.9}
_CLAIM_CHARACTERS = 200
_LISTED = 20
ANSWER_CHARACTERS = 100_000
"""A longer answer is not verified."""


def verify(request: VerifyRequest, /) -> str:
    """Return the verdict object of section 8 as JSON text; total, and the same for the same request."""
    rows = read_rows(request.shown)
    names = known_names(rows)
    metrics = frozenset(series.metric for row in rows for series in row.series)
    now = max((shown.row.started_at for shown in request.shown), default=EPOCH)
    subject = read_subject(request.question, now=now, names=names, metrics=metrics)
    statements = split_statements(request.answer) if len(request.answer) <= ANSWER_CHARACTERS else ()
    if not statements or len(statements) > STATEMENTS_KEPT:
        return unverified("the answer states nothing that could be verified")
    by_label = {row.label: row for row in rows}
    judgements = tuple(judge(one, by_label, subject, names=names, metrics=metrics) for one in statements)
    carried = [one for one in judgements if one.standing is Standing.SUPPORTED]
    claimed = [(one, read_claims(one.text, names=names, metrics=metrics)) for one in carried]
    faults = (*answer_faults(subject, judgements), *shape_faults(subject, claimed, rows))
    cited = tuple(dict.fromkeys(label for one in statements for label in one.citations if label in by_label))
    return _conclude(judgements, faults, cited)


def unverified(reason: str, /) -> str:
    """Return the verdict on what could not be judged at all."""
    return _verdict(Verdict.LOW_CONFID, (), (reason,), ())


def _conclude(judgements: Sequence[Judgement], faults: Sequence[str], cited: Sequence[str]) -> str:
    standings = {judgement.standing for judgement in judgements}
    loose = [one for one in judgements if one.standing is not Standing.SUPPORTED]
    reasons = [f"{cut(one.text, _CLAIM_CHARACTERS)}: {note}" for one in loose for note in one.notes]
    claims = [cut(one.text, _CLAIM_CHARACTERS) for one in loose]
    if Standing.CONTRADICTED in standings:
        return _verdict(Verdict.REJECT, cited, reasons, claims)
    if loose or faults:
        return _verdict(Verdict.LOW_CONFID, cited, [*faults, *reasons], claims)
    return _verdict(Verdict.PASS, cited, [f"each of {len(judgements)} statements stands in the rows it cites"], ())


def _verdict(verdict: Verdict, cited: Sequence[str], reasons: Sequence[str], claims: Sequence[str]) -> str:
    return json.dumps(
        {
            "verdict": verdict.value,
            "confidence": CONFIDENCE[verdict],
            "evidence_ids": list(cited),
            "reasons": list(reasons[:_LISTED]),
            "unsupported_claims": list(claims[:_LISTED]),
        },
        ensure_ascii=False,
    )
