"""The expert's plays: every hand that the opponent may hold, played out in the engine itself."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cribbage_env import Game, analyze_play, observation, score_hand
from cribbage_env.bots import expert_policy
from cribbage_env.bots.expert.following import share_out
from cribbage_env.bots.expert.habits import choose_by_habit
from cribbage_env.bots.expert.layout import BY_HABIT, BY_QUICK_RULE, NOT_READ
from cribbage_env.bots.expert.observe import write_lookahead
from cribbage_env.bots.expert.play import ILLEGAL, choose_play, write_play_worths
from cribbage_env.bots.expert.ranks import GONE
from cribbage_env.bots.expert.rollout import choose_quickly, play_out
from cribbage_env.bots.expert.worlds import MOST_WORLDS, index_with, write_worlds
from cribbage_env.cards import parse_cards, rank_of
from cribbage_env.engine.chance import draw
from cribbage_env.engine.reply import count_pool
from cribbage_env.engine.tables import rank_index
from cribbage_env.observation.layout import FORECAST_SCALE
from tests.games import DISCARDS, POSITION
from tests.positions import BOOK, view_of
from tests.test_expert_numbers import after_crib, plain_points, throws_by_rank, walk

KEY = np.uint64(3)
EVERY_WORLD = MOST_WORLDS
pytestmark = pytest.mark.kernels


def late_game(plays: str, scores: tuple[int, int] = (0, 0)) -> Game:
    """Return the deal of the tests' games near its end, where few hands are possible."""
    return Game.from_position(**POSITION, discards=DISCARDS, plays=plays, scores=scores)


LATE = ["4H 6D 5H 7C 6S", "6S 9S TD 6D", "6S 9S TD 6D 5H"]
"""The dealer leads, pone leads, the dealer replies: each of two cards."""


def cards_laid(game: Game, seat: int) -> list[int]:
    return [card for card in game.kept(seat) if card not in game.hand(seat)]


def worlds_of(game: Game, seat: int, reading: int) -> dict[tuple[int, ...], float]:
    """Return the hands that the opponent may hold, by rank, and how likely they are."""
    seen, pool = view_of(game.state[0], seat), np.empty(13, np.int64)
    count_pool(seen, pool)
    worlds, weights = np.empty((MOST_WORLDS, 4), np.int64), np.empty(MOST_WORLDS)
    number = write_worlds(seen, pool, reading, BOOK, worlds, weights)
    shares = weights[:number] / weights[:number].sum()
    size = len(game.hand(1 - seat))
    return {
        tuple(map(int, world[:size])): float(share)
        for world, share in zip(worlds[:number], shares, strict=True)
    }


def game_of(game: Game, seat: int, ranks: tuple[int, ...]) -> Game:
    """Return the same position for a seat, the other holding cards of these ranks."""
    lane = game.state[0]
    known = {*map(int, lane.dealt[seat]), int(lane.starter), *cards_laid(game, 1 - seat)}
    left = [card for card in range(52) if card not in known]
    held: list[int] = []
    for rank in ranks:
        held.append(next(card for card in left if rank_of(card) == rank and card not in held))
    thrown = [card for card in left if card not in held][:2]
    hands, discards = lane.dealt.tolist(), lane.discards.tolist()
    hands[1 - seat] = [*cards_laid(game, 1 - seat), *held, *thrown]
    discards[1 - seat] = thrown
    return Game.from_position(
        dealer=game.dealer,
        hands=hands,
        starter=int(lane.starter),
        discards=discards,
        plays=lane.plays[: lane.plays_made].tolist(),
        scores=game.beginning.scores,
    )


def slot_by_rule(game: Game, by_habit: bool) -> int:
    """Return the slot that the quick rule or habit lays for whoever is to act."""
    seat = 0 if game.turn is None else game.turn
    kept, held = game.kept(seat), game.hand(seat)
    ranks = np.array([rank_of(card) if card in held else GONE for card in kept])
    pile = np.empty(14, np.int64)
    pile[: len(game.pile)] = [rank_of(card) for card in game.pile]
    if not by_habit:
        return int(choose_quickly(ranks, pile, len(game.pile), game.count, BOOK))
    laid_by = [event.player for event in game.events if event.kind == "play"]
    is_alone = bool(game.pile) and laid_by[-1] == seat
    others = len(game.hand(1 - seat))
    return int(choose_by_habit(ranks, others, pile, len(game.pile), game.count, is_alone, BOOK))


def slots_of(game: Game) -> list[int]:
    return [action - 15 for action in game.legal_actions()]


def pegged(game: Game, slot: int, by_habit: bool, cards: int = 8) -> list[int]:
    """Lay a card and go on to the end of the deal's play, or for so many cards; return the pegs."""
    before, deals = len(game.events), game.deals
    game.step(15 + slot)
    for _ in range(cards):
        if game.phase != "play" or game.deals != deals:
            break
        game.step(15 + slot_by_rule(game, by_habit))
    points = [0, 0]
    for event in game.events[before:]:
        if event.kind in ("play", "last"):
            points[event.player] += event.points
    return points


