"""The table as a picture: what it shows, what it hides, how it looks."""

from __future__ import annotations

import itertools
import sys
from typing import Any

import numpy as np
import pytest
from PIL import Image

from cribbage_env.extras import NotInstalledError
from cribbage_env.game import Beginning, Game
from cribbage_env.policy import make_policy
from cribbage_env.rendering import __main__ as command
from cribbage_env.rendering import moment, see
from cribbage_env.rendering.faces import CARD_SIZES, card_image
from cribbage_env.rendering.lettering import break_lines, text_width
from cribbage_env.rendering.libraries import require
from cribbage_env.rendering.picture import draw_table, render_picture
from cribbage_env.rendering.size import MAX_SCALE
from cribbage_env.rendering.suits import outlines
from tests.games import play_at_random
from tests.pictures import GOLDEN, halved, play, random_game, scenes, worst_block

TOLERANCE = 16


def changed(one: Game, other: Game, viewer: int | None) -> tuple[int, int, int, int] | None:
    """Return the box of the pixels that differ, None if none do."""
    first, second = (render_picture(game, viewer).astype(int) for game in (one, other))
    rows, columns = np.nonzero(np.abs(first - second).sum(axis=2))
    if not len(rows):
        return None
    return int(columns.min()), int(rows.min()), int(columns.max()), int(rows.max())


# How it looks


@pytest.mark.parametrize("name", list(scenes()))
def test_pictures_as_they_were_approved(name: str) -> None:
    game, viewer = scenes()[name]
    with Image.open(GOLDEN / f"{name}.png") as golden:
        assert worst_block(halved(draw_table(see(game, viewer))), golden) < TOLERANCE


@pytest.mark.parametrize("change", [{"starter": "8H"}, {"scores": (84, 31)}, {"plays": "5H TH 7D"}])
def test_the_tolerance_lets_no_other_table_pass(change: dict[str, Any]) -> None:
    given = {"starter": "8S", "scores": (85, 31), "plays": "5H TH 6C"} | change
    other = Game.from_position(
        dealer=1,
        hands=("5H 6C 7D JS AC 2D", "4C 9D TH KC QC 3H"),
        discards=("AC 2D", "QC 3H"),
        **given,
    )
    with Image.open(GOLDEN / "table_play.png") as golden:
        assert worst_block(halved(draw_table(see(other, 1))), golden) > TOLERANCE


@pytest.mark.parametrize("scale", [1, 2])
def test_a_picture_is_an_array_of_its_own(scale: int) -> None:
    picture = render_picture(play(), 0, scale=scale)
    assert (picture.dtype, picture.shape) == (np.uint8, (640 * scale, 960 * scale, 3))
    assert picture.flags.writeable
    picture[:] = 0
    again = render_picture(play(), 0, scale=scale)
    assert again.any()
    assert np.array_equal(again, render_picture(play(), 0, scale=scale))


def test_twice_the_size_shows_the_same_with_more_detail() -> None:
    small, large = (draw_table(see(play(), 0), scale) for scale in (1, 2))
    difference = np.abs(np.asarray(small, np.int16) - np.asarray(large.reduce(2), np.int16))
    assert difference.mean() < 2
    enlarged = small.resize(large.size, Image.Resampling.BICUBIC)
    edges = [np.abs(np.diff(np.asarray(one, float), axis=1)) for one in (large, enlarged)]
    assert (edges[0] > 80).sum() > 1.5 * (edges[1] > 80).sum()


