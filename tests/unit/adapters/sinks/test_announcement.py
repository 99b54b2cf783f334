"""News for many: whoever stops waiting leaves nothing behind."""

from __future__ import annotations

import asyncio
import subprocess
import sys

from groundtrace.ports import Acknowledgement, Place
from groundtrace_adapters.sinks.announcement import Announcement
from groundtrace_adapters.sinks.held import Held
from groundtrace_testing.command import environment
from groundtrace_testing.records import a_row


def test_a_receipt_that_is_asked_again_and_again_holds_nothing_of_those_who_left() -> None:
    held = Held(a_row())
    held.news = Announcement()

    async def ask() -> int:
        for _ in range(50):
            task = asyncio.ensure_future(held.placed())
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
        return held.news.waiting

    assert asyncio.run(ask()) == 0


def test_a_task_that_left_costs_no_other_its_news() -> None:
    held = Held(a_row())
    held.news = Announcement()

    async def ask() -> Acknowledgement:
        leaving, staying = asyncio.ensure_future(held.placed()), asyncio.ensure_future(held.placed())
        await asyncio.sleep(0)
        leaving.cancel()
        await asyncio.wait([leaving])
        held.acknowledgement = Acknowledgement(place=Place.STORED)
        held.news.announce()
        return await asyncio.wait_for(staying, 10)

    assert asyncio.run(ask()).place is Place.STORED


def test_a_child_that_is_forked_while_news_are_told_can_ask_for_them_too() -> None:
    """Nothing of ours may be held in a child by a thread that it has not got; the lock here is held all the time."""
    code = """
import os, sys, threading, time
from groundtrace_adapters.sinks.announcement import Announcement

class Slow(dict):
    def values(self):
        asked.set()
        time.sleep(60)

asked, news = threading.Event(), Announcement()
news._tasks = Slow(one=1)
threading.Thread(target=lambda: news.waiting, daemon=True).start()
asked.wait()
child = os.fork()
if not child:
    os._exit(1 if Announcement().gate().wait(0.01) else 7)
threading.Timer(10, os.kill, (child, 9)).start()
os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) % 256)
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=False, timeout=30, env=environment())
    assert done.returncode == 7
