"""Rows as one escaped section of a prompt: labelled, bounded, without the output's hash (DESIGN sections 4 and 8)."""

from collections.abc import Sequence

from groundtrace.invocation import OutputState
from groundtrace.markup import escape, section
from groundtrace.material import time_text
from groundtrace.roles import Shown
from groundtrace.text import cut
from groundtrace.wording import age_words

EVIDENCE_CHARACTERS = 200_000
"""The most output text of all rows in one prompt; beyond it, long outputs are shown as their stored preview."""

PARAMS_CHARACTERS = 2_000


def evidence_section(shown: Sequence[Shown], /) -> str:
    """Return the shown rows as the section `evidence`, each row under its label.

    Outputs stand whole while all of them together fit; else each gets an equal share, and one over its share is
    replaced by the preview (cut where even that is too long). A row says whether its output is whole.
    """
    total = sum(len(one.text) for one in shown)
    share = EVIDENCE_CHARACTERS if total <= EVIDENCE_CHARACTERS else EVIDENCE_CHARACTERS // len(shown)
    return section("evidence", "\n".join(_row(one, share) for one in shown) or "no call was made")


def _row(one: Shown, share: int) -> str:
    row = one.row
    text = one.text if len(one.text) <= share else cut(row.output_preview or one.text, share)
    parts = [section("params", escape(cut(row.input_params, PARAMS_CHARACTERS)))]
    if row.error_message:
        parts.append(section("error", escape(row.error_message)))
    if text:
        shown_whole = (one.whole or row.output_state is OutputState.FULL) and len(one.text) <= share
        parts.append(section("output", escape(text), attributes=(("whole", "yes" if shown_whole else "no"),)))
    return section("row", "\n".join(parts), attributes=_attributes(one))


def _attributes(one: Shown) -> tuple[tuple[str, str], ...]:
    row = one.row
    facts = (
        ("label", one.label),
        ("tool", row.tool_name),
        ("topic", row.topic_domain),
        ("outcome", row.outcome.value),
        ("support", row.support.value if row.support else ""),
        ("reason", row.reason or ""),
        ("partial", "yes" if row.partial else ""),
        ("basis", row.basis.value),
        ("state", one.state.value),
        ("called", time_text(row.started_at)),
        ("age", "" if one.age_seconds is None else f"{age_words(one.age_seconds)}, from an earlier turn"),
    )
    return tuple((name, value) for name, value in facts if value)
