"""Rows kept and read back, for the suites of stores."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from returns import result

from groundtrace.invocation import Invocation
from groundtrace.ports import Fate
from groundtrace_adapters.stores.opening import Store

SESSION = "acme/outage"
shares_a_store = settings(
    max_examples=min(60, settings().max_examples),
    deadline=None,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        # One suite may hold several stores, each a class of its own; and a store may be slow.
        HealthCheck.differing_executors,
        HealthCheck.too_slow,
    ],
)
"""For properties whose examples share one store."""


def kept(store: Store, *rows: Invocation) -> tuple[Invocation, ...]:
    """Append, insist that all were stored, and read the session back."""
    assert store.append(rows) == result.Success((Fate.STORED,) * len(rows))
    return store.rows(rows[0].session_id).unwrap()
