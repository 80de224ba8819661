"""The report of a run: what is read, what is drawn, and that it stands by itself."""

from __future__ import annotations

import base64
import errno
import json
import struct
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from agents.ppo.curves import DOTS_PER_INCH, PANEL_SIZE, draw_curves
from agents.ppo.evaluation import append_line, loss_figures, read_curves
from agents.ppo.report import main, read_story, write_report
from cribbage_env import files
from cribbage_env.match import measure_losses

NASTY = "ppo:<b>$x_1 & co</b>"


def evaluation(decisions: int, opponent: str = "club", rate: float = 0.5, **more: Any) -> Any:
    return {
        "decisions": decisions,
        "seconds": decisions / 1000,
        "opponent": opponent,
        "games": 600,
        "win_rate": rate,
        "win_rate_low": rate - 0.02,
        "win_rate_high": rate + 0.02,
        "margin": 1.0,
        "points_per_deal": 0.1,
        **more,
    }


LOSSES = {"discard_loss": 0.12, "discard_loss_low": 0.1, "discard_loss_high": 0.14}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Return the folder of a run with two evaluations, a checkpoint and a final table."""
    run = tmp_path / "run <1>"
    checkpoint = run / "checkpoints" / "000002000"
    checkpoint.mkdir(parents=True)
    begun = {
        "command": "python train.py --opponent '<i>'",
        "versions": {"python": "3.11.7"},
        "config": {"seed": 5, "opponent": [NASTY, "club"], "initial": None},
    }
    (run / "config.json").write_text(json.dumps(begun))
    facts = {
        "decisions": 2000,
        "seconds": 4.0,
        "command": "python train.py --resume 'run <1>'",
        "versions": {"python": "3.12.1"},
        "config": begun["config"] | {"timesteps": 9000},
        "clock": {"playing": 1.0, "learning": 2.0, "besides": 1.0},
    }
    (checkpoint / "training.json").write_text(json.dumps(facts))
    for decisions in (1000, 2000):
        for opponent in ("club", NASTY):
            append_line(run / "evaluations.jsonl", evaluation(decisions, opponent, 0.52, **LOSSES))
    (run / "table-000002000.txt").write_text("opponent  wins\n<club>    52.0%\n")
    return run


# ---- what is read ----------------------------------------------------------------------------


def test_lines_after_a_resume_take_the_place_of_those_that_they_repeat(tmp_path: Path) -> None:
    file = tmp_path / "evaluations.jsonl"
    for decisions, rate in ((100, 0.1), (200, 0.2), (300, 0.3), (200, 0.25), (310, 0.35)):
        append_line(file, evaluation(decisions, rate=rate))
    append_line(file, evaluation(100, "greedy", 0.7))
    curves, unreadable = read_curves(file)
    rates = {name: [one["win_rate"] for one in points] for name, points in curves.items()}
    assert rates == {"club": [0.1, 0.25, 0.35], "greedy": [0.7]}
    assert unreadable == 0
    assert read_curves(tmp_path / "nothing") == ({}, 0)


def test_a_line_that_a_crash_left_unfinished_spoils_no_other(tmp_path: Path) -> None:
    file = tmp_path / "evaluations.jsonl"
    append_line(file, evaluation(100))
    with file.open("a") as stream:
        stream.write('{"decisions": 200, "oppo')
    append_line(file, evaluation(300))
    append_line(file, evaluation(400))
    curves, unreadable = read_curves(file)
    assert [one["decisions"] for one in curves["club"]] == [100, 300, 400]
    assert unreadable == 1


@pytest.mark.parametrize(
    "line",
    [
        "[]",
        "7",
        "\x00",
        "{}",
        '{"opponent": "club"}',
        '{"opponent": 3, "decisions": 1}',
        '{"opponent": "club", "decisions": NaN}',
        '{"opponent": "club", "decisions": true}',
    ],
)
def test_lines_that_say_nothing_are_counted(tmp_path: Path, line: str) -> None:
    (tmp_path / "lines").write_text(line + "\n")
    assert read_curves(tmp_path / "lines") == ({}, 1)


def test_losses_as_figures() -> None:
    losses = measure_losses("greedy", deals=20, worlds=4)
    figures = loss_figures(losses)
    assert list(figures) == [
        *("discard_loss", "discard_loss_low", "discard_loss_high"),
        *("play_loss", "play_loss_low", "play_loss_high"),
    ]
    assert figures["discard_loss"] == losses.per_deal("discard") > 0
    assert figures["play_loss_low"] < figures["play_loss"] < figures["play_loss_high"]
    assert set(loss_figures(measure_losses("greedy", deals=2, worlds=4))) == {
        "discard_loss",
        "play_loss",
    }


def test_the_newest_checkpoint_tells_of_the_run(run: Path) -> None:
    story = read_story(run)
    assert story.name == "run <1>"
    assert [command.split()[2] for command in story.commands] == ["--opponent", "--resume"]
    assert story.config["timesteps"] == 9000
    assert story.versions == {"python": "3.12.1"}
    assert (story.decisions, story.seconds, story.decisions_per_second) == (2000, 4.0, 500)
    assert story.clock["learning"] == 2.0
    (run / "checkpoints" / "000002000" / "training.json").write_text("{")
    story = read_story(run)
    assert len(story.commands) == 1
    assert story.versions == {"python": "3.11.7"}
    assert (story.decisions, story.seconds) == (2000, 2.0)  # of the last evaluation
    assert story.clock == {}


# ---- the picture -----------------------------------------------------------------------------


def png_size(content: bytes) -> tuple[int, int]:
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", content[16:24])
    return width, height


def test_there_is_a_panel_for_each_figure_that_was_measured() -> None:
    two = draw_curves({"club": [evaluation(100), evaluation(200)]})
    three = draw_curves({"club": [evaluation(100), evaluation(200, **LOSSES)]})
    assert png_size(two)[0] == png_size(three)[0] == round(2 * PANEL_SIZE[0] * DOTS_PER_INCH)
    assert png_size(three)[1] - png_size(two)[1] == round(PANEL_SIZE[1] * DOTS_PER_INCH)


def test_the_picture_shows_the_figures_and_their_intervals() -> None:
    pictures = {
        draw_curves({"club": [evaluation(100), evaluation(200, rate=rate, **more)]})
        for rate, more in ((0.5, {}), (0.6, {}), (0.5, {"win_rate_high": 0.9}))
    }
    assert len(pictures) == 3
    assert draw_curves({"club": [evaluation(100)]}) == draw_curves({"club": [evaluation(100)]})


def test_names_with_signs_of_formulas_are_drawn_as_they_are() -> None:
    assert png_size(draw_curves({NASTY: [evaluation(1)], "$\\frac$": [evaluation(2)]}))


def test_nothing_to_draw() -> None:
    for curves in ({}, {"club": [{"decisions": 1.0}]}):
        with pytest.raises(ValueError, match="nothing to draw"):
            draw_curves(curves)


# ---- the page --------------------------------------------------------------------------------


class Page(HTMLParser):
    """Collects the tags, the text and the pictures, and checks that all tags are closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [value or "" for name, value in attributes if name in ("src", "href")]
        assert not any(name.startswith("on") for name, _ in attributes)
        if tag not in ("img", "meta"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_stands_by_itself_and_everything_is_escaped(run: Path) -> None:
    written = write_report(run)
    assert written == run / "report.html"
    page = Page(written.read_text("utf-8"))
    assert page.tags.isdisjoint({"script", "link", "b", "i", "club", "iframe"})
    (picture,) = page.links
    kind, data = picture.split(",")
    assert kind == "data:image/png;base64"
    assert base64.b64decode(data) == (run / "report.png").read_bytes()
    for text in (
        "Training run run <1>",
        "2,000 decisions in 4 s",
        "<club>    52.0%",
        f"Evaluations against club, {NASTY}",
        "52.0% (50.0% to 54.0%)",
        "0.120 (0.100 to 0.140)",
        "python train.py --opponent '<i>'",
        "python train.py --resume 'run <1>'",
        f"{NASTY} club",
        "500 decisions a second",
        "learning2 s50%",
        "initialnone",
        "3.12.1",
    ):
        assert text in page.text, text
    assert "can't be read" not in page.text


def test_a_run_without_an_evaluation_has_a_page_without_a_picture(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"config": {}}')
    page = Page(write_report(tmp_path).read_text("utf-8"))
    assert page.links == []
    assert "There is no final table." in page.text
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config.json", "report.html"]


def test_a_report_takes_the_place_of_the_one_before_and_of_nothing_else(run: Path) -> None:
    write_report(run)
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    with (run / "evaluations.jsonl").open("a") as stream:
        stream.write("damaged\n")
    page = write_report(run).read_text("utf-8")
    assert "Lines of the evaluations that can't be read: 1." in Page(page).text
    after = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    changed = {path.name for path in after if after[path] != before.get(path)}
    assert changed == {"report.html", "evaluations.jsonl"}
    assert after.keys() == before.keys()


# ---- the command -----------------------------------------------------------------------------


def test_the_command_says_where_the_page_is(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(run)]) == 0
    assert capsys.readouterr().out == f"{run / 'report.html'}\n"


def test_what_is_no_run_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "report.html").write_text("mine")
    for place in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(SystemExit) as exit_of:
            main([str(place)])
        assert exit_of.value.code == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert f"{place} is no run: it has no config.json" in error
    assert (tmp_path / "report.html").read_text() == "mine"


def test_without_matplotlib_it_is_named(
    run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main([str(run)]) == 1
    assert capsys.readouterr().err == (
        "python -m agents.ppo.report: matplotlib is not installed, which the report needs: "
        "pip install '.[train]'\n"
    )
    assert not list(run.glob("report.*"))


def test_a_folder_in_the_way_is_left_alone(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (run / "report.html").mkdir()
    with pytest.raises(SystemExit):
        main([str(run)])
    assert "report.html is a folder, not a file" in capsys.readouterr().err
    assert not (run / "report.png").exists()


def test_a_full_disk_leaves_the_report_before(
    run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_report(run)
    before = (run / "report.html").read_bytes()

    def fail(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", fail)
    assert main([str(run)]) == 1
    assert "No space left on device" in capsys.readouterr().err
    assert (run / "report.html").read_bytes() == before
    assert not list(run.glob(".*"))
