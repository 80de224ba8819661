"""Every player against every other: the matches of an evaluation, cut into parts and put together.

A match is cut at fixed places, and its parts are added in order, so that it comes out the same to
the last count whether one process or several play it, and whether or not it is broken off and
gone on with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from itertools import combinations

from agents.executors import Executor, SameProcess
from agents.parts import PlayedPart
from cribbage_env.match import MatchResult, MatchSettings
from cribbage_env.match.play import LOOK_EVERY
from cribbage_env.policy import make_policy

__all__ = ["Evaluation", "Match"]


def _nothing(_: object = None) -> None:
    pass


class Match:
    """A match as far as it has been played.

    Attributes:
        a: the name of the one player.
        b: the name of the other.
        played: all pairs up to a point, added up.
    """

    def __init__(self, a: str, b: str, settings: MatchSettings) -> None:
        self.a = a
        self.b = b
        self.settings = settings
        self.played = PlayedPart()
        self._early: dict[int, PlayedPart] = {}
        """Parts that came before one in front of them, by their first pair."""

    @property
    def games(self) -> int:
        """Games played so far."""
        return self.played.totals.games

    @property
    def is_over(self) -> bool:
        """Whether all games are played, or its interval is as narrow as was asked for."""
        if self.games >= self.settings.games:
            return True
        width = self.settings.until_half_width
        is_looked_at = self.games > 0 and self.games % LOOK_EVERY == 0
        return width is not None and is_looked_at and self.result.half_width <= width

    @property
    def result(self) -> MatchResult:
        """What has come out so far; of no games there are no rates."""
        settings, played = self.settings, self.played
        return MatchResult(
            self.a, self.b, settings.seed, settings.target, played.totals, played.seconds
        )

    def parts(self) -> Iterator[tuple[int, int]]:
        """Give out the pairs that are still to be played, part by part, until it is over."""
        settings = self.settings
        first = self.played.totals.pairs
        while first < settings.games // 2 and not self.is_over:
            stop = min(first + settings.batch_size // 2, settings.games // 2)
            if settings.until_half_width is not None:
                look = LOOK_EVERY // 2
                stop = min(stop, (first // look + 1) * look)
            yield first, stop
            first = stop

    def take(self, first: int, part: PlayedPart) -> None:
        """Add a part as soon as all before it have been; what lies behind the end is dropped."""
        self._early[first] = part
        while not self.is_over and self.played.totals.pairs in self._early:
            self.played += self._early.pop(self.played.totals.pairs)
        if self.is_over:
            self._early.clear()


class Evaluation:
    """The matches of some players under the same settings.

    Attributes:
        players: their names; one that is named twice also meets itself.
        policies: the players by name.
        matches: all matches, in the order in which they are played.

    >>> evaluation = Evaluation(("club", "greedy", "random"), MatchSettings(games=10))
    >>> evaluation.play()
    >>> [(result.a, result.b) for result in evaluation.results]
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
        self.policies = {name: make_policy(name) for name in self.players}
        self.matches = [Match(a, b, settings) for a, b in combinations(self.players, 2)]

    @property
    def results(self) -> list[MatchResult]:
        """The results so far, that of a match which was broken off among them."""
        return [match.result for match in self.matches if match.games]

    @property
    def is_complete(self) -> bool:
        """Whether every match has been played to its end."""
        return all(match.is_over for match in self.matches)

    @property
    def games(self) -> int:
        """Games played so far, in all matches."""
        return sum(match.games for match in self.matches)

    @property
    def most_games(self) -> int:
        """Games at the end, in all matches: the most that there can be."""
        return sum(match.games if match.is_over else self.settings.games for match in self.matches)

    def play(
        self,
        executor: Executor | None = None,
        *,
        progress: Callable[[], None] = _nothing,
        finished: Callable[[MatchResult], None] = _nothing,
    ) -> None:
        """Play what is missing; whatever ends it early, the parts that were added are kept.

        `executor` plays the parts, by default this process. `progress` is called after each part,
        `finished` with the result of each match.

        Raises:
            ValueError: a player chose an illegal action, or answered in a wrong shape.
            TypeError: a player's answer is not integers.
            RuntimeError: either of these, or an error of a player's own, in another process; or
                such a process died.
        """
        executor = executor or SameProcess(self.policies)
        to_play = ((match, *part) for match in self.matches for part in match.parts())
        running: dict[Future[PlayedPart], tuple[Match, int]] = {}
        while True:
            while len(running) < executor.at_once:
                match, first, stop = next(to_play, (None, 0, 0))
                if match is None:
                    break
                future = executor.submit(match.a, match.b, first, stop, self.settings)
                running[future] = match, first
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                if future not in running:  # its match has come to its end meanwhile
                    continue
                match, first = running.pop(future)
                match.take(first, future.result())
                progress()
                if match.is_over:
                    finished(match.result)
                    for late in [other for other, (of, _) in running.items() if of is match]:
                        del running[late]
                        late.cancel()
