"""The report of a run: its curves as a picture, and a page with all that it takes to judge it.

``python -m agents.ppo.report RUN`` writes ``report.png`` and ``report.html`` into the run's folder,
as ``train.py`` does at its end. The page holds the picture and needs no other file.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from agents.ppo.checkpoint import TRAINING_FACTS
from agents.ppo.curves import draw_curves
from agents.ppo.evaluation import EVALUATIONS, Curves, is_figure, read_curves
from agents.ppo.page import page_of
from agents.ppo.runs import RUN_FACTS
from cribbage_env.bots.network import newest_first
from cribbage_env.command_line import OneLineParser, one_line
from cribbage_env.files import OutputFile, parse_json

__all__ = ["RunStory", "main", "read_story", "write_report"]

TABLES: Final = "table-*.txt"
PAGE: Final = "report.html"
PICTURE: Final = "report.png"
FAILED = 1


@dataclass(frozen=True)
class RunStory:
    """What a run has written down of itself."""

    name: str
    commands: tuple[str, ...]
    """The one that began the run and, if it was gone on with, the newest one."""
    config: Mapping[str, Any]
    versions: Mapping[str, Any]
    decisions: int
    seconds: float
    clock: Mapping[str, float]
    """Seconds of each activity (`agents.ppo.clock`); empty before the first checkpoint."""
    curves: Curves
    unreadable: int
    """Lines of the evaluations that can't be read."""
    table: str
    """The newest final table; empty if there is none."""

    @property
    def decisions_per_second(self) -> float | None:
        """Decisions by the time of the whole run, evaluations included."""
        return self.decisions / self.seconds if self.seconds > 0 else None


def read_story(run: Path) -> RunStory:
    """Read what a run has written.

    Raises:
        ValueError: it is no run.
        OSError: a file of it can't be read.
    """
    facts = _read_json(run / RUN_FACTS)
    if not isinstance(facts.get("config"), dict):
        raise ValueError(f"{run} is no run: it has no {RUN_FACTS} that tells its configuration")
    newest: dict[str, Any] = next(
        (found for folder in newest_first(run) if (found := _read_json(folder / TRAINING_FACTS))),
        {},
    )
    curves, unreadable = read_curves(run / EVALUATIONS)
    moments = [_figures(newest), *(one for points in curves.values() for one in points)]
    last = max(moments, key=lambda one: one.get("decisions", 0))
    commands = [str(found["command"]) for found in (facts, newest) if "command" in found]
    tables = sorted(run.glob(TABLES))
    return RunStory(
        name=run.resolve().name,
        commands=tuple(dict.fromkeys(commands)),
        config=_mapping(newest.get("config")) or facts["config"],
        versions=_mapping(newest.get("versions")) or _mapping(facts.get("versions")),
        decisions=int(last.get("decisions", 0)),
        seconds=float(last.get("seconds", 0.0)),
        clock=_figures(_mapping(newest.get("clock"))),
        curves=curves,
        unreadable=unreadable,
        table=tables[-1].read_text("utf-8", "replace") if tables else "",
    )


def write_report(run: Path) -> Path:
    """Write the picture and the page of a run, in place of earlier ones; return the page's path.

    A run without an evaluation has no picture.

    Raises:
        ValueError: it is no run, or the files can't be written.
        OSError: the disk is full; what was there before is as it was.
        NotInstalledError: matplotlib isn't there; names what installs it.
    """
    story = read_story(run)
    picture = draw_curves(story.curves) if story.curves else b""
    page = OutputFile(run / PAGE, overwrite=True)
    if picture:
        OutputFile(run / PICTURE, overwrite=True).write(picture)
    page.write(page_of(story, picture).encode())
    return page.path


def _read_json(file: Path) -> dict[str, Any]:
    """Return what a file of JSON says; nothing if it is missing or damaged."""
    try:
        found = parse_json(file.read_bytes())
    except (OSError, ValueError):
        return {}
    return _mapping(found)


def _mapping(found: Any) -> dict[str, Any]:
    """Return what was found where a dictionary should be; nothing if it is none."""
    return found if isinstance(found, dict) else {}


def _figures(found: Mapping[str, Any]) -> dict[str, float]:
    """Return the numbers among what was found."""
    return {name: value for name, value in found.items() if is_figure(value)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the report of a run; return the exit status."""
    parser = OneLineParser(
        prog="python -m agents.ppo.report",
        description="Draw the curves of a training run and write its report into its folder.",
        allow_abbrev=False,
    )
    parser.add_argument("run", type=Path, metavar="RUN", help="folder of a run of train.py")
    run = parser.parse_args(arguments).run
    try:
        page = write_report(run)
    except ValueError as error:
        parser.error(str(error))
    except (ImportError, OSError) as error:
        sys.stderr.write(f"{parser.prog}: {one_line(error)}\n")
        return FAILED
    sys.stdout.write(f"{page}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
