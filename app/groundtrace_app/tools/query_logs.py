"""The tool `query_logs`: a thin shell over a `LogSource`."""

from collections.abc import Mapping
from enum import StrEnum

from pydantic import Field
from returns import result
from returns.result import Result

from groundtrace import outcomes
from groundtrace.material import log_lines
from groundtrace.outcomes import NoEvidenceReason
from groundtrace.ports import LogSource
from groundtrace.roles import ToolSpec
from groundtrace.sources import LogAnswer, LogQuery
from groundtrace_app.tools.answer import ToolAnswer
from groundtrace_app.tools.gathered import described, failed, found, nothing, reach, refusing, window
from groundtrace_app.tools.params import (
    ENTITY_PARAMETERS,
    MOST_FIELDS,
    PATTERN_CHARACTERS,
    Count,
    FieldValue,
    Flag,
    Params,
    bad_params,
    read_params,
)


class Order(StrEnum):
    """Which entries come first, and are kept at the limit."""

    OLDEST = "oldest"
    NEWEST = "newest"


_PARAMETERS = {
    "pattern": "text that an entry must hold, as it stands (an RE2 expression if regex is true); absent: every entry",
    "regex": "true if pattern is a regular expression; absent: false",
    "start": "first moment, RFC 3339 with a zone or epoch seconds; absent: from the beginning",
    "end": "moment at which the window ends, itself not in it; absent: to the end",
    "fields": 'fields that must be equal, such as {"pod": "api-0", "level": "ERROR"}; case counts',
    "limit": "how many entries at most, 1 to 1,000; absent: 100",
    "order": "oldest or newest: which entries come first, and which are kept at the limit; absent: oldest",
    **dict.fromkeys(ENTITY_PARAMETERS, "short for the field of that name"),
}


class LogParams(Params):
    """What `query_logs` takes."""

    pattern: str | None = Field(default=None, max_length=PATTERN_CHARACTERS, strict=True)
    regex: Flag = False
    fields: dict[str, FieldValue] = Field(default_factory=dict, max_length=MOST_FIELDS)
    limit: Count = Field(default=100, ge=1, le=1_000)
    order: Order = Order.OLDEST


class QueryLogsTool:
    """Searches logs by text, field and time."""

    name = "query_logs"
    retrieves = False

    def __init__(self, source: LogSource, /) -> None:
        self._source = source

    async def describe(self) -> ToolSpec:
        """Return what the planner may know; a source that cannot describe itself says why under `unseen`."""
        return ToolSpec(
            name=self.name,
            purpose="find log entries by text, field and time",
            parameters=_PARAMETERS,
            source=described(await self._source.describe(), name=self.name),
        )

    async def run(self, params: Mapping[str, object], /, *, session_id: str, call_id: str) -> ToolAnswer:
        """Search once. No entry is NoEvidence; a complete answer is DIRECT, a partial one INDIRECT."""
        del session_id, call_id
        asked = read_params(LogParams, params).bind(_query)
        return await asked.map(self._search).lash(refusing).unwrap()

    async def _search(self, query: LogQuery) -> ToolAnswer:
        answer = await self._source.search(query)
        held = "" if answer.map(lambda one: bool(one.entries)).value_or(True) else reach(await self._source.describe())
        return answer.map(lambda one: _shaped(query, one, held)).lash(failed).unwrap()


def _shaped(query: LogQuery, answer: LogAnswer, held: str) -> ToolAnswer:
    if answer.entries:
        return found([log_lines([entry]) for entry in answer.entries], answer.unseen)
    words = f"no log entry matches{window(query.start, query.end)}; {_searched(answer)} were searched"
    return nothing(NoEvidenceReason.NO_MATCH, words, answer.unseen, held=held)


def _searched(answer: LogAnswer) -> str:
    entries = answer.scanned_entries
    return f"{answer.scanned_bytes / 1e6:,.0f} MB" if entries is None else f"{entries:,}"


def _query(params: LogParams) -> Result[LogQuery, outcomes.Failure]:
    entities = params.entities()
    twice = [name for name, value in entities.items() if params.fields.get(name, value) != value]
    if twice:
        return result.Failure(bad_params(f"{twice[0]} is given twice with different values; give it once"))
    if params.start is not None and params.end is not None and params.end <= params.start:
        return result.Failure(bad_params("end is not after start; a window holds start <= time < end"))
    return result.Success(
        LogQuery(
            pattern=params.pattern,
            regex=params.regex,
            start=params.start,
            end=params.end,
            fields={**params.fields, **entities},
            limit=params.limit,
            newest_first=params.order is Order.NEWEST,
        )
    )
