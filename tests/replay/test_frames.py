"""Frames: one for each event, the same table as the game's own wherever it stands still."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from cribbage_env.cards import value_of
from cribbage_env.game import Game
from cribbage_env.rendering import Scene, see
from cribbage_env.replay import Frame, as_seen, make_frames
from cribbage_env.replay.frames import names_of
from tests.games import played_out
from tests.replay.recorded import games, named

KINDS = range(7)


@pytest.mark.parametrize("kind", KINDS)
def test_there_is_a_frame_for_each_event(kind: int) -> None:
    game = games()[kind]
    frames = make_frames(game)
    assert tuple(frame.event for frame in frames) == game.events
    for number, frame in enumerate(frames):
        assert frame.scene.events == game.events[: number + 1]
        assert frame.scene.scores == frame.event.scores
    actions = tuple(frame.action for frame in frames if frame.action is not None)
    assert actions == tuple(action for action in game.actions if action >= 0)


def standing_still(frames: list[Frame]) -> list[tuple[Scene, Game]]:
    """Return the scenes before each choice, with the games that they are of."""
    return [
        (last.scene, frame.before) for last, frame in pairwise(frames) if frame.before is not None
    ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("viewer", [None, 0, 1])
def test_frames_agree_with_the_game_wherever_it_stands_still(kind: int, viewer: int | None) -> None:
    game = games()[kind]
    frames = make_frames(game)
    found = [*standing_still(frames), (frames[-1].scene, game)]
    assert len(found) > 4 or len(game.actions) < 5
    for scene, before in found:
        expected = see(before, viewer)
        seen = as_seen(scene, viewer)
        is_count_over = scene.count == 31 or scene.events[-1].kind == "last"
        if is_count_over:  # the pile lies there until the next card
            assert (expected.count, expected.pile) == (0, ())
        agreed = replace(
            expected,
            turn=None,
            choices=(),
            names=names_of(game),
            phase=seen.phase,
            count=seen.count if is_count_over or expected.phase == "over" else expected.count,
            pile=seen.pile if is_count_over or expected.phase == "over" else expected.pile,
        )
        assert seen == agreed


def test_pegs_and_piles_between_choices() -> None:
    for game in (played_out(Game(seed=seed), seed) for seed in range(8)):
        scores = [0, 0]
        for frame in make_frames(game):
            scene = frame.scene
            assert scene.count == sum(map(value_of, scene.pile)) <= 31
            for seat in (0, 1):
                rear, front = scene.pegs[seat]
                assert front == scene.scores[seat]
                if scene.scores[seat] != scores[seat]:
                    assert rear == scores[seat]
                scores[seat] = scene.scores[seat]
            if frame.event.kind == "last":
                assert scene.pile == frame.event.cards


def test_what_a_seat_does_not_know_is_face_down() -> None:
    (game,) = (one for one in games() if one.number == 7)
    for frame in make_frames(game):
        for viewer in (0, 1):
            scene = as_seen(frame.scene, viewer)
            assert set(scene.hands[1 - viewer]) <= {None}
            assert scene.hands[viewer] == frame.scene.hands[viewer]
            assert len(scene.crib) == len(frame.scene.crib)
            for event in scene.events:
                assert event.kind != "discard" or event.player == viewer or event.cards == ()
    assert as_seen(frame.scene, None) is frame.scene


def test_the_crib_is_open_once_it_is_counted() -> None:
    kinds = {}
    for frame in make_frames(games()[3]):
        kinds[frame.event.kind] = as_seen(frame.scene, 0).crib
    assert kinds["hand"].count(None) == 2
    assert None not in kinds["crib"]


def test_equal_names_can_be_told_apart() -> None:
    assert names_of(named(Game(seed=1), "club", "club")) == ("club (0)", "club (1)")
    assert names_of(named(Game(seed=1), "club", "expert")) == ("club", "expert")


def test_the_game_is_left_as_it_was() -> None:
    game = games()[0]
    record = game.to_record()
    make_frames(game)
    assert game.to_record() == record
