"""The app under Textual's own driver: whole games, any keys, the mouse, small terminals."""

from __future__ import annotations

import random
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cribbage_env.cards import parse_card
from cribbage_env.game import Game
from cribbage_env.play.app import PlayApp
from cribbage_env.play.coach import Coach, judge
from cribbage_env.play.saves import SaveFile, to_text
from cribbage_env.play.session import OPPONENT, PERSON, Session
from cribbage_env.play.widgets import CardView, CoachView
from cribbage_env.play.words import coach_lines, summary_lines, verdict
from tests.games import DISCARDS, POSITION, check_events
from tests.play.driver import Driver, drive


def saved(path: Path, session: Session) -> Session:
    session.file = SaveFile.claim(path, to_text(session.game))
    return session


async def play_on(driver: Driver, rng: random.Random) -> None:
    """Play to the end; after every key the screen says what the events say."""
    while not driver.game.is_over:
        if driver.dialog is None:
            await driver.act_at_random(rng)
        else:
            await driver.press("enter")
        events = driver.game.events
        assert driver.scores() == driver.game.scores == events[-1].scores
        assert driver.told() == [(event.points, *event.scores) for event in events if event.points]


def test_a_full_game_to_121_score_by_score(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"

    async def scenario(driver: Driver) -> None:
        await play_on(driver, random.Random(1))
        check_events(driver.game)
        assert max(driver.scores()) == 121

    app = drive(scenario, saved(path, Session(Game(seed=3), "club")))
    assert Session.resume(path).game == app.session.game


def test_a_newcomer_is_told_the_keys_of_the_first_deal() -> None:
    async def scenario(driver: Driver) -> None:
        assert driver.text("#hint") == "1 to 6 choose, Enter throws, ?: help"
        await driver.press("enter")
        assert driver.text("#hint") == "choose with 1 to 6, or press a card"
        await driver.press("1")
        assert driver.text("#hint") == ""
        await driver.press("2", "enter")
        assert driver.text("#hint") == "1 to 4 choose, Enter lays, ?: help"

    drive(scenario, Session(Game(seed=3, dealer=0), "club"))


def test_a_short_game_ends_with_the_summary() -> None:
    async def scenario(driver: Driver) -> None:
        await play_on(driver, random.Random(2))
        while driver.dialog is not None and "The show" in driver.dialog.heading:
            await driver.press("enter")
        assert driver.dialog is not None
        own, other = driver.game.scores
        verb = "You win" if own > other else "The opponent wins"
        assert driver.dialog.heading.startswith(f"{verb} {own}-{other}")
        review = Coach().review(driver.game, PERSON)
        for line in summary_lines(review):
            assert line in str(driver.dialog.text)
        await driver.press("escape")
        assert driver.dialog is None
        assert driver.text("#prompt").startswith(verb)
        await driver.press("n")  # another game: the next under the same seed
        assert (driver.game.number, driver.game.seed, driver.game.turn) == (1, 4, PERSON)
        assert driver.game.phase == "discard"
        assert driver.scores() == (0, 0)

    drive(scenario, Session(Game(seed=4, target=15), "greedy"), coach="after")


def test_another_game_only_after_this_one_and_without_a_file_where_none_can_be_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*given: object) -> SaveFile:
        raise OSError("the disk is full")

    async def scenario(driver: Driver) -> None:
        before = driver.game
        await driver.press("n")
        assert driver.game is before
        await play_on(driver, random.Random(2))
        while driver.dialog is not None:
            await driver.press("escape")
        monkeypatch.setattr(SaveFile, "claim_near", refused)
        await driver.press("n")
        assert (driver.game.number, driver.game.seed) == (1, 4)
        assert driver.session.file is None

    drive(scenario, saved(tmp_path / "game.txt", Session(Game(seed=4, target=15), "greedy")))


