"""ARCHITECTURE.md says what is so: the tables of the state, the folders, the layers."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np
import pytest

from cribbage_env.engine.layout import STATE, VIEW

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
FIELD = re.compile(r"^\| `(\w+)` \| (\w+) \| (\(.*?\))? ?\| (.+) \|$", re.MULTILINE)


def section(start: str, end: str) -> str:
    return TEXT.split(start)[1].split(end)[0]


@pytest.mark.parametrize(
    ("dtype", "start", "end"),
    [(STATE, "<!-- STATE -->", "<!-- VIEW -->"), (VIEW, "<!-- VIEW -->", "<!-- end -->")],
)
def test_the_tables_list_every_field_in_order(dtype: np.dtype, start: str, end: str) -> None:
    documented = [
        (name, np.dtype(kind), ast.literal_eval(shape or "()"))
        for name, kind, shape, _ in FIELD.findall(section(start, end))
    ]
    defined = [(name, dtype[name].base, dtype[name].shape) for name in dtype.names or ()]
    assert documented == defined


def test_every_path_in_the_folder_table_exists() -> None:
    rows = [
        line.split("|")[1]
        for line in section("## Folders", "## From state").splitlines()
        if line.startswith("| `")
    ]
    assert len(rows) > 10
    for row in rows:
        # A name without a folder stands beside the one before it.
        first, *others = (ROOT / path for path in re.findall(r"`([^`]+)`", row))
        for path in [first, *others]:
            assert path.exists() or (first.parent / path.name).exists(), f"{path} doesn't exist"


def test_links_lead_to_files() -> None:
    for page in ("ARCHITECTURE.md", "docs/environment.md", "docs/rules.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", text):
            assert ((ROOT / page).parent / target).exists(), f"{page}: no {target}"


def test_the_layers_are_those_of_the_import_contract() -> None:
    described = section("## Layers", "`policy` imports").split("```")[1].split("\n")[3:-1]
    contract = (ROOT / "pyproject.toml").read_text(encoding="utf-8").split("layers = [")[1]
    layers = re.findall(r'"([^"]+)"', contract.split("\n]")[0])
    names = [sorted(re.findall(r"\w+", layer)) for layer in layers]
    assert [sorted(line.split(", ")) for line in described] == names
