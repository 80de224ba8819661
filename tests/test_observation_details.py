"""Every number of an observation against plain Python, at what random games seldom meet too."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from cribbage_env import observation
from cribbage_env.cards import value_of
from cribbage_env.engine.layout import GAME_OVER, VIEW
from cribbage_env.observation import read_view, view, write_cards
from tests.positions import DEALER, PONE, position, random_views, view_of

pytestmark = pytest.mark.kernels

NUMBER = 60 if numba.config.DISABLE_JIT else 200


def plain_card(card: int) -> list[float]:
    return [float(card // 4 == rank) for rank in range(13)] + [
        float(card % 4 == suit) for suit in range(4)
    ]


def plain_plays(seen: Any) -> list[list[float]]:
    """Return the rows of the cards laid; the count at a go is added up anew."""
    rows, count = [], 0
    for place in range(8):
        if place >= seen.plays_made:
            rows.append([0.0] * 23)
            continue
        card = int(seen.plays[place])
        count += value_of(card)
        if count > 31:
            count = value_of(card)
        go = int(seen.go_after[place])
        flags = [
            seen.play_is_own[place] == 1,
            seen.play_is_own[place] == 0,
            place >= seen.pile_start,
            go == 1,
            go == 2,
        ]
        rows.append([*map(float, flags), count / 31 if go else 0.0, *plain_card(card)])
    return rows


def plain_cards(seen: Any) -> dict[str, Any]:
    """Return each segment of the ``"cards"`` observation, by what the layout says of it."""
    has_discarded = seen.kept[0] >= 0
    own = seen.kept.tolist() if has_discarded else seen.dealt.tolist()
    nothing = [0.0] * 17
    return {
        "hand": [plain_card(card) for card in own] + [nothing] * (6 - len(own)),
        "held": seen.held.tolist() if has_discarded else [0] * 4,
        "discards": [plain_card(card) if card >= 0 else nothing for card in seen.discards.tolist()],
        "starter": plain_card(int(seen.starter)) if seen.starter >= 0 else nothing,
        "is_dealer": [seen.is_dealer],
        "is_on_turn": [seen.is_on_turn],
        "phase": [float(seen.phase == phase) for phase in range(4)],
        "target": [seen.target / 1024],
        "distance": [(seen.target - score) / seen.target for score in seen.scores.tolist()],
        "count": [float(seen.count == count) for count in range(32)],
        "plays": plain_plays(seen),
        "cards_left": [
            (sum(seen.held.tolist()) if has_discarded else 6) / 6,
            seen.opponent_cards / 6,
        ],
    }


def check_there_and_back(seen: Any) -> None:
    """Compare what is written with the plain numbers, and what is read with the view."""
    out = np.full(observation.SIZE_CARDS + 1, np.nan, np.float32)
    write_cards(seen, out)
    assert np.isnan(out[-1])  # the features' place, which isn't touched
    expected = plain_cards(seen)
    parts = view(out[:-1])
    assert [*parts] == [*expected]
    for name, part in parts.items():
        np.testing.assert_array_equal(part, np.array(expected[name], np.float32), err_msg=name)
    back = np.full(VIEW.itemsize // 2, 7, np.int16).view(VIEW)  # rubbish that has to go
    read_view(out, back[0])
    assert back.tobytes() == seen.tobytes()


def test_every_segment_by_plain_python_and_back() -> None:
    for seen in random_views(NUMBER, seed=31, target=61):
        check_there_and_back(seen)


def test_a_game_won_by_thirty_one_shows_that_count() -> None:
    lane = position(
        *("discard 4D 5H", "discard 2C 3D", "play QS", "play TC", "play KS", "play AC"),
        pone="AC 4D 5H 6S QS KS",
        dealer="2C 3D 7H 8S 9C TC",
        starter="6D",
        scores=(119, 0),
    )
    assert lane.phase == GAME_OVER
    for seat in (PONE, DEALER):
        seen = view_of(lane, seat)
        assert seen.count == 31
        check_there_and_back(seen)


def test_the_count_at_a_go_after_thirty_one() -> None:
    lane = position(
        *("discard 2C 3C", "discard 2D 3D", "play TS", "play TH", "play 6C", "play 5C"),
        *("play KS", "play KD", "play QS"),
        pone="2C 3C 6C TS QS KS",
        dealer="2D 3D 5C TH KD KH",
        starter="6D",
    )
    for seat, said in ((PONE, 2), (DEALER, 1)):
        seen = view_of(lane, seat)
        assert seen.go_after.tolist() == [0, 0, 0, 0, 0, 0, said, 0]
        check_there_and_back(seen)
