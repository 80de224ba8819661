"""The page in a real browser without a screen: every step there and back, keys, games, views."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cribbage_env.cards import format_cards
from cribbage_env.game import Game
from cribbage_env.replay import Frame, as_seen, make_frames, make_page
from cribbage_env.replay.words import event_in_words
from tests.browsers import new_page, open_browser
from tests.games import played_out
from tests.replay.recorded import HOSTILE, games, named

playwright = pytest.importorskip("playwright.sync_api")

GAMES = (named(played_out(Game(seed=8, target=41), 2), "club", "greedy"), games()[1], games()[4])


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("replay") / "page.html"
    path.write_bytes(make_page(GAMES).encode())
    return path.as_uri()


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    """Open the page; at the end nothing may have been asked for and nothing have gone wrong."""
    page = new_page(browser)
    asked: list[str] = []
    problems: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(address)
    yield page
    assert asked == [address]
    assert problems == []
    page.close()


LOOK = """() => ({
    scores: [0, 1].map((seat) => document.getElementById(`score-${seat}`).textContent),
    words: document.getElementById("event").firstChild.textContent,
    count: document.getElementById("count").textContent,
    place: document.getElementById("place").textContent,
    holes: [0, 1].map((seat) => ["rear", "front"].map(
        (kind) => Number(document.getElementById(`${kind}-${seat}`).dataset.hole))),
    hands: [0, 1].map((seat) => [...document.querySelectorAll(`#hand-${seat} .card`)].map(
        (card) => card.dataset.card || "?").join(" ")),
    crib: [...document.querySelectorAll("#crib .card")].map(
        (card) => card.dataset.card || "?").join(" "),
    pile: [...document.querySelectorAll("#pile .card")].map((card) => card.dataset.card).join(" "),
    history: document.querySelector("#history [aria-current] .score").textContent,
})"""


def check(seen: dict[str, Any], frames: list[Frame], step: int, viewer: int | None = None) -> None:
    """Compare what the page shows with the event and the table after it."""
    frame = frames[step]
    scene = as_seen(frame.scene, viewer)
    assert seen["scores"] == [str(score) for score in frame.event.scores]
    assert seen["history"] == "–".join(seen["scores"])
    assert seen["words"] == event_in_words(scene)
    assert seen["place"] == f"{step + 1} / {len(frames)}"
    assert seen["count"] == str(scene.count)
    assert seen["holes"] == [list(pegs) for pegs in scene.pegs]
    assert seen["pile"] == format_cards(scene.pile)
    for seat in (0, 1):
        held = ["?" if card is None else format_cards([card]) for card in scene.hands[seat]]
        assert seen["hands"][seat].split() == [*held, *format_cards(scene.laid[seat]).split()]
    crib = ["?" if card is None else format_cards([card]) for card in scene.crib]
    assert seen["crib"].split() == crib


def test_every_step_there_and_back_by_keys(page: Any) -> None:
    frames = make_frames(GAMES[0])
    assert len(frames) > 50
    for step in range(len(frames)):
        check(page.evaluate(LOOK), frames, step)
        page.keyboard.press("ArrowRight")
    assert tuple(page.evaluate(LOOK)["scores"]) == tuple(map(str, GAMES[0].scores))
    for step in reversed(range(len(frames) - 1)):
        page.keyboard.press("ArrowLeft")
        check(page.evaluate(LOOK), frames, step)


def test_keys_and_buttons_lead_to_the_same_places(page: Any) -> None:
    frames = make_frames(GAMES[0])
    last = len(frames) - 1
    deals = [step for step, frame in enumerate(frames) if frame.event.kind == "deal"]
    for key, button, step in (
        ("End", "#last", last),
        ("Home", "#first", 0),
        ("PageDown", "#deal-forward", deals[0]),
        ("PageDown", "#deal-forward", deals[1]),
        ("ArrowRight", "#forward", deals[1] + 1),
        ("PageUp", "#deal-back", deals[1]),
        ("ArrowLeft", "#back", deals[1] - 1),
    ):
        before = page.evaluate("location.hash")
        page.keyboard.press(key)
        check(page.evaluate(LOOK), frames, step)
        page.evaluate(f"location.hash = {before!r}")
        playwright.expect(page.locator("#place")).to_have_text(place(before))
        page.click(button)
        check(page.evaluate(LOOK), frames, step)


def place(address: str) -> str:
    """Return what the page says of a place in its address."""
    step = int(address.split("step=")[1])
    return f"{step} / {len(GAMES[0].events)}"


def test_the_slider_and_the_history_lead_there_too(page: Any) -> None:
    frames = make_frames(GAMES[0])
    page.fill("#slider", "17")
    check(page.evaluate(LOOK), frames, 17)
    page.focus("#slider")
    page.keyboard.press("ArrowRight")  # one step, not two
    check(page.evaluate(LOOK), frames, 18)
    page.click("#history li:nth-child(30) button")
    check(page.evaluate(LOOK), frames, 29)


def test_games_are_chosen_and_hostile_names_do_nothing(page: Any) -> None:
    assert page.locator("#game option").count() == len(GAMES)
    page.select_option("#game", "1")
    frames = make_frames(GAMES[1])
    check(page.evaluate(LOOK), frames, 0)
    assert page.text_content("#title") == f"{HOSTILE} (0) against {HOSTILE} (1), to 31"
    assert page.title() == "3 games of cribbage"
    page.evaluate("document.activeElement.blur()")  # the chooser has keys of its own
    page.keyboard.press("End")
    check(page.evaluate(LOOK), frames, len(frames) - 1)
    assert page.locator("script").count() == 2


def test_a_view_hides_what_the_seat_did_not_know(page: Any) -> None:
    frames = make_frames(GAMES[0])
    for viewer in (0, 1):
        page.select_option("#view", str(viewer))
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("Home")
        for step in range(28):
            check(page.evaluate(LOOK), frames, step, viewer)
            decision = page.text_content("#verdict")
            is_others = frames[step].action is not None and frames[step].event.player != viewer
            assert not is_others or decision in ("hidden in this view", "nothing to choose here")
            page.keyboard.press("ArrowRight")
    page.select_option("#view", "")
    check(page.evaluate(LOOK), frames, 28)


def test_the_analysis_marks_what_was_taken(page: Any) -> None:
    frames = make_frames(GAMES[0])
    page.keyboard.press("m")
    step = int(page.evaluate("location.hash").split("step=")[1]) - 1
    assert frames[step].action is not None
    assert "best is to" in page.text_content("#verdict")
    chosen = page.text_content("#choices tr.chosen td:first-child")
    signs = str.maketrans("♣♦♥♠", "CDHS", "\ufe0e")
    found = chosen.translate(signs).replace("10", "T").replace("\u00a0", " ")
    assert found == format_cards(frames[step].event.cards)


def test_light_and_dark(page: Any) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    page.emulate_media(color_scheme="light")
    light = page.evaluate(ground)
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate(ground)
    assert light != dark
    page.select_option("#theme", "light")
    assert page.evaluate(ground) == light


def test_playing_goes_on_by_itself(page: Any) -> None:
    page.keyboard.press("Space")
    playwright.expect(page.locator("#place")).to_have_text(re.compile("^2 / "))
    page.keyboard.press("ArrowLeft")  # stops it
    assert page.evaluate(LOOK)["place"].startswith("1 / ")
    assert page.get_attribute("#play", "title") == "Play (space)"


def test_the_page_holds_no_more_than_a_small_screen(browser: Any, address: str) -> None:
    page = new_page(browser, viewport={"width": 360, "height": 740})
    page.goto(f"{address}#game=1&step=5")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.close()


def test_a_page_is_opened_anywhere_in_it(browser: Any, address: str) -> None:
    page = new_page(browser)
    for hash_, expected in (
        ("#game=3&step=4", "4 / "),
        ("#game=9&step=-2", "1 / "),
        ("#x", "1 / "),
    ):
        page.goto(f"{address}{hash_}")
        page.reload()
        assert page.text_content("#place").startswith(expected)
    page.close()


def test_the_view_that_was_asked_for_is_the_first(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(make_page([GAMES[0]], 1, judge_frame=None).encode())
    page = new_page(browser)
    page.goto(f"{path.as_uri()}#step=4")
    check(page.evaluate(LOOK), make_frames(GAMES[0]), 3, 1)
    assert not page.is_visible("#chooser")
    assert not page.is_visible("#analysis")
    page.close()
