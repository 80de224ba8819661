"""What a seat knows: the only way from the state of a game to an observation or a player."""

from __future__ import annotations

from cribbage_env.engine.compile import inlined_kernel
from cribbage_env.engine.layout import NO_CARD, NOBODY, Lane, View

__all__ = ["write_view"]


@inlined_kernel
def write_view(lane: Lane, seat: int, view: View) -> None:
    """Write all that a seat knows of the current deal into a view, and nothing else."""
    other = 1 - seat
    view.is_dealer = 1 if lane.dealer == seat else 0
    view.is_on_turn = 1 if lane.turn == seat else 0
    view.phase = lane.phase
    view.target = lane.target
    view.scores[0] = lane.scores[seat]
    view.scores[1] = lane.scores[other]
    # Not by the phase: a forfeit may end the game before the dealer has discarded.
    is_cut = lane.discards[lane.dealer, 0] != NO_CARD
    view.starter = lane.starter if is_cut else NO_CARD
    for place in range(6):
        view.dealt[place] = lane.dealt[seat, place]
    view.discards[0] = lane.discards[seat, 0]
    view.discards[1] = lane.discards[seat, 1]
    opponent_cards = 0
    for slot in range(4):
        view.kept[slot] = lane.kept[seat, slot]
        view.held[slot] = lane.held[seat, slot]
        opponent_cards += lane.held[other, slot]
    has_discarded = lane.discards[other, 0] != NO_CARD
    view.opponent_cards = opponent_cards if has_discarded else 6
    for place in range(8):
        view.plays[place] = lane.plays[place]
        view.play_is_own[place] = 1 if lane.play_seats[place] == seat else 0
        said = lane.go_after[place]
        view.go_after[place] = 0 if said == NOBODY else (1 if said == seat else 2)
    view.plays_made = lane.plays_made
    view.pile_start = lane.pile_start
    view.count = lane.count
