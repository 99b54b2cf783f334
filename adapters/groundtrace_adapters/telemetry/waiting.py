"""What telemetry was told and has not passed on yet: a queue with bounds, which drops and counts what does not fit."""

import threading
from collections import deque
from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingBounds:
    """How many items wait, and how many bytes they may weigh."""

    items: int = 4_096
    weight: int = 16 * 1024 * 1024


class Waiting(Generic[Item]):
    """A bounded queue for many threads that put and one that takes; an item that was taken waits until it is done."""

    def __init__(self, bounds: WaitingBounds, /) -> None:
        """Hold nothing yet."""
        self._bounds = bounds
        self._items: deque[tuple[Item, int]] = deque()
        self._weight = self._under_way = self._dropped = 0
        self._closed = False
        # Reentrant: the garbage collector may put something from within.
        self._changed = threading.Condition(threading.RLock())

    def put(self, item: Item, /, *, weight: int) -> bool:
        """Take an item; tell whether there was room."""
        with self._changed:
            full = len(self._items) >= self._bounds.items or self._weight + weight > self._bounds.weight
            if full or self._closed:
                self._dropped += not self._closed
                return False
            self._items.append((item, weight))
            self._weight += weight
            if len(self._items) == 1:
                self._changed.notify_all()
            return True

    def take(self, most: int, /) -> list[Item]:
        """Return the next items once there are any, those taken before being done; none once it is closed and empty."""
        with self._changed:
            self._under_way = 0
            self._changed.notify_all()
            while not self._items and not self._closed:
                self._changed.wait()
            taken = [self._items.popleft() for _ in range(min(most, len(self._items)))]
            self._weight -= sum(weight for _, weight in taken)
            self._under_way = len(taken)
            return [item for item, _ in taken]

    def dropped(self) -> int:
        """Return how many items found no room since this was asked last."""
        with self._changed:
            dropped, self._dropped = self._dropped, 0
            return dropped

    def close(self) -> None:
        """Take nothing more; what is held may still be taken."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def drained(self, *, seconds: float) -> bool:
        """Wait until nothing is held or under way; tell whether that came within so many seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._items and not self._under_way, seconds)
