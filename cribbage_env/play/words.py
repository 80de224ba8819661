"""What the screen says: the story, the show, the coach's tables, the summary; plain text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cribbage_env.actions import NUM_DISCARDS
from cribbage_env.decisions import NOTHING, Choice, Decision
from cribbage_env.game import Event
from cribbage_env.play.coach import DealReview, Review
from cribbage_env.play.session import PERSON, Session
from cribbage_env.rendering.scene import Scene, see
from cribbage_env.rendering.words import cards_in_words, ending, name_of, tell
from cribbage_env.scoring import DOUBLE_SKUNK_MARGIN, SKUNK_MARGIN

__all__ = [
    "StoryLine",
    "coach_lines",
    "hint_for",
    "mistake_lines",
    "prompt",
    "result_line",
    "show_lines",
    "story",
    "summary_lines",
    "track",
    "verdict",
]

FRONT_PEG, REAR_PEG, HOLE, SKUNK_LINE = "●", "○", "·", "│"
MOST_CHOICES = 6


# The story --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StoryLine:
    """One thing that happened, in words.

    Attributes:
        kind: of the event.
        player: the seat.
        text: the sentence, with the reason of any points.
        points: what it scored.
        scores: (own, opponent) after it.
    """

    kind: str
    player: int
    text: str
    points: int
    scores: tuple[int, int]


def story(scene: Scene) -> list[StoryLine]:
    """Return all that has happened as the viewer saw it."""
    lines, starter, deal = [], "", 0
    for event in scene.events:
        if event.kind == "starter":
            starter = cards_in_words(event.cards)
        text = tell(scene, event, starter)
        if event.kind == "deal":
            deal += 1
            text = f"deal {deal}: {text}"
        own, other = event.scores if scene.viewer != 1 else event.scores[::-1]
        lines.append(StoryLine(event.kind, event.player, text, event.points, (own, other)))
    return lines


def show_lines(scene: Scene, events: Iterable[Event]) -> list[tuple[str, str, str, int]]:
    """Return (who, cards, count in words, points) of the hands and the crib among some events."""
    lines = []
    for event in events:
        if event.kind in ("hand", "crib"):
            owner = "crib" if event.kind == "crib" else name_of(scene, event.player)
            cards = cards_in_words(event.cards)
            lines.append((owner, cards, str(event.detail), event.points))
    return lines


def result_line(scene: Scene) -> str:
    """Return how the game ended, as a sentence."""
    text = ending(scene)
    return text[0].upper() + text[1:]


def prompt(session: Session) -> str:
    """Return what the person is to do, or what is chosen and how to go on.

    >>> from cribbage_env.game import Game
    >>> prompt(Session(Game(seed=7, dealer=1), "greedy"))
    "Choose two cards for the opponent's crib"
    """
    game = session.game
    if game.is_over:
        return result_line(see(game, PERSON))
    if not session.is_own_turn:
        return "The opponent is to act"
    chosen = [session.cards[slot] for slot in session.selected]
    if session.choice is None:
        if game.phase == "play":
            return "Choose a card to lay"
        whose = "your own crib" if game.dealer == PERSON else "the opponent's crib"
        more = "two cards" if not chosen else "one more card"
        return f"Choose {more} for {whose}"
    if game.phase == "discard":
        return f"Enter throws {cards_in_words(chosen)}"
    card = game.kept(PERSON)[session.choice - NUM_DISCARDS]
    only = "" if chosen else ", the only card that fits"
    return f"Enter lays {cards_in_words([card])}{only}"


def hint_for(session: Session) -> str:
    """Return the keys that a newcomer can't guess, or that one may have forgotten.

    >>> from cribbage_env.game import Game
    >>> hint_for(Session(Game(seed=7, dealer=1), "greedy"))
    '1 to 6 choose, Enter throws, ?: help'
    """
    game = session.game
    if session.selected:
        return ""
    if session.can_undo:
        return "u takes your last card back" if game.phase == "play" else "u takes back"
    if game.is_over:
        return "n: another game, s: summary, q: quit"
    if session.is_own_turn and game.deals == 1 and session.choice is None:
        verb = "throws" if game.phase == "discard" else "lays"
        return f"1 to {len(session.cards)} choose, Enter {verb}, ?: help"
    return ""


# The board --------------------------------------------------------------------------------------


def track(pegs: tuple[int, int], target: int, width: int) -> str:
    """Return a player's holes in a row of so many places, its pegs and the skunk lines (R20) in it.

    >>> track((30, 45), 121, 41)
    '··········○····●····│·········│··········'
    """
    places = max(width, 2)

    def place(hole: int) -> int:
        return round(hole * (places - 1) / target)

    row = [HOLE] * places
    for margin in (SKUNK_MARGIN, DOUBLE_SKUNK_MARGIN):
        if target > margin:
            row[place(target - margin)] = SKUNK_LINE
    rear, front = pegs
    row[place(rear)] = REAR_PEG
    row[place(front)] = FRONT_PEG
    return "".join(row)


# The coach --------------------------------------------------------------------------------------


def coach_lines(
    decision: Decision, is_wide: bool = True, most: int = MOST_CHOICES
) -> list[tuple[str, bool, bool]]:
    """Return the table of a decision's choices: (text, is it the best, is it the one made).

    The best come first; the one made is there even when it is far down.
    """
    shown = list(decision.choices[:most])
    if decision.action is not None and decision.made not in shown:
        shown[-1] = decision.made
    if decision.is_discard:
        total = " total" if is_wide else ""
        head = f"    throw  hand crib  peg{total}   win lost"
    else:
        head = "    lay     now    net    win  lost"
    lines = [(head, False, False)]
    for choice in shown:
        rank = 1 + decision.choices.index(choice)
        is_made = choice.action == decision.action
        row = _row(decision, choice, is_wide)
        lines.append((f"{'▶' if is_made else ' '}{rank:>2} {row}", rank == 1, is_made))
    return lines


def _row(decision: Decision, choice: Choice, is_wide: bool) -> str:
    """Return the numbers of one choice."""
    assert choice.win is not None
    win = f"{100 * choice.win:.1f}"
    lost = f"{100 * decision.loss_by(choice):.1f}"
    cards = cards_in_words(choice.cards)
    if choice.now is not None:
        return f"{cards}      {choice.now.total:>3}  {choice.points:>+5.2f}   {win:>4}  {lost:>4}"
    total = f" {choice.points:>5.1f}" if is_wide else ""
    return (
        f"{cards}  {choice.hand:>4.1f} {choice.crib:>+4.1f} {choice.pegging:>+4.1f}{total}  "
        f"{win:>4} {lost:>4}"
    )


def verdict(decision: Decision) -> str:
    """Return in a sentence what a decision lost."""
    verb = "threw" if decision.is_discard else "laid"
    made = f"You {verb} {cards_in_words(decision.made.cards)}"
    if decision.is_forced:
        return f"{made}: nothing else fitted."
    if decision.loss <= NOTHING:
        return f"{made}: the best there was."
    return (
        f"{made}: number {decision.rank} of {len(decision.choices)}. It lost "
        f"{_percent(decision.loss)} ({decision.points_lost:.2f} points) "
        f"against {cards_in_words(decision.best.cards)}."
    )


def _percent(chance: float) -> str:
    return f"{100 * chance:.1f} %"


def _signed(chance: float) -> str:
    return f"{100 * chance:+.1f} %"


# The summary ------------------------------------------------------------------------------------


def summary_lines(review: Review) -> list[str]:
    """Return where the chance of winning came from, in all and deal by deal."""
    own_cards = sum(deal.own_cards for deal in review.deals)
    other_cards = sum(deal.other_cards for deal in review.deals)
    rest = sum(deal.rest for deal in review.deals)
    best = sum(decision.loss <= NOTHING for decision in review.decisions)
    rows = [
        ("before the cut", _percent(review.start), ""),
        ("luck of the cards", _signed(review.luck), ""),
        ("  the cut for the deal", _signed(review.cut), ""),
        ("  your six cards", _signed(own_cards), ""),
        ("  the opponent's six cards", _signed(other_cards), ""),
        ("  the starter, and how the hands met", _signed(rest), ""),
        ("your decisions", _signed(-review.own_lost), f"best {best} of {len(review.decisions)}"),
        ("the opponent's decisions", _signed(review.other_lost), ""),
        ("in the end", _percent(review.now), ""),
    ]
    lines = [f"{name:<38}{chance:>9}  {more}".rstrip() for name, chance, more in rows]
    head = "deal  dealer    before   after     luck  you lost  they lost"
    return [*lines, "", head, *(_deal_line(deal) for deal in review.deals)]


def _deal_line(deal: DealReview) -> str:
    dealer = "you" if deal.is_dealer else "opponent"
    return (
        f"{deal.number:>4}  {dealer:<8}  {_percent(deal.before):>6}  {_percent(deal.after):>6}  "
        f"{_signed(deal.luck):>7}   {_percent(deal.own_lost):>7}    {_percent(deal.other_lost):>7}"
    )


def mistake_lines(review: Review, most: int = 5) -> list[str]:
    """Return the decisions that gave away most, with deal and position, the worst first."""
    lines = []
    for number, decision in enumerate(review.mistakes(most), 1):
        own, other = decision.scores
        role = "dealer" if decision.is_dealer else "pone"
        lost = f"-{_percent(decision.loss)} and {-decision.points_lost:+.2f} points"
        lines += [
            f"{number}. deal {decision.deal}, {role}, {own}-{other}, {_position(decision)}",
            f"   {_was(decision)}: {lost}",
        ]
    return lines


def _position(decision: Decision) -> str:
    hand = cards_in_words(decision.hand)
    if decision.is_discard:
        return f"dealt {hand}"
    pile = cards_in_words(decision.pile)
    count = f"count {decision.count} ({pile})" if pile else "to lead"
    return f"holding {hand}, {count}"


def _was(decision: Decision) -> str:
    verb = "threw" if decision.is_discard else "laid"
    made, best = (cards_in_words(one.cards) for one in (decision.made, decision.best))
    return f"{verb} {made}, better was {best}"
