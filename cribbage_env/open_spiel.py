"""Games to and from OpenSpiel's cribbage, where the rules agree; needs pyspiel for whole states.

OpenSpiel (2.0.2, ``cribbage(players=2)``) differs in these ways:

- Its player 0 always deals first: seat s is player s if seat 0 dealt first, else 1 - s.
- Player 0 discards first, also as dealer; here pone does (R4). Neither sees the other's discards,
  so that nothing but who is asked first depends on it.
- A player who can't lay has to choose ``Pass``; here going is forced (R7).
- A game begins at 0-0 and ends at 121. There is no other target and no forfeit.
- It pays a flush of four in the crib (R16).
- Once all cards of a deal are laid it counts both hands and the crib, whoever has reached 121, and
  where both have, player 0 wins; here pone counts first and the game ends at once (R12, R19).

Whatever can't be had on the other side is refused with its reason. A finished game is converted if
the same side wins; OpenSpiel's scores may then be higher.

>>> from cribbage_env.cards import parse_card
>>> card_to_spiel(parse_card("5H")), format_card(card_from_spiel(30))
(30, '5H')
"""

from __future__ import annotations

from typing import Any, SupportsIndex

from cribbage_env.actions import DISCARDS, NUM_DISCARDS, discard_action, play_action
from cribbage_env.cards import NUM_CARDS, format_card
from cribbage_env.extras import needed
from cribbage_env.game import Beginning, Game, check_seed
from cribbage_env.game.beginning import DECK_DEALT, check_seat, make_deck
from cribbage_env.game.game import shuffled

__all__ = [
    "action_from_spiel",
    "action_to_spiel",
    "card_from_spiel",
    "card_to_spiel",
    "from_state",
    "player_of",
    "to_state",
]

GAME = "cribbage(players=2)"
TARGET = 121
PASS = NUM_CARDS + NUM_CARDS**2
"""OpenSpiel's action ``Pass``; below it 52 cards, then 52 * 52 ordered pairs of cards."""


# Cards and actions ------------------------------------------------------------------------------


def card_to_spiel(card: int) -> int:
    """Return OpenSpiel's number of a card: it goes through the ranks of one suit first."""
    return card % 4 * 13 + card // 4


def card_from_spiel(number: int) -> int:
    """Return the card that OpenSpiel gives a number."""
    return number % 13 * 4 + number // 13


def player_of(game: Game, seat: int) -> int:
    """Return OpenSpiel's player for a seat: player 0 is who dealt first.

    Raises:
        ValueError: no such seat.

    >>> player_of(Game(dealer=1), 0)
    1
    """
    return check_seat(seat) ^ int(game.state["first_dealer"][0])


def action_to_spiel(game: Game, action: SupportsIndex) -> int:
    """Return OpenSpiel's number of a legal action of the seat to act.

    Raises:
        ValueError: the action isn't legal here.

    >>> game = Game(dealer=0, deck="AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC")
    >>> action_to_spiel(game, 0)  # AC and 3C: 52 + 52 * 0 + 2
    54
    """
    number = int(action)
    if game.turn is None or number not in game.legal_actions():
        raise ValueError(f"action {action!r} is not legal here: {game.legal_actions()} are")
    if number >= NUM_DISCARDS:
        return card_to_spiel(game.kept(game.turn)[number - NUM_DISCARDS])
    hand = game.hand(game.turn)
    return _pair_to_spiel([hand[slot] for slot in DISCARDS[number]])


