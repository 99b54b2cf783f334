"""Untrusted parameters of `lookup_knowledge`: words with filters, or one address."""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field
from returns import result
from returns.result import Result

from groundtrace import outcomes
from groundtrace.sources import KnowledgeQuery
from groundtrace.text import is_blank
from groundtrace_app.tools.params import MOST_FIELDS, Count, FieldValue, bad_params, read_params

QUERY_CHARACTERS = 20_000
MOST_PASSAGES = 20
URI_CHARACTERS = 2_000

PARAMETERS: Mapping[str, str] = {
    "query": "words to look up, such as an alert's name or a symptom",
    "top_k": f"how many passages at most, 1 to {MOST_PASSAGES}; absent: 5",
    "service": "only knowledge about this service",
    "scope": "only knowledge below this path",
    "filters": 'front matter that must hold, such as {"tags": "database"}',
    "uri": "instead of a query: the address of one entry or section, as a passage shows it, for its whole text",
}
"""What the tool takes, in words."""


class LookupParams(BaseModel):
    """What `lookup_knowledge` takes: `query` or `uri`."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    query: str | None = Field(default=None, max_length=QUERY_CHARACTERS, strict=True)
    top_k: Count = Field(default=5, ge=1, le=MOST_PASSAGES, strict=True)
    service: FieldValue | None = None
    scope: FieldValue | None = None
    filters: dict[str, FieldValue] = Field(default_factory=dict, max_length=MOST_FIELDS)
    uri: str | None = Field(default=None, max_length=URI_CHARACTERS, strict=True)

    def asked(self) -> KnowledgeQuery:
        """Return the query for a source; `service` and `scope` are short for filters of these names."""
        named = (("service", self.service), ("scope", self.scope))
        filters = {**self.filters, **{name: value for name, value in named if value is not None}}
        return KnowledgeQuery(query=self.query or "", top_k=self.top_k, filters=filters)


def read_lookup(params: Mapping[str, object], /) -> Result[LookupParams, outcomes.Failure]:
    """Return the parameters, or a Failure that says in one line how to mend them."""
    return read_params(LookupParams, params).bind(_sensible)


def _sensible(params: LookupParams) -> Result[LookupParams, outcomes.Failure]:
    if params.uri is not None and params.query is not None:
        return result.Failure(bad_params("query and uri are both given; give one of them"))
    if is_blank(params.query or "") and is_blank(params.uri or ""):
        return result.Failure(bad_params("query is missing or blank; write the words to look up, or give a uri"))
    for name, value in (("service", params.service), ("scope", params.scope)):
        if value is not None and params.filters.get(name, value) != value:
            return result.Failure(bad_params(f"{name} is given twice with different values; give it once"))
    return result.Success(params)
