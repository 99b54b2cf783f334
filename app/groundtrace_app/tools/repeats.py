"""What each session was given by knowledge calls and can still read, and which calls are on their way right now.

Bounded in sessions, calls and characters; what was put out is no longer readable, and a call for it runs again.
Calls may come from several threads and event loops.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from groundtrace.dedup import DocumentKey, EarlierCall, Repeat, decide_repeat
from groundtrace_adapters.forking import call_in_child

SESSIONS = 500
"""Most sessions that are remembered; the one used longest ago is forgotten first."""

CALLS_A_SESSION = 200

CHARACTERS = 64 * 1024 * 1024
"""Most characters of results held over all sessions."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One ended call: what a later one is compared with, its text, and the documents that it was the first to give."""

    call: EarlierCall
    text: str
    gave: tuple[DocumentKey, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """Nobody else asks this: run, and tell the end by `end`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Follow:
    """Somebody else asks this right now: `ended` is done when they have ended, well or not; then ask again."""

    ended: "Future[None]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """This was asked before: what it repeats, and the text that was given then."""

    repeat: Repeat
    text: str


Step: TypeAlias = Lead | Follow | Known


@dataclass(slots=True)
class _Session:
    calls: OrderedDict[str, Held] = field(default_factory=OrderedDict)
    flights: dict[str, "Future[None]"] = field(default_factory=dict)


class Repeats:
    """The memory of a process for knowledge calls."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, _Session] = OrderedDict()
        self._held = 0
        self._lock = threading.Lock()
        call_in_child(self._part_from_parent)

    def _part_from_parent(self) -> None:
        """In a forked child: calls that are on their way there never end here, so nobody waits for them."""
        self._lock = threading.Lock()
        for session in self._sessions.values():
            session.flights = {}

    def knows(self, session_id: str, /) -> bool:
        """Tell whether anything of a session is remembered."""
        with self._lock:
            return session_id in self._sessions

    def adopt(self, session_id: str, calls: Iterable[Held], /) -> None:
        """Remember calls of an earlier process, before what this one did."""
        with self._lock:
            session = self._session(session_id)
            old = [one for one in calls if one.call.id not in session.calls]
            for one in reversed(old[-CALLS_A_SESSION:]):
                self._put(session, one)
                session.calls.move_to_end(one.call.id, last=False)

    def begin(self, session_id: str, key: str, /) -> Step:
        """Return what to do about a call under `key`; a `Lead` must be followed by `end`, whatever happens."""
        with self._lock:
            session = self._session(session_id)
            decided = decide_repeat([one.call for one in session.calls.values()], key=key)
            if isinstance(decided, Repeat):
                return Known(repeat=decided, text=session.calls[decided.source].text)
            flight = session.flights.get(key)
            if flight is not None:
                return Follow(ended=flight)
            flight = session.flights[key] = Future()
            # From here on a waiter that is cancelled cannot cancel it for the others.
            flight.set_running_or_notify_cancel()
            return Lead()

    def end(self, session_id: str, key: str, /) -> None:
        """Tell those who wait that the call under `key` has ended; what it gave was kept before, if it went well."""
        with self._lock:
            session = self._sessions.get(session_id)
            flight = session.flights.pop(key, None) if session is not None else None
        if flight is not None:
            flight.set_result(None)

    def settle(self, session_id: str, decide: "Callable[[dict[DocumentKey, str]], tuple[Held | None, _T]]", /) -> _T:
        """Let `decide` see which call gave which documents, keep what it says, and return its answer: all at once."""
        with self._lock:
            session = self._session(session_id)
            given = {key: one.call.id for one in reversed(session.calls.values()) for key in one.gave}
            held, answer = decide(given)
            if held is not None:
                self._put(session, held)
            return answer

    def _session(self, session_id: str) -> _Session:
        session = self._sessions.setdefault(session_id, _Session())
        self._sessions.move_to_end(session_id)
        if len(self._sessions) > SESSIONS:
            self._forget_oldest()
        return session

    def _put(self, session: _Session, held: Held) -> None:
        before = session.calls.pop(held.call.id, None)
        self._held += len(held.text) - (len(before.text) if before else 0)
        session.calls[held.call.id] = held
        while len(session.calls) > CALLS_A_SESSION or (self._held > CHARACTERS and len(self._sessions) == 1):
            _, oldest = session.calls.popitem(last=False)
            self._held -= len(oldest.text)
        while self._held > CHARACTERS and len(self._sessions) > 1:
            self._forget_oldest()

    def _forget_oldest(self) -> None:
        """Forget the session used longest ago; who waits in it is let go and asks again."""
        _, session = self._sessions.popitem(last=False)
        self._held -= sum(len(one.text) for one in session.calls.values())
        for flight in session.flights.values():
            flight.set_result(None)
