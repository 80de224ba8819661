"""The cribbage board of pictures: where its holes, lines and pegs are."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from cribbage_env.rendering.board import BOARD_HEIGHT, BOARD_WIDTH, MARGIN, Track, board_image
from cribbage_env.rendering.palette import HOLE

TARGETS = [1, 2, 31, 41, 61, 62, 81, 121, 122, 241, 1000]


def holes_in(target: int) -> int:
    """Count the holes that a board's picture shows, each by the pixel in its middle."""
    pixels = np.asarray(board_image(target, 1))[MARGIN:-MARGIN, MARGIN:-MARGIN, :3]
    is_hole = (np.abs(pixels.astype(int) - HOLE) <= 3).all(axis=2)
    # A hole's dark middle is five pixels wide: count its centre, dark on all four sides too.
    centre = is_hole[2:-2, 2:-2]
    for shift in ((0, 2), (4, 2), (2, 0), (2, 4)):
        rows, columns = is_hole.shape
        centre = centre & is_hole[shift[0] : rows - 4 + shift[0], shift[1] : columns - 4 + shift[1]]
    return int(centre.sum())


def test_a_board_has_120_holes_for_each_seat_two_to_start_from_and_the_last() -> None:
    track = Track(121)
    assert (track.places, track.holes_a_place) == (120, 1)
    holes = {track.at(seat, hole) for seat in (0, 1) for hole in range(122)}
    holes |= {track.at(seat, 0, is_rear=True) for seat in (0, 1)}
    assert len(holes) == 2 * 120 + 4 + 1
    assert holes_in(121) == len(holes)


@pytest.mark.parametrize("target", TARGETS)
def test_holes_are_apart_and_on_the_board(target: int) -> None:
    track = Track(target)
    places = [track.place_at(seat, place) for seat in (0, 1) for place in range(track.places)]
    places += [track.at(seat, 0, is_rear=rear) for seat in (0, 1) for rear in (False, True)]
    places.append(track.at(0, target))
    points = np.array(places)
    assert len(set(places)) == len(places)
    assert (points >= 8).all()
    assert (points[:, 0] < BOARD_WIDTH - 8).all()
    assert (points[:, 1] < BOARD_HEIGHT - 8).all()
    apart = np.abs(points[:, None] - points[None]).max(axis=2)
    assert apart[~np.eye(len(points), dtype=bool)].min() >= 8


def test_streets_have_five_holes() -> None:
    track = Track(121)
    steps = [
        abs(track.place_at(0, place + 1)[1] - track.place_at(0, place)[1]) for place in range(39)
    ]
    assert [step > 12 for step in steps] == [(place + 1) % 5 == 0 for place in range(39)]


def test_tracks_run_up_down_and_up_and_keep_their_sides_in_the_bends() -> None:
    track = Track(121)
    heights = [track.at(0, hole)[1] for hole in range(1, 121)]
    assert heights[:40] == sorted(heights[:40], reverse=True)
    assert heights[40:80] == sorted(heights[40:80])
    assert heights[80:] == heights[:40]
    sides = [track.at(0, hole)[0] < track.at(1, hole)[0] for hole in (1, 41, 81)]
    assert sides == [True, False, True]


def test_skunk_lines_lie_between_60_and_61_and_between_90_and_91() -> None:
    track = Track(121)
    lines = {name: height for name, _, height, _ in track.lines()}
    for name, hole in (("double skunk", 60), ("skunk", 90)):
        one, other = sorted(track.at(0, mark)[1] for mark in (hole, hole + 1))
        assert one + 6 < lines[name] < other - 6


@pytest.mark.parametrize(
    ("target", "names"), [(31, []), (61, ["skunk"]), (62, ["skunk", "double skunk"])]
)
def test_skunk_lines_depend_on_the_target(target: int, names: list[str]) -> None:
    assert [name for name, *_ in Track(target).lines()] == names


@pytest.mark.parametrize("target", TARGETS)
def test_every_score_has_its_place(target: int) -> None:
    track = Track(target)
    for seat in (0, 1):
        places = [track.at(seat, hole) for hole in range(target + 1)]
        assert places[0] != places[-1]
        assert len(set(places)) == track.places + 2
        changes = sum(one != other for one, other in pairwise(places))
        assert changes == track.places + 1  # no place is come back to
