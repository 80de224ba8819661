"""The right column of a picture: what has happened, event by event, and who is to do what."""

from __future__ import annotations

from cribbage_env.game import Event
from cribbage_env.rendering import palette
from cribbage_env.rendering.canvas import Canvas
from cribbage_env.rendering.lettering import break_lines
from cribbage_env.rendering.scene import Scene
from cribbage_env.rendering.size import HEIGHT
from cribbage_env.rendering.words import (
    cards_in_words,
    does,
    ending,
    name_of,
    score_in_words,
    task,
)

__all__ = ["draw_story", "draw_story_panel", "outcome"]

STORY_X, STORY_WIDTH = 564, 196
LINE, TEXT = 17, 13
STORY_TOP, STORY_BOTTOM = 78, 536


def draw_story_panel(canvas: Canvas) -> None:
    """Draw what is the same in every story."""
    x, width = STORY_X - 8, STORY_WIDTH + 16
    canvas.box(x, 12, width, HEIGHT - 24, palette.PANEL, radius=10, opacity=0.62)
    canvas.text(STORY_X + 4, 40, "Cribbage", 22, bold=True)


def draw_story(canvas: Canvas, scene: Scene) -> None:
    """Write what has happened, the newest last; what is older than the viewer's last act is dim."""
    subtitle = f"to {scene.target}, deal {scene.deals}"
    canvas.text(STORY_X + 4, 60, subtitle, 13, palette.MUTED)
    acts = [
        place
        for place, event in enumerate(scene.events)
        if event.kind in ("discard", "play") and scene.viewer in (None, event.player)
    ]
    new_from = acts[-1] if acts else 0
    y = STORY_BOTTOM
    for place in reversed(range(len(scene.events))):
        event = scene.events[place]
        lines = break_lines(_short(scene, event), TEXT * canvas.scale, 148 * canvas.scale)
        y -= LINE * len(lines) + (6 if event.kind == "deal" else 0)
        if y < STORY_TOP:
            break
        is_new = place >= new_from
        colour = palette.CHALK if is_new else palette.MUTED
        red = palette.RED_ON_DARK if is_new else palette.RED_MUTED
        if event.kind == "deal":
            canvas.box(STORY_X + 4, y + 3, STORY_WIDTH - 8, 1, palette.FAINT)
        first = y + LINE + (2 if event.kind == "deal" else -2)
        canvas.disc(STORY_X + 8, first - 4, 3.5, palette.SEATS[event.player])
        for number, line in enumerate(lines):
            canvas.text(STORY_X + 18, first + LINE * number, line, TEXT, colour, red=red)
        if event.points:
            gold = palette.GOLD if is_new else palette.MUTED
            right = STORY_X + STORY_WIDTH - 4
            last = first + LINE * (len(lines) - 1)
            canvas.text(right, last, f"+{event.points}", TEXT, gold, bold=True, align=1)
    _draw_task(canvas, scene)


def _short(scene: Scene, event: Event) -> str:
    """Return an event as a few words; its points stand beside them."""
    cards = cards_in_words(event.cards)
    name = name_of(scene, event.player)

    def doing(verb: str) -> str:
        return does(scene, event.player, verb).removeprefix("the ")

    return {
        "cut": lambda: f"{doing('cut')} {cards}",
        "deal": lambda: doing("deal"),
        "discard": lambda: f"{doing('throw')} {cards or 'two'}",
        "starter": lambda: f"starter {cards}" + (", his heels" if event.points else ""),
        "play": lambda: f"{doing('lay')} {cards}" + (f", {event.detail}" if event.points else ""),
        "go": lambda: f"{doing('say')} go",
        "last": lambda: f"{name}, last card",
        "hand": lambda: f"{doing('count')} {cards}",
        "crib": lambda: f"{doing('count')} the crib {cards}",
        "win": lambda: doing("win"),
        "forfeit": lambda: f"{doing('forfeit')} by an illegal action",
    }[event.kind]()


def _draw_task(canvas: Canvas, scene: Scene) -> None:
    """Write who is to do what, or how the game ended."""
    y, height = HEIGHT - 92, 70
    canvas.box(STORY_X, y, STORY_WIDTH, height, palette.SHADE, radius=8, opacity=0.55)
    title, words = outcome(scene) if scene.turn is None else task(scene)
    middle = STORY_X + STORY_WIDTH / 2
    canvas.text(middle, y + 30, _capitalized(title), 17, palette.GOLD, bold=True, align=0.5)
    canvas.text(middle, y + 52, words, 14, align=0.5)


def outcome(scene: Scene) -> tuple[str, str]:
    """Return how a game that is over has ended: who won, and the score with the rest."""
    score = score_in_words(scene, scene.scores)
    title, rest = ending(scene).split(score)
    return _capitalized(title.removesuffix("at ").strip()), score + rest


def _capitalized(text: str) -> str:
    return text[0].upper() + text[1:]
