"""Recorded games for the tests of replays."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from cribbage_env.game import Beginning, Game
from tests.games import DISCARDS, POSITION, played_out

HOSTILE = "</script><script>document.title='owned'</script><!--<b onclick=\"x\">&amp;'"
"""A name that would run, were it taken for anything but text."""


def named(game: Game, first: str, second: str) -> Game:
    return Game.replay(replace(game.beginning, names=(first, second)), game.actions)


@cache
def games() -> tuple[Game, ...]:
    """Return games of every kind: over, hostile names, forfeited, one deal, under way, redealt."""
    over = named(played_out(Game(seed=1), 1), "club", "expert:lookahead=2,score_aware=false")
    forfeited = Game(seed=2, number=7)
    for _ in range(5):
        forfeited.step(forfeited.legal_actions()[0])
    forfeited.forfeit(1)
    single = played_out(Game.replay(Beginning(seed=2**64 - 1, is_one_deal=True)), 3)
    position = Game.from_position(**POSITION, discards=DISCARDS, plays="4H 6D 5H", scores=(3, 5))
    return (
        over,
        named(played_out(Game(seed=5, target=31), 2), HOSTILE, HOSTILE),
        forfeited,
        single,
        position,
        position.redeal_hidden(0, seed=9),
        Game(seed=6),
    )
