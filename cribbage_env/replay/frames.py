"""A game event by event: after each one, the table as it lies.

A `Game` stands still only where a seat is to choose. Between two choices there may be a go, a last
card, three counts and a new deal; a frame is the table after any single one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from cribbage_env.cards import value_of
from cribbage_env.game import Event, Game
from cribbage_env.rendering.scene import FACE_DOWN, Scene, see

__all__ = ["Frame", "as_seen", "make_frames", "names_of"]

FULL_COUNT = 31

Cards = tuple[int | None, ...]
_T = TypeVar("_T")


@dataclass(frozen=True)
class Frame:
    """The table after an event.

    Attributes:
        scene: all that lies on the table, seen by a spectator; its last event is the one that has
            just happened. The pile of a count that is over lies there until the next card.
        before: the game in which a seat chose this discard or this card; None where the event was
            no choice.
        action: what was chosen, 0..18.
    """

    scene: Scene
    before: Game | None = None
    action: int | None = None

    @property
    def event(self) -> Event:
        """What has just happened."""
        return self.scene.events[-1]


def names_of(game: Game) -> tuple[str, str]:
    """Return the players' names as a reader can tell them apart.

    >>> names_of(Game(seed=1))
    ('seat 0', 'seat 1')
    """
    first, second = game.beginning.names or ("seat 0", "seat 1")
    return (first, second) if first != second else (f"{first} (0)", f"{second} (1)")


def make_frames(game: Game) -> list[Frame]:
    """Return a frame for each event of a game.

    >>> game = Game(dealer=0, deck="AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC")
    >>> game.discard("AC JC")
    >>> [(frame.event.kind, frame.action) for frame in make_frames(game)]
    [('deal', None), ('discard', 4)]
    """
    return list(_frames(game))


def _frames(game: Game) -> Iterator[Frame]:
    replayed = Game.replay(game.beginning)
    scene = _bare_table(replayed)
    for event in replayed.events:
        scene = _after(scene, event, replayed)
        yield Frame(scene)
    for action in game.actions:
        before = replayed.copy()
        known = len(replayed.events)
        if action < 0:
            replayed.forfeit(-1 - action)
        else:
            replayed.step(action)
        for event in replayed.events[known:]:
            scene = _after(scene, event, replayed)
            is_choice = event.kind in ("discard", "play")
            yield Frame(scene, before, action) if is_choice else Frame(scene)


def _bare_table(game: Game) -> Scene:
    """Return the table before the first event of a game that has just begun."""
    return replace(
        see(game),
        scores=game.beginning.scores,
        pegs=((0, game.beginning.scores[0]), (0, game.beginning.scores[1])),
        deals=0,
        phase="cut",
        turn=None,
        hands=((), ()),
        choices=(),
        events=(),
        names=names_of(game),
    )


def _after(scene: Scene, event: Event, game: Game) -> Scene:
    """Return the table after one more event; the game has gone on to the next choice, or its end.

    A deal is the last event before a choice, so that its hands are those that the game has then.
    """
    seat = event.player
    if event.kind == "deal":
        scene = replace(
            scene,
            deals=scene.deals + 1,
            dealer=seat,
            phase="discard",
            starter=None,
            count=0,
            pile=(),
            hands=(tuple(game.hand(0)), tuple(game.hand(1))),
            laid=((), ()),
            crib=(),
        )
    elif event.kind == "discard":
        hands = _changed(scene.hands, seat, _without(scene.hands[seat], event.cards))
        crib = tuple(sorted([*_known(scene.crib), *event.cards]))
        scene = replace(scene, hands=hands, crib=crib)
    elif event.kind == "starter":
        scene = replace(scene, starter=event.cards[0], phase="play")
    elif event.kind == "play":
        is_new_count = scene.count == FULL_COUNT or scene.events[-1].kind == "last"
        pile = (*(() if is_new_count else scene.pile), *event.cards)
        scene = replace(
            scene,
            hands=_changed(scene.hands, seat, _without(scene.hands[seat], event.cards)),
            laid=_changed(scene.laid, seat, (*scene.laid[seat], *event.cards)),
            pile=pile,
            count=sum(map(value_of, pile)),
        )
    elif event.kind == "win":
        scene = replace(
            scene, phase="over", winner=seat, skunk=game.skunk, is_forfeit=game.is_forfeit
        )
    pegs = scene.pegs
    if event.scores != scene.scores:
        mover = 0 if event.scores[0] != scene.scores[0] else 1
        pegs = _changed(pegs, mover, (scene.scores[mover], event.scores[mover]))
    return replace(scene, pegs=pegs, scores=event.scores, events=(*scene.events, event))


def _changed(pair: tuple[_T, _T], seat: int, value: _T) -> tuple[_T, _T]:
    """Return a pair with another value for one seat."""
    return (value, pair[1]) if seat == 0 else (pair[0], value)


def _without(hand: Cards, cards: tuple[int, ...]) -> Cards:
    return tuple(card for card in hand if card not in cards)


def _known(cards: Cards) -> list[int]:
    return [card for card in cards if card is not FACE_DOWN]


def as_seen(scene: Scene, viewer: int | None) -> Scene:
    """Return a frame's scene as one seat saw it then; None is the spectator who sees all.

    >>> game = Game(dealer=0, deck="AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC")
    >>> as_seen(make_frames(game)[0].scene, 0).hands[1]
    (None, None, None, None, None, None)
    """
    if viewer is None:
        return scene
    other = 1 - viewer
    deal = max(
        (place for place, event in enumerate(scene.events) if event.kind == "deal"), default=0
    )
    hidden: set[int] = set()
    if not any(event.kind == "crib" for event in scene.events[deal:]):
        for event in scene.events[deal:]:
            if event.kind == "discard" and event.player == other:
                hidden.update(event.cards)
    known = [card for card in _known(scene.crib) if card not in hidden]
    return replace(
        scene,
        viewer=viewer,
        hands=_changed(scene.hands, other, (FACE_DOWN,) * len(scene.hands[other])),
        crib=(*known, *[FACE_DOWN] * len(hidden)),
        events=tuple(
            replace(event, cards=()) if event.kind == "discard" and event.player == other else event
            for event in scene.events
        ),
    )
