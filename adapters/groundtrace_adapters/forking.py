"""The beginning and the end of a process, for objects with threads, locks and files: forks, and exits of every kind."""

import atexit
import os
import sys
from collections.abc import Callable
from weakref import WeakMethod

_methods: "list[WeakMethod[Callable[[], None]]]" = []


def call_in_child(method: Callable[[], None], /) -> None:
    """Call a bound method in each child that this process forks, before the child runs anything else.

    Its object is held weakly. It must take no lock that existed before the fork: a thread that is gone may hold it.
    """
    _methods.append(WeakMethod(method, _methods.remove))


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
    for kept in tuple(_methods):
        method = kept()
        if method is not None:
            method()


os.register_at_fork(after_in_child=_in_child)
