"""What the pages and the example say of Ray is so."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray")

from tests.test_ecosystem import snippets
from tests.test_examples import QUICK, run

SCALING = Path(__file__).resolve().parents[2] / "docs" / "scaling.md"


def test_the_snippets_of_the_ecosystem_page_run() -> None:
    names: dict[str, Any] = {}
    for snippet in snippets("RLlib"):
        exec(snippet, names)  # our own page
    assert set(names["rewards"].values()) == {-1, 1}


def test_the_snippets_of_the_scaling_page_run(capsys: Any) -> None:
    names: dict[str, Any] = {}
    for snippet in re.findall(r"```python\n(.*?)```", SCALING.read_text("utf-8"), re.DOTALL):
        exec(snippet, names)  # our own page
    assert re.fullmatch(r"club greedy 200 0\.\d+\n", capsys.readouterr().out)


def test_the_example_runs() -> None:
    arguments, expected = QUICK["rllib_self_play.py"]
    assert re.search(expected, run("rllib_self_play.py", *arguments))
