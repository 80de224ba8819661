"""Drives the app as a person would: keys in, what stands on the screen out."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Awaitable, Callable
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Static

from cribbage_env.actions import DISCARDS, NUM_DISCARDS
from cribbage_env.game import Game
from cribbage_env.play.app import PlayApp, TableScreen
from cribbage_env.play.dialogs import Dialog
from cribbage_env.play.session import Session
from cribbage_env.play.widgets import CoachView, TrackView

Scenario = Callable[["Driver"], Awaitable[None]]


class Driver:
    """A running app and the keys to it."""

    def __init__(self, app: PlayApp, pilot: Pilot[Any]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def session(self) -> Session:
        return self.app.session

    @property
    def game(self) -> Game:
        return self.app.session.game

    @property
    def table(self) -> TableScreen:
        table = self.app.screen_stack[1]
        assert isinstance(table, TableScreen)
        return table

    @property
    def dialog(self) -> Dialog | None:
        return self.app.screen if isinstance(self.app.screen, Dialog) else None

    async def settle(self) -> None:
        """Wait until the app has nothing left to do."""
        await self.pilot.pause()
        while any(not worker.is_finished for worker in self.app.workers):
            await self.app.workers.wait_for_complete()
            await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.settle()

    async def act(self, action: int) -> None:
        """Take an action with the keys of its cards."""
        if action < NUM_DISCARDS:
            await self.press(*(str(slot + 1) for slot in DISCARDS[action]), "enter")
        else:
            await self.press(str(action - NUM_DISCARDS + 1), "enter")

    async def act_at_random(self, rng: random.Random) -> int:
        action = rng.choice(self.game.legal_actions())
        await self.act(action)
        return action

    def text(self, name: str) -> str:
        return str(self.table.query_one(name, Static).content)

    def scores(self) -> tuple[int, int]:
        """Return (own, opponent) as the tracks say."""
        other, own = (int(str(track.render()).split()[-1]) for track in self.table.query(TrackView))
        return own, other

    def told(self) -> list[tuple[int, int, int]]:
        """Return the story's (points, own score, opponent's score), where points were scored."""
        found = re.findall(r"\+(\d+) \((\d+)-(\d+)\)", self.text("#events"))
        return [(int(points), int(own), int(other)) for points, own, other in found]

    def coach(self) -> str:
        return str(self.table.query_one(CoachView).render())


def drive(
    scenario: Scenario,
    session: Session,
    coach: str = "off",
    size: tuple[int, int] = (100, 30),
    pace: float = 0.0,
) -> PlayApp:
    """Run an app with nobody but the scenario at the keys; return it as it ended."""
    app = PlayApp(session, coach, pace)

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            driver = Driver(app, pilot)
            await driver.settle()
            await scenario(driver)

    asyncio.run(run())
    return app
