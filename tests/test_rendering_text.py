from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cribbage_env.cards import format_card
from cribbage_env.game import Game
from cribbage_env.rendering import render_text
from cribbage_env.rendering.text import WIDTH

GOLDEN = Path(__file__).parent / "golden" / "table.txt"

# Seat 1 deals; by the play seat 0 has pegged two for 15 and the count stands at 23.
HANDS = ("5H 6C 7D JS AC 2D", "4C 9D TH KC QC 3H")
DISCARDS = ("AC 2D", "QC 3H")


def position(**given):
    beginning = {"starter": "8S", "discards": DISCARDS, "scores": (85, 31)} | given
    return Game.from_position(dealer=1, hands=HANDS, **beginning)


def symbol_of(card):
    rank, suit = format_card(card)
    return rank + dict(zip("CDHS", "♣♦♥♠", strict=True))[suit]


def play_at_random(game, seed):
    """Yield the game at every decision, and at its end."""
    rng = np.random.default_rng(seed)
    while game.turn is not None:
        yield game
        game.step(int(rng.choice(game.legal_actions())))
    yield game


def test_a_picture_as_it_was_approved():
    game = position(plays="5H TH 6C")
    assert render_text(game, viewer=1) + "\n" == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.parametrize("seed", range(4))
def test_redealing_what_is_hidden_changes_nothing(seed):
    for game in play_at_random(Game(seed=seed), seed):
        for viewer in (0, 1):
            twin = game.redeal_hidden(viewer, seed=seed + 100)
            assert render_text(twin, viewer) == render_text(game, viewer)


def test_redealing_shows_to_a_spectator():
    game = position()
    assert render_text(game.redeal_hidden(0, seed=1), None) != render_text(game, None)


@pytest.mark.parametrize("target", [1, 31, 61, 121, 1000])
@pytest.mark.parametrize("viewer", [0, 1, None])
def test_lines_fit(target, viewer):
    games = (Game(seed=seed, target=target) for seed in range(2))
    for begun in games:
        for count, game in enumerate(play_at_random(begun, 1)):
            if count > 60:
                break
            text = render_text(game, viewer)
            assert max(map(len, text.splitlines())) <= WIDTH
            assert text.isprintable() or set(text) >= {"\n"}


def test_the_best_hand_fits():
    game = position(
        plays="", starter="5C", discards=("AC 2D", "QC 3H"), scores=(0, 0)
    )  # the longest that a player counts aloud is 29
    best = Game.from_position(
        dealer=1,
        hands=("5H 5S 5D JC AC 2D", "4C 9D TH KC QC 3H"),
        starter="5C",
        discards=("AC 2D", "QC 3H"),
        plays="JC TH 5H 5S 5D 9D 4C KC",
    )
    text = render_text(best, 1)
    assert "is twenty-nine" in text.replace("\n  ", " ")
    assert max(map(len, text.splitlines())) <= WIDTH
    assert game.phase == "play"


def test_before_the_cut_there_is_no_starter():
    text = render_text(Game(seed=1), None)
    assert "starter ··" in text


def test_a_viewer_sees_its_own_discards_and_not_the_other_two():
    text = render_text(position(), 0)
    assert "crib of seat 1 A♣  2♦  ▒▒  ▒▒" in text
    assert "seat 1 discards two face down" in text
    assert not any(symbol in text for symbol in ("Q♣", "3♥", "4♣", "9♦", "T♥", "K♣"))


def test_a_spectator_sees_all():
    text = render_text(position(), None)
    assert "crib of seat 1 A♣  2♦  3♥  Q♣" in text
    assert "▒▒" not in text


def test_cards_laid_lie_open_and_leave_their_slots():
    text = render_text(position(plays="5H TH"), 0)
    assert "hand ··  6♣  7♦  J♠" in text
    assert "play     16  17  18" in text
    assert "laid T♥" in text


def test_only_legal_plays_have_numbers():
    text = render_text(position(plays="JS TH"), 0)
    assert "play 15  16  17" in text
    text = render_text(position(plays="JS TH 5H 4C"), 0)
    assert "play" not in text.split("laid")[2]


def test_the_pile_has_its_running_count():
    text = render_text(position(plays="5H TH 6C"), 0)
    assert "pile 5♥  T♥  6♣" in text
    assert "count 5   15  21" in text


def test_each_discard_has_its_number():
    text = render_text(Game.from_position(dealer=1, hands=HANDS), 0)
    assert " 0 A♣ 2♦" in text
    assert "14 7♦ J♠" in text
    assert "discard" not in render_text(Game.from_position(dealer=1, hands=HANDS), 1).split("-\n")[0]


def test_the_show_lays_the_crib_open():
    game = position(plays="5H TH 6C KC 7D 4C JS")
    game.play("9D")
    text = render_text(game, 0)
    crib = next(event for event in game.events if event.kind == "crib")
    row = " ".join(map(symbol_of, crib.cards))
    assert f"seat 1 counts the crib {row}" in text.replace("\n  ", " ")


def test_a_game_won_in_the_play_shows_no_more_cards():
    game = position(plays="5H", scores=(0, 119))
    game.play("TH")
    text = render_text(game, 0)
    assert text.endswith("seat 1 has won, 0-121, a double skunk")
    assert "hand ▒▒  ▒▒  ▒▒" in text
    assert "K♣" not in text


def test_a_forfeit_before_the_cut_shows_no_starter():
    game = Game(seed=1)
    game.forfeit(game.turn)
    text = render_text(game, None)
    assert "starter ··" in text
    assert "forfeits" in text


def test_pegs_and_skunk_lines_stand_at_their_holes():
    lines = render_text(position(plays="5H TH"), 0).splitlines()
    strips = {line.split()[1]: line.split()[2] for line in lines if line.endswith((" 85", " 33"))}
    # Two holes of the board share one of the strip; the lines stand behind holes 60 and 90.
    assert strips["0"].index("║") == 31
    assert strips["0"].replace("║", "").index("│") == 46
    assert strips["0"].replace("║", "").index("●") == 43
    assert strips["1"].index("○") == 16
    assert strips["1"].index("●") == 17


def test_a_short_game_has_no_double_skunk():
    text = render_text(Game(seed=1, target=61), 0)
    strip = text.splitlines()[2]
    assert "│" in strip
    assert "║" not in strip


@pytest.mark.parametrize("viewer", [2, -1, True, "0"])
def test_other_viewers_are_refused(viewer):
    with pytest.raises(ValueError, match="neither a seat, 0 or 1, nor None"):
        render_text(Game(seed=1), viewer)
