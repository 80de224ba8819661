"""Replays as text: the transcript, and stepping through with keys."""

from __future__ import annotations

import io
import os
import sys
from itertools import islice
from types import SimpleNamespace

import pytest

from cribbage_env.rendering.words import cards_in_words
from cribbage_env.replay import judge, make_frames, make_transcript
from cribbage_env.replay import keys as keys_module
from cribbage_env.replay.keys import read_keys, split_keys
from cribbage_env.replay.terminal import Stepper, in_colour
from cribbage_env.replay.words import event_in_words
from tests.replay.recorded import games


def stepper(viewer: int | None = None, *, is_judged: bool = False) -> Stepper:
    return Stepper(games(), viewer, judge_frame=judge if is_judged else None)


def press(one: Stepper, *keys: str) -> Stepper:
    for key in keys:
        one.press(key)
    return one


# The transcript


@pytest.mark.parametrize("kind", range(7))
def test_a_transcript_tells_every_event_with_its_score(kind: int) -> None:
    game = games()[kind]
    text = " ".join("\n".join(make_transcript(game, judge_frame=None)).split())
    place = 0
    for frame in make_frames(game):
        words = f"{event_in_words(frame.scene)} {frame.event.scores[0]}-{frame.event.scores[1]}"
        place = text.index(" ".join(words.split()), place) + 1


def test_a_transcript_tells_hands_and_losses() -> None:
    game = games()[0]
    lines = list(make_transcript(game))
    frame = make_frames(game)[2]
    assert frame.event.kind == "deal"
    assert f"  club holds {cards_in_words(frame.scene.hands[0])}" in lines
    assert sum(line.startswith("      ") for line in lines) > 40
    assert lines[-2].startswith("club: ")
    assert lines[-1].startswith("expert:lookahead=2,score_aware=false: ")


@pytest.mark.parametrize("viewer", [0, 1])
def test_a_seat_reads_nothing_of_hidden_cards(viewer: int) -> None:
    game = games()[4]  # three cards are laid
    lines = list(make_transcript(game, viewer))
    shown = {event.cards[0] for event in game.events if event.kind == "play"}
    shown |= {card for event in game.events if event.kind == "starter" for card in event.cards}
    hidden = {*game.kept(1 - viewer), *make_frames(game)[0].scene.hands[1 - viewer]} - shown
    text = "\n".join(lines)
    assert not [card for card in hidden if cards_in_words([card]) in text]
    # The same game with the hidden cards dealt anew reads the same.
    other = game.redeal_hidden(viewer, seed=8)
    assert other != game
    assert list(make_transcript(other, viewer))[1:] == lines[1:]


# Stepping


def test_keys_lead_through_a_game() -> None:
    one = stepper()
    last = len(one.frames) - 1
    keys = ("right", "enter", " ", "left", "b", "b", "b", "end", "right", "home", "f")
    steps = [press(one, key).step for key in keys]
    assert steps == [1, 2, 3, 2, 1, 0, 0, last, last, 0, 1]


def test_keys_lead_from_deal_to_deal() -> None:
    one = stepper()
    deals = [step for step, frame in enumerate(one.frames) if frame.event.kind == "deal"]
    for deal in deals:
        assert press(one, "page down").step == deal
    assert press(one, "page down").step == len(one.frames) - 1
    assert press(one, "u").step == deals[-1]
    assert press(one, "right", "page up").step == deals[-1]
    assert press(one, "home", "page up").step == 0


def test_games_are_chosen_by_key_and_by_number() -> None:
    one = stepper()
    assert press(one, "right", "n").place == 1
    assert one.step == 0
    assert press(one, "p", "p").place == len(games()) - 1
    assert press(one, "3", "enter").place == 2
    assert press(one, "9", "9", "enter").place == 2
    assert press(one, "5", "x").place == 2  # anything but Enter forgets the number
    assert press(one, "enter").step == 1
    assert "game 3 of 7: " in one.screen()
    assert "game 12" in press(one, "1", "2").screen()
    press(one, "x")
    listed = press(one, "l").screen()
    assert ">   3  seat 0 against seat 1, to 121: seat 0 wins 121-0, by forfeit" in listed
    assert press(one, "right").step == 1  # only closes the list
    assert press(one, "l", "5", "enter").place == 4


