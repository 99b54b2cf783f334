"""Lines in the log from where nothing may break: whatever a handler of the program does, whoever told it goes on."""

import logging
import threading


class _Telling(threading.local):
    now = False


_telling = _Telling()

_CALLER = 3
"""So many calls up stands the line that is told from."""


class CarefulLog:
    """A log by its name, for the threads of a sink and for whatever may not break a caller.

    A handler that raises costs its line and nothing else. One that records what it is told may come back here out of
    its own line, and so without end: what is told within a line is left out.
    """

    def __init__(self, name: str, /) -> None:
        """Tell to the logger of that name."""
        self._log = logging.getLogger(name)

    def warning(self, words: str, /, *args: object) -> None:
        """Tell what the program survives by itself."""
        self._tell(logging.WARNING, words, args)

    def error(self, words: str, /, *args: object) -> None:
        """Tell what somebody has to look at."""
        self._tell(logging.ERROR, words, args)

    def _tell(self, level: int, words: str, args: tuple[object, ...]) -> None:
        if _telling.now:
            return
        _telling.now = True
        try:
            self._log.log(level, words, *args, stacklevel=_CALLER)
        except Exception:  # noqa: BLE001, S110 - a handler is the program's own; there is nobody else to tell
            pass
        finally:
            _telling.now = False
