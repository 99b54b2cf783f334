"""Objects and lists that are empty but for bookkeeping: where the reader is, how long it took, what was asked."""

import re
from collections.abc import Mapping

from groundtrace.emptiness import COUNTS, is_empty
from groundtrace.json_text import JsonValue

BOOKKEEPING = frozenset(
    "ts took time duration elapsed latency execution_time query_time page pages per_page page_size pagesize limit"
    " offset skip next prev previous cursor next_cursor nextcursor next_page nextpage next_page_token nextpagetoken"
    " previous_cursor has_more hasmore has_next hasnext more is_last islast pagination paging links meta metadata"
    " status code statuscode status_code success ok message msg query q search_query term keyword params parameters"
    " request request_id requestid id trace_id traceid version device_type devicetype location locale language lang"
    " region country engine search_id search_metadata search_parameters search_information error errors warnings"
    " timed_out _shards stats timestamp date start end step from to since until last_page current_page first_page"
    " resulttype result_type source type total_pages incomplete_results complete schema_version error_message"
    " tool_name".split()
)
"""What an empty answer may tell beside its empty lists, in lower case."""

_COUNT = re.compile(
    r"(?:.*[_ ])?(?:total|count|size|hits|found|results?|matches|num\w*|n)(?:_.*)?|.*(?:Count|Total|Size|Hits)",
    re.ASCII,
)


def holds_nothing(form: JsonValue, /) -> bool:
    """Tell whether an object or list is empty but for bookkeeping; a number is data unless it is a count of 0."""
    if not isinstance(form, dict):
        return isinstance(form, list) and is_empty(form)
    if is_empty(form):
        return True
    told = {name: item for name, item in form.items() if name.lower() not in BOOKKEEPING}
    lists = [item for item in told.values() if isinstance(item, list | dict)]
    empty_inside = bool(lists) or any(isinstance(item, list) and not item for item in form.values())
    return empty_inside and all(_is_nothing(name, item) for name, item in told.items()) and not _has_lists(form)


def _has_lists(form: Mapping[str, JsonValue]) -> bool:
    """Tell whether a member of bookkeeping by name is a list of something, and so is no bookkeeping."""
    return any(isinstance(item, list) and not is_empty(item) for item in form.values())


def _is_nothing(name: str, item: JsonValue) -> bool:
    if is_empty(item):
        return True
    if isinstance(item, dict):
        return holds_nothing(item)
    if isinstance(item, bool) or item != 0:
        return False
    return name.lower() in COUNTS or _COUNT.fullmatch(name) is not None
