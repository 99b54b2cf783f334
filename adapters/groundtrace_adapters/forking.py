"""The beginning and the end of a process, for objects with threads, locks and files: forks, and exits of every kind."""

import atexit
import os
import sys
from collections.abc import Callable
from itertools import count
from types import MethodType
from typing import TypeAlias
from weakref import ref

_Kept: TypeAlias = "dict[int, tuple[ref[object], Callable[[object], None]]]"
_numbers = count()
# A `WeakMethod` would print a traceback where interpreter and object end together.
_before: _Kept = {}
_in_parent: _Kept = {}
_in_child: _Kept = {}


def call_in_child(method: Callable[[], None], /) -> None:
    """Call a bound method in each child that this process forks, before the child runs anything else.

    Its object is held weakly. It must take no lock that existed before the fork: a thread that is gone may hold it.
    """
    _keep(_in_child, method)


def call_around_fork(before: Callable[[], None], after: Callable[[], None], /) -> None:
    """Call one bound method before this process forks, and another one in the parent afterwards; as weakly held.

    All other threads of the parent go on meanwhile; the fork waits for `before`, which must have a deadline.
    """
    _keep(_before, before)
    _keep(_in_parent, after)


def _keep(kept: _Kept, method: Callable[[], None]) -> None:
    if not isinstance(method, MethodType):
        raise TypeError("not a bound method")
    number, forget = next(_numbers), kept.pop
    kept[number] = (ref(method.__self__, lambda _: forget(number, None)), method.__func__)


def call_at_exit(method: Callable[[], None], /) -> Callable[[], None]:
    """Call a function when the interpreter ends, or the body of a multiprocessing child, which runs no `atexit`.

    Return what takes the request back.
    """
    atexit.register(method)
    multiprocessing = sys.modules.get("multiprocessing.util")
    finalizer = multiprocessing.Finalize(None, method, exitpriority=0) if multiprocessing is not None else None

    def take_back() -> None:
        atexit.unregister(method)
        if finalizer is not None:
            finalizer.cancel()

    return take_back


def _call(kept: _Kept) -> None:
    for held, function in tuple(kept.values()):
        owner = held()
        if owner is not None:
            function(owner)


os.register_at_fork(
    before=lambda: _call(_before),
    after_in_parent=lambda: _call(_in_parent),
    after_in_child=lambda: _call(_in_child),
)