def test_a_screen_shows_table_event_and_choice() -> None:
    one = stepper(is_judged=True)
    frame = one.frames[3]
    press(one, "right", "right", "right")
    screen = one.screen()
    assert frame.event.kind == "discard"
    assert event_in_words(frame.scene) in screen
    assert "step 4 of " in screen
    assert " of 15" in screen
    assert screen.splitlines()[-2].endswith("q quit")
    assert cards_in_words(frame.scene.hands[0]) in screen
    assert "to win" not in press(one, "a").screen()
    assert "to win" in press(one, "a").screen()


def test_the_next_mistake() -> None:
    one = stepper(is_judged=True)
    press(one, "m")
    decision = judge(one.frame)
    assert decision is not None
    assert decision.is_mistake
    for frame in one.frames[: one.step]:
        earlier = judge(frame)
        assert earlier is None or not earlier.is_mistake


def test_views_hide_cards_and_choices_of_the_other() -> None:
    one = stepper(is_judged=True)
    press(one, "page down", "v")
    assert one.viewer == 0
    assert "▒▒ ▒▒ ▒▒ ▒▒ ▒▒ ▒▒" in one.screen()
    assert "seat 0's view" in one.screen()
    for _ in range(2):
        press(one, "right")
        assert ("to win" in one.screen()) == (one.frame.event.player == 0)
    assert press(one, "v").viewer == 1
    assert press(one, "v").viewer is None


@pytest.mark.parametrize("height", [23, 40])
def test_a_screen_fits_the_terminal(height: int) -> None:
    one = press(stepper(is_judged=True), "2", "enter")  # a short game
    for _ in one.frames:
        lines = one.screen(80, height).splitlines()
        assert len(lines) <= height
        assert max(map(len, lines)) <= 80
        assert any(line.endswith("-".join(map(str, one.frame.event.scores))) for line in lines)
        press(one, "right")


def test_no_key_breaks_it() -> None:
    for kind in range(len(games())):
        one = press(stepper(0, is_judged=False), str(kind + 1), "enter")
        for key in ["", "\x1b", "z", "²", "page up", "m", "a", "v", "l", "enter", "n", "👍"]:
            assert press(one, key).screen()


def test_following_ends_with_q_and_with_the_keys() -> None:
    shown: list[str] = []
    keys = iter(["right", "q", "right"])
    stepper().follow(keys, shown.append, lambda: (80, 40))
    assert len(shown) == 2
    assert next(keys) == "right"
    stepper().follow(iter(["right"]), shown.append, lambda: (80, 40))
    assert len(shown) == 4


# Keys


def test_sequences_of_terminals_are_keys() -> None:
    sent = "\x1b[C\x1bOD\x1b[H\x1b[4~\x1b[5~\x1b[1;5Cq\x1b\x7f12\r"
    assert list(split_keys(sent)) == [
        *("right", "left", "home", "end", "page up", "\x1b[1;5C", "q", "\x1b", "backspace"),
        *("1", "2", "enter"),
    ]


def test_lines_are_keys_where_there_is_no_terminal() -> None:
    with read_keys(io.StringIO("\nb\n 12\nq")) as keys:
        assert list(keys) == ["enter", "b", "1", "2", "enter", "q"]


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no terminals to open")
def test_a_terminal_gives_keys_one_by_one_and_is_as_before() -> None:
    import termios

    master, slave = os.openpty()
    with os.fdopen(slave, "r") as terminal, os.fdopen(master, "wb", buffering=0) as keyboard:
        before = termios.tcgetattr(slave)
        with read_keys(terminal) as keys:
            keyboard.write(b"b\x1b[C1")
            assert list(islice(keys, 3)) == ["b", "right", "1"]
            assert termios.tcgetattr(slave) != before
        assert termios.tcgetattr(slave) == before


def test_consoles_of_windows_give_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    class Console(io.StringIO):
        def isatty(self) -> bool:
            return True

    sent = iter("b\xe0M\r\x00G\xe0?\x03")
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(getwch=lambda: next(sent)))
    monkeypatch.setattr(keys_module.os, "name", "nt")
    with read_keys(Console()) as keys:
        assert list(islice(keys, 5)) == ["b", "right", "enter", "home", ""]
        with pytest.raises(KeyboardInterrupt):
            next(keys)


def test_red_cards_are_red() -> None:
    assert in_colour("T♦ ▒▒ T♠") == "\x1b[31mT♦\x1b[0m ▒▒ T♠"
