"""An interrupt always ends the command, whichever of its threads the system hands it to.

Python runs handlers in the main thread alone and does not wake it: where another thread took the signal, or the main
one took it just before it began to wait, a wait or a read would go on as if nothing had been asked. Standard library
alone.
"""

import _thread
import os
import signal
import threading
import time

_NUDGE: int | None = getattr(signal, "SIGURG", None)
"""A signal that means nothing here; sent to a thread it interrupts what that thread waits for."""

_PAUSES = (0.0, 0.05, 0.5)
"""Seconds before each nudge: one that comes just before a wait begins would be in vain."""

_DROPPED_SECONDS = 0.05


def hear_interrupts() -> None:
    """Let SIGINT and SIGTERM interrupt the main thread wherever it is; what is held is stored or spooled first."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if _NUDGE is None:
        return
    heard, told = os.pipe()
    os.set_blocking(told, False)
    signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    signal.signal(_NUDGE, lambda number, frame: None)
    threading.Thread(target=_hand_on, args=(heard, threading.get_ident(), _NUDGE), daemon=True).start()


def interrupt_again() -> None:
    """Interrupt once more: Python drops an interrupt that falls into a finalizer."""
    once_more = threading.Timer(_DROPPED_SECONDS, _thread.interrupt_main)
    once_more.daemon = True
    once_more.start()


def _hand_on(heard: int, main: int, nudge: int) -> None:
    """Nudge the main thread for every signal that came to any thread."""
    while numbers := os.read(heard, 64):
        if set(numbers) - {nudge}:
            for pause in _PAUSES:
                time.sleep(pause)
                signal.pthread_kill(main, nudge)