def action_from_spiel(game: Game, number: int) -> int:
    """Return the action that OpenSpiel gives a number, for the seat to act.

    Raises:
        ValueError: ``Pass``, which is no action here, or one that isn't legal.

    >>> game = Game(dealer=0, deck="AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC")
    >>> action_from_spiel(game, 54)
    0
    """
    if number == PASS:
        raise ValueError(f"OpenSpiel's action {PASS}, Pass, is none here: going is forced (R7)")
    if not 0 <= number < PASS:
        raise ValueError(f"OpenSpiel's action {number} is outside 0..{PASS}")
    if game.turn is None:
        raise ValueError(f"OpenSpiel's action {number}: the game is over")
    if (number < NUM_CARDS) != (game.phase == "play"):
        raise ValueError(f"OpenSpiel's action {number}: seat {game.turn} is to {game.phase}")
    if number < NUM_CARDS:
        action = play_action(card_from_spiel(number), game.kept(game.turn))
    else:
        action = discard_action(_pair_from_spiel(number), game.hand(game.turn))
    if action not in game.legal_actions():
        raise ValueError(f"OpenSpiel's action {number}: {game.why_not(action)}")
    return action


def _pair_to_spiel(cards: list[int]) -> int:
    # OpenSpiel offers a pair in the order of its hand, which is by rank and then by suit, as here.
    first, second = sorted(cards)
    return NUM_CARDS + NUM_CARDS * card_to_spiel(first) + card_to_spiel(second)


def _pair_from_spiel(number: int) -> list[int]:
    return [card_from_spiel(one) for one in divmod(number - NUM_CARDS, NUM_CARDS)]


# Whole games ------------------------------------------------------------------------------------


def to_state(game: Game) -> Any:
    """Return the `pyspiel.State` in which the same cards were dealt, thrown and laid.

    Passes that are forced are taken. The same side is to act, but for the order of discards.

    Raises:
        ValueError: OpenSpiel doesn't know such a game or its rules differ; says where.
        NotInstalledError: OpenSpiel isn't there; names what installs it.
    """
    with needed("cribbage_env.open_spiel", "open-spiel"):
        import pyspiel

    _refuse_unknown(game)
    state = pyspiel.load_game(GAME).new_initial_state()
    twin = Game.replay(game.beginning)
    thrown: dict[int, int] = {}  # by player, of the deal that goes on
    _deal(twin, state)
    for action in game.actions:
        number, deal, starter = action_to_spiel(twin, action), twin.deals, twin.state["starter"][0]
        player = player_of(twin, int(twin.turn or 0))
        twin.step(action)
        if action >= NUM_DISCARDS:
            state.apply_action(number)
        else:
            thrown[player] = number
            if len(thrown) == 2:
                state.apply_action(thrown.pop(0))
                state.apply_action(thrown.pop(1))
                state.apply_action(card_to_spiel(int(starter)))
        _pass(state)
        if twin.is_over or twin.deals > deal:
            _compare(twin, state, deal)
        if twin.deals > deal:
            _deal(twin, state)
    if thrown:  # pone's alone
        if 1 in thrown:
            raise ValueError(
                "in OpenSpiel the dealer of this deal, player 0, discards before pone; "
                "convert before the discards or after them"
            )
        state.apply_action(thrown[0])
    return state


def from_state(state: Any, *, seed: int = 0) -> Game:
    """Return the game of a two-player `pyspiel.State`, in which player p is seat p.

    Passes that are forced are taken. What has not been dealt yet comes from the seed.

    Raises:
        ValueError: another game, chance is to act, or the rules differ; says where.
        TypeError: not a state.
        NotInstalledError: OpenSpiel isn't there; names what installs it.
    """
    with needed("cribbage_env.open_spiel", "open-spiel"):
        import pyspiel

    if not isinstance(state, pyspiel.State):
        raise TypeError(f"not a pyspiel.State: {state!r}")
    kind = state.get_game().get_type().short_name
    if kind != "cribbage" or state.num_players() != 2:
        raise ValueError(f"not a state of {GAME}: {kind} for {state.num_players()} players")
    seed = check_seed(seed)
    state = state.clone()
    _pass(state)
    if state.is_chance_node():
        raise ValueError("chance is to act: apply its outcomes until a player is to act")
    deals = _read(state)
    beginning = Beginning(
        seed, dealer=0, decks=tuple((n, deal.deck(seed, n)) for n, deal in enumerate(deals, 1))
    )
    game = Game.replay(beginning)
    for deal in deals:
        for player in (1 - game.dealer, game.dealer):
            if player in deal.thrown:
                if game.turn != player:
                    raise ValueError("the dealer has discarded before pone, unlike R4")
                game.discard(deal.thrown[player])
        for card in deal.laid:
            game.play(card)
    if to_state(game).to_string() != state.to_string():
        raise ValueError(f"the game comes to {game!r}, unlike OpenSpiel's state:\n{state}")
    return game