def test_every_card_looks_different_in_every_size() -> None:
    for size, (width, height) in CARD_SIZES.items():
        images = [card_image(card, size, 1) for card in (None, *range(52))]
        assert len({image.tobytes() for image in images}) == 53
        for image in images:
            assert image.size == (width + 10, height + 10)
            alpha = np.asarray(image)[:, :, 3]
            assert (alpha[5 + height // 2, 5 : 5 + width] == 255).all()
            assert alpha[0, 0] < 40


def test_a_suit_has_its_shape() -> None:
    for suit in range(4):
        points = [point for outline in outlines(suit) for point in outline]
        assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y in points)
        assert sum(x for x, _ in points) / len(points) == pytest.approx(0.5, abs=0.01)


def test_lines_break_between_words() -> None:
    lines = break_lines("the opponent counts the crib and finds nothing", 13, 100)
    assert " ".join(lines) == "the opponent counts the crib and finds nothing"
    assert len(lines) > 2
    assert all(text_width(line, 13) <= 100 for line in lines)
    assert break_lines("indivisible", 13, 5) == ["indivisible"]


# What it shows


def test_a_card_laid_changes_the_table_the_pegs_and_the_story() -> None:
    before, after = play(), play()
    after.play("KC")  # thirty-one for two
    assert changed(before, after, 1) is not None
    left, top, right, bottom = changed(before, after, 1) or (0, 0, 0, 0)
    assert left < 200  # the table
    assert right > 780  # the board
    assert (top, bottom) > (0, 530)


def test_viewers_see_different_tables() -> None:
    pictures = {seat: render_picture(play(), seat).tobytes() for seat in (0, 1, None)}
    assert len(set(pictures.values())) == 3


def test_the_last_show_stays_until_the_discards_are_made() -> None:
    game = random_game(7, 21)
    assert game.phase == "discard"
    assert game.deals > 1
    shown = render_picture(game, 0)[170:410, 172:544]
    first = render_picture(Game(seed=7), 0)[170:410, 172:544]
    assert (shown != first).any()


@pytest.mark.parametrize("target", [1, 2, 31, 41, 61, 121, 122, 1000])
def test_every_target_can_be_drawn(target: int) -> None:
    for game in itertools.islice(play_at_random(Game(seed=3, target=target), 1), 0, 60, 7):
        for viewer in (0, None):
            assert render_picture(game, viewer).shape == (640, 960, 3)


def test_every_ending_can_be_drawn() -> None:
    forfeit = Game(seed=1)
    forfeit.forfeit(0)
    deal = Game.replay(Beginning(seed=3, is_one_deal=True))
    *_, deal = play_at_random(deal, 1)
    best = Game.from_position(
        dealer=0,
        hands=("AC 3C 7C 8C 9C 9D", "5H 5S 5D JC KD KH"),
        starter="5C",
        discards=("9C 9D", "KD KH"),
        plays="JC 7C 5H 8C AC 5S 3C 5D",
        scores=(0, 100),
    )
    pictures = [
        render_picture(game, viewer)
        for game in (forfeit, deal, best, random_game(3, 1000))
        for viewer in (0, 1, None)
    ]
    assert len({picture.tobytes() for picture in pictures}) == len(pictures)


# What it hides


@pytest.mark.parametrize("seed", range(2))
def test_redealing_what_is_hidden_changes_no_pixel(seed: int) -> None:
    for game in itertools.islice(play_at_random(Game(seed=seed), seed), seed, None, 5):
        for viewer in (0, 1):
            twin = game.redeal_hidden(viewer, seed=seed + 100)
            assert changed(twin, game, viewer) is None


def test_redealing_shows_to_a_spectator() -> None:
    assert changed(play(), play().redeal_hidden(0, seed=1), None) is not None


# Refusals and the command


@pytest.mark.parametrize("scale", [0, -1, MAX_SCALE + 1])
def test_scales_out_of_range_are_refused(scale: int) -> None:
    with pytest.raises(ValueError, match=rf"scale {scale} is outside 1\.\.4"):
        render_picture(Game(seed=1), 0, scale=scale)


@pytest.mark.parametrize("scale", ["2", 1.0, True, None])
def test_scales_of_the_wrong_type_are_refused(scale: Any) -> None:
    with pytest.raises(TypeError, match="scale must be an integer"):
        render_picture(Game(seed=1), 0, scale=scale)


def test_viewers_that_are_no_seats_are_refused() -> None:
    with pytest.raises(ValueError, match="viewer 2 is not a seat"):
        render_picture(Game(seed=1), 2)


@pytest.mark.parametrize(("module", "package"), [("PIL", "Pillow"), ("pygame", "pygame-ce")])
def test_a_missing_library_is_named_with_its_extra(
    module: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    require(module)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(NotInstalledError) as refusal:
        require(module)
    assert package in str(refusal.value)
    assert "pip install 'cribbage-env[render]'" in str(refusal.value)
    assert isinstance(refusal.value, ImportError)


def test_the_command_draws_the_picture_of_a_game(tmp_path: Any) -> None:
    path = tmp_path / "table.png"
    command.main([str(path), "--seed", "7", "--moves", "9", "--player", "greedy", "--scale", "1"])
    with Image.open(path) as image:
        greedy = make_policy("greedy")
        expected = render_picture(moment.play((greedy, greedy), 7, 9))
        assert np.array_equal(np.asarray(image), expected)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["table.jpg"], "table.jpg doesn't end in .png"),
        (["table.png", "--moves", "-1"], "--moves -1 is negative"),
        (["table.png", "--player", "nobody"], "unknown player 'nobody'"),
        (["table.png", "--seed", "-5"], "-5"),
        (["no/such/folder/table.png"], "can't be written"),
        (["table.png", "--scale", "9"], "invalid choice: 9"),
        (["table.png", "--seed", "1", "--moves", "9999"], "--moves 9999 is too many: the game of"),
    ],
)
def test_the_command_refuses_in_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as leaving:
        command.main(arguments)
    assert leaving.value.code == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.startswith("python -m cribbage_env.rendering: ")
    assert said.count("\n") == 1
