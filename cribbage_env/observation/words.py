"""An observation by name and in words, for people who look at one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribbage_env.actions import describe_action
from cribbage_env.cards import format_card, format_cards
from cribbage_env.engine.layout import DISCARD, GAME_OVER, NO_CARD, PLAY, VIEW, View
from cribbage_env.observation.cards import read_view
from cribbage_env.observation.layout import (
    ACTION_FEATURES,
    CRIB_SCALE,
    KINDS,
    LAYOUT,
    PEG_SCALE,
    POINTS_SCALE,
    REPLY_SCALE,
    TOTAL_SCALE,
    TOTAL_SHIFT,
    size,
)

__all__ = ["describe", "view"]


def view(obs: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Return the segments of an observation by name, as arrays over the same memory.

    ``obs`` is one observation or a batch with any leading dimensions, of any kind; each segment
    has the leading dimensions followed by its own shape.

    Raises:
        TypeError: ``obs`` isn't a NumPy array.
        ValueError: the last dimension is the size of no kind.

    >>> batch = np.zeros((5, size("cards")), np.float32)
    >>> view(batch)["hand"].shape
    (5, 6, 17)
    >>> view(batch[0])["count"][:] = 1.0
    >>> int(batch.sum())
    32
    """
    if not isinstance(obs, np.ndarray):
        raise TypeError(f"an observation must be a NumPy array, not {type(obs).__name__}")
    if obs.ndim == 0 or obs.shape[-1] not in map(size, KINDS):
        sizes = ", ".join(f"{size(kind)} ({kind})" for kind in KINDS)
        raise ValueError(
            f"an observation must hold as many numbers as its kind, {sizes}, "
            f"in its last dimension, not shape {obs.shape}"
        )
    return {
        name: obs[..., segment.offset : segment.stop].reshape(obs.shape[:-1] + segment.shape)
        for name, segment in LAYOUT.items()
        if segment.stop <= obs.shape[-1]
    }


def describe(obs: NDArray[Any]) -> str:
    """Return what one observation says, in words and card notation, over several lines.

    An observation with features is followed by a line for each legal action.

    Raises:
        TypeError: ``obs`` isn't a NumPy array.
        ValueError: ``obs`` isn't one observation of any kind.

    >>> obs = np.zeros(size("cards"), np.float32)
    >>> parts = view(obs)
    >>> for slot, card in enumerate([0, 9, 18, 19, 41, 51]):
    ...     parts["hand"][slot, [card // 4, 13 + card % 4]] = 1
    >>> parts["phase"][0] = parts["is_on_turn"][0] = parts["count"][0] = 1
    >>> parts["target"][0] = 121 / 1024
    >>> parts["distance"][:] = 1, 102 / 121
    >>> parts["cards_left"][:] = 1
    >>> print(describe(obs))
    pone, to discard; score 0 to 19, target 121
    hand AC 3D 5H 5S JD KS
    """
    parts = view(obs)
    if obs.ndim != 1:
        raise ValueError(f"describe takes one observation, not a batch of shape {obs.shape}")
    seen = np.zeros(1, VIEW)
    read_view(np.ascontiguousarray(obs, np.float32), seen[0])
    lines = [_situation(seen[0]), *_cards(seen[0]), *_play(seen[0])]
    if "actions" in parts:
        lines += _actions(seen[0], parts["actions"])
    return "\n".join(lines)


def _situation(seen: View) -> str:
    role = "dealer" if seen.is_dealer else "pone"
    if seen.phase in (DISCARD, PLAY):
        deed = "discard" if seen.phase == DISCARD else "play"
        state = f"to {deed}" if seen.is_on_turn else f"waiting for the opponent to {deed}"
    else:
        state = "game over" if seen.phase == GAME_OVER else "deal over"
    return f"{role}, {state}; score {seen.scores[0]} to {seen.scores[1]}, target {seen.target}"


def _cards(seen: View) -> list[str]:
    if seen.kept[0] == NO_CARD:
        return [f"hand {format_cards(seen.dealt)}"]
    held = [card for card, is_held in zip(seen.kept, seen.held, strict=True) if is_held]
    starter = "" if seen.starter == NO_CARD else f"; starter {format_card(seen.starter)}"
    hand = f"hand {format_cards(held) or 'empty'} of {format_cards(seen.kept)}"
    return [f"{hand}; discarded {format_cards(seen.discards)}{starter}"]


def _play(seen: View) -> list[str]:
    if seen.phase == DISCARD or seen.starter == NO_CARD:
        return []
    words = []
    for place in range(seen.plays_made):
        if place == seen.pile_start and place > 0:
            words.append("|")
        words.append(("own " if seen.play_is_own[place] else "") + format_card(seen.plays[place]))
        if seen.go_after[place]:
            words[-1] += " (own go)" if seen.go_after[place] == 1 else " (go)"
    laid = ", ".join(words).replace(", |,", " |") or "none"
    cards = "card" if seen.opponent_cards == 1 else "cards"
    return [f"count {seen.count}; laid {laid}", f"opponent holds {seen.opponent_cards} {cards}"]


def _actions(seen: View, actions: NDArray[Any]) -> list[str]:
    lines = []
    hand = seen.dealt if seen.phase == DISCARD else seen.kept
    for action, row in enumerate(actions):
        number = dict(zip(ACTION_FEATURES, row.tolist(), strict=True))
        if number["legal"] < 0.5:
            continue
        if seen.phase == DISCARD:
            crib = (number["own_crib"] - number["opponent_crib"]) * CRIB_SCALE
            details = (
                f"hand {number['hand_mean'] * POINTS_SCALE:.2f} "
                f"({number['hand_worst'] * POINTS_SCALE:.0f} to "
                f"{number['hand_best'] * POINTS_SCALE:.0f}), crib {crib:+.2f}"
            )
        else:
            details = (
                f"points {number['points'] * PEG_SCALE:.0f}, "
                f"reply {number['reply'] * REPLY_SCALE:.2f}, "
                f"go {number['go']:.0%}, answer {number['answer'] * REPLY_SCALE:.2f}"
            )
        total = number["total"] * TOTAL_SCALE - TOTAL_SHIFT
        lines.append(f"{describe_action(action, hand)}: {details}, total {total:.2f}")
    return lines
