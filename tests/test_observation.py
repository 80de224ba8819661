"""The observation: every segment by hand, the way back, the words, and that nothing leaks."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from cribbage_env import observation
from cribbage_env.cards import parse_card, parse_cards
from cribbage_env.engine.layout import (
    DEAL_OVER,
    DISCARD,
    GAME_OVER,
    NO_LOG,
    PLAY,
    VIEW,
)
from cribbage_env.engine.pegging import forfeit
from cribbage_env.observation import LAYOUT, describe, read_view, view
from tests.positions import (
    DEALER,
    EVERY_KIND,
    PONE,
    legal_actions,
    position,
    random_states,
    random_views,
    view_of,
    write_row,
)

NUMBER = 60 if numba.config.DISABLE_JIT else 3000

HANDS = {"pone": "AC 4D 5H JD QS KS", "dealer": "2C 3D 7H 8S 9C TC", "starter": "6D"}
DISCARDS = ("discard AC 4D", "discard 2C 3D")
# Pone QS KS to 30 (go, last card), then 9C JD 8S to 27 (pone's go, last card), then pone leads.
PLAYS = ("play QS", "play TC", "play KS", "play 9C", "play JD", "play 8S")


def observe(lane: Any, seat: int, kind: str = "cards") -> NDArray[np.float32]:
    """Return an observation written over rubbish, so that an entry left out would show."""
    out = np.full(observation.size(kind), np.nan, np.float32)
    write_row(view_of(lane, seat), kind, out)
    return out


def rows_of(cards: str, size: int) -> list[list[float]]:
    rows = np.zeros((size, 17), np.float32)
    for row, card in zip(rows, parse_cards(cards), strict=False):
        row[[card // 4, 13 + card % 4]] = 1
    return rows.tolist()


# ---- the layout ------------------------------------------------------------------------------


def test_segments_follow_one_another_and_cover_everything() -> None:
    offset = 0
    for name, segment in LAYOUT.items():
        assert segment.name == name
        assert segment.offset == offset
        assert segment.size == np.prod(segment.shape) > 0
        assert segment.meaning
        offset = segment.stop
        assert offset <= observation.size(segment.kind)
        last = {"cards_left": "cards", "actions": "features", "forecasts": "lookahead"}.get(name)
        assert (offset == observation.size(segment.kind)) == (last == segment.kind)
    kinds = [observation.kind_code(segment.kind) for segment in LAYOUT.values()]
    assert kinds == sorted(kinds)
    assert LAYOUT["actions"].shape == (19, len(observation.ACTION_FEATURES))


def test_the_layout_is_frozen() -> None:
    # Whoever changes the layout has to change VERSION and these numbers with it.
    assert observation.VERSION == 1
    assert [observation.size(kind) for kind in observation.KINDS] == [384, 1156, 1294]
    assert {name: segment.offset for name, segment in LAYOUT.items()} == {
        "hand": 0,
        "held": 102,
        "discards": 106,
        "starter": 140,
        "is_dealer": 157,
        "is_on_turn": 158,
        "phase": 159,
        "target": 163,
        "distance": 164,
        "count": 166,
        "plays": 198,
        "cards_left": 382,
        "held_ranks": 384,
        "opponent_ranks": 397,
        "holes_left": 410,
        "own_hand": 470,
        "crib": 471,
        "actions": 472,
        "likely_ranks": 1156,
        "prospects": 1169,
        "forecasts": 1180,
    }


def test_an_unknown_kind_is_refused() -> None:
    for function in (observation.size, observation.kind_code):
        with pytest.raises(ValueError, match="'cards', 'features', 'lookahead', not 'rgb'"):
            function("rgb")


# ---- every segment by hand -------------------------------------------------------------------


@pytest.mark.kernels
def test_before_the_discard() -> None:
    lane = position(**HANDS, scores=(30, 118))
    parts = view(observe(lane, PONE))
    assert parts["hand"].tolist() == rows_of(HANDS["pone"], 6)
    for name in ("held", "discards", "starter", "plays"):
        assert not parts[name].any(), name
    assert parts["is_dealer"].tolist() == [0]
    assert parts["is_on_turn"].tolist() == [1]
    assert parts["phase"].tolist() == [1, 0, 0, 0]
    assert parts["target"].tolist() == [121 / 1024]
    assert parts["distance"].tolist() == [np.float32(91 / 121), np.float32(3 / 121)]
    assert parts["count"].tolist() == [1] + [0] * 31
    assert parts["cards_left"].tolist() == [1, 1]
    parts = view(observe(lane, DEALER))
    assert parts["hand"].tolist() == rows_of(HANDS["dealer"], 6)
    assert parts["is_dealer"].tolist() == [1]
    assert parts["is_on_turn"].tolist() == [0]
    assert parts["distance"].tolist() == [np.float32(3 / 121), np.float32(91 / 121)]


@pytest.mark.kernels
def test_between_the_discards() -> None:
    lane = position(DISCARDS[0], **HANDS)
    parts = view(observe(lane, PONE))
    assert parts["hand"].tolist() == rows_of("5H JD QS KS", 6)
    assert parts["held"].tolist() == [1, 1, 1, 1]
    assert parts["discards"].tolist() == rows_of("AC 4D", 2)
    assert not parts["starter"].any()
    assert parts["phase"].tolist() == [1, 0, 0, 0]
    assert parts["is_on_turn"].tolist() == [0]
    assert parts["cards_left"].tolist() == [np.float32(4 / 6), 1]
    parts = view(observe(lane, DEALER))
    assert parts["hand"].tolist() == rows_of(HANDS["dealer"], 6)
    assert parts["cards_left"].tolist() == [1, np.float32(4 / 6)]


@pytest.mark.kernels
def test_in_the_play_with_both_goes_said() -> None:
    lane = position(*DISCARDS, *PLAYS, **HANDS)
    parts = view(observe(lane, PONE))
    assert parts["hand"].tolist() == rows_of("5H JD QS KS", 6)
    assert parts["held"].tolist() == [1, 0, 0, 0]
    assert parts["starter"].tolist() == rows_of("6D", 1)[0]
    assert parts["phase"].tolist() == [0, 1, 0, 0]
    assert parts["count"][0] == 1
    assert parts["cards_left"].tolist() == [np.float32(1 / 6)] * 2
    own, opponent, in_pile, own_go, opponent_go, go_count = parts["plays"][:, :6].T.tolist()
    assert own == [1, 0, 1, 0, 1, 0, 0, 0]
    assert opponent == [0, 1, 0, 1, 0, 1, 0, 0]
    assert in_pile == [0] * 8
    assert opponent_go == [0, 0, 1, 0, 0, 0, 0, 0]
    assert own_go == [0, 0, 0, 0, 0, 1, 0, 0]
    assert go_count == [0, 0, np.float32(30 / 31), 0, 0, np.float32(27 / 31), 0, 0]
    assert parts["plays"][:, 6:].tolist() == rows_of("QS TC KS 9C JD 8S", 8)


@pytest.mark.kernels
def test_in_the_middle_of_a_count() -> None:
    lane = position(*DISCARDS, *PLAYS[:5], **HANDS)
    parts = view(observe(lane, DEALER))
    assert parts["is_on_turn"].tolist() == [1]
    assert parts["count"].argmax() == 19
    assert parts["plays"][:, 2].tolist() == [0, 0, 0, 1, 1, 0, 0, 0]
    assert parts["plays"][2, 3] == 1  # the dealer's own go at 30


@pytest.mark.kernels
def test_at_the_end_of_the_deal_and_of_the_game() -> None:
    deal_over = position(*DISCARDS, *PLAYS, "play 5H", "play 7H", **HANDS)
    assert deal_over.phase == DEAL_OVER
    parts = view(observe(deal_over, PONE))
    assert parts["phase"].tolist() == [0, 0, 1, 0]
    assert parts["is_on_turn"].tolist() == [0]
    assert parts["count"][0] == 1
    assert parts["cards_left"].tolist() == [0, 0]
    game_over = position(*DISCARDS, *PLAYS[:3], **HANDS, scores=(120, 0))
    assert game_over.phase == GAME_OVER
    for seat in (PONE, DEALER):
        for kind in observation.KINDS:
            parts = view(observe(game_over, seat, kind))
            assert parts["phase"].tolist() == [0, 0, 0, 1]
            assert parts["distance"][seat] == 0.0
            assert parts["count"].argmax() == 30
            assert kind == "cards" or not parts["actions"].any()


# ---- the way back ----------------------------------------------------------------------------


@pytest.mark.kernels
@pytest.mark.parametrize("target", [1, 31, 61, 121, 1000])
def test_every_field_of_a_view_comes_back(target: int) -> None:
    views = random_views(NUMBER // 4, seed=target, target=target)
    back = np.zeros_like(views)
    back["scores"] = -7  # rubbish that has to go
    for name in ("cards", "features"):
        out = np.full((len(views), observation.size(name)), np.nan, np.float32)
        for place in range(len(views)):
            write_row(views[place], name, out[place])
            read_view(out[place], back[place])
        for field in VIEW.names or ():
            np.testing.assert_array_equal(back[field], views[field], err_msg=field)
        assert (out >= 0).all()
        assert (out <= 1).all()
    if target == 121 and not numba.config.DISABLE_JIT:
        assert set(views["phase"].tolist()) == {DISCARD, PLAY, DEAL_OVER, GAME_OVER}
        assert set(views["go_after"].ravel().tolist()) == {0, 1, 2}


@pytest.mark.kernels
def test_the_features_begin_with_the_cards() -> None:
    for lane in random_states(NUMBER // 10, seed=3):
        for seat in (0, 1):
            cards, features = observe(lane, seat), observe(lane, seat, "features")
            assert (features[: len(cards)] == cards).all()


# ---- nothing hidden --------------------------------------------------------------------------


def deal_hidden_anew(lane: Any, seat: int, rng: np.random.Generator) -> Any:
    """Return a state that differs in all that a seat can't know: cards, seed and so on."""
    other = 1 - seat
    seen = view_of(lane, seat)
    laid = {int(card) for card in seen.plays if card >= 0}
    known = laid | set(seen.dealt.tolist()) | {int(seen.starter)}
    hidden = [card for card in range(52) if card not in known]
    deck = iter(rng.permutation(hidden).tolist())
    changed = lane.copy()
    if lane.discards[other, 0] < 0:
        changed.dealt[other] = sorted(next(deck) for _ in range(6))
    else:
        changed.kept[other] = [
            card if card in laid else next(deck) for card in lane.kept[other].tolist()
        ]
        changed.discards[other] = sorted(next(deck) for _ in range(2))
        changed.dealt[other] = sorted(
            [*changed.kept[other].tolist(), *changed.discards[other].tolist()]
        )
    if seen.starter < 0:
        changed.starter = next(deck)
    changed.seed = int(rng.integers(2**63))
    changed.game, changed.deals = 77, 78
    return changed


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_what_is_hidden_changes_nothing(kind: str) -> None:
    rng = np.random.default_rng(8)
    differ = 0
    for lane in random_states(NUMBER // 5, seed=4):
        for seat in (0, 1):
            changed = deal_hidden_anew(lane, seat, rng)
            differ += (changed.dealt != lane.dealt).any()
            assert (observe(changed, seat, kind) == observe(lane, seat, kind)).all()
    assert differ > NUMBER // 5


@pytest.mark.kernels
@pytest.mark.parametrize("deeds", [(), DISCARDS[:1]])
def test_a_forfeit_before_the_cut_shows_no_starter(deeds: tuple[str, ...]) -> None:
    lane = position(*deeds, **HANDS)
    forfeit(lane, PONE, NO_LOG)
    for seat in (PONE, DEALER):
        assert not view(observe(lane, seat))["starter"].any()


# ---- named views -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", observation.KINDS)
@pytest.mark.parametrize("lead", [(), (3,), (2, 3)])
def test_a_view_shares_memory_for_any_leading_dimensions(lead: tuple[int, ...], kind: str) -> None:
    batch = np.zeros((*lead, observation.size(kind)), np.float32)
    parts = view(batch)
    assert list(parts) == [
        name
        for name, segment in LAYOUT.items()
        if observation.kind_code(segment.kind) <= observation.kind_code(kind)
    ]
    for number, (name, part) in enumerate(parts.items()):
        assert part.shape == lead + LAYOUT[name].shape
        assert np.shares_memory(part, batch)
        assert not part.any()
        part[...] = number + 1
    assert (batch > 0).all()


def test_a_view_of_every_second_row_shares_memory_too() -> None:
    batch = np.zeros((6, observation.SIZE_CARDS), np.float32)
    view(batch[::2])["plays"][:, 7, 22] = 1
    assert batch.sum() == 3


@pytest.mark.parametrize("function", [view, describe])
def test_what_is_no_observation_is_refused(function: Any) -> None:
    with pytest.raises(TypeError, match="must be a NumPy array, not list"):
        function([0.0] * observation.SIZE_CARDS)
    for shape in ((), (383,), (384, 2)):
        with pytest.raises(
            ValueError, match=r"384 \(cards\), 1156 \(features\), 1294 \(lookahead\)"
        ):
            function(np.zeros(shape, np.float32))


def test_a_batch_is_not_described() -> None:
    with pytest.raises(ValueError, match=r"not a batch of shape \(2, 384\)"):
        describe(np.zeros((2, 384), np.float32))


# ---- in words --------------------------------------------------------------------------------


def test_words_before_the_discard() -> None:
    lane = position(**HANDS, scores=(30, 118))
    assert describe(observe(lane, DEALER)) == (
        "dealer, waiting for the opponent to discard; score 118 to 30, target 121\n"
        "hand 2C 3D 7H 8S 9C TC"
    )


def test_words_in_the_play() -> None:
    lane = position(*DISCARDS, *PLAYS, **HANDS)
    # 1 for the last card at 30 went to pone; the dealer had 1 at 27.
    assert describe(observe(lane, PONE)) == (
        "pone, to play; score 1 to 1, target 121\n"
        "hand 5H of 5H JD QS KS; discarded AC 4D; starter 6D\n"
        "count 0; laid own QS, TC, own KS (go), 9C, own JD, 8S (own go)\n"
        "opponent holds 1 card"
    )
    lane = position(*DISCARDS, *PLAYS[:4], **HANDS)
    assert "count 9; laid own QS, TC, own KS (go) | 9C\n" in describe(observe(lane, PONE))


def test_words_at_the_end() -> None:
    lane = position(*DISCARDS, *PLAYS, "play 5H", "play 7H", **HANDS)
    words = describe(observe(lane, DEALER))
    assert words.startswith("dealer, deal over; score ")
    assert "hand empty of 7H 8S 9C TC" in words


def test_words_tell_what_each_action_is_worth() -> None:
    lane = position(**HANDS)
    lines = describe(observe(lane, PONE, "features")).splitlines()
    assert len(lines) == 2 + 15
    assert any(line.startswith("discard AC 4D: hand ") for line in lines)
    lane = position(*DISCARDS, *PLAYS[:5], **HANDS)
    lines = describe(observe(lane, DEALER, "features")).splitlines()
    assert [line.split(":")[0] for line in lines[4:]] == ["play 7H", "play 8S"]


def test_every_action_described_is_legal() -> None:
    for lane in random_states(60, seed=6):
        for seat in (0, 1):
            lines = describe(observe(lane, seat, "features")).splitlines()
            described = [line for line in lines if line.startswith(("discard ", "play "))]
            assert len(described) == len(legal_actions(view_of(lane, seat)))


def test_a_card_is_where_the_layout_says() -> None:
    obs = observe(position(**HANDS), PONE)
    queen = parse_card("QS")
    assert obs[LAYOUT["hand"].offset + 4 * 17 + queen // 4] == 1
    assert obs[LAYOUT["hand"].offset + 4 * 17 + 13 + queen % 4] == 1
