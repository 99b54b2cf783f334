"""An audit for programs: plain values; of an answer only the head of what its user was given."""

from collections.abc import Mapping

from groundtrace.audit import SessionAudit
from groundtrace.audit_counts import ToolCounts
from groundtrace.audit_rules import Finding
from groundtrace.audit_totals import Audited
from groundtrace_app.audit_files import FilesTaken
from groundtrace_app.cli.printing import plain


def audit_view(found: Audited, files: FilesTaken | None = None, /) -> dict[str, object]:
    """Return what an audit found as JSON values; `sessions` are the least first, `sessions_left_out` counts the others.

    `files` is null for a store.
    """
    return {
        "sessions_audited": found.number,
        "calls": found.total.calls,
        "first_at": plain(found.first_at),
        "last_at": plain(found.last_at),
        "levels": {level.value: number for level, number in found.levels.items()},
        "grades": {grade.value: number for grade, number in found.grades.items()},
        "rules": {rule.value: number for rule, number in found.rules.items()},
        "tools": _tools_view(found.tools),
        "sessions": [_session_view(one) for one in found.sessions],
        "sessions_left_out": found.left_out,
        "sessions_without_a_time": found.undated,
        "unreadable": found.unreadable_number,
        "files": None if files is None else _files_view(files),
    }


def _files_view(files: FilesTaken) -> dict[str, object]:
    return {
        "read": files.read,
        "broken": files.broken,
        "left_out": files.left_out,
        "left_out_names": list(files.left_out_names),
        "passed_over": dict(files.passed_over),
    }


def _session_view(one: SessionAudit) -> dict[str, object]:
    return {
        "session_id": one.session_id,
        "rests_on": one.level.value,
        "allowed": one.allowed.value,
        "why": one.why,
        "decision": one.decision.value if one.decision else None,
        "cause": one.cause.value if one.cause else None,
        "grade": one.grade.value if one.grade else None,
        "findings": [_finding_view(finding) for finding in one.findings],
        "question": one.question,
        "said": one.said,
        "turns": one.turns,
        "first_at": plain(one.first_at),
        "last_at": plain(one.last_at),
        "tools": _tools_view(one.tools),
    }


def _finding_view(one: Finding) -> dict[str, object]:
    return {"rule": one.rule.value, "grade": one.grade.value, "about": list(one.names), "words": one.line}


def _tools_view(tools: Mapping[str, ToolCounts]) -> dict[str, object]:
    return {
        name: {
            "calls": one.calls,
            "success": one.successes,
            "no_evidence": one.no_evidence,
            "deduped": one.deduped,
            "failure": one.failures,
            "errors": list(one.errors),
        }
        for name, one in tools.items()
    }
