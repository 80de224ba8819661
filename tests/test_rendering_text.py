"""The table as text: what each viewer sees, and that nothing hidden shows."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cribbage_env.game import Beginning, Game
from cribbage_env.rendering import render_text, see
from cribbage_env.rendering.text import WIDTH

GOLDEN = Path(__file__).parent / "golden" / "table.txt"

# Seat 1 deals; with the first two cards laid it pegs two for fifteen.
HANDS = ("5H 6C 7D JS AC 2D", "4C 9D TH KC QC 3H")
DISCARDS = ("AC 2D", "QC 3H")


def position(plays: str = "", **given: Any) -> Game:
    beginning = {"starter": "8S", "discards": DISCARDS, "scores": (85, 31)} | given
    return Game.from_position(dealer=1, hands=HANDS, plays=plays, **beginning)


def play_at_random(game: Game, seed: int) -> Iterator[Game]:
    """Yield the game at every decision, and at its end."""
    rng = random.Random(seed)
    while game.turn is not None:
        yield game
        game.step(rng.choice(game.legal_actions()))
    yield game


def line_of(game: Game, viewer: int | None, start: str) -> str:
    """Return the only line below the board that begins so."""
    (line,) = [line for line in table_of(game, viewer) if line.startswith(start)]
    return line


def table_of(game: Game, viewer: int | None) -> list[str]:
    """Return the lines below the board."""
    lines = render_text(game, viewer).splitlines()
    return lines[next(i for i, line in enumerate(lines) if "skunk line" in line) + 1 :]


def holes_of(game: Game, seat: int) -> str:
    """Return a seat's places on the board, the start first and the last hole last."""
    name = f"seat {seat}"
    rows = [line for line in render_text(game).splitlines()[:8] if line.startswith(name)]
    return "".join(row.removeprefix(name) for row in rows).replace(" ", "")


def test_a_picture_as_it_was_approved() -> None:
    text = render_text(position("5H TH 6C"), viewer=1)
    assert text + "\n" == GOLDEN.read_text(encoding="utf-8")


# What is hidden


@pytest.mark.parametrize("seed", range(3))
def test_redealing_what_is_hidden_changes_nothing(seed: int) -> None:
    for game in play_at_random(Game(seed=seed), seed):
        for viewer in (0, 1):
            twin = game.redeal_hidden(viewer, seed=seed + 100)
            assert render_text(twin, viewer) == render_text(game, viewer)


def test_redealing_shows_to_a_spectator() -> None:
    game = position()
    assert render_text(game.redeal_hidden(0, seed=1)) != render_text(game)


def test_a_viewer_sees_its_own_cards_alone() -> None:
    text = render_text(position(), 0)
    assert line_of(position(), 0, "starter").endswith("crib A♣ 2♦ ▒▒ ▒▒ (the opponent's)")
    assert line_of(position(), 1, "starter").endswith("crib 3♥ Q♣ ▒▒ ▒▒ (yours)")
    assert "the opponent throws two cards into the crib" in text
    assert "you throw A♣ 2♦ into the crib" in text
    assert not any(card in text for card in ("Q♣", "3♥", "4♣", "9♦", "T♥", "K♣"))


def test_a_spectator_sees_all() -> None:
    text = render_text(position())
    assert "crib A♣ 2♦ 3♥ Q♣ (seat 1's)" in text
    assert "seat 1 throws 3♥ Q♣ into the crib" in text
    assert "▒▒" not in text
    assert "you" not in text


def test_before_the_cut_there_is_no_starter() -> None:
    for discards in (None, DISCARDS):
        for viewer in (0, 1, None):
            line = line_of(position(discards=discards), viewer, "starter")
            assert ("not yet turned" in line) == (discards is None)


def test_a_forfeit_before_the_cut_shows_no_starter() -> None:
    game = Game(seed=1)
    game.forfeit(0)
    assert "not yet turned" in line_of(game, None, "starter")
    assert render_text(game, 0).splitlines()[-3:] == [
        f"{'         you forfeit by an illegal action':75}  0-0",
        f"{'         the opponent wins':73}  0-121",
        "game over: the opponent wins 0-121, by forfeit",
    ]


def test_a_game_won_in_the_play_shows_no_more_cards() -> None:
    game = position("5H TH", scores=(0, 119))
    text = render_text(game, 0)
    assert text.endswith("game over: the opponent wins 0-121, a double skunk")
    assert line_of(game, 0, "opponent").startswith("opponent ▒▒ ▒▒ ▒▒ ")
    assert "K♣" not in text


def test_the_show_lays_the_crib_open() -> None:
    game = position("5H TH 6C KC 7D 4C JS 9D")
    assert game.deals == 2
    text = render_text(game, 0)
    assert "the opponent counts the crib A♣ 2♦ 3♥ Q♣ with 8♠: fifteen two" in text
    assert "A♣ 2♦ ▒▒ ▒▒" not in text
    over = Game.replay(Beginning(seed=3, is_one_deal=True))
    *_, over = play_at_random(over, 1)
    assert "▒▒" not in render_text(over, 0)
    assert render_text(over, 0).endswith(f"the deal is over at {over.scores[0]}-{over.scores[1]}")


@pytest.mark.parametrize("viewer", [0, 1])
def test_a_scene_names_no_hidden_card(viewer: int) -> None:
    for game in play_at_random(Game(seed=6), 6):
        twin = game.redeal_hidden(viewer, seed=9)
        assert see(twin, viewer) == see(game, viewer)


# What is shown


