"""Every player against every other: the matches of an evaluation, one after another."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from itertools import combinations

from cribbage_env.match import MatchResult, MatchSettings, MatchTotals, play_match
from cribbage_env.policy import make_policy

__all__ = ["Evaluation"]


def _nothing(_: object) -> None:
    pass


class Evaluation:
    """The matches of some players under the same settings.

    Attributes:
        players: their names; one that is named twice also meets itself.
        pairs: the names of each match, in the order in which they are played.
        matches: the results so far, that of a match which was broken off among them.
        is_complete: whether every match has been played to its end.

    >>> evaluation = Evaluation(("club", "greedy", "random"), MatchSettings(games=10))
    >>> evaluation.play()
    >>> [(match.a, match.b) for match in evaluation.matches]
    [('club', 'greedy'), ('club', 'random'), ('greedy', 'random')]
    """

    def __init__(self, players: Sequence[str], settings: MatchSettings) -> None:
        """Make every player.

        Raises:
            ValueError: fewer than two players, an unknown one, or a bad option of one.
            TypeError: a factory that makes no player.
        """
        if len(players) < 2:
            raise ValueError(f"name two players or more, not only {', '.join(players) or 'none'}")
        self.players = tuple(players)
        self.settings = settings
        self.pairs = list(combinations(self.players, 2))
        self.matches: list[MatchResult] = []
        self.is_complete = False
        self._policies = {name: make_policy(name) for name in self.players}

    def play(
        self,
        *,
        progress: Callable[[MatchTotals], None] = _nothing,
        finished: Callable[[MatchResult], None] = _nothing,
    ) -> None:
        """Play every match; whatever ends a match early, the games played are kept.

        `progress` gets the totals of the match that is being played, `finished` each result.

        Raises:
            ValueError: a player chose an illegal action, or answered in a wrong shape.
            TypeError: a player's answer is not integers.
        """
        for a, b in self.pairs:
            self._play_match(a, b, progress)
            finished(self.matches[-1])
        self.is_complete = True

    def _play_match(self, a: str, b: str, progress: Callable[[MatchTotals], None]) -> None:
        played = MatchTotals()

        def follow(totals: MatchTotals) -> None:
            nonlocal played
            played = totals
            progress(totals)

        begun = time.perf_counter()
        try:
            match = play_match(
                self._policies[a],
                self._policies[b],
                **asdict(self.settings),
                progress=follow,
                names=(a, b),
            )
        except BaseException:
            if played.games:
                seconds = time.perf_counter() - begun
                settings = self.settings
                self.matches.append(
                    MatchResult(a, b, settings.seed, settings.target, played, seconds)
                )
            raise
        self.matches.append(match)
