"""Recorded games as one page for a browser: no network, no fonts, nothing but itself.

The page holds the games as JSON, one style and one script. Its own policy lets the browser run
nothing else, and texts from records reach the page as text only.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

from cribbage_env.cards import format_card
from cribbage_env.decisions import Choice, Decision
from cribbage_env.game import Game
from cribbage_env.rendering.scene import FACE_DOWN
from cribbage_env.replay.decisions import Losses, judge
from cribbage_env.replay.frames import Frame, as_seen, make_frames, names_of
from cribbage_env.replay.transcript import Judge
from cribbage_env.replay.words import (
    decision_in_words,
    event_in_words,
    losses_in_words,
    outcome_in_words,
    title_of,
)
from cribbage_env.scoring import DOUBLE_SKUNK_MARGIN, SKUNK_MARGIN

__all__ = ["DATA_ID", "DATA_VERSION", "make_page", "page_data"]

DATA_ID = "replay-data"
DATA_VERSION = 1


def make_page(
    games: Sequence[Game],
    viewer: int | None = None,
    *,
    judge_frame: Judge | None = judge,
    progress: Callable[[int], None] | None = None,
) -> str:
    """Return a page to step through games with; it begins with the cards that a viewer sees.

    `judge_frame` None leaves out what choices were worth; `progress` is called with the number of
    games done after each.

    Raises:
        ValueError: no game.

    >>> page = make_page([Game(seed=1)], judge_frame=None)
    >>> page.startswith("<!doctype html>"), "http" in page.replace("http-equiv", "")
    (True, False)
    """
    data = page_data(games, viewer, judge_frame=judge_frame, progress=progress)
    title = data["games"][0]["title"] if len(games) == 1 else f"{len(games)} games of cribbage"
    style, script = _read("page.css"), _read("page.js")
    policy = (
        "default-src 'none'; base-uri 'none'; form-action 'none'; "
        f"style-src {_hash_of(style)}; script-src {_hash_of(script)}"
    )
    return _read("page.html").format(
        policy=policy,
        title=escape(title),
        style=style,
        script=script,
        data_id=DATA_ID,
        data=_as_script(data),
    )


def _read(name: str) -> str:
    """Return a file of this package, with the ends of lines that a browser hashes."""
    text = files("cribbage_env.replay").joinpath(name).read_text(encoding="utf-8")
    return text.replace("\r\n", "\n")


def _hash_of(text: str) -> str:
    return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"


def _as_script(data: dict[str, Any]) -> str:
    """Return JSON in which nothing can end the element that it stands in."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")


def page_data(
    games: Sequence[Game],
    viewer: int | None = None,
    *,
    judge_frame: Judge | None = judge,
    progress: Callable[[int], None] | None = None,
) -> dict[str, Any]:
    """Return what a page holds of games; the arguments are those of `make_page`.

    Raises:
        ValueError: no game.
    """
    if not games:
        raise ValueError("a page shows one game or more, not none")
    found = []
    for number, game in enumerate(games, 1):
        found.append(_game_data(game, judge_frame))
        if progress is not None:
            progress(number)
    return {"version": DATA_VERSION, "viewer": viewer, "games": found}


def _game_data(game: Game, judge_frame: Judge | None) -> dict[str, Any]:
    frames = make_frames(game)
    decisions = [None if judge_frame is None else judge_frame(frame) for frame in frames]
    made = [decision for decision in decisions if decision is not None]
    lines = (
        (game.target - SKUNK_MARGIN, "skunk"),
        (game.target - DOUBLE_SKUNK_MARGIN, "double skunk"),
    )
    return {
        "names": list(names_of(game)),
        "title": title_of(game),
        "outcome": outcome_in_words(game),
        # A seed may be larger than a number in JavaScript can be.
        "seed": str(game.seed),
        "number": str(game.number),
        "target": game.target,
        "lines": [{"hole": hole, "name": name} for hole, name in lines if hole > 0],
        "losses": [losses_in_words(Losses.of(made, seat)) for seat in (0, 1)] if made else None,
        "frames": [
            _frame_data(frame, decision) for frame, decision in zip(frames, decisions, strict=True)
        ],
    }


def _frame_data(frame: Frame, decision: Decision | None) -> dict[str, Any]:
    scene, event = frame.scene, frame.event
    data: dict[str, Any] = {
        "kind": event.kind,
        "player": event.player,
        "cards": _texts(event.cards),
        "points": event.points,
        "scores": list(event.scores),
        "words": event_in_words(scene),
        "deal": scene.deals,
        "dealer": scene.dealer,
        "starter": None if scene.starter is None else format_card(scene.starter),
        "count": scene.count,
        "pile": _texts(scene.pile),
        "hands": [_texts(hand) for hand in scene.hands],
        "laid": [_texts(laid) for laid in scene.laid],
        "crib": _texts(scene.crib),
        "pegs": [list(pegs) for pegs in scene.pegs],
        # What of the crib a seat knows, by seat.
        "crib_seen": [_texts(as_seen(scene, seat).crib) for seat in (0, 1)],
        "decision": None if decision is None else _decision_data(decision),
    }
    if event.kind == "discard":
        data["hidden_words"] = event_in_words(as_seen(scene, 1 - event.player))
    return data


def _texts(cards: Sequence[int | None]) -> list[str | None]:
    return [None if card is FACE_DOWN else format_card(card) for card in cards]


def _decision_data(decision: Decision) -> dict[str, Any]:
    return {
        "seat": decision.seat,
        "is_discard": decision.is_discard,
        "chosen": decision.rank - 1,
        "words": decision_in_words(decision),
        "points_lost": _rounded(decision.points_lost),
        "win_lost": _rounded(decision.win_lost),
        "is_mistake": decision.is_mistake,
        "choices": [_choice_data(choice) for choice in decision.choices],
    }


def _choice_data(choice: Choice) -> dict[str, Any]:
    data: dict[str, Any] = {
        "cards": _texts(choice.cards),
        "points": _rounded(choice.points),
        "win": _rounded(choice.win),
    }
    if choice.now is None:
        data["hand"] = _rounded(choice.hand)
        data["crib"] = _rounded(choice.crib)
        data["pegging"] = _rounded(choice.pegging)
    else:
        data["now"] = choice.now.total
        data["why"] = str(choice.now) if choice.now.total else ""
    return data


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 5)
