"""Bringing a batch to a store so that one row that it refuses does not hold up its neighbours. No thread here."""

from collections.abc import Sequence
from dataclasses import dataclass

from returns import result
from returns.result import Result

from groundtrace.invocation import Invocation
from groundtrace.ports import Fate, InvocationStore, StoreError, StoreFault


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """How far a batch got: one entry a row that has its answer, None (stored) or why it never will be.

    `error` tells why the rows behind those have no answer, None if there are none.
    """

    answers: tuple[str | None, ...] = ()
    error: StoreError | None = None


def deliver(store: InvocationStore, rows: Sequence[Invocation], /) -> Delivery:
    """Append rows to a store; total, whatever the store does but hang."""
    return _append(store, rows).map(_stored).lash(lambda error: result.Success(_refused(store, rows, error))).unwrap()


def _append(store: InvocationStore, rows: Sequence[Invocation]) -> Result[tuple[Fate, ...], StoreError]:
    try:
        answer = store.append(rows)
    except BaseException as fault:  # noqa: BLE001 - a store that raises is a store that is down; the writer must live
        return result.Failure(_down(f"the store raised {type(fault).__name__}"))
    return answer.bind(lambda fates: _complete(fates, len(rows)))


def _complete(fates: tuple[Fate, ...], count: int) -> Result[tuple[Fate, ...], StoreError]:
    if len(fates) != count:
        return result.Failure(_down(f"the store told {len(fates)} fates for {count} rows"))
    return result.Success(fates)


def _down(what: str) -> StoreError:
    return StoreError(fault=StoreFault.UNAVAILABLE, operation="append", message=what, retryable=True)


def _stored(fates: Sequence[Fate]) -> Delivery:
    return Delivery(answers=tuple(None if fate is Fate.STORED else fate.value for fate in fates))


def _refused(store: InvocationStore, rows: Sequence[Invocation], error: StoreError) -> Delivery:
    if error.fault is not StoreFault.REFUSED_ROW:
        return Delivery(error=error)
    if len(rows) == 1:
        return Delivery(answers=(f"{error.fault}: {error.message}",))
    middle = len(rows) // 2
    first = deliver(store, rows[:middle])
    if first.error is not None:
        return first
    second = deliver(store, rows[middle:])
    return Delivery(answers=(*first.answers, *second.answers), error=second.error)