@pytest.mark.parametrize("by_habit", [False, True])
@pytest.mark.parametrize("plays", LATE)
def test_the_worth_of_a_card_is_what_the_engine_makes_of_every_world(
    plays: str, by_habit: bool
) -> None:
    game = late_game(plays)
    assert game.turn is not None
    seat = game.turn
    player = expert_policy(worlds=EVERY_WORLD, habits=by_habit).player[0]
    found = np.empty(4)
    write_play_worths(player, view_of(game.state[0], seat), False, KEY, BOOK, found)
    worlds = worlds_of(game, seat, BY_HABIT if by_habit else BY_QUICK_RULE)
    for slot in range(4):
        if 15 + slot not in game.legal_actions():
            assert found[slot] == ILLEGAL
            continue
        worth = 0.0
        for ranks, share in worlds.items():
            points = pegged(game_of(game, seat, ranks), slot, by_habit)
            worth += share * (points[seat] - points[1 - seat])
        assert found[slot] == pytest.approx(worth)


@pytest.mark.parametrize("scores", [(110, 109), (88, 92)])
@pytest.mark.parametrize("plays", LATE)
def test_the_chance_of_winning_is_that_of_every_world_and_crib(
    plays: str, scores: tuple[int, int]
) -> None:
    game = late_game(plays, scores)
    assert game.turn is not None
    seat, role = game.turn, int(game.dealer == game.turn)
    needs = [121 - score for score in game.scores]
    lane = game.state[0]
    known = [*lane.dealt[seat].tolist(), int(lane.starter), *cards_laid(game, 1 - seat)]
    cribs: dict[int, float] = {}
    thrown = tuple(rank_of(int(card)) for card in lane.discards[seat])
    for pair, share in throws_by_rank(known, 1 - role).items():
        points = plain_points((*thrown, *pair, rank_of(int(lane.starter))))
        cribs[points] = cribs.get(points, 0.0) + share
    own_hand = score_hand(game.kept(seat), int(lane.starter)).total
    found = np.empty(4)
    player = expert_policy(worlds=EVERY_WORLD).player[0]
    write_play_worths(player, view_of(lane, seat), True, KEY, BOOK, found)
    by_analysis = {one.action: one.win for one in analyze_play(game, seat)}
    for action in game.legal_actions():
        chance = 0.0
        for ranks, share in worlds_of(game, seat, BY_QUICK_RULE).items():
            points = pegged(game_of(game, seat, ranks), action - 15, by_habit=False)
            left = needs[seat] - points[seat], needs[1 - seat] - points[1 - seat]
            if min(left) <= 0:
                chance += share * (left[0] <= 0)
                continue
            laid = tuple(rank_of(card) for card in cards_laid(game, 1 - seat))
            other_hand = plain_points((*sorted((*laid, *ranks)), rank_of(int(lane.starter))))
            won, left = walk(role, left, (own_hand, other_hand))
            if won is None:
                won = sum(
                    likely * after_crib(role, left, points) for points, likely in cribs.items()
                )
            chance += share * won
        assert found[action - 15] == pytest.approx(chance)
        assert by_analysis[action] == pytest.approx(chance)


def test_without_a_model_every_unseen_card_is_as_likely() -> None:
    game = late_game(LATE[2])
    assert game.turn is not None
    lane, seat = game.state[0], game.turn
    known = {*lane.dealt[seat].tolist(), int(lane.starter), *cards_laid(game, 1 - seat)}
    left = [rank_of(card) for card in range(52) if card not in known]
    seen, pool = view_of(lane, seat), np.empty(13, np.int64)
    count_pool(seen, pool)
    assert pool.tolist() == [left.count(rank) for rank in range(13)]
    expected = {(rank,): left.count(rank) / len(left) for rank in range(13)}
    assert worlds_of(game, seat, NOT_READ) == pytest.approx(expected)
    found = np.empty(4)
    player = expert_policy(worlds=EVERY_WORLD, model=False).player[0]
    write_play_worths(player, seen, False, KEY, BOOK, found)
    for action in game.legal_actions():
        worth = 0.0
        for ranks, share in expected.items():
            points = pegged(game_of(game, seat, ranks), action - 15, by_habit=False)
            worth += share * (points[seat] - points[1 - seat])
        assert found[action - 15] == pytest.approx(worth)


@pytest.mark.parametrize("cards", range(1, 8))
def test_a_deal_is_followed_for_as_many_cards_as_asked(cards: int) -> None:
    game = Game.from_position(**POSITION, discards=DISCARDS)
    hands = np.array([[rank_of(card) for card in game.kept(seat)] for seat in (0, 1)])
    points, needs = np.zeros(2, np.int64), np.full(2, 1000)
    play_out(hands, np.empty(14, np.int64), 0, 0, 0, 1, cards, False, needs, BOOK, points)
    expected = pegged(game, slot_by_rule(game, by_habit=False), False, cards - 1)
    if game.events[-1].kind == "last":  # what follows the last of the cards isn't counted
        expected[game.events[-1].player] -= game.events[-1].points
    assert points.tolist() == expected
    assert (hands != GONE).sum() == 8 - cards


