"""The beginning and the end of a process, for objects with threads, locks and files: forks, and exits of every kind."""

import atexit
import os
import sys
from collections.abc import Callable
from itertools import count
from types import MethodType
from weakref import ref

_numbers = count()
# A `WeakMethod` would print a traceback where interpreter and object end together.
_kept: "dict[int, tuple[ref[object], Callable[[object], None]]]" = {}


def call_in_child(method: Callable[[], None], /) -> None:
    """Call a bound method in each child that this process forks, before the child runs anything else.

    Its object is held weakly. It must take no lock that existed before the fork: a thread that is gone may hold it.
    """
    if not isinstance(method, MethodType):
        raise TypeError("not a bound method")
    number, forget = next(_numbers), _kept.pop
    _kept[number] = (ref(method.__self__, lambda _: forget(number, None)), method.__func__)


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


def _in_child() -> None:
    for held, function in tuple(_kept.values()):
        owner = held()
        if owner is not None:
            function(owner)


os.register_at_fork(after_in_child=_in_child)