def test_the_viewer_sits_at_the_bottom() -> None:
    for viewer, names in ((0, ["opponent", "you"]), (1, ["opponent", "you"])):
        lines = render_text(position(), viewer).splitlines()
        assert [lines[3].split()[0], lines[4].split()[0]] == names
    assert render_text(position("5H TH"), 0).splitlines()[0].endswith("the opponent deals, 85-33")
    assert render_text(position("5H TH"), 1).splitlines()[0].endswith("you deal, 33-85")
    assert render_text(position("5H TH")).splitlines()[0].endswith("seat 1 deals, 85-33")


def test_cards_laid_lie_open_and_the_pile_has_its_count() -> None:
    game = position("5H TH 6C")
    assert line_of(game, 0, "opponent").split() == ["opponent", "▒▒", "▒▒", "▒▒", "laid", "T♥"]
    assert line_of(game, 0, "you ").split() == ["you", "7♦", "J♠", "laid", "5♥", "6♣"]
    assert line_of(game, 0, "pile") == "pile     5♥ T♥ 6♣ = 21"
    assert line_of(position(), 0, "pile") == "pile     empty, count 0"


def test_the_legal_actions_have_their_numbers() -> None:
    text = render_text(position(discards=None), 0)
    assert "your turn: discard two cards\n          0 A♣ 2♦    1 A♣ 5♥ " in text
    assert "14 7♦ J♠" in text
    assert render_text(position(discards=None), 1).endswith(
        "the opponent's turn: discard two cards"
    )
    text = render_text(position("JS TH 5H"), 1)
    assert text.endswith("your turn: lay a card\n         15 4♣")  # 25; the nine and the king don't
    assert "15 4♣" not in render_text(position("JS TH 5H"), 0)


@pytest.mark.parametrize("viewer", [0, 1, None])
def test_numbers_are_those_of_the_game(viewer: int | None) -> None:
    for game in play_at_random(Game(seed=2, target=40), 2):
        scene = see(game, viewer)
        sees_the_hand = game.turn is not None and viewer in (None, game.turn)
        legal = game.legal_actions() if sees_the_hand else []
        assert [action for action, _ in scene.choices] == legal
        for action, cards in scene.choices:
            twin = game.copy()
            twin.step(action)
            done = [e for e in twin.events[len(game.events) :] if e.kind in ("discard", "play")]
            assert done[0].cards == cards


def test_pegs_and_skunk_lines_stand_at_their_holes() -> None:
    holes = holes_of(position("5H TH"), 0)
    assert len(holes) == 1 + 121 + 2
    assert (holes[0], holes.index("║"), holes.index("│")) == ("○", 61, 92)
    assert holes.index("●") == 85 + 1  # behind the line at 60
    holes = holes_of(position("5H TH"), 1)
    assert (holes.index("○"), holes.index("●")) == (31, 33)
    assert holes_of(position("5H TH", scores=(0, 119)), 1).endswith("●")
    assert holes_of(Game(seed=0), 0) == "●" + holes_of(Game(seed=0), 0)[1:]


@pytest.mark.parametrize(("target", "lines"), [(31, ""), (61, "│"), (62, "║│"), (121, "║│")])
def test_skunk_lines_depend_on_the_target(target: int, lines: str) -> None:
    holes = holes_of(Game(seed=1, target=target), 0)
    assert "".join(hole for hole in holes if hole in "│║") == lines
    if "│" in lines:
        assert holes.replace("║", "").index("│") == target - 31 + 1


def test_reasons_are_told() -> None:
    text = render_text(position("5H TH 6C KC"), 0)
    assert "the opponent lays K♣: thirty-one for two" in text
    text = render_text(position("", starter="JH"), 1)
    assert "the starter is J♥: you score two for his heels" in text
    game = position("5H TH 6C 9D")
    assert "you say go" in render_text(game, 0)
    assert "the opponent scores one for last card" in render_text(game, 0)


# The form


@pytest.mark.parametrize("target", [1, 31, 61, 121, 1000])
@pytest.mark.parametrize("viewer", [0, 1, None])
def test_lines_fit(target: int, viewer: int | None) -> None:
    for number, game in enumerate(play_at_random(Game(seed=3, target=target), 1)):
        if number > 60:
            break
        for line in render_text(game, viewer).splitlines():
            assert len(line) <= WIDTH
            assert line == line.rstrip()
            assert line.isprintable()


def test_the_best_hand_fits() -> None:
    best = Game.from_position(
        dealer=0,
        hands=("AC 3C 7C 8C 9C 9D", "5H 5S 5D JC KD KH"),
        starter="5C",
        discards=("9C 9D", "KD KH"),
        plays="JC 7C 5H 8C AC 5S 3C 5D",
    )
    for viewer in (0, 1, None):
        text = render_text(best, viewer)
        assert "is twenty-nine" in " ".join(text.split())
        assert max(map(len, text.splitlines())) <= WIDTH


@pytest.mark.parametrize(("viewer", "error"), [(2, ValueError), (-1, ValueError)])
def test_other_viewers_are_refused(viewer: int, error: type[Exception]) -> None:
    with pytest.raises(error, match=f"viewer {viewer} is not a seat: seats are 0 and 1"):
        render_text(Game(seed=1), viewer)


@pytest.mark.parametrize("viewer", [True, "0", 1.0])
def test_viewers_of_the_wrong_type_are_refused(viewer: Any) -> None:
    with pytest.raises(TypeError, match="viewer must be an integer"):
        render_text(Game(seed=1), viewer)
