"""The page of a run: one file of HTML that needs no other, everything in it escaped."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Final

from agents.ppo.config import in_words

if TYPE_CHECKING:
    from agents.ppo.report import RunStory

__all__ = ["page_of"]

STYLE: Final = """
body { font: 16px/1.5 sans-serif; color: #222; max-width: 60rem; margin: auto; padding: 1rem }
img { max-width: 100%; height: auto }
pre { background: #f4f4f4; padding: 0.6rem; overflow-x: auto }
table { border-collapse: collapse }
th, td { border-bottom: 1px solid #ddd; padding: 0.15rem 0.8rem; text-align: left }
.numbers td + td, .numbers th + th { text-align: right }
"""
POLICY: Final = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
"""Content security policy: nothing is loaded, nothing is run."""
COLUMNS: Final = {
    "win_rate": "games won",
    "points_per_deal": "points a deal",
    "discard_loss": "lost by discards",
    "play_loss": "lost by plays",
}
"""Figures of an evaluation and their titles."""


def page_of(story: RunStory, picture: bytes) -> str:
    """Return the page of a run; `picture` is its curves as a PNG, empty for none."""
    name = escape(story.name)
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">',
        f"<title>Training run {name}</title><style>{STYLE}</style></head><body>",
        f"<h1>Training run {name}</h1>",
        f"<p>{story.decisions:,} decisions in {_duration(story.seconds)}.</p>",
        *_results(story),
        *_curves(story, picture),
        "<h2>How it was run</h2>",
        *(f"<pre>{escape(command)}</pre>" for command in story.commands),
        *_time(story),
        "<h2>Configuration</h2>",
        _pairs(story.config),
        "<h2>Versions</h2>",
        _pairs(story.versions),
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"


def _results(story: RunStory) -> list[str]:
    if not story.table:
        return ["<h2>Final results</h2>", "<p>There is no final table.</p>"]
    return ["<h2>Final results</h2>", f"<pre>{escape(story.table.rstrip())}</pre>"]


def _curves(story: RunStory, picture: bytes) -> list[str]:
    if not story.curves:
        return ["<h2>Evaluations</h2>", "<p>There is none.</p>"]
    parts = [f"<h2>Evaluations against {escape(', '.join(story.curves))}</h2>"]
    if picture:
        data = base64.b64encode(picture).decode()
        parts.append(f'<p><img alt="Curves over decisions" src="data:image/png;base64,{data}"></p>')
    parts.append(
        "<p>Duplicate games, each deal played twice with the seats swapped; bands and brackets are "
        "95 % intervals. Points lost are those of single deals, each choice against the best one "
        "by the analysis of the expert. The last evaluation:</p>"
    )
    last = {opponent: points[-1] for opponent, points in story.curves.items()}
    figures = [name for name in COLUMNS if any(name in one for one in last.values())]
    head = ["opponent", "decisions", *(COLUMNS[name] for name in figures)]
    rows = [
        [opponent, f"{one['decisions']:,.0f}", *(_figure(one, name) for name in figures)]
        for opponent, one in last.items()
    ]
    parts.append(_table([head, *rows]))
    if story.unreadable:
        parts.append(f"<p>Lines of the evaluations that can't be read: {story.unreadable}.</p>")
    return parts


def _figure(evaluation: Mapping[str, float], name: str) -> str:
    """Return a figure with its interval, as far as they were measured."""
    if name not in evaluation:
        return ""
    form = "{:.1%}" if name == "win_rate" else "{:+.2f}" if name == "points_per_deal" else "{:.3f}"
    text = form.format(evaluation[name])
    if f"{name}_low" in evaluation and f"{name}_high" in evaluation:
        low, high = (form.format(evaluation[f"{name}_{end}"]) for end in ("low", "high"))
        text += f" ({low} to {high})"
    return text


def _time(story: RunStory) -> list[str]:
    parts = ["<h2>Time</h2>"]
    speed = story.decisions_per_second
    if speed is not None:
        parts.append(f"<p>{speed:,.0f} decisions a second, all included.</p>")
    total = sum(story.clock.values())
    if total > 0:
        rows = [
            [activity, _duration(seconds), f"{seconds / total:.0%}"]
            for activity, seconds in story.clock.items()
        ]
        parts.append(_table([["", "time", "share"], *rows]))
        parts.append("<p>Besides: evaluations and checkpoints.</p>")
    return parts


def _duration(seconds: float) -> str:
    """Return a duration in words.

    >>> _duration(59.6), _duration(3725)
    ('1 min 0 s', '1 h 2 min 5 s')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    parts = [f"{hours} h"] if hours else []
    parts += [f"{minutes} min"] if hours or minutes else []
    return " ".join([*parts, f"{rest} s"])


def _pairs(values: Mapping[str, Any]) -> str:
    rows = "".join(
        f"<tr><th>{escape(str(name))}</th><td>{escape(_shown(value))}</td></tr>"
        for name, value in values.items()
    )
    return f"<table>{rows}</table>"


def _shown(value: Any) -> str:
    return in_words(tuple(value or ()) if value is None or isinstance(value, list) else value)


def _table(rows: Sequence[Sequence[str]]) -> str:
    """Return a table of texts, the first row its head."""
    lines = []
    for place, row in enumerate(rows):
        kind = "td" if place else "th"
        lines.append("".join(f"<{kind}>{escape(cell)}</{kind}>" for cell in row))
    return '<table class="numbers">' + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"
