"""docs/evaluation.md says what is so."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import evaluate
from agents.ratings import Rating
from agents.results import CSV_COLUMNS
from tests.test_evaluate import read, run

ROOT = Path(evaluate.__file__).parent
TEXT = (ROOT / "docs" / "evaluation.md").read_text(encoding="utf-8")


def first_cells(after: str) -> list[str]:
    """Return the names in the first cells of the table that follows a line."""
    rows = TEXT.split(after)[1].lstrip("\n").split("\n\n")[0].splitlines()[2:]
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row.split("|")[1])]


def test_every_key_of_the_file_is_described(capsys: Any, tmp_path: Path) -> None:
    path = tmp_path / "ladder.json"
    run(capsys, "club", "random", "--games", 4, "--json", path, "--plot", tmp_path / "deals.png")
    document = read(path)
    assert first_cells("JSON:") == list(document)
    assert sorted(first_cells("An entry of `matches`:")) == sorted(document["matches"][0])
    described = re.findall(r"`(\w+)`", TEXT.split("| `ratings` |")[1].splitlines()[0])
    assert described == list(Rating("a", 0.0, (0.0, 0.0), 1, 0.5).to_dict())


def test_every_option_is_described() -> None:
    described = {name.split()[0] for name in first_cells("[everywhere](../README.md#opponents).")}
    options = {
        action.option_strings[-1]
        for action in evaluate._make_parser()._actions
        if action.option_strings
    }
    assert described == options - {"--help"}


def test_the_columns_of_the_table() -> None:
    described = TEXT.split("CSV: ")[1].split("columns")[1].split(";")[0]
    assert tuple(re.findall(r"`(\w+)`", described)) == CSV_COLUMNS


def test_the_example_runs(capsys: Any) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    exec(example, {})  # our own page
    assert capsys.readouterr().out.startswith("club ")


def test_links_lead_to_files() -> None:
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", TEXT):
        assert (ROOT / "docs" / target).exists()
