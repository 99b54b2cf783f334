"""News for many: whoever stops waiting leaves nothing behind."""

from __future__ import annotations

import asyncio

from groundtrace.ports import Acknowledgement, Place
from groundtrace_adapters.sinks.announcement import Announcement
from groundtrace_adapters.sinks.held import Held
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
