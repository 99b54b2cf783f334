"""A gate between those who work with what no forked child may inherit, and the forks of this process."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from groundtrace_adapters.forking import call_around_fork, call_in_child

FORK_SECONDS = 5.0
"""Seconds that a fork waits for those at work; then it happens all the same, and the child may not begin to work."""


class ForkGate:
    """While anybody is at work a fork waits, and while a fork happens nobody begins to work."""

    def __init__(self, put_away: Callable[[], None], /, *, seconds: float = FORK_SECONDS) -> None:
        """Call `put_away` before each fork, when nobody is at work, so that the child inherits nothing."""
        self._put_away = put_away
        self._seconds = seconds
        self._changed = threading.Condition()
        self._at_work = 0
        self._forks = 0
        self.is_open = True
        """Whether work may begin: not in a child that was forked in the middle of somebody's work."""
        call_around_fork(self._before, self._in_parent)
        call_in_child(self._in_child)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Work, as soon as no fork is under way."""
        changed = self._changed
        with changed:
            changed.wait_for(lambda: not self._forks, 2 * self._seconds)
            self._at_work += 1
        try:
            yield
        finally:
            # Not in a child that was forked from within: it has begun anew.
            if changed is self._changed:
                with changed:
                    self._at_work -= 1
                    changed.notify_all()

    def _before(self) -> None:
        with self._changed:
            self._forks += 1
            if self._changed.wait_for(lambda: self._at_work == 0, self._seconds):
                self._put_away()

    def _in_parent(self) -> None:
        with self._changed:
            self._forks -= 1
            self._changed.notify_all()

    def _in_child(self) -> None:
        self.is_open = self.is_open and self._at_work == 0
        self._changed = threading.Condition()
        self._at_work = self._forks = 0