def test_chosen_cards_are_put_back_and_the_story_is_scrolled() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.press("1", "2")
        assert driver.session.selected
        await driver.press("escape")
        assert not driver.session.selected
        story = driver.table.query_one("#story")
        for _ in range(6):
            await driver.act_at_random(random.Random(1))
            while driver.dialog is not None:
                await driver.press("enter")
        bottom = story.scroll_y
        await driver.press("pageup")
        assert story.scroll_y < bottom

    drive(scenario, Session(Game(seed=3), "club"), size=(80, 24))


def test_the_coach_before_a_decision_and_after_it() -> None:
    game = Game.from_position(**POSITION)

    async def scenario(driver: Driver) -> None:
        decision = judge(game)
        for line, _, _ in coach_lines(decision):
            assert line in driver.coach()
        await driver.press("c")
        assert driver.app.coach_mode == "after"
        await driver.act(0)
        made = judge(game, action=0)
        shown = driver.coach()
        for line, _, _ in coach_lines(made):
            assert line in shown
        assert verdict(made) in shown
        await driver.press("c")
        assert driver.app.coach_mode == "off"
        assert driver.coach() == ""
        assert not driver.table.query_one(CoachView).display

    drive(scenario, Session(game.copy(), "club"), coach="before")


def test_undo_while_the_opponent_is_thinking(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    game = Game.from_position(**POSITION)

    async def scenario(driver: Driver) -> None:
        await driver.pilot.press("5", "6", "enter")
        await driver.pilot.pause()
        assert driver.game.turn == OPPONENT
        assert driver.text("#hint") == "u takes back"
        await driver.press("u")
        assert driver.game == game
        assert Session.resume(path).game == game
        await driver.press("u")
        assert "nothing can be taken back" in driver.text("#hint")
        await driver.press("1", "u")
        assert driver.session.selected == ()

    drive(scenario, saved(path, Session(game.copy(), "club")), pace=3600.0)


def test_cards_are_chosen_and_thrown_with_the_mouse() -> None:
    async def scenario(driver: Driver) -> None:
        cards = list(driver.table.query("#hand CardView").results(CardView))
        await driver.pilot.click(cards[4])
        await driver.pilot.click(cards[5])
        await driver.settle()
        assert driver.session.selected == (4, 5)
        assert driver.text("#prompt") == "Enter throws J♣ Q♣"
        await driver.pilot.click("#prompt")
        await driver.settle()
        assert driver.game.phase == "play"
        assert driver.game.events[1].cards == (parse_card("JC"), parse_card("QC"))

    drive(scenario, Session(Game.from_position(**POSITION), "club"))


def test_the_show_is_counted_in_a_dialog_before_the_next_hand_is_seen() -> None:
    game = Game.from_position(
        **POSITION, discards=DISCARDS, plays="4H 6D 5H 7C 6S 9S TD", scores=(0, 0)
    )

    async def scenario(driver: Driver) -> None:
        assert driver.dialog is not None  # the opponent's last card ended the deal
        assert driver.dialog.heading.startswith("The show of deal 1: you ")
        words = str(driver.dialog.text)
        for event in driver.game.events:
            if event.kind in ("hand", "crib"):
                assert str(event.detail) in words
        assert driver.game.deals == 2
        await driver.press("1", "2", "enter")
        assert driver.dialog is None
        assert driver.session.selected == ()

    drive(scenario, Session(game, "club"))


@pytest.mark.parametrize(
    ("seed", "number"),
    [
        (1, 100),
        pytest.param(2, 500, marks=pytest.mark.slow),
        pytest.param(3, 500, marks=pytest.mark.slow),
    ],
)
def test_keys_at_random_never_crash(seed: int, number: int, tmp_path: Path) -> None:
    keys = [
        *"123456" * 3,
        *["enter"] * 8,
        *"0789abcdefghijklmnoprstuvwxyzQ!?ß",  # q would quit
        *["escape", "space", "tab", "shift+tab", "up", "down", "left", "right"],
        *["pageup", "pagedown", "home", "end", "backspace", "delete", "insert"],
        *["f1", "f5", "ctrl+a", "ctrl+p", "ctrl+l", "ctrl+z", "question_mark"],
    ]
    path = tmp_path / "game.txt"

    async def scenario(driver: Driver) -> None:
        rng = random.Random(seed)
        for place in range(number):
            key = rng.choice(keys)
            if driver.dialog is not None and key == "q":
                key = "enter"
            await driver.pilot.press(key)
            if place % 25 == 24:
                await driver.settle()
                await driver.pilot.resize_terminal(rng.randint(1, 140), rng.randint(1, 50))
        await driver.settle()
        assert driver.app.is_running
        assert len(driver.game.actions) > number // 50

    app = drive(scenario, saved(path, Session(Game(seed=seed), "random")), coach="after")
    file = app.session.file
    assert file is not None
    assert Session.resume(file.path).game == app.session.game


@pytest.mark.parametrize("size", [(80, 24), (60, 24), (40, 12), (36, 9), (20, 5), (4, 2)])
def test_small_terminals_can_be_played_in(size: tuple[int, int]) -> None:
    async def scenario(driver: Driver) -> None:
        await driver.act(14)
        assert driver.game.phase == "play"
        await driver.act(15)
        assert driver.app.is_running
        if size >= (36, 9):
            for card in driver.table.query("#hand CardView").results(CardView):
                assert not card.region or driver.table.region.contains_region(card.region)

    drive(scenario, Session(Game.from_position(**POSITION), "club"), coach="before", size=size)


def test_quitting_says_where_the_game_is(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"

    async def scenario(driver: Driver) -> None:
        await driver.pilot.press("q")

    app = drive(scenario, saved(path, Session(Game(seed=1), "club")))
    assert app.return_value == (
        "You have 0, the opponent 0; saved, and goes on with\n"
        f"python -m cribbage_env.play --resume {shlex.quote(str(path))}"
    )
    assert app.return_code == 0


def test_an_opponent_that_fails_ends_the_app_with_its_name_and_the_game_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.txt"
    session = saved(path, Session(Game.from_position(**POSITION), "club"))

    class Faulty:
        observation = "cards"

        def act(self, observations: Any, action_masks: Any, keys: Any) -> Any:
            return np.array([18])

    session.policy = Faulty()

    async def scenario(driver: Driver) -> None:
        await driver.act(0)

    app = drive(scenario, session)
    assert app.return_code == 1
    assert "acted illegally: action 18: R4" in str(app.return_value)
    assert Session.resume(path).game.actions == (0,)


def test_a_file_that_somebody_else_uses_is_left_to_them(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    session = saved(path, Session(Game.from_position(**POSITION), "club"))

    async def scenario(driver: Driver) -> None:
        path.write_text("mine now", encoding="utf-8")
        await driver.act(0)
        assert driver.session.file is not None
        assert driver.session.file.path == tmp_path / "game-2.txt"

    app = drive(scenario, session)
    assert path.read_text(encoding="utf-8") == "mine now"
    assert Session.resume(tmp_path / "game-2.txt").game == app.session.game


def test_a_full_disk_is_told_and_the_game_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.txt"
    session = saved(path, Session(Game.from_position(**POSITION), "club"))

    def fail(self: SaveFile, text: str) -> None:
        raise OSError("the disk is full")

    async def scenario(driver: Driver) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(SaveFile, "write", fail)
            await driver.act(0)
        assert driver.text("#title") == " NOT SAVED: the disk is full"
        assert driver.game.phase == "play"
        await driver.act(15)
        assert "NOT SAVED" not in driver.text("#title")

    app = drive(scenario, session)
    assert Session.resume(path).game == app.session.game


def test_bad_settings_of_the_app_are_refused() -> None:
    session = Session(Game(seed=1), "club")
    with pytest.raises(ValueError, match="coach 'loud' is none of off, before, after"):
        PlayApp(session, "loud")
    with pytest.raises(ValueError, match=r"pace -1\.0 is negative"):
        PlayApp(session, pace=-1.0)