class _Deal:
    """What OpenSpiel's history holds of one deal."""

    def __init__(self, dealer: int) -> None:
        self.dealer = dealer
        self.dealt: list[int] = []  # six of player 0, six of player 1, the starter
        self.thrown: dict[int, list[int]] = {}
        self.laid: list[int] = []

    def deck(self, seed: int, number: int) -> tuple[int, ...]:
        """Return the 13 cards of the deal; a starter that isn't turned yet comes from the seed."""
        hands = self.dealt[:6], self.dealt[6:12]
        unseen = [card for card in range(NUM_CARDS) if card not in self.dealt]
        starter = [*self.dealt[12:], *shuffled(unseen, seed, 0, number)][0]
        return tuple(make_deck(hands[1 - self.dealer], hands[self.dealer], starter))


def _read(state: Any) -> list[_Deal]:
    """Return the deals of a state's history."""
    deals: list[_Deal] = []
    for step in state.full_history():
        if step.player < 0:
            if not deals or len(deals[-1].dealt) == DECK_DEALT:
                deals.append(_Deal(dealer=len(deals) % 2))
            deals[-1].dealt.append(card_from_spiel(step.action))
        elif step.action < NUM_CARDS:
            deals[-1].laid.append(card_from_spiel(step.action))
        elif step.action != PASS:
            deals[-1].thrown[step.player] = _pair_from_spiel(step.action)
    return deals


def _refuse_unknown(game: Game) -> None:
    """Refuse what OpenSpiel has no notion of."""
    beginning = game.beginning
    if beginning.target != TARGET:
        raise ValueError(f"OpenSpiel plays to {TARGET}, not to {beginning.target}")
    if beginning.scores != (0, 0):
        raise ValueError(f"OpenSpiel begins at 0-0, not at {beginning.scores}")
    if beginning.is_one_deal:
        raise ValueError("OpenSpiel plays whole games, not one deal")
    if game.is_forfeit:
        raise ValueError("OpenSpiel has no forfeit")


def _deal(game: Game, state: Any) -> None:
    """Deal a new deal in OpenSpiel too, unless the game is over."""
    if game.is_over:
        return
    for player in (0, 1):
        for card in game.hand(player_of(game, player)):
            state.apply_action(card_to_spiel(card))


def _pass(state: Any) -> None:
    """Pass for whoever has nothing to lay: OpenSpiel asks, here it is forced (R7)."""
    while not state.is_chance_node() and state.legal_actions() == [PASS]:
        state.apply_action(PASS)


def _compare(game: Game, state: Any, deal: int) -> None:
    """Refuse a deal after which OpenSpiel stands elsewhere."""
    returns = state.returns()
    if game.is_over:
        winner = returns.index(max(returns)) if state.is_terminal() else None
        if winner != player_of(game, int(game.winner or 0)):
            raise ValueError(
                f"deal {deal}: here seat {game.winner} wins when its points are counted (R12, "
                "R19); OpenSpiel counts on, and where both have 121 its player 0 wins"
            )
        return
    scores = [game.scores[player_of(game, player)] for player in (0, 1)]
    if state.is_terminal() or returns != scores:
        cards = " ".join(map(format_card, _crib(game, deal)))
        raise ValueError(
            f"deal {deal}: OpenSpiel pays a flush of four in the crib {cards}, which doesn't "
            f"count (R16); here it is {game.scores[0]}-{game.scores[1]}"
        )


def _crib(game: Game, deal: int) -> tuple[int, ...]:
    """Return the crib of a deal that has been counted."""
    return [event for event in game.events if event.kind == "crib"][deal - 1].cards
