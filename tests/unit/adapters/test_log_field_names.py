"""One name for one thing, in logs and metrics alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace_adapters.sources.field_names import ENTITY_FIELDS, canonical_fields, canonical_name


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("PodName", "pod"),
        ("pod_name", "pod"),
        ("podname", "pod"),
        ("POD", "pod"),
        ("kubernetes.pod_name", "pod"),
        ("ServiceName", "service"),
        ("service.name", "service"),
        ("application_name", "app"),
        ("Container", "container"),
        ("hostname", "host"),
        ("severity", "level"),
        ("TraceID", "trace_id"),
        ("tenant", "tenant"),
        ("Tenant", "Tenant"),
    ],
)
def test_spellings_of_one_thing_have_one_name(spelling: str, name: str) -> None:
    assert canonical_name(spelling) == name


def test_where_two_spellings_meet_nothing_is_lost() -> None:
    assert canonical_fields({"PodName": "a", "pod": "b"}) == {"PodName": "a", "pod": "b"}
    assert canonical_fields({"pod_name": "a", "podname": "b"}) == {"pod": "a", "podname": "b"}


@given(st.dictionaries(st.sampled_from(["pod", "PodName", "POD", "svc", "service", "x"]), st.text(max_size=3)))
def test_no_value_is_lost_and_canonical_fields_stay(fields: dict[str, str]) -> None:
    found = canonical_fields(fields)
    assert sorted(found.values()) == sorted(fields.values())
    assert all(found[name] == fields[name] for name in fields if name in ENTITY_FIELDS)