def test_a_deal_ends_where_somebody_has_what_it_needs() -> None:
    game = Game.from_position(**POSITION, discards=DISCARDS)
    hands = np.array([[rank_of(card) for card in game.kept(seat)] for seat in (0, 1)])
    pegs = pegged(game, slot_by_rule(game, by_habit=False), False)
    for seat in (0, 1):
        for needed in range(1, pegs[seat] + 1):
            points, needs = np.zeros(2, np.int64), np.full(2, 1000)
            needs[seat] = needed
            pile = np.empty(14, np.int64)
            play_out(hands.copy(), pile, 0, 0, 0, 1, 8, False, needs, BOOK, points)
            assert needed <= points[seat] <= pegs[seat]
            assert points[1 - seat] <= pegs[1 - seat]


def test_a_sample_is_evenly_spaced_along_the_weights() -> None:
    weights = np.array([1.0, 5.0, 0.5, 0.5, 3.0])
    few = weights.copy()
    share_out(few, 5, 5, 0.9)
    assert few == pytest.approx(weights / 10)
    half = weights.copy()
    share_out(half, 5, 4, 0.5)  # places 1.25, 3.75, 6.25 and 8.75 of 10
    assert half == pytest.approx([0, 0.5, 0.25, 0, 0.25])
    late = weights.copy()
    share_out(late, 5, 4, 0.9)  # places 2.25, 4.75, 7.25 and 9.75
    assert late == pytest.approx([0, 0.5, 0, 0, 0.5])


def test_held_and_laid_cards_together_are_one_hand() -> None:
    for ranks in ((2, 2, 7, 9), (0, 5, 5, 5), (12, 3, 3, 12), (8, 8, 8, 8)):
        for laid in permutations(ranks):
            for number in range(5):
                held, gone = (np.array(part, np.int64) for part in (sorted(laid[number:]), laid))
                found = index_with(held, len(held), gone, number, BOOK)
                assert found == rank_index(ranks)


def chosen(game: Game, **options: Any) -> int:
    """Return the card that the expert lays."""
    assert game.turn is not None
    player = expert_policy(**options).player[0]
    action = choose_play(player, view_of(game.state[0], game.turn), KEY, BOOK)
    return game.kept(game.turn)[action - 15]


@pytest.mark.parametrize("plays", LATE)
def test_the_best_card_is_laid(plays: str) -> None:
    """By points or, near the end, by the chance of winning."""
    for scores in ((0, 0), (110, 109)):
        game = late_game(plays, scores)
        assert game.turn is not None
        found = analyze_play(game, game.turn)
        by_points = {one.card: one.net for one in found}
        by_win = {one.card: one.win or 0.0 for one in found}
        worths = by_points if scores == (0, 0) else by_win
        assert worths[chosen(game, worlds=EVERY_WORLD)] == max(worths.values())
        unaware = chosen(game, worlds=EVERY_WORLD, score_aware=False)
        assert by_points[unaware] == max(by_points.values())


def test_the_only_card_that_fits_is_laid() -> None:
    (only,) = parse_cards("TD")
    assert chosen(late_game(f"{LATE[0]} 9S")) == only


def test_a_few_of_many_worlds_are_followed_and_no_others() -> None:
    game, few = late_game(LATE[1]), 5
    seat = 0
    seen = view_of(game.state[0], seat)
    worlds = worlds_of(game, seat, BY_QUICK_RULE)
    assert len(worlds) > 50

    def expected(start: float) -> dict[int, NDArray[np.float64]]:
        """Return what each card pegs, own and the other's, over the sample that begins there."""
        shares = np.array(list(worlds.values()))
        share_out(shares, len(shares), few, start)
        assert 0 < np.count_nonzero(shares) <= few
        pegs = {slot: np.zeros(2) for slot in slots_of(game)}
        for ranks, share in zip(worlds, shares, strict=True):
            for slot in pegs if share else ():
                pegs[slot] += share * np.array(pegged(game_of(game, seat, ranks), slot, False))
        return pegs

    row = np.zeros(observation.size("lookahead"), np.float32)
    write_lookahead(seen, few, False, BOOK, row)
    forecasts = observation.view(row)["forecasts"][15:, :2] * FORECAST_SCALE
    for slot, pegs in expected(0.5).items():
        assert forecasts[slot] == pytest.approx(pegs, abs=1e-5)

    found = np.empty(4)
    player = expert_policy(worlds=few, score_aware=False).player[0]
    write_play_worths(player, seen, False, KEY, BOOK, found)
    for slot, pegs in expected(draw(KEY, 0, 1 << 30) / (1 << 30)).items():
        assert found[slot] == pytest.approx(pegs[seat] - pegs[1 - seat])
