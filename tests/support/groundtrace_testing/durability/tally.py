"""What callers were told beside what the store holds in the end: acknowledged, found, lost, duplicates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, replace
from pathlib import Path

from groundtrace.invocation import Invocation
from groundtrace.ports import InvocationStore, Place
from groundtrace_testing.durability.calls import row_of
from groundtrace_testing.durability.load import Told
from groundtrace_testing.durability.places import sink_over, store_at
from groundtrace_testing.sinks import eventually

_PAGE = 1_000
_REPLAY_SECONDS = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Figures of one fault. `lost` are acknowledged rows that the store lacks, `changed` ones that are not as put.

    A row that was said to be stored is in the store before anything is replayed, else it counts as lost.
    """

    stored: int = 0
    spooled: int = 0
    refused: int = 0
    unplaced: int = 0
    found: int = 0
    lost: int = 0
    duplicates: int = 0
    changed: int = 0

    def __add__(self, other: Tally) -> Tally:
        ours, theirs = astuple(self), astuple(other)
        stored, spooled, refused, unplaced, found, lost, duplicates, changed = map(sum, zip(ours, theirs, strict=True))
        return Tally(
            stored=stored,
            spooled=spooled,
            refused=refused,
            unplaced=unplaced,
            found=found,
            lost=lost,
            duplicates=duplicates,
            changed=changed,
        )

    @property
    def acknowledged(self) -> int:
        """How many rows were said to be safe."""
        return self.stored + self.spooled

    @property
    def harm(self) -> tuple[int, int, int]:
        """Lost, duplicate and changed rows: nothing may make it other than (0, 0, 0)."""
        return self.lost, self.duplicates, self.changed

    def line(self) -> str:
        """The figures in one line."""
        return (
            f"acknowledged {self.acknowledged:,} (stored {self.stored:,}, spooled {self.spooled:,}), "
            f"found {self.found:,}, lost {self.lost}, duplicates {self.duplicates}, changed {self.changed}, "
            f"refused {self.refused}, without a place {self.unplaced}"
        )


def settled(address: str, spool: Path, told: Iterable[Told], /) -> Tally:
    """Start once more over the same store and spool until no row is spooled, and compare."""
    lines = list(told)
    untrue = tally(address, (line for line in lines if line[0] == Place.STORED)).lost
    settle(address, spool)
    done = tally(address, lines)
    return replace(done, lost=done.lost + untrue)


def settle(address: str, spool: Path, /) -> None:
    """Replay what is spooled, as a next start does; fails if that never ends."""
    store = store_at(address)
    sink = sink_over(store, spool, address=address)
    try:
        assert eventually(lambda: not any(spool.glob("rows-*")), seconds=_REPLAY_SECONDS), list(spool.iterdir())
    finally:
        sink.close(deadline=10)
        store.close()


def tally(address: str, told: Iterable[Told], /) -> Tally:
    """Compare what was told with what the store at `address` holds of the sessions that it is about."""
    lines = list(told)
    store = store_at(address)
    try:
        held = [row for session in sorted({line[1] for line in lines}) for row in _rows(store, session)]
    finally:
        store.close()
    kept = Counter((row.session_id, row.id) for row in held)
    places = Counter(place for place, *_ in lines)
    safe = {(session, row_id) for place, session, row_id, _ in lines if place in (Place.STORED, Place.SPOOLED)}
    return Tally(
        stored=places[Place.STORED],
        spooled=places[Place.SPOOLED],
        refused=places[Place.REFUSED],
        unplaced=places["unplaced"],
        found=len(held),
        lost=len(safe - kept.keys()),
        duplicates=sum(kept.values()) - len(kept),
        changed=sum(row != row_of(row.session_id, row.id) for row in held),
    )


def _rows(store: InvocationStore, session_id: str) -> Iterator[Invocation]:
    after: Invocation | None = None
    while page := store.rows(session_id, after=after, limit=_PAGE).unwrap():
        yield from page
        after = page[-1]
