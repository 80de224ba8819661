"""docs/environment.md and docs/rules.md say what is so."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import gymnasium as gym
import pytest

from cribbage_env import CribbageEnv, observation
from cribbage_env.actions import DISCARDS, NUM_ACTIONS
from cribbage_env.envs.settings import RESET_OPTIONS
from cribbage_env.observation import ACTION_FEATURES, FORECASTS, LAYOUT, size
from cribbage_env.rewards import REWARDS

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "docs" / "environment.md").read_text(encoding="utf-8")
RULES = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")


def test_every_picture_is_shown_and_is_made_by_a_command() -> None:
    pages = {
        path: path.read_text("utf-8") for path in (ROOT / "README.md", *ROOT.glob("docs/*.md"))
    }
    for picture in (ROOT / "docs" / "images").iterdir():
        name = f"images/{picture.name}"
        assert any(f"{name})" in text for text in pages.values()), name
        commands = re.findall(r"^(?:python|cp) .*$", "\n".join(pages.values()), re.MULTILINE)
        assert any(f"docs/{name}" in command for command in commands), name
        assert picture.stat().st_size < 500_000, name
    readme = pages[ROOT / "README.md"]
    for name in ("table.png", "coach.svg", "training.png"):
        assert f"(docs/images/{name})" in readme


def section(title: str) -> str:
    """Return what stands below a heading, up to the next one."""
    return TEXT.split(f"\n## {title}\n")[1].split("\n## ")[0]


def rows_of(text: str) -> list[list[str]]:
    """Return the cells of every row of the tables in a text, without heads and rules."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    rules = {place for place, row in enumerate(rows) if set("".join(row)) == {"-"}}
    return [row for place, row in enumerate(rows) if place not in rules and place + 1 not in rules]


def names_in(title: str) -> list[str]:
    """Return the first cells of a section's tables, without their quotation marks."""
    return [row[0].strip('`"') for row in rows_of(section(title))]


def test_the_observation_tables_are_the_layout() -> None:
    expected = [
        [
            f"{piece.offset}–{piece.stop - 1}" if piece.size > 1 else f"{piece.offset}",
            f"`{piece.name}`",
            f"`{piece.shape}`",
            piece.meaning,
        ]
        for piece in LAYOUT.values()
    ]
    assert rows_of(section("Observation space")) == expected


def test_features_stand_in_a_table_of_their_own() -> None:
    first, second, third = section("Observation space").split("With `observation")
    assert {LAYOUT[row[1].strip("`")].kind for row in rows_of(first)} == {"cards"}
    assert {LAYOUT[row[1].strip("`")].kind for row in rows_of(second)} == {"features"}
    assert {LAYOUT[row[1].strip("`")].kind for row in rows_of(third)} == {"lookahead"}
    assert f"the {len(FORECASTS)} numbers of each action" in third
    assert f"the {len(ACTION_FEATURES)} numbers of each action" in second


def test_the_sizes_of_the_spaces() -> None:
    assert f"`Discrete({NUM_ACTIONS})`" in TEXT
    assert f"`Box(0, 1, ({size('cards')},), float32)`; `({size('features')},)`" in TEXT
    assert f'`({size("lookahead")},)` with `"lookahead"`' in TEXT
    assert f"observation layout {observation.VERSION} (" in section("Version history")


def test_the_table_of_discards() -> None:
    found = {
        int(cell): (int(row[0]), second)
        for row in rows_of(section("Action space"))
        for second, cell in enumerate(row[1:], start=1)
        if cell
    }
    assert found == dict(enumerate(DISCARDS))


def test_arguments_and_their_defaults() -> None:
    parameters = inspect.signature(CribbageEnv).parameters
    # Which of the two environments it is, and nothing to choose besides.
    defaults = {name: p.default for name, p in parameters.items() if name != "is_one_deal"}
    documented = {
        row[0].strip("`"): ast.literal_eval(row[1].strip("`"))
        for row in rows_of(section("Arguments"))
    }
    assert documented == defaults


def test_rewards_and_options() -> None:
    assert tuple(names_in("Rewards")) == REWARDS
    assert tuple(names_in("Starting state")) == RESET_OPTIONS


@pytest.mark.parametrize("name", ["Cribbage-v0", "CribbageDeal-v0"])
@pytest.mark.parametrize("illegal_action", ["forfeit", "random"])
@pytest.mark.parametrize("opponent", ["random", None])
def test_every_entry_of_an_info_is_described(
    name: str, illegal_action: str, opponent: str | None
) -> None:
    env = gym.make(name, opponent=opponent, illegal_action=illegal_action)
    described = names_in("Info")
    at_end = {row[0].strip("`") for row in rows_of(section("Info")) if "at the end:" in row[1]}
    _, info = env.reset(seed=1)
    seen = set(info)
    terminated, action = False, NUM_ACTIONS - 1  # a play, before the discard
    while not terminated:
        assert not at_end & set(info)
        _, _, terminated, _, info = env.step(action)
        seen |= set(info)
        action = int(info["action_mask"].argmax())
    assert set(described) - seen == {
        *({"forfeit"} if illegal_action == "random" else ()),
        *({"seat"} if opponent else ()),
    }
    assert seen <= set(described)


def test_the_example_runs() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    names: dict[str, object] = {}
    exec(example, names)  # our own page
    assert "action_mask" in names["info"]  # type: ignore[operator]


def test_every_clause_has_its_place_and_the_files_exist() -> None:
    rows = rows_of(RULES)
    assert [row[0] for row in rows] == [f"R{number}" for number in range(1, 21)]
    for row in rows:
        for path in re.findall(r"`([^`]+)`", row[2]):
            assert (ROOT / path).exists() or (ROOT / "cribbage_env" / path).exists(), path
